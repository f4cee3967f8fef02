#include "gui/problem/plugin_table.h"

#include <algorithm>
#include <array>

#include <QFileInfo>

namespace thallo::gui {

void PluginTable::setCatalog(std::shared_ptr<const Catalog> catalog) {
  beginResetModel();
  m_rows = catalog ? catalog->plugins : std::vector<PluginRow>();
  const auto failed = std::ranges::stable_partition(
      m_rows, [](const PluginRow& row) { return !row.fault.isEmpty(); });
  m_numFailed = static_cast<int>(failed.begin() - m_rows.begin());
  endResetModel();
}

int PluginTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PluginTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QVariant PluginTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const PluginRow& row = m_rows[static_cast<std::size_t>(index.row())];
  if (role == FaultRole) return row.fault;
  if (role == Qt::ToolTipRole) return row.fault.isEmpty() ? row.path : row.fault;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case NameColumn: return row.name.isEmpty() ? QFileInfo(row.path).fileName() : row.name;
    case VersionColumn: return row.fault.isEmpty() ? row.version : tr("failed");
    case AddsColumn: return row.adds.join(QStringLiteral(", "));
    default: return row.path;
  }
}

QVariant PluginTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const std::array<QString, NumColumns> names = {tr("plugin"), tr("version"), tr("adds"),
                                                 tr("file")};
  return names.at(static_cast<std::size_t>(section));
}

}  // namespace thallo::gui
