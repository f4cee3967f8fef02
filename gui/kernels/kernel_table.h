// The steps of a program as a table, a row each.
#pragma once

#include <memory>

#include <QAbstractTableModel>

#include "gui/kernels/kernel_data.h"

namespace thallo::gui {

class KernelTable final : public QAbstractTableModel {
 public:
  enum Column {
    Kernel,
    Part,
    Share,
    Time,
    Waits,
    Registers,
    Stack,
    Bytes,
    Flops,
    Atomics,
    NumColumns
  };
  enum Role {
    SortRole = Qt::UserRole,  // numbers for numeric columns; unknown ones sort lowest
    LabelRole,                // the step's label
    ShareRole,                // of the time, relative to the largest: 0 to 1
    MeasuredRole,             // true if its time was measured
    WaitsRole,                // what the step waits for: a QVariantList of pairs of Wait and share
    FaultRole                 // true if something needs attention, such as spilled registers
  };

  using QAbstractTableModel::QAbstractTableModel;

  // Null shows no rows.
  void setSnapshot(std::shared_ptr<const KernelSnapshot> snapshot);
  // Returns -1 if there is no such row.
  int rowOf(const QString& label) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  bool haveEqualLabels(const KernelSnapshot& other) const;

  std::shared_ptr<const KernelSnapshot> m_snapshot;
};

}  // namespace thallo::gui
