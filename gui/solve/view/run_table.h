// The runs of the solver, one row each: what they reached, and how soon. A check mark shows or
// hides a run in the diagram; its name can be edited in place (F2); Delete removes the selected
// run.
#pragma once

#include <memory>

#include <QTableWidget>

#include "gui/solve/solve_data.h"

namespace thallo::gui {

class RunTable final : public QTableWidget {
  Q_OBJECT

 public:
  RunTable();

  // Selects the newest run if it was not in the table before.
  void show(const std::shared_ptr<const SolveSnapshot>& runs);
  // The number of the selected run or, if none is selected, of the newest; 0 if there is none.
  int shownRun() const;

 Q_SIGNALS:
  void runHidden(int number, bool isHidden);
  void runRenamed(int number, const QString& name);
  void runRemoved(int number);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void onChanged(const QTableWidgetItem* item);
  void set(int row, int column, const QString& text, const QString& toolTip = {});
  int numberAt(int row) const;
  void removeSelected();
  void renameSelected();

  int m_newest = 0;
  bool m_isFilling = false;
};

}  // namespace thallo::gui
