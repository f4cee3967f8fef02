#include "gui/schedule/view/schedule_page.h"

#include <algorithm>
#include <optional>

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QWidget>

#include "gui/schedule/choice_text.h"
#include "gui/schedule/site_tree.h"
#include "gui/schedule/view/comparison_view.h"
#include "gui/schedule/view/editors/site_editor.h"
#include "gui/schedule/view/schedule_text_edit.h"
#include "gui/schedule/view/site_tree_view.h"
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

// The tabs of the left side.
enum Way { DecisionsWay, ComparisonWay, WhatIfWay };

// In a window of 1,000 pixels, the titles of the tabs are cut a little, and the decisions are not.
constexpr int LeastLeft = 436;

QString faultText(const TextFault& fault) {
  if (fault.line == 0) return fault.text;
  return fault.column == 0 ? QObject::tr("line %1: %2").arg(fault.line).arg(fault.text)
                           : QObject::tr("line %1, column %2: %3")
                                 .arg(fault.line)
                                 .arg(fault.column)
                                 .arg(fault.text);
}

// The text of the schedule with messages about it: its faults, and what the last change had to
// drop. The undo and redo buttons are above it.
class ScheduleTextPanel final : public QWidget {
 public:
  explicit ScheduleTextPanel(Workspace& workspace)
      : m_workspace(workspace),
        m_name(named(mutedLabel(), "scheduleName")),
        m_faults(named(faultLabel(), "textFaults")),
        m_dropped(named(textLabel(), "droppedDirectives")),
        m_droppedRow(named(new QWidget, "droppedRow")) {
    m_faults->setContentsMargins(12, 8, 12, 8);
    auto* undo = named(new QPushButton(tr("Undo")), "undoDropping");
    undo->setToolTip(tr("Take the change back that dropped this (Ctrl+Z)"));
    connect(undo, &QPushButton::clicked, &workspace.schedule().history(), &QUndoGroup::undo);
    auto* dropped = makeRow({{m_dropped, 1}}, {12, 4, 12, 8});
    m_droppedRow->setLayout(dropped);
    dropped->addWidget(undo, 0, Qt::AlignTop);
    setLayout(
        makeColumn({makeHeader(), m_droppedRow, {makeScheduleTextEdit(workspace), 1}, m_faults},
                   {0, 0, 0, 0}, 0));
    connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this,
            &ScheduleTextPanel::refresh);
    connect(&workspace.schedule(), &ScheduleModel::draftChanged, this, &ScheduleTextPanel::refresh);
    refresh();
  }

 private:
  QWidget* makeHeader() {
    QUndoGroup& history = m_workspace.schedule().history();
    const auto make = [](const QString& name, const QString& sign, const QString& tip,
                         bool canNow) {
      auto* button = toolButton(name, sign, tip);
      button->setAccessibleName(tip);
      button->setAutoRaise(true);
      button->setEnabled(canNow);
      return button;
    };
    auto* undo = make("undoButton", QStringLiteral("↶ undo"), tr("Undo the last change (Ctrl+Z)"),
                      history.canUndo());
    auto* redo = make("redoButton", QStringLiteral("↷ redo"), tr("Redo it (Ctrl+Shift+Z)"),
                      history.canRedo());
    connect(undo, &QToolButton::clicked, &history, &QUndoGroup::undo);
    connect(redo, &QToolButton::clicked, &history, &QUndoGroup::redo);
    connect(&history, &QUndoGroup::canUndoChanged, undo, &QWidget::setEnabled);
    connect(&history, &QUndoGroup::canRedoChanged, redo, &QWidget::setEnabled);
    return makePane(makeRow({titleLabel(tr("Text")), {m_name, 1}, undo, redo}, {12, 8, 8, 6}));
  }

  void refresh() {
    const ScheduleModel& schedule = m_workspace.schedule();
    m_name->setText(schedule.name());
    QStringList faults;
    for (const TextFault& fault : schedule.faults()) faults.append(faultText(fault));
    if (!faults.isEmpty())
      faults.append(tr("The schedule stays as it was until the text has no fault."));
    m_faults->setText(faults.join('\n'));
    m_faults->setVisible(!faults.isEmpty());
    QStringList dropped;
    if (const auto& snapshot = schedule.schedule().value) {
      for (const DroppedDirective& directive : snapshot->dropped)
        dropped.append(tr("%1: %2").arg(directive.text, directive.why));
    }
    m_dropped->setText(tr("Dropped by the last change:") + '\n' + dropped.join('\n'));
    m_droppedRow->setVisible(!dropped.isEmpty());
  }

  Workspace& m_workspace;
  QLabel *m_name, *m_faults, *m_dropped;
  QWidget* m_droppedRow;
};

