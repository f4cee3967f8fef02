#include "gui/schedule/view/comparison_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Draws sections as headings over the whole width. A change has the color of its effect. If only
// one schedule has a thing, the other one's cell uses the color of secondary text.
class ComparisonLine final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const int direction = index.data(ComparisonTable::DirectionRole).toInt();
    if (!index.parent().isValid())
      option->palette.setColor(QPalette::Text, ink(Ink::Muted));
    else if (index.column() == ComparisonTable::Change && direction != 0)
      option->palette.setColor(QPalette::Text, ink(direction < 0 ? Ink::Good : Ink::Bad));
  }
};

}  // namespace

ComparisonView::ComparisonView(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_summary(new QLabel),
      m_waterfall(new Waterfall),
      m_rows(new QTreeView),
      m_refresh(*this, [this] { refresh(); }) {
  m_summary->setObjectName("comparisonSummary");
  m_summary->setWordWrap(true);
  m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_summary->setContentsMargins(12, 8, 12, 8);
  m_rows->setObjectName("comparisonRows");
  m_rows->setAccessibleName(tr("Where the schedules differ"));
  m_rows->setModel(&m_table);
  m_rows->setItemDelegate(new ComparisonLine(m_rows));
  m_rows->setRootIsDecorated(false);
  m_rows->setItemsExpandable(false);
  m_rows->setIndentation(8);
  m_rows->setTextElideMode(Qt::ElideMiddle);
  QHeaderView* header = m_rows->header();
  header->setStretchLastSection(false);
  header->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  header->setSectionResizeMode(QHeaderView::Interactive);
  header->setSectionResizeMode(ComparisonTable::What, QHeaderView::Stretch);
  header->resizeSection(ComparisonTable::Other, 112);
  header->resizeSection(ComparisonTable::Current, 112);
  header->resizeSection(ComparisonTable::Change, 116);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_summary);
  layout->addWidget(m_waterfall);
  layout->addWidget(m_rows, 1);
  connect(&workspace.comparison(), &ComparisonModel::comparisonChanged, &m_refresh,
          &ShownRefresh::ask);
  connect(&workspace.comparison(), &ComparisonModel::choicesChanged, &m_refresh,
          &ShownRefresh::ask);
  connect(m_rows->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& row) {
            const QString step = row.data(ComparisonTable::StepRole).toString();
            if (!step.isEmpty()) m_workspace.selection().select({Selection::Kind::Step, step});
          });
  m_refresh.ask();
}

QString ComparisonView::notice() const {
  ComparisonModel& comparison = m_workspace.comparison();
  if (comparison.with().kind == CompareWith::Kind::Nothing)
    return tr("Choose a schedule above, to see where it differs from the current one.");
  if (!comparison.other())
    return tr("There is no schedule before this one: it is there after the next change.");
  const auto& compared = comparison.comparison();
  if (compared.state == RemoteState::Failed) return compared.error;
  return compared.value ? compared.value->summary : tr("Comparing …");
}

void ComparisonView::refresh() {
  const auto& compared = m_workspace.comparison().comparison();
  m_summary->setText(notice());
  const bool hasRows = compared.value && !compared.value->isEmpty();
  m_rows->setVisible(hasRows);
  m_waterfall->setComparison(compared.value);
  m_table.setComparison(compared.value);
  m_rows->expandAll();
  for (int i = 0; i < m_table.rowCount(); ++i) m_rows->setFirstColumnSpanned(i, {}, true);
}

void ComparisonView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) m_rows->viewport()->update();
}

}  // namespace thallo::gui
