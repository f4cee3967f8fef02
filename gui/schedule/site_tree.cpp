#include "gui/schedule/site_tree.h"

#include <algorithm>
#include <utility>

#include "gui/base/text.h"
#include "gui/schedule/choice_text.h"

namespace thallo::gui {
namespace {

QString gainText(const std::optional<Gain>& gain) { return gain ? gainText(*gain) : QString(); }

// Says how the gain is known, to be appended to a row's tool tip.
QString gainTip(const std::optional<Gain>& gain) {
  if (!gain) return {};
  return '\n' + QObject::tr("%1 by the best other choice, %2")
                    .arg(gainText(*gain), kindText(gain->change));
}

QString groupsText(const ItemGroups& groups) {
  return groups.size() == 1 ? QObject::tr("one group")
                            : QObject::tr("%1 groups").arg(groups.size());
}

}  // namespace

std::vector<SiteTree::Row> SiteTree::rowsOf(const SiteTable& table,
                                            const std::vector<ConstructInfo>& constructs,
                                            const std::vector<PinnedSite>& pins) {
  std::vector<Row> rows;
  // A row that shows several sites is broken where one of them is.
  const auto addPin = [&pins](const SiteRow& site, Row& row) {
    const auto pin = std::ranges::find(pins, site.id(), &PinnedSite::id);
    if (pin == pins.end() || row.mark == PinMark::Broken) return;
    row.pinned = pin->choice;
    row.mark = site.choices[site.chosen].label == pin->choice ? PinMark::Held : PinMark::Broken;
  };
  const auto add = [&rows](int parent, Row row) {
    row.parent = parent;
    const int index = static_cast<int>(rows.size());
    if (parent >= 0) {
      auto& siblings = rows[static_cast<std::size_t>(parent)].children;
      row.place = static_cast<int>(siblings.size());
      siblings.push_back(index);
    }
    rows.push_back(std::move(row));
    return index;
  };
  const auto docOf = [&constructs](const QString& name) {
    const auto found = std::ranges::find(constructs, name, &ConstructInfo::name);
    return found == constructs.end() ? QString() : found->doc;
  };
  int stage = -1;
  for (std::size_t i = 0; i < table.sites.size();) {
    const SiteRow& first = table.sites[i];
    const QString stageId = QStringLiteral("stage ") + toQt(to_string(first.stage));
    if (stage < 0 || rows[static_cast<std::size_t>(stage)].id != stageId)
      stage = add(-1, {.id = stageId, .where = toQt(to_string(first.stage))});
    std::size_t end = i;
    while (end < table.sites.size() && table.sites[end].construct == first.construct) ++end;
    Row its{.id = first.construct, .where = first.construct, .tip = docOf(first.construct)};
    const auto rowOf = [&addPin](const SiteRow& site) {
      const auto gain = gainAt(site);
      Row row{.id = site.id(),
              .where = site.shown,
              .chosen = site.choices[site.chosen].label,
              .gain = gainText(gain),
              .tip = site.name + gainTip(gain),
              .siteId = site.id()};
      addPin(site, row);
      return row;
    };
    if (const SiteGroups* groups = table.groupsOf(first.construct)) {
      std::optional<gui::Gain> gain;
      for (std::size_t k = i; k < end; ++k) {
        gain = std::max(gain, gainAt(table.sites[k]));
        addPin(table.sites[k], its);
      }
      its.chosen = groupsText(groups->groups);
      its.gain = gainText(gain);
      its.tip += gainTip(gain);
      its.siteId = first.id();
      add(stage, std::move(its));
    } else if (end - i == 1) {
      Row only = rowOf(first);
      only.where = first.construct + QStringLiteral(" · ") + first.shown;
      only.tip = its.tip + '\n' + only.tip;
      add(stage, std::move(only));
    } else {
      const int construct = add(stage, std::move(its));
      for (std::size_t k = i; k < end; ++k) add(construct, rowOf(table.sites[k]));
    }
    i = end;
  }
  return rows;
}

void SiteTree::setTable(std::shared_ptr<const SiteTable> table,
                        const std::vector<ConstructInfo>& constructs,
                        const std::vector<PinnedSite>& pins) {
  std::vector<Row> rows = table ? rowsOf(*table, constructs, pins) : std::vector<Row>();
  const bool isSameShape = std::ranges::equal(rows, m_rows, &Row::hasPlaceOf);
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; isSameShape && i < rows.size(); ++i)
    if (!rows[i].saysTheSame(m_rows[i])) changed.push_back(i);
  if (!isSameShape) beginResetModel();
  m_table = std::move(table);
  m_rows = std::move(rows);
  m_top.clear();
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    if (m_rows[i].parent >= 0) continue;
    m_rows[i].place = static_cast<int>(m_top.size());
    m_top.push_back(static_cast<int>(i));
  }
  if (!isSameShape) {
    endResetModel();
    return;
  }
  for (const std::size_t i : changed) {
    const int row = static_cast<int>(i);
    Q_EMIT dataChanged(indexOf(row), indexOf(row, NumColumns - 1));
  }
}

