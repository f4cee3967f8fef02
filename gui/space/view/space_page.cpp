#include "gui/space/view/space_page.h"

#include <algorithm>

#include <QFileInfo>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/space/view/agreement_plot.h"
#include "gui/space/view/beside_button.h"
#include "gui/space/view/candidate_view.h"
#include "gui/space/view/distribution_plot.h"
#include "gui/space/view/strip_plots.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Makes a title above a diagram, with its note and tools on the right.
QWidget* titled(const QString& title, QLabel* note, const QList<QWidget*>& tools, QWidget* body) {
  auto* widget = new QWidget;
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(6);
  auto* name = new QLabel(title);
  name->setFont(titleFont());
  row->addWidget(name);
  if (note != nullptr) {
    note->setForegroundRole(QPalette::PlaceholderText);
    note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(note, 1);
  } else {
    row->addStretch();
  }
  for (QWidget* tool : tools) row->addWidget(tool);
  column->addLayout(row);
  column->addWidget(body, 1);
  return widget;
}

QToolButton* saveButton(Plot& plot) {
  auto* save = new QToolButton;
  save->setText(SpacePage::tr("Save …"));
  save->setToolTip(SpacePage::tr("Saves the diagram as SVG, PNG or PDF"));
  QObject::connect(save, &QToolButton::clicked, &plot, &Plot::exportByDialog);
  return save;
}

}  // namespace

SpacePage::SpacePage(Workspace& workspace, QWidget* parent)
    : Page(workspace, "space", tr("Space"), parent),
      m_panel(new ExplorationPanel(workspace)),
      m_distribution(new DistributionPlot),
      m_agreement(new AgreementPlot),
      m_strips(new StripPlots),
      m_stripsNote(new QLabel),
      m_others(new QComboBox),
      m_headline(new QLabel),
      m_refreshPlots(*this, [this] { refreshPlots(); }) {
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_panel);
  auto* above = new QSplitter;
  above->addWidget(makeDistribution());
  above->addWidget(makeAgreement());
  above->setStretchFactor(0, 3);
  above->setStretchFactor(1, 2);
  auto* content = new QSplitter(Qt::Vertical);
  content->addWidget(above);
  content->addWidget(makeStrips());
  content->addWidget(new CandidateView(workspace));
  for (QSplitter* splitter : {above, content}) {
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
  }
  content->setSizes({225, 285, 180});
  setContent(content);
  for (Plot* plot : {static_cast<Plot*>(m_distribution), static_cast<Plot*>(m_agreement),
                     static_cast<Plot*>(m_strips)}) {
    connect(plot, &Plot::candidateClicked, &workspace, &Workspace::takeCandidate);
  }
  SpaceModel& space = workspace.space();
  connect(&space, &SpaceModel::spaceChanged, this, &SpacePage::refresh);
  connect(&space, &SpaceModel::filterChanged, &m_refreshPlots, &ShownRefresh::ask);
  connect(&space.beside(), &BesideSpaces::changed, &m_refreshPlots, &ShownRefresh::ask);
  connect(&space.exploration(), &ExplorationModel::changed, this, &SpacePage::refreshState);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &SpacePage::countWhenShown);
  connect(&workspace.pins(), &PinModel::changed, this, &SpacePage::countWhenShown);
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &SpacePage::refreshState);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, &m_refreshPlots,
          &ShownRefresh::askSoon);
  refresh();
}

QWidget* SpacePage::makeDistribution() {
  auto* scale = new QToolButton;
  scale->setObjectName("logScale");
  scale->setText(tr("log"));
  scale->setCheckable(true);
  scale->setChecked(true);
  scale->setToolTip(tr("A logarithmic axis of times, or a linear one"));
  connect(scale, &QToolButton::toggled, m_distribution, &DistributionPlot::setLogarithmic);
  connect(m_distribution, &DistributionPlot::brushed, this,
          [this](const DistributionPlot::Range& seconds) {
            SpaceFilter filter = this->workspace().space().filter();
            filter.seconds = seconds;
            this->workspace().space().setFilter(filter);
          });
  auto* body = new QWidget;
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  SpaceModel& space = workspace().space();
  column->addWidget(new BesideFaults(space));
  column->addWidget(m_distribution, 1);
  return titled(tr("Times"), m_headline,
                {new BesideButton(space), scale, saveButton(*m_distribution)}, body);
}

