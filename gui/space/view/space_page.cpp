#include "gui/space/view/space_page.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <QComboBox>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/space/view/candidate_view.h"
#include "gui/space/view/exploration_panel.h"
#include "gui/space/view/plot_frame.h"
#include "gui/space/view/strip_plots.h"
#include "gui/space/view/times_panel.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/plot.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/time_ticker.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostPoints = 6000;

// Plots other times against the measured ones, with a point for each schedule: the predictions of a
// cost model, or measurements on another device. Times are equal on the line. Above the line, the
// model is too pessimistic or the other device is slower.
class AgreementPlot final : public Plot {
 public:
  AgreementPlot() : Plot("agreementPlot", tr("Other times against measured ones")) {
    setToolTip(
        tr("ρ is Spearman's rank correlation: 1 where the order of the schedules is the same"));
    connect(&canvas(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
      if (const auto candidate = candidateAt(event->position()))
        Q_EMIT candidateClicked(m_space->hash[*candidate]);
    });
    connect(&canvas(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
      const auto candidate = candidateAt(event->position());
      if (!candidate) return QToolTip::hideText();
      QToolTip::showText(event->globalPosition().toPoint(),
                         tr("%1 measured, %2 %3")
                             .arg(secondsText(m_space->seconds[*candidate]),
                                  secondsText(m_times->seconds[*candidate]), m_label),
                         this);
    });
    rebuild();
  }

  // `times` belong to the candidates of the space; null shows nothing. `label` names them:
  // "predicted". A corner shows how well the orders agree. `shown` is as in SpaceModel::shown();
  // other candidates are drawn pale.
  void show(std::shared_ptr<const SpaceSnapshot> space, std::shared_ptr<const TimeColumn> times,
            const QString& label, const std::vector<bool>& shown, const QString& current) {
    if (space == m_space && times == m_times && label == m_label && shown == m_shown &&
        current == m_current)
      return;
    m_space = std::move(space);
    m_times = std::move(times);
    m_label = label;
    m_shown = shown;
    m_current = current;
    rebuild();
  }

 protected:
  void rebuild() override {
    QCustomPlot& plot = canvas();
    plot.clearPlottables();
    plot.clearItems();
    QCPAxisRect& rect = *plot.axisRect();
    style(rect);
    rect.setMinimumMargins(QMargins(8, 8, 12, 4));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
      axis->setScaleType(QCPAxis::stLogarithmic);
      axis->setTicker(QSharedPointer<TimeTicker>::create(true, 4));
    }
    plot.xAxis->setLabel(tr("measured"));
    plot.yAxis->setLabel(m_label);
    setPoints({});
    std::vector<Point> shown, others, current;
    if (m_space && m_times) {
      QCPRange measured, other;
      const auto include = [](QCPRange& range, double seconds) {
        range = range.lower > 0 ? range.expanded({seconds, seconds}) : QCPRange(seconds, seconds);
      };
      for (const std::size_t i : thinned(m_space->byTime, MostPoints)) {
        const double x = m_space->seconds[i], y = m_times->seconds[i];
        if (!std::isfinite(y) || y <= 0) continue;
        include(measured, x);
        include(other, y);
        const Point point{&rect, x, y, i};
        (m_space->hash[i] == m_current ? current : m_shown[i] ? shown : others).push_back(point);
      }
      if (measured.lower > 0) {
        // Uses the same range for both axes, unless that would leave most of the diagram empty.
        if (measured.contains(other.lower) || other.contains(measured.lower))
          measured = other = measured.expanded(other);
        for (const auto& [axis, range] : {std::pair(plot.xAxis, measured), {plot.yAxis, other}}) {
          const double margin = std::max(1.05, std::pow(range.upper / range.lower, 0.06));
          axis->setRange(range.lower / margin, range.upper * margin);
        }
        const QCPRange all = plot.xAxis->range().expanded(plot.yAxis->range());
        QCPGraph* equal = plot.addGraph();
        equal->setData({all.lower, all.upper}, {all.lower, all.upper});
        equal->setPen(QPen(ink(Ink::Muted), 1, Qt::DashLine));
        addPoints(rect, others, ink(Ink::Frame), 4);
        addPoints(rect, shown, ink(Ink::Intermediate, 150), 4.5);
        addPoints(rect, current, ink(Ink::Text), 10, true);
        addSummary();
      }
    }
    shown.insert(shown.end(), current.begin(), current.end());
    setPoints(std::move(shown));
    plot.replot(QCustomPlot::rpQueuedReplot);
  }

 private:
  // "ρ 0.87 · median error 13 %"
  void addSummary() {
    if (!m_times->rho) return;
    const QString rho = significant(*m_times->rho, 2);
    auto* summary = new QCPItemText(&canvas());
    summary->position->setType(QCPItemPosition::ptAxisRectRatio);
    summary->position->setCoords(0, 0);
    summary->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    summary->setText(
        m_times->isPredicted
            ? tr("ρ %1 · median error %2 %").arg(rho, significant(100 * m_times->medianError, 2))
            : tr("ρ %1 · %2 in both").arg(rho, countText(m_times->numCompared)));
    summary->setColor(ink(Ink::Muted));
    summary->setPadding(QMargins(6, 2, 6, 2));
  }

  std::shared_ptr<const SpaceSnapshot> m_space;
  std::shared_ptr<const TimeColumn> m_times;
  std::vector<bool> m_shown;
  QString m_label, m_current;
};

class SpacePage final : public Page {
 public:
  explicit SpacePage(Workspace& workspace)
      : Page(workspace, "space", tr("Space")),
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
