#include "gui/schedule/comparison_table.h"

#include <utility>

namespace thallo::gui {
namespace {

// The internal id of a section. The internal id of a row is the position of its section.
constexpr quintptr IsSection = ~quintptr(0);

// A sign shows without color which of the two schedules has a thing.
QString markedText(const ComparisonRow& row) {
  switch (row.in) {
    case ComparisonRow::In::Both: return row.what;
    case ComparisonRow::In::Other: return QStringLiteral("− ") + row.what;
    case ComparisonRow::In::Current: return QStringLiteral("+ ") + row.what;
  }
  return {};
}

QString textOf(const ComparisonRow& row, int column) {
  switch (column) {
    case ComparisonTable::What: return markedText(row);
    case ComparisonTable::Other: return row.other;
    case ComparisonTable::Current: return row.current;
    default: return row.change;
  }
}

}  // namespace

void ComparisonTable::setComparison(std::shared_ptr<const ScheduleComparison> comparison) {
  if (comparison == m_comparison) return;
  beginResetModel();
  m_comparison = std::move(comparison);
  endResetModel();
}

const ComparisonRow* ComparisonTable::rowAt(const QModelIndex& index) const {
  if (index.internalId() == IsSection) return nullptr;
  return &m_comparison->sections[index.internalId()].rows[static_cast<std::size_t>(index.row())];
}

QModelIndex ComparisonTable::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column,
                     parent.isValid() ? static_cast<quintptr>(parent.row()) : IsSection);
}

QModelIndex ComparisonTable::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == IsSection) return {};
  return createIndex(static_cast<int>(child.internalId()), 0, IsSection);
}

int ComparisonTable::rowCount(const QModelIndex& parent) const {
  if (!m_comparison) return 0;
  if (!parent.isValid()) return static_cast<int>(m_comparison->sections.size());
  if (parent.internalId() != IsSection || parent.column() != 0) return 0;
  return static_cast<int>(
      m_comparison->sections[static_cast<std::size_t>(parent.row())].rows.size());
}

QVariant ComparisonTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ComparisonRow* row = rowAt(index);
  if (row == nullptr) {
    const bool isTitle = role == Qt::DisplayRole && index.column() == What;
    return isTitle ? m_comparison->sections[static_cast<std::size_t>(index.row())].title
                   : QVariant();
  }
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole: return textOf(*row, index.column());
    case Qt::TextAlignmentRole:
      if (index.column() == What) return {};
      return int(Qt::AlignRight | Qt::AlignVCenter);
    case DirectionRole: return row->direction;
    case InRole: return static_cast<int>(row->in);
    case StepRole: return row->isStep ? row->what : QString();
    default: return {};
  }
}

QVariant ComparisonTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Other: return m_comparison ? m_comparison->other : QString();
    case Current: return m_comparison ? m_comparison->current : QString();
    case Change: return tr("change");
    default: return {};
  }
}

}  // namespace thallo::gui
