// The table of kernels: one row for each step of the program, sorted by share of time. A click on a
// heading sorts by it.
#pragma once

#include <memory>

#include <QSortFilterProxyModel>
#include <QTableView>

#include "gui/kernels/kernel_table.h"

namespace thallo::gui {

class KernelList final : public QTableView {
  Q_OBJECT

 public:
  KernelList();

  void setSnapshot(const std::shared_ptr<const KernelSnapshot>& snapshot);
  // Marks the row of the step; no row if the label is empty.
  void mark(const QString& label);
  // Returns the label in the row; empty if there is none.
  QString labelAt(int row) const;

 Q_SIGNALS:
  // Emitted when a row was chosen by the mouse or by a key.
  void chosen(const QString& label);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int widthOf(int column) const;
  void fitColumns();

  KernelTable* m_table;
  QSortFilterProxyModel* m_sorted;
  bool m_isMarking = false;
};

}  // namespace thallo::gui
