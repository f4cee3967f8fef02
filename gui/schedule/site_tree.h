// All sites of the schedule as a tree: stages in the order in which decisions are taken, their
// constructs, and the sites of each construct. A construct with only one site is a single row, and
// so is a construct whose sites form groups. The columns are the site, the current choice, what the
// best other choice would save, and whether the site is pinned.
#pragma once

#include <memory>
#include <vector>

#include <QAbstractItemModel>

#include "gui/problem/problem_data.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

class SiteTree final : public QAbstractItemModel {
 public:
  enum Column { Where, Chosen, Gain, Pin, NumColumns };
  // Roles of a row: an id that is the same in every table, the SiteRow::id of the site that it
  // shows (empty if none), and its PinMark.
  enum Role { RowIdRole = Qt::UserRole, SiteIdRole, PinMarkRole };
  // Whether a site is pinned. Broken: it is, and the current schedule decides otherwise.
  enum class PinMark { Open, Held, Broken };

  using QAbstractItemModel::QAbstractItemModel;

  // If the new table has the same rows, only their contents change; otherwise the model is reset.
  // `constructs` provides descriptions.
  void setTable(std::shared_ptr<const SiteTable> table,
                const std::vector<ConstructInfo>& constructs,
                const std::vector<PinnedSite>& pins = {});
  // Returns the row that shows the site; invalid if there is none.
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
    int parent = -1;  // index into rows, or -1
    int place = 0;    // position among the children of its parent
    QString where, chosen, gain, tip, siteId;
    PinMark mark = PinMark::Open;
    QString pinned = {};  // the pinned choice
    std::vector<int> children = {};

    bool hasPlaceOf(const Row& other) const { return id == other.id && parent == other.parent; }
    bool saysTheSame(const Row& other) const {
      return where == other.where && chosen == other.chosen && gain == other.gain &&
             tip == other.tip && siteId == other.siteId && mark == other.mark &&
             pinned == other.pinned;
    }
  };

  static std::vector<Row> rowsOf(const SiteTable& table,
                                 const std::vector<ConstructInfo>& constructs,
                                 const std::vector<PinnedSite>& pins);
  QString pinTip(const Row& row) const;
  const Row& rowAt(const QModelIndex& index) const { return m_rows[index.internalId()]; }
  QModelIndex indexOf(int row, int column = 0) const;

  std::shared_ptr<const SiteTable> m_table;
  std::vector<Row> m_rows;
  std::vector<int> m_top;
};

}  // namespace thallo::gui
