// Shows the choices of a site as a list with their times, for many choices or long labels. A click
// or the return key takes one.
#pragma once

#include <QTreeWidget>

#include "gui/schedule/view/editors/site_editor.h"

namespace thallo::gui {

class ChoiceList final : public SiteEditor {
  Q_OBJECT

 public:
  explicit ChoiceList(ScheduleModel& schedule);

 protected:
  void refresh(const SiteTable& table) override;

 private:
  QTreeWidget* m_list;
};

}  // namespace thallo::gui
