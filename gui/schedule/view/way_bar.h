// A breadcrumb of the decisions that led to the current schedule (way_model.h), each with the time
// after it. A press goes back to a step, or forward to one that was undone, which are faint. Where
// there is no room, steps far from the current one are left out. Hidden while nothing was decided.
#pragma once

#include <vector>

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class WayBar final : public QWidget {
 public:
  explicit WayBar(Workspace& workspace);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void layOut();
  // Returns which of the steps there is room for: the first, the current one and those near it.
  std::vector<bool> shownSteps() const;
  QToolButton* button(std::size_t step);

  Workspace& m_workspace;
  std::vector<QToolButton*> m_buttons;  // one for each step; more are kept, and hidden
  std::vector<QLabel*> m_gaps;          // in the place of steps that are left out
};

}  // namespace thallo::gui