QWidget* SpacePage::makeAgreement() {
  m_others->setObjectName("otherTimes");
  m_others->setAccessibleName(tr("Other times"));
  m_others->setToolTip(
      tr("What the measured times are set against: predictions of a cost model from the generated "
         "kernels, or the times on a device that is shown beside"));
  m_others->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(m_others, &QComboBox::currentIndexChanged, this, &SpacePage::refreshAgreement);
  return titled(tr("Agreement"), nullptr, {m_others, saveButton(*m_agreement)}, m_agreement);
}

QWidget* SpacePage::makeStrips() {
  connect(m_strips, &StripPlots::choiceClicked, this,
          [this](const QString& site, const QString& choice) {
            SpaceFilter filter = this->workspace().space().filter();
            const auto its = filter.choices.find(site);
            if (its != filter.choices.end() && its->second == choice)
              filter.choices.erase(its);
            else
              filter.choices[site] = choice;
            this->workspace().space().setFilter(filter);
          });
  m_stripsNote->setObjectName("stripsNote");
  m_stripsNote->setToolTip(
      tr("The share of the variance of log time that goes with the choice and with no other that "
         "every schedule makes, without noise's share, among the n schedules with a time that have "
         "the site.\n"
         "Others do not show: a partial F test does not find them at 5 % for all sites together.\n"
         "A click at a choice filters by it."));
  auto* scroll = new QScrollArea;
  scroll->setAccessibleName(tr("Time by choice"));
  scroll->setWidget(m_strips);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumHeight(110);
  return titled(tr("What a choice buys"), m_stripsNote, {saveButton(*m_strips)}, scroll);
}

void SpacePage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  countWhenShown();
}

// Counting may take seconds, so it starts only once the page is visible.
void SpacePage::countWhenShown() {
  SpaceModel& space = workspace().space();
  if (isVisible() && space.counts().state == RemoteState::Empty)
    space.count(m_panel->settings().space);
}

bool SpacePage::isSettled() const {
  const SpaceModel& space = workspace().space();
  return space.space().state != RemoteState::Busy && space.counts().state != RemoteState::Busy &&
         !space.beside().isBusy() && state() != RemoteState::Busy &&
         !ShownRefresh::isUnderWay(*this);
}

int SpacePage::itemCount() const {
  const auto& space = workspace().space().space().value;
  return space ? static_cast<int>(space->size()) : 0;
}

void SpacePage::refresh() {
  refreshState();
  m_refreshPlots.askSoon();
}

void SpacePage::refreshState() {
  SpaceModel& model = workspace().space();
  const auto& problem = workspace().problems().problem();
  const Remote<SpaceSnapshot>& space = model.space();
  setAction({}, {});
  if (!problem.isReady()) {
    follow(problem, tr("Open a problem to explore its schedules."), tr("Opening the problem …"));
    return;
  }
  if (!space.value && model.exploration().isRunning() && space.state != RemoteState::Failed) {
    setState(RemoteState::Busy,
             tr("The first schedules are on their way: each is compiled, then its "
                "steps are measured one by one."));
    return;
  }
  if (space.state == RemoteState::Failed) setActions(remedies());
  if (space.state == RemoteState::Empty) setAction(tr("Explore"), [this] { m_panel->explore(); });
  const DeviceChoice* device = workspace().problems().measuringDevice();
  // A CPU is always here, also before its name is known.
  const bool isHere = device != nullptr || problem.value->backend == "cpu";
  QString aside;
  if (!model.putAsideAs().isEmpty())
    aside = tr("The old store is kept as %1. ").arg(model.putAsideAs());
  follow(
      space,
      aside +
          (isHere
               ? tr("No measurements yet. Explore %1 random schedules on %2 (about 2 min).")
                     .arg(m_panel->settings().samples)
                     .arg(device != nullptr ? device->name : tr("this CPU"))
               : tr("No measurements yet. Explore %1 random schedules on %2, which must be in this "
                    "machine, or open a store that was measured elsewhere.")
                     .arg(m_panel->settings().samples)
                     .arg(workspace().problems().deviceName())),
      tr("Reading %1 …").arg(model.store()));
}

