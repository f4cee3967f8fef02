#include "gui/space/view/space_page.h"

#include <algorithm>

#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/space/view/agreement_plot.h"
#include "gui/space/view/candidate_view.h"
#include "gui/space/view/exploration_panel.h"
#include "gui/space/view/plot_frame.h"
#include "gui/space/view/strip_plots.h"
#include "gui/space/view/times_panel.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/page.h"

namespace thallo::gui {
namespace {

// Shows the measured schedules of a problem: the distribution of their times, how well they agree
// with predictions or other measurements, what each choice gains, and a table of all. Selecting in
// one of the views filters all of them.
class SpacePage final : public Page {
 public:
  explicit SpacePage(Workspace& workspace, QWidget* parent = nullptr)
      : Page(workspace, "space", tr("Space"), parent),
        m_panel(new ExplorationPanel(workspace)),
        m_times(new TimesPanel(workspace)),
        m_agreement(new AgreementPlot),
        m_strips(new StripPlots),
        m_stripsNote(named(new QLabel, "stripsNote")),
        m_others(named(new QComboBox, "otherTimes", tr("Other times"))),
        m_refreshPlots(*this, [this] { refreshPlots(); }) {
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_panel);
    auto* above = makeSplitter(Qt::Horizontal, {m_times, makeAgreement()});
    above->setStretchFactor(0, 3);
    above->setStretchFactor(1, 2);
    setContent(makeSplitter(Qt::Vertical, {above, makeStrips(), makeCandidateView(workspace)},
                            {225, 285, 180}));
    connect(m_times, &TimesPanel::candidateClicked, &workspace, &Workspace::takeCandidate);
    for (Plot* plot : {static_cast<Plot*>(m_agreement), static_cast<Plot*>(m_strips)})
      connect(plot, &Plot::candidateClicked, &workspace, &Workspace::takeCandidate);
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

  bool isSettled() const override {
    const SpaceModel& space = workspace().space();
    return space.space().state != RemoteState::Busy && space.counts().state != RemoteState::Busy &&
           !space.beside().isBusy() && state() != RemoteState::Busy &&
           !ShownRefresh::isUnderWay(*this);
  }

  int itemCount() const override {
    const auto& space = workspace().space().space().value;
    return space ? static_cast<int>(space->size()) : 0;
  }

 protected:
  void showEvent(QShowEvent* event) override {
    Page::showEvent(event);
    countWhenShown();
  }

 private:
  QWidget* makeAgreement() {
    m_others->setToolTip(tr(
        "What the measured times are set against: predictions of a cost model from the generated "
        "kernels, or the times on a device that is shown beside"));
    m_others->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_others, &QComboBox::currentIndexChanged, this, &SpacePage::refreshAgreement);
    return makeFrame(titleLabel(tr("Agreement")), nullptr, {m_others, makeSaveButton(*m_agreement)},
                     m_agreement);
  }

  QWidget* makeStrips() {
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
    m_stripsNote->setToolTip(tr(
        "The share of the variance of log time that goes with the choice and with no other that "
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
    return makeFrame(titleLabel(tr("What a choice buys")), m_stripsNote,
                     {makeSaveButton(*m_strips)}, scroll);
  }

  void refresh() {
    refreshState();
    m_refreshPlots.askSoon();
  }

  void refreshState() {
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
    follow(space,
           aside +
               (isHere ? tr("No measurements yet. Explore %1 random schedules on %2 (about 2 min).")
                             .arg(m_panel->settings().samples)
                             .arg(device != nullptr ? device->name : tr("this CPU"))
                       : tr("No measurements yet. Explore %1 random schedules on %2, which must be "
                            "in this "
                            "machine, or open a store that was measured elsewhere.")
                             .arg(m_panel->settings().samples)
                             .arg(workspace().problems().deviceName())),
           tr("Reading %1 …").arg(model.store()));
  }

  // Returns the actions offered if a store cannot be read.
  std::vector<PageAction> remedies() {
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

  void refreshPlots() {
    SpaceModel& model = workspace().space();
    const auto& space = model.space().value;
    const auto& schedule = workspace().schedule().schedule().value;
    const QString current = schedule ? schedule->hash : QString();
    m_times->refresh(current);
    m_strips->show(space, model.shown(), model.filter(), current);
    const auto numStrips = static_cast<std::size_t>(m_strips->numStrips());
    m_stripsNote->setText(space ? effectsText(space->effects, numStrips) : QString());
    refreshOthers();
    refreshAgreement();
  }

  // Lists the models with predictions and the devices shown beside, each with its distinguishing
  // data.
  void refreshOthers() {
    const SpaceModel& model = workspace().space();
    const auto& space = model.space().value;
    if (!space) return;
    std::vector<std::pair<QString, QString>> others;
    for (const TimeColumn& column : space->predicted) others.emplace_back(column.name, column.name);
    for (const BesideSpace& beside : model.beside().all())
      if (beside.space.value)
        others.emplace_back(model.beside().nameOf(beside), beside.source.id());
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

  void refreshAgreement() {
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

  // Counting may take seconds, so it starts only once the page is visible.
  void countWhenShown() {
    SpaceModel& space = workspace().space();
    if (isVisible() && space.counts().state == RemoteState::Empty)
      space.count(m_panel->settings().space);
  }

  ExplorationPanel* m_panel;
  TimesPanel* m_times;
  AgreementPlot* m_agreement;
  StripPlots* m_strips;
  QLabel* m_stripsNote;
  QComboBox* m_others;
  ShownRefresh m_refreshPlots;
};

}  // namespace

Page* makeSpacePage(Workspace& workspace) { return new SpacePage(workspace); }

}  // namespace thallo::gui