// Shows the decision at one site: its name, what the construct does, the editor of its kind, and
// the reason why a request could not be carried out.
class SitePanel final : public QWidget {
 public:
  explicit SitePanel(Workspace& workspace)
      : m_workspace(workspace),
        m_title(named(textLabel(), "siteTitle")),
        m_doc(mutedNote()),
        m_times(named(mutedNote(), "siteTimes")),
        m_note(named(faultLabel(), "siteNote")),
        m_scroll(new QScrollArea) {
    setObjectName("sitePanel");
    m_scroll->setAccessibleName(tr("Choices of the site"));
    m_title->setFont(titleFont());
    m_times->hide();
    m_note->hide();
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setLayout(makeColumn({m_title, m_doc, m_times, {m_scroll, 1}, m_note}, {12, 10, 12, 10}, 6));
    connect(&workspace.schedule(), &ScheduleModel::refused, this, &SitePanel::tell);
  }

  // Null means that there is nothing to decide.
  void setSite(const SiteRow* site, const SiteTable& table) {
    if (site == nullptr) {
      m_title->setText(tr("Nothing to decide"));
      m_doc->clear();
      m_times->hide();
      m_kind.reset();
      m_siteId.clear();
      m_scroll->setWidget(new QWidget);
      m_editor = nullptr;
      return;
    }
    const bool isGrouped = table.groupsOf(site->construct) != nullptr;
    m_title->setText(isGrouped ? site->construct
                               : tr("%1 of %2").arg(site->construct, site->shown));
    if (const auto& problem = m_workspace.problems().problem().value) {
      const auto info =
          std::ranges::find(problem->constructs, site->construct, &ConstructInfo::name);
      m_doc->setText(info == problem->constructs.end() ? QString() : info->doc);
    }
    if (m_siteId != site->id()) tell({});
    m_siteId = site->id();
    const EditorKind kind = editorKindOf(*site);
    if (m_kind != kind) {
      m_kind = kind;
      m_editor = makeSiteEditor(kind, m_workspace.schedule());
      m_scroll->setWidget(m_editor);
      connect(m_editor, &SiteEditor::told, this, &SitePanel::tell);
      connect(m_editor, &SiteEditor::siteAsked, this, [this](const QString& id) {
        m_workspace.selection().select({Selection::Kind::Site, id});
      });
    }
    m_editor->setSite(*site, table);
    const QString times = timesText(*site);
    m_times->setText(times);
    m_times->setVisible(!times.isEmpty());
  }

 private:
  void tell(const QString& why) {
    m_note->setText(why);
    m_note->setVisible(!why.isEmpty());
  }

  Workspace& m_workspace;
  QLabel *m_title, *m_doc, *m_times, *m_note;
  QScrollArea* m_scroll;
  SiteEditor* m_editor = nullptr;
  std::optional<EditorKind> m_kind;
  QString m_siteId;
};