QModelIndex SiteTree::indexOf(int row, int column) const {
  const auto at = static_cast<std::size_t>(row);
  return createIndex(m_rows[at].place, column, static_cast<quintptr>(at));
}

QModelIndex SiteTree::indexOf(const QString& siteId) const {
  const SiteRow* site = m_table ? m_table->find(siteId) : nullptr;
  if (site == nullptr) return {};
  const bool isGrouped = m_table->groupsOf(site->construct) != nullptr;
  const auto found = std::ranges::find(m_rows, isGrouped ? site->construct : siteId, &Row::id);
  return found == m_rows.end() ? QModelIndex() : indexOf(static_cast<int>(found - m_rows.begin()));
}

QModelIndex SiteTree::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const std::vector<int>& siblings = parent.isValid() ? rowAt(parent).children : m_top;
  return indexOf(siblings[static_cast<std::size_t>(row)], column);
}

QModelIndex SiteTree::parent(const QModelIndex& child) const {
  if (!child.isValid() || rowAt(child).parent < 0) return {};
  return indexOf(rowAt(child).parent);
}

int SiteTree::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_top.size());
  return parent.column() == 0 ? static_cast<int>(rowAt(parent).children.size()) : 0;
}

QString SiteTree::pinTip(const Row& row) const {
  if (row.siteId.isEmpty()) return {};
  switch (row.mark) {
    case PinMark::Open: break;
    case PinMark::Held: return tr("Pinned: explorations keep this decision (P leaves it open)");
    case PinMark::Broken:
      return tr("Pinned to %1, which this schedule does not keep; explorations do (P leaves it "
                "open)")
          .arg(row.pinned);
  }
  return tr("Pin this decision, so that explorations keep it (P)");
}

QVariant SiteTree::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rowAt(index);
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case Where: return row.where;
        case Chosen: return row.chosen;
        case Gain: return row.gain;
        default: return {};
      }
    case Qt::AccessibleTextRole:
      if (index.column() != Pin || row.mark == PinMark::Open) return {};
      return row.mark == PinMark::Held ? tr("pinned") : tr("pinned to %1").arg(row.pinned);
    case Qt::ToolTipRole:
      if (index.column() == Pin) return pinTip(row);
      if (index.column() == Gain && !row.gain.isEmpty())
        return tr("What the best other choice here is estimated to save");
      return index.column() == Chosen ? row.chosen : row.tip;
    case Qt::TextAlignmentRole:
      if (index.column() == Gain) return int(Qt::AlignRight | Qt::AlignVCenter);
      return {};
    case RowIdRole: return row.id;
    case SiteIdRole: return row.siteId;
    case PinMarkRole: return static_cast<int>(row.mark);
    default: return {};
  }
}

QVariant SiteTree::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Where: return tr("decision");
    case Chosen: return tr("chosen");
    case Gain: return tr("possible");
    default: return {};
  }
}

Qt::ItemFlags SiteTree::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const bool isSite = !rowAt(index).siteId.isEmpty();
  return Qt::ItemIsEnabled | (isSite ? Qt::ItemIsSelectable : Qt::NoItemFlags);
}

}  // namespace thallo::gui
