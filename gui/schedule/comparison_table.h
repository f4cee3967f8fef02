// Two schedules side by side as a tree with two levels: sections, and in each section a row for
// each compared thing. The columns are the thing, its state in the other schedule, its state in the
// current one, and the change.
#pragma once

#include <memory>

#include <QAbstractItemModel>

#include "gui/schedule/schedule_comparison.h"

namespace thallo::gui {

class ComparisonTable final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { What, Other, Current, Change, NumColumns };
  // Roles of a row: ComparisonRow::direction, ComparisonRow::in, and the label of a step (empty for
  // other rows).
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
