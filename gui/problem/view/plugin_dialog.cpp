#include "gui/problem/view/plugin_dialog.h"

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Shows failed plugins in the color of faults.
class PluginCell final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.data(PluginTable::FaultRole).toString().isEmpty())
      option->palette.setColor(QPalette::Text, ink(Ink::Bad));
    option->textElideMode = Qt::ElideMiddle;
  }
};

}  // namespace

PluginDialog* PluginDialog::show(Workspace& workspace, QWidget* parent) {
  auto* dialog = parent->findChild<PluginDialog*>();
  if (dialog == nullptr) dialog = new PluginDialog(workspace, parent);
  dialog->QDialog::show();
  dialog->raise();
  return dialog;
}

PluginDialog::PluginDialog(Workspace& workspace, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_plugins(new PluginTable(this)),
      m_summary(titleLabel()),
      m_table(named(new QTableView, "pluginTable", tr("Plugins"))),
      m_fault(named(new QPlainTextEdit, "pluginFault", tr("Why the plugin failed"))),
      m_rescan(named(new QPushButton(tr("Rescan")), "rescan")) {
  setObjectName("pluginDialog");
  setWindowTitle(tr("Plugins — Thallo Explorer"));
  setAttribute(Qt::WA_DeleteOnClose);
  resize(960, 560);
  m_table->setModel(m_plugins);
  m_table->setItemDelegate(new PluginCell(m_table));
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->verticalHeader()->hide();
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

void PluginDialog::refresh() {
  const auto& catalog = m_workspace.problems().catalog();
  const bool isBusy = catalog.state == RemoteState::Busy;
  m_rescan->setEnabled(!isBusy);
  m_plugins->setCatalog(catalog.value);
  const int failed = m_plugins->failedCount();
  const int loaded = m_plugins->rowCount() - failed;
  m_summary->setText(isBusy       ? tr("Loading plugins …")
                     : failed > 0 ? tr("%1 loaded, %2 failed").arg(loaded).arg(failed)
                                  : tr("%1 loaded, none failed").arg(loaded));
  m_table->setColumnWidth(PluginTable::NameColumn, 260);
  m_table->setColumnWidth(PluginTable::VersionColumn, 90);
  m_table->setColumnWidth(PluginTable::AddsColumn, 240);
  // Selects the first failure, which is usually why the dialog was opened.
  if (failed > 0) m_table->selectRow(0);
  showFault();
}

void PluginDialog::showFault() {
  const QString fault = m_table->currentIndex().data(PluginTable::FaultRole).toString();
  m_fault->setPlainText(fault);
  m_fault->setVisible(!fault.isEmpty());
}

}  // namespace thallo::gui