class SchedulePage final : public Page {
 public:
  explicit SchedulePage(Workspace& workspace)
      : Page(workspace, "schedule", tr("Schedule")),
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
    connect(m_view, &SiteTreeView::siteAsked, this, [this](const QString& id) {
      this->workspace().selection().select({Selection::Kind::Site, id});
    });
    onThemeChange(*this, [this] { onSelected(); });
    PinModel& pins = workspace.pins();
    connect(m_view, &SiteTreeView::pinAsked, &pins, &PinModel::toggle);
    connect(m_view, &SiteTreeView::unpinAllAsked, &pins, &PinModel::clear);
    connect(&pins, &PinModel::changed, this, [this] { m_refresh.ask(); });
    refresh();
  }

  bool isSettled() const override {
    const ScheduleModel& schedule = workspace().schedule();
    if (workspace().comparison().comparison().state == RemoteState::Busy) return false;
    if (workspace().whatIf().isShown() && !workspace().whatIf().result().isReady()) return false;
    return Page::isSettled() && !schedule.isChanging() && schedule.sites().isReady() &&
           schedule.sites().value->hash == schedule.schedule().value->hash;
  }

  // The number of sites.
  int itemCount() const override {
    const auto& table = workspace().schedule().sites().value;
    return table ? static_cast<int>(table->sites.size()) : 0;
  }

 private:
  // Makes the left side: the decisions, and the comparison that can be shown instead.
  QWidget* makeLeft() {
    m_stack->addWidget(makeSplitter(Qt::Vertical, {m_view, m_panel}, {420, 340}));
    m_stack->addWidget(makeComparisonView(workspace()));
    m_stack->addWidget(makeWhatIfView(workspace()));
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
    auto* left = makePane(makeColumn({head, {m_stack, 1}}, {0, 0, 0, 0}, 0));
    left->setMinimumWidth(LeastLeft);
    showComparison();
    return left;
  }

  void showComparison() {
    if (workspace().comparison().isShown())
      m_ways->setCurrentIndex(ComparisonWay);
    else if (m_ways->currentIndex() == ComparisonWay)
      m_ways->setCurrentIndex(DecisionsWay);
  }

  void refresh() {
    const auto& sites = workspace().schedule().sites();
    follow(sites, tr("Open a problem to see what its schedule decides."),
           tr("Finding what can be decided …"));
    if (sites.state != RemoteState::Busy) m_refresh.ask();
  }

  void showTable() {
    const auto& problem = workspace().problems().problem().value;
    m_tree.setTable(workspace().schedule().sites().value,
                    problem ? problem->constructs : std::vector<ConstructInfo>(),
                    workspace().pins().all());
    showSelected();
  }

  void onSelected() {
    m_refresh.askFor([this] { showSelected(); });
  }

  void showSelected() {
    const auto& table = workspace().schedule().sites().value;
    if (!table) return;
    const Selection& selection = workspace().selection().current();
    if (selection.kind == Selection::Kind::Site && table->find(selection.id) != nullptr)
      m_site = selection.id;
    if (table->find(m_site) == nullptr) m_site = siteToBeginWith(*table);
    showSite();
  }

  // Returns the site to show while nothing is selected: the first one with a real choice.
  QString siteToBeginWith(const SiteTable& table) const {
    // If the site is gone, like that of a merged part, shows another site of its construct.
    const QString construct = m_site.section('@', 0, 0);
    auto first = std::ranges::find(table.sites, construct, &SiteRow::construct);
    if (first == table.sites.end())
      first = std::ranges::find(table.sites, Stage::Strategy, &SiteRow::stage);
    if (first == table.sites.end()) first = table.sites.begin();
    return first == table.sites.end() ? QString() : first->id();
  }

  void showSite() {
    const auto& table = workspace().schedule().sites().value;
    if (!table) return;
    m_view->showSite(m_site);
    m_panel->setSite(table->find(m_site), *table);
  }

  SiteTree m_tree;
  SiteTreeView* m_view;
  SitePanel* m_panel;
  QTabBar* m_ways;  // switches between the decisions and the comparison
  QStackedWidget* m_stack;
  QString m_site;  // SiteRow::id of the edited site
  ShownRefresh m_refresh;
};

}  // namespace

Page* makeSchedulePage(Workspace& workspace) { return new SchedulePage(workspace); }

}  // namespace thallo::gui
