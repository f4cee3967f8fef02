#include "gui/problem/view/plugin_dialog.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableWidget>

#include <algorithm>
#include "gui/widgets/dialogs.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

enum PluginColumn { NameColumn, VersionColumn, AddsColumn, FileColumn, NumPluginColumns };
constexpr int FaultTextRole = Qt::UserRole;  // empty for a plugin that was loaded

// Shows failed plugins in the color of faults.
class PluginCell final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.data(FaultTextRole).toString().isEmpty())
      option->palette.setColor(QPalette::Text, ink(Ink::Bad));
    option->textElideMode = Qt::ElideMiddle;
  }
};

class PluginDialog final : public QDialog {
 public:
  PluginDialog(Workspace& workspace, QWidget* parent)
      : QDialog(parent),
        m_workspace(workspace),
        m_summary(titleLabel()),
        m_table(named(new QTableWidget, "pluginTable", tr("Plugins"))),
        m_fault(named(new QPlainTextEdit, "pluginFault", tr("Why the plugin failed"))),
        m_rescan(named(new QPushButton(tr("Rescan")), "rescan")) {
    setWindowTitle(tr("Plugins — Thallo Explorer"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(960, 560);
    m_table->setColumnCount(NumPluginColumns);
    m_table->setHorizontalHeaderLabels({tr("plugin"), tr("version"), tr("adds"), tr("file")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setItemDelegate(new PluginCell(m_table));
    showWholeRows(*m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_fault->setReadOnly(true);
    m_fault->setFont(codeFont());
    m_fault->setMaximumHeight(110);
    m_rescan->setToolTip(tr("Loads all plugins and problem files afresh; an open problem stays"));
    connect(m_rescan, &QPushButton::clicked, this, [this] { m_workspace.problems().rescan(); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &PluginDialog::showFault);
    auto* bar = makeRow({{m_summary, 1}, m_rescan});
    setLayout(makeColumn({bar, {m_table, 1}, m_fault}));
    connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &PluginDialog::refresh);
    refresh();
  }

 private:
  void refresh() {
    const auto& catalog = m_workspace.problems().catalog();
    const bool isBusy = catalog.state == RemoteState::Busy;
    m_rescan->setEnabled(!isBusy);
    std::vector<PluginRow> plugins;
    if (catalog.value) plugins = catalog.value->plugins;
    std::ranges::stable_partition(plugins,
                                  [](const PluginRow& row) { return !row.fault.isEmpty(); });
    m_table->setRowCount(0);
    m_table->setRowCount(static_cast<int>(plugins.size()));
    for (int i = 0; i < m_table->rowCount(); ++i) {
      const PluginRow& row = plugins[static_cast<std::size_t>(i)];
      const QStringList texts = {row.name.isEmpty() ? QFileInfo(row.path).fileName() : row.name,
                                 row.fault.isEmpty() ? row.version : tr("failed"),
                                 row.adds.join(QStringLiteral(", ")), row.path};
      for (int column = 0; column < NumPluginColumns; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        item->setToolTip(row.fault.isEmpty() ? row.path : row.fault);
        item->setData(FaultTextRole, row.fault);
        m_table->setItem(i, column, item);
      }
    }
    const int failed = catalog.value ? catalog.value->numFailed() : 0;
    const int loaded = m_table->rowCount() - failed;
    m_summary->setText(isBusy       ? tr("Loading plugins …")
                       : failed > 0 ? tr("%1 loaded, %2 failed").arg(loaded).arg(failed)
                                    : tr("%1 loaded, none failed").arg(loaded));
    m_table->setColumnWidth(NameColumn, 260);
    m_table->setColumnWidth(VersionColumn, 90);
    m_table->setColumnWidth(AddsColumn, 240);
    // Selects the first failure, which is usually why the dialog was opened.
    if (failed > 0) m_table->selectRow(0);
    showFault();
  }

  void showFault() {
    const QString fault = m_table->currentIndex().data(FaultTextRole).toString();
    m_fault->setPlainText(fault);
    m_fault->setVisible(!fault.isEmpty());
  }

  Workspace& m_workspace;
  QLabel* m_summary;
  QTableWidget* m_table;
  QPlainTextEdit* m_fault;
  QPushButton* m_rescan;
};

}  // namespace

QDialog* showPlugins(Workspace& workspace, QWidget* parent) {
  return showOnce(parent, "pluginDialog", [&] { return new PluginDialog(workspace, parent); });
}

}  // namespace thallo::gui
