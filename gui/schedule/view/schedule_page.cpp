#include "gui/schedule/view/schedule_page.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/schedule/view/compare_box.h"
#include "gui/schedule/view/comparison_view.h"
#include "gui/schedule/view/schedule_text_panel.h"
#include "gui/schedule/view/what_if_view.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/pins_button.h"

namespace thallo::gui {
namespace {

// The tabs of the left side.
enum Way { DecisionsWay, ComparisonWay, WhatIfWay };

}  // namespace

SchedulePage::SchedulePage(Workspace& workspace, QWidget* parent)
    : Page(workspace, "schedule", tr("Schedule"), parent),
      m_view(new SiteTreeView(m_tree)),
      m_panel(new SitePanel(workspace)),
      m_ways(new QTabBar),
      m_stack(new QStackedWidget),
      m_refresh(*this, [this] { showTable(); }) {
  auto* content = new QSplitter;
  content->setObjectName("scheduleColumns");
  content->setHandleWidth(1);
  content->addWidget(makeLeft());
  content->addWidget(new ScheduleTextPanel(workspace));
  content->setChildrenCollapsible(false);
  content->setStretchFactor(0, 3);
  content->setStretchFactor(1, 2);
  content->setSizes({576, 384});
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
  auto* decisions = new QSplitter(Qt::Vertical);
  decisions->setHandleWidth(1);
  decisions->addWidget(m_view);
  decisions->addWidget(m_panel);
  decisions->setChildrenCollapsible(false);
  decisions->setSizes({420, 340});
  m_stack->addWidget(decisions);
  m_stack->addWidget(new ComparisonView(workspace()));
  m_stack->addWidget(new WhatIfView(workspace()));
  m_ways->setObjectName("scheduleWays");
  m_ways->setAccessibleName(tr("Ways to look at the schedule"));
  m_ways->setDrawBase(false);
  m_ways->setExpanding(false);
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
  auto* head = new QHBoxLayout;
  head->setContentsMargins(0, 0, 12, 0);
  head->addWidget(m_ways);
  head->addStretch();
  head->addWidget(new PinsButton(workspace().pins()));
  head->addWidget(compare);
  auto* left = new QWidget;
  auto* layout = new QVBoxLayout(left);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(m_stack, 1);
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
