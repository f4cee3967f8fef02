// The most recent records of the log, from any thread. The oldest ones are dropped.
#pragma once

#include <deque>

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QTime>

#include "core/base/log.h"
#include "gui/jobs/mailbox.h"

namespace thallo::gui {

class LogModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { TimeColumn, LevelColumn, LoggerColumn, TextColumn, NumColumns };
  enum Role { LevelRole = Qt::UserRole };  // a LogLevel as int
  static constexpr int Capacity = 2000;

  LogModel();

  // Counts warnings and errors since markRead().
  int unreadCount() const { return m_numUnread; }
  void markRead();
  void clear();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 Q_SIGNALS:
  void unreadChanged(int count);

 private:
  struct Row {
    QTime time;
    LogRecord record;
  };
  void append(Row row);

  std::deque<Row> m_rows;
  int m_numUnread = 0;
  Mailbox m_mailbox;
  LogListener m_listener;
};

// Shows the records of a level and above.
class LogFilter final : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setLevel(LogLevel level);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  LogLevel m_level = LogLevel::Trace;
};

}  // namespace thallo::gui
