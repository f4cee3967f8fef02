// The button that filters candidates by their choices. It opens a scrolling list of sites that
// unfold into their choices.
#pragma once

#include <QToolButton>
#include <QTreeWidget>

#include "gui/space/space_model.h"

namespace thallo::gui {

class ChoiceFilter final : public QToolButton {
  Q_OBJECT

 public:
  explicit ChoiceFilter(SpaceModel& space, QWidget* parent = nullptr);

 private:
  void fill();
  void take(QTreeWidgetItem& changed);

  SpaceModel& m_space;
  QTreeWidget* m_tree;
};

}  // namespace thallo::gui
