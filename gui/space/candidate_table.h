// The candidates of a space as a table, and a proxy that sorts it by a column and shows the rows
// that pass the space's filter.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "gui/space/space_model.h"

namespace thallo::gui {

class CandidateTable final : public QAbstractTableModel {
 public:
  // The fixed columns. They are followed by a column for each device shown beside, then by a column
  // for each of the sites that explain most of the time.
  enum Column { Time, OffBest, Predicted, EndToEnd, Memory, Names, Number, Failure, NumFixed };
  enum Role {
    HashRole = Qt::UserRole,
    SortRole  // a number, or a text
  };

  explicit CandidateTable(SpaceModel& space);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  const SpaceSnapshot* snapshot() const { return m_snapshot.get(); }
  // Returns the number by which a column is sorted; NaN comes last.
  double number(std::size_t candidate, int column) const;
  QString text(std::size_t candidate, int column) const;
  bool isText(int column) const;
  int numDevices() const { return static_cast<int>(m_beside.size()); }

 private:
  void refresh();
  void refreshBeside();
  // Null if the column does not belong to a device. Likewise for sites below.
  const BesideSpace* deviceOf(int column) const;
  const SiteEffect* siteOf(int column) const;

  SpaceModel& m_space;
  std::shared_ptr<const SpaceSnapshot> m_snapshot;
  std::vector<BesideSpace> m_beside;
  std::vector<QString> m_names;  // of marked candidates; mostly empty
};

class ShownCandidates final : public QSortFilterProxyModel {
 public:
  ShownCandidates(SpaceModel& space, CandidateTable& table);

  // Returns the candidates shown now, from top to bottom.
  std::vector<std::size_t> candidates() const;
  // Returns the row of the candidate with that hash; invalid if it is not shown.
  QModelIndex find(const QString& hash) const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  SpaceModel& m_space;
  CandidateTable& m_table;
};

}  // namespace thallo::gui
