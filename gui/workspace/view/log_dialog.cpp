#include "gui/workspace/view/log_dialog.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>

#include "gui/base/text.h"
#include "gui/widgets/dialogs.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/log_model.h"

namespace thallo::gui {
namespace {

class LogCell final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const auto level = static_cast<LogLevel>(index.data(LogModel::LevelRole).toInt());
    if (level == LogLevel::Error)
      option->palette.setColor(QPalette::Text, ink(Ink::Bad));
    else if (level == LogLevel::Warn && index.column() == LogModel::LevelColumn)
      option->palette.setColor(QPalette::Text, ink(Ink::Unknown));
    else if (level < LogLevel::Warn || index.column() != LogModel::TextColumn)
      option->palette.setColor(QPalette::Text, ink(Ink::Muted));
  }
};

class LogDialog final : public QDialog {
 public:
  LogDialog(LogModel& log, QWidget* parent)
      : QDialog(parent),
        m_log(log),
        m_filter(new LogFilter(this)),
        m_level(named(new QComboBox, "logLevel", tr("Level"))),
        m_table(named(new QTableView, "logTable", tr("Log"))) {
    setWindowTitle(tr("Log — Thallo Explorer"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(960, 480);
    m_filter->setSourceModel(&log);
    m_level->setToolTip(
        tr("Records of this level and above; THALLO_LOG says what is recorded at all"));
    for (const LogLevel level :
         {LogLevel::Trace, LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error})
      m_level->addItem(toQt(to_string(level)), static_cast<int>(level));
    connect(m_level, &QComboBox::currentIndexChanged, this,
            [this] { m_filter->setLevel(static_cast<LogLevel>(m_level->currentData().toInt())); });
    auto* clear = named(new QPushButton(tr("Clear")), "clearLog");
    clear->setAutoDefault(false);
    connect(clear, &QPushButton::clicked, &log, &LogModel::clear);
    m_table->setModel(m_filter);
    m_table->setItemDelegate(new LogCell(m_table));
    showWholeRows(*m_table);
    // A message may have several lines.
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setColumnWidth(LogModel::TimeColumn, 110);
    m_table->setColumnWidth(LogModel::LevelColumn, 64);
    m_table->setColumnWidth(LogModel::LoggerColumn, 84);
    // Records count as read once they are visible.
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, [this] {
      m_log.markRead();
      m_table->scrollToBottom();
    });
    auto* bar = makeRow({new QLabel(tr("Level and above")), m_level, Cell::gap(), clear});
    setLayout(makeColumn({bar, {m_table, 1}}));
    log.markRead();
    m_table->scrollToBottom();
  }

 private:
  LogModel& m_log;
  LogFilter* m_filter;
  QComboBox* m_level;
  QTableView* m_table;
};

}  // namespace

QDialog* showLog(LogModel& log, QWidget* parent) {
  return showOnce(parent, "logDialog", [&] { return new LogDialog(log, parent); });
}

}  // namespace thallo::gui
