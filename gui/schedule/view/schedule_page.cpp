#include "gui/schedule/view/schedule_page.h"

#include <algorithm>

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QWidget>

#include "gui/schedule/comparison_table.h"
#include "gui/schedule/view/schedule_text_panel.h"
#include "gui/schedule/view/waterfall.h"
#include "gui/schedule/view/what_if_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/compare_box.h"
#include "gui/workspace/view/pins_button.h"
#include "gui/workspace/workspace.h"

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

// Compares two schedules side by side: a sentence says what the current one gains, a waterfall why,
// and a table below shows where the two differ. A click at a step selects it.
class ComparisonView final : public QWidget {
 public:
  explicit ComparisonView(Workspace& workspace, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  QString notice() const;

  Workspace& m_workspace;
  ComparisonTable m_table;
  QLabel* m_summary;
  Waterfall* m_waterfall;
  QTreeView* m_rows;
  ShownRefresh m_refresh;
};

ComparisonView::ComparisonView(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_summary(named(textLabel(), "comparisonSummary")),
      m_waterfall(new Waterfall),
      m_rows(named(new QTreeView, "comparisonRows", tr("Where the schedules differ"))),
      m_refresh(*this, [this] { refresh(); }) {
  m_summary->setContentsMargins(12, 8, 12, 8);
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
  setLayout(makeColumn({m_summary, m_waterfall, {m_rows, 1}}, {0, 0, 0, 0}, 0));
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

// The tabs of the left side.
enum Way { DecisionsWay, ComparisonWay, WhatIfWay };

// In a window of 1,000 pixels, the titles of the tabs are cut a little, and the decisions are not.
constexpr int LeastLeft = 436;

}  // namespace

SchedulePage::SchedulePage(Workspace& workspace, QWidget* parent)
    : Page(workspace, "schedule", tr("Schedule"), parent),
      m_view(new SiteTreeView(m_tree)),
      m_panel(new SitePanel(workspace)),
      m_ways(named(new QTabBar, "scheduleWays", tr("Ways to look at the schedule"))),
      m_stack(new QStackedWidget),
      m_refresh(*this, [this] { showTable(); }) {
  auto* content = named(
      makeSplitter(Qt::Horizontal, {makeLeft(), new ScheduleTextPanel(workspace)}, {576, 384}),
      "scheduleColumns");
  content->setStretchFactor(0, 3);
  content->setStretchFactor(1, 2);
  setContent(content);
  connect(&workspace.schedule(), &ScheduleModel::sitesChanged, this, &SchedulePage::refresh);
  connect(&workspace.comparison(), &ComparisonModel::shownChanged, this,
          &SchedulePage::showComparison);
  connect(&workspace.selection(), &SelectionModel::changed, this, &SchedulePage::onSelected);
  const auto select = [this](const QString& id) {
    this->workspace().selection().select({Selection::Kind::Site, id});
  };
  connect(m_view, &SiteTreeView::siteAsked, this, select);
  connect(m_panel, &SitePanel::siteAsked, this, select);
  PinModel& pins = workspace.pins();
  connect(m_view, &SiteTreeView::pinAsked, &pins, &PinModel::toggle);
  connect(m_view, &SiteTreeView::unpinAllAsked, &pins, &PinModel::clear);
  connect(&pins, &PinModel::changed, this, [this] { m_refresh.ask(); });
  refresh();
}

QWidget* SchedulePage::makeLeft() {
  m_stack->addWidget(makeSplitter(Qt::Vertical, {m_view, m_panel}, {420, 340}));
  m_stack->addWidget(new ComparisonView(workspace()));
  m_stack->addWidget(new WhatIfView(workspace()));
  m_ways->setDrawBase(false);
  m_ways->setExpanding(false);
  m_ways->setElideMode(Qt::ElideRight);
  m_ways->setUsesScrollButtons(false);
  m_ways->addTab(tr("Decisions"));
  m_ways->addTab(tr("Comparison"));
  m_ways->addTab(tr("What if"));
  m_ways->setTabToolTip(
      WhatIfWay,
      tr("What if the data were larger, the linear solves longer, or the device another?"));
  ComparisonModel& comparison = workspace().comparison();
  connect(m_ways, &QTabBar::currentChanged, this, [this, &comparison](int way) {
    workspace().whatIf().setShown(way == WhatIfWay);
    comparison.setShown(way == ComparisonWay);
    m_stack->setCurrentIndex(way);
  });
  auto* compare = new CompareBox(workspace());
  connect(compare, &CompareBox::chosen, &comparison, &ComparisonModel::setShown);
  auto* head =
      makeRow({m_ways, Cell::gap(), new PinsButton(workspace().pins()), compare}, {0, 0, 12, 0});
  auto* left = new QWidget;
  left->setLayout(makeColumn({head, {m_stack, 1}}, {0, 0, 0, 0}, 0));
  left->setMinimumWidth(LeastLeft);
  showComparison();
  return left;
}

void SchedulePage::showComparison() {
  if (workspace().comparison().isShown())
    m_ways->setCurrentIndex(ComparisonWay);
  else if (m_ways->currentIndex() == ComparisonWay)
    m_ways->setCurrentIndex(DecisionsWay);
}

bool SchedulePage::isSettled() const {
  const ScheduleModel& schedule = workspace().schedule();
  if (workspace().comparison().comparison().state == RemoteState::Busy) return false;
  if (workspace().whatIf().isShown() && !workspace().whatIf().result().isReady()) return false;
  return Page::isSettled() && !schedule.isChanging() && schedule.sites().isReady() &&
         schedule.sites().value->hash == schedule.schedule().value->hash;
}

int SchedulePage::itemCount() const {
  const auto& table = workspace().schedule().sites().value;
  return table ? static_cast<int>(table->sites.size()) : 0;
}

void SchedulePage::changeEvent(QEvent* event) {
  Page::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) afterThemeChange(*this, [this] { onSelected(); });
}

void SchedulePage::refresh() {
  const auto& sites = workspace().schedule().sites();
  follow(sites, tr("Open a problem to see what its schedule decides."),
         tr("Finding what can be decided …"));
  if (sites.state != RemoteState::Busy) m_refresh.ask();
}

void SchedulePage::showTable() {
  const auto& problem = workspace().problems().problem().value;
  m_tree.setTable(workspace().schedule().sites().value,
                  problem ? problem->constructs : std::vector<ConstructInfo>(),
                  workspace().pins().all());
  showSelected();
}

void SchedulePage::onSelected() {
  m_refresh.askFor([this] { showSelected(); });
}

void SchedulePage::showSelected() {
  const auto& table = workspace().schedule().sites().value;
  if (!table) return;
  const Selection& selection = workspace().selection().current();
  if (selection.kind == Selection::Kind::Site && table->find(selection.id) != nullptr)
    m_site = selection.id;
  if (table->find(m_site) == nullptr) m_site = siteToBeginWith(*table);
  showSite();
}

QString SchedulePage::siteToBeginWith(const SiteTable& table) const {
  // If the site is gone, like that of a merged part, shows another site of its construct.
  const QString construct = m_site.section('@', 0, 0);
  auto first = std::ranges::find(table.sites, construct, &SiteRow::construct);
  if (first == table.sites.end())
    first = std::ranges::find(table.sites, Stage::Strategy, &SiteRow::stage);
  if (first == table.sites.end()) first = table.sites.begin();
  return first == table.sites.end() ? QString() : first->id();
}

void SchedulePage::showSite() {
  const auto& table = workspace().schedule().sites().value;
  if (!table) return;
  m_view->showSite(m_site);
  m_panel->setSite(table->find(m_site), *table);
}

}  // namespace thallo::gui
