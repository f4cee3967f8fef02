// Two schedules side by side as a tree of two levels: sections, and in each a row for what is
// compared. Columns: what, how it is in the other schedule, how in the current one, and the change.
#pragma once

#include <memory>

#include <QAbstractItemModel>

#include "gui/models/schedule_comparison.h"

namespace thallo::gui {

class ComparisonTable final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { What, Other, Current, Change, NumColumns };
  // Of a row: ComparisonRow::direction and ::in; the label of a step, empty for all else.
  enum Role { DirectionRole = Qt::UserRole, InRole, StepRole };

  using QAbstractItemModel::QAbstractItemModel;

  // Null shows no rows.
  void setComparison(std::shared_ptr<const ScheduleComparison> comparison);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& /*parent*/ = {}) const override { return NumColumns; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  // Null for a section.
  const ComparisonRow* rowAt(const QModelIndex& index) const;

  std::shared_ptr<const ScheduleComparison> m_comparison;
};

}  // namespace thallo::gui
