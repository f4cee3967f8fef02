#include "gui/workspace/log_model.h"

#include <array>
#include <utility>

#include "gui/base/text.h"

namespace thallo::gui {

LogModel::LogModel()
    : m_listener(LogListener::Mode::Watches, [this](const LogRecord& record) {
        m_mailbox.post([this, row = Row{QTime::currentTime(), record}] { append(row); });
      }) {}

void LogModel::append(Row row) {
  if (rowCount() == Capacity) {
    beginRemoveRows({}, 0, 0);
    m_rows.pop_front();
    endRemoveRows();
  }
  const bool counts = row.record.level >= LogLevel::Warn;
  beginInsertRows({}, rowCount(), rowCount());
  m_rows.push_back(std::move(row));
  endInsertRows();
  if (counts) Q_EMIT unreadChanged(++m_numUnread);
}

void LogModel::markRead() {
  m_numUnread = 0;
  Q_EMIT unreadChanged(0);
}

void LogModel::clear() {
  beginResetModel();
  m_rows.clear();
  endResetModel();
  markRead();
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  if (role == LevelRole) return static_cast<int>(row.record.level);
  if (role == Qt::ToolTipRole) return toQt(row.record.text);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case TimeColumn: return row.time.toString("HH:mm:ss.zzz");
    case LevelColumn: return toQt(to_string(row.record.level));
    case LoggerColumn: return toQt(row.record.logger);
    default: return toQt(row.record.text);
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const std::array<QString, NumColumns> names = {tr("time"), tr("level"), tr("part"),
                                                 tr("message")};
  return names.at(static_cast<std::size_t>(section));
}

void LogFilter::setLevel(LogLevel level) {
  m_level = level;
  invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex at = sourceModel()->index(row, 0, parent);
  return at.data(LogModel::LevelRole).toInt() >= static_cast<int>(m_level);
}

}  // namespace thallo::gui
