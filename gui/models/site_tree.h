// All sites of the schedule as a tree: stages in the order in which decisions are taken, their
// constructs, and the sites of each. A construct with one site is one row with it, and so is
// one whose sites form groups. Columns: where, what is chosen, and what the best other
// choice would save.
#pragma once

#include <memory>
#include <vector>

#include <QAbstractItemModel>

#include "gui/models/problem_data.h"
#include "gui/models/schedule_data.h"

namespace thallo::gui {

class SiteTree final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { Where, Chosen, Gain, NumColumns };
  // Of a row: what it is called in every table, and SiteRow::id of what it shows, empty if nothing.
  enum Role { RowIdRole = Qt::UserRole, SiteIdRole };

  using QAbstractItemModel::QAbstractItemModel;

  // A table with the same rows only changes what they say; else the model is reset. `constructs`
  // explains what there is.
  void setTable(std::shared_ptr<const SiteTable> table,
                const std::vector<ConstructInfo>& constructs);
  // The row that shows the site; invalid when there is none.
  QModelIndex indexOf(const QString& siteId) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& /*parent*/ = {}) const override { return NumColumns; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Row {
    QString id;
    int parent = -1;  // into rows; -1: none
    int place = 0;    // among the rows of its parent
    QString where, chosen, gain, tip, siteId;
    std::vector<int> children = {};

    bool hasPlaceOf(const Row& other) const { return id == other.id && parent == other.parent; }
  };

  static std::vector<Row> rowsOf(const SiteTable& table,
                                 const std::vector<ConstructInfo>& constructs);
  const Row& rowAt(const QModelIndex& index) const { return m_rows[index.internalId()]; }
  QModelIndex indexOf(int row, int column = 0) const;

  std::shared_ptr<const SiteTable> m_table;
  std::vector<Row> m_rows;
  std::vector<int> m_top;
};

}  // namespace thallo::gui