std::vector<PageAction> SpacePage::remedies() {
  SpaceModel& model = workspace().space();
  std::vector<PageAction> actions = {{tr("Try again"), [&model] { model.reload(); }}};
  if (model.canPutAside()) {
    actions.push_back({tr("Put it aside and begin a new store"),
                       [this, &model] {
                         if (const auto done = model.putAside(); !done)
                           workspace().schedule().refuse(toQt(done.error()));
                       },
                       tr("Gives the file another name beside the old one; nothing is deleted")});
  }
  actions.push_back({tr("Open another store …"), [this] { m_panel->openStore(); }});
  return actions;
}

// Lists the models with predictions and the devices shown beside, each with its distinguishing
// data.
void SpacePage::refreshOthers() {
  const SpaceModel& model = workspace().space();
  const auto& space = model.space().value;
  if (!space) return;
  std::vector<std::pair<QString, QString>> others;
  for (const TimeColumn& column : space->predicted) others.emplace_back(column.name, column.name);
  for (const BesideSpace& beside : model.beside().all())
    if (beside.space.value) others.emplace_back(model.beside().nameOf(beside), beside.source.id());
  std::vector<std::pair<QString, QString>> present;
  for (int i = 0; i < m_others->count(); ++i)
    present.emplace_back(m_others->itemText(i), m_others->itemData(i).toString());
  if (others == present) return;
  const QSignalBlocker blocker(m_others);
  const QString wanted = m_others->currentData().toString();
  m_others->clear();
  for (const auto& [name, id] : others) m_others->addItem(name, id);
  const int found = m_others->findData(wanted);
  m_others->setCurrentIndex(found >= 0 ? found : m_others->findData(space->model));
}

void SpacePage::refreshAgreement() {
  const SpaceModel& model = workspace().space();
  const auto& space = model.space().value;
  const QString wanted = m_others->currentData().toString();
  std::shared_ptr<const TimeColumn> times;
  QString label = tr("predicted");
  if (space) {
    const auto column = std::ranges::find(space->predicted, wanted, &TimeColumn::name);
    if (column != space->predicted.end()) times = {space, &*column};
  }
  for (const BesideSpace& beside : model.beside().all()) {
    if (times || beside.source.id() != wanted || !beside.times) continue;
    // While more is measured, the drawn diagram stays until the new comparison is ready.
    if (space && beside.isOf != space) return;
    times = beside.times;
    label = tr("on %1").arg(model.beside().nameOf(beside));
  }
  const auto& schedule = workspace().schedule().schedule().value;
  m_agreement->show(space, times, label, model.shown(), schedule ? schedule->hash : QString());
}

void SpacePage::refreshPlots() {
  SpaceModel& model = workspace().space();
  const auto& space = model.space().value;
  const auto& schedule = workspace().schedule().schedule().value;
  const QString current = schedule ? schedule->hash : QString();
  std::vector<SpaceLane> lanes;
  for (const BesideSpace& beside : model.beside().all())
    if (beside.space.value) lanes.push_back({model.beside().nameOf(beside), beside.space.value});
  m_distribution->show(space, lanes, current);
  m_distribution->setBrush(model.filter().seconds);
  m_strips->show(space, model.shown(), model.filter(), current);
  const auto numStrips = static_cast<std::size_t>(m_strips->numStrips());
  m_stripsNote->setText(space ? effectsText(space->effects, numStrips) : QString());
  refreshOthers();
  refreshAgreement();
  m_headline->clear();
  if (!space) return;
  QString headline = tr("%1 of %2 measured on %3")
                         .arg(countText(static_cast<double>(space->byTime.size())),
                              countText(static_cast<double>(space->size())), space->device.name);
  if (!model.putAsideAs().isEmpty())
    headline += tr(" · the old store is kept as %1").arg(QFileInfo(model.putAsideAs()).fileName());
  m_headline->setText(headline);
  m_headline->setToolTip(space->isEndToEnd ? tr("By whole solves") : tr("Step by step"));
}

}  // namespace thallo::gui
