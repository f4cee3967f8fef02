// The button that filters the candidates by what they choose: a list of sites that unfolds into
// their choices and scrolls, since there may be more than a screen has room for.
#pragma once

#include <QToolButton>
#include <QTreeWidget>

#include "gui/models/space_model.h"

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
