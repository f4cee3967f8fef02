#include "gui/space/view/times_panel.h"

#include <map>

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QToolButton>

#include "gui/base/text.h"
#include "gui/space/space_model.h"
#include "gui/space/view/curve_plot.h"
#include "gui/space/view/distribution_plot.h"
#include "gui/space/view/plot_frame.h"
#include "gui/widgets/elided.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

// A button that chooses what is shown beside the measurements of the page: other devices of its
// store, and devices of other stores.
class BesideButton final : public QToolButton {
 public:
  explicit BesideButton(SpaceModel& space) : m_space(space), m_menu(new QMenu(this)) {
    setObjectName("besideButton");
    setText(tr("Beside"));
    setToolTip(tr("Shows the times on other devices beside these"));
    setPopupMode(QToolButton::InstantPopup);
    setMenu(m_menu);
    connect(m_menu, &QMenu::aboutToShow, this, &BesideButton::fill);
    fill();
  }

 private:
  void fill() {
    m_menu->clear();
    if (const auto& space = m_space.space().value) addDevices({}, *space);
    // One space that was read, for each store; null if none was.
    std::map<QString, const BesideSpace*> stores;
    for (const BesideSpace& beside : m_space.beside().all()) {
      if (beside.source.store.isEmpty()) continue;
      const BesideSpace*& known = stores[beside.source.store];
      if (known == nullptr || beside.space.value) known = &beside;
    }
    for (const auto& [store, beside] : stores) {
      m_menu->addSection(QFileInfo(store).fileName())->setToolTip(store);
      if (beside->space.value)
        addDevices(store, *beside->space.value);
      else
        addAction(beside->source, beside->space.state == RemoteState::Busy
                                      ? tr("being read …")
                                      : tr("nothing was read"));
    }
    m_menu->addSeparator();
    m_menu->addAction(tr("Another store …"), this, &BesideButton::openStore)
        ->setObjectName("besideStore");
  }

  // Adds the devices of a store, which can be switched on and off.
  void addDevices(const QString& store, const SpaceSnapshot& space) {
    for (const SpaceDevice& device : space.devices) {
      const bool isOfPage = store.isEmpty() && device == space.device;
      if (!isOfPage) addAction({store, device.signature}, device.name);
    }
  }

  void addAction(const SpaceSource& source, const QString& text) {
    QAction* action = m_menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(m_space.beside().contains(source));
    connect(action, &QAction::toggled, this, [this, source](bool isOn) {
      if (isOn)
        m_space.beside().add(source);
      else
        m_space.beside().remove(source);
    });
  }

  void openStore() {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Show a store beside this one"), QFileInfo(m_space.store()).path(),
        tr("Measurement stores (*.store);;All files (*)"));
    if (!file.isEmpty()) m_space.beside().add({.store = file});
  }

  SpaceModel& m_space;
  QMenu* m_menu;
};

// Shows what could not be read, and why; hidden if everything could.
class BesideFaults final : public QLabel {
 public:
  explicit BesideFaults(SpaceModel& space) : m_space(space) {
    setObjectName("besideFaults");
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setContentsMargins(12, 0, 12, 0);
    connect(&space.beside(), &BesideSpaces::changed, this, &BesideFaults::refresh);
    connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
      if (link == "retry") return m_space.beside().reload();
      const auto sources = m_space.beside().sources();
      const std::size_t i = link.toUInt();
      if (i < sources.size()) m_space.beside().remove(sources[i]);
    });
    refresh();
  }

 private:
  void refresh() {
    QStringList faults;
    const auto& all = m_space.beside().all();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const RemoteState state = all[i].space.state;
      if (state != RemoteState::Failed && state != RemoteState::Empty) continue;
      const QString why =
          state == RemoteState::Failed
              ? all[i].space.error
              : tr("%1 has no measurements of this problem").arg(m_space.beside().nameOf(all[i]));
      faults.append(QStringLiteral("%1 <a href=\"retry\">%2</a> · <a href=\"%3\">%4</a>")
                        .arg(why.toHtmlEscaped(), tr("try again"))
                        .arg(i)
                        .arg(tr("leave it")));
    }
    setText(faults.join("<br>"));
    setVisible(!faults.isEmpty());
  }

  SpaceModel& m_space;
};

}  // namespace

TimesPanel::TimesPanel(Workspace& workspace)
    : m_workspace(workspace),
      m_distribution(new DistributionPlot),
      m_curves(new CurvePlot),
      m_tabs(named(new QTabBar, "timesTabs", tr("What is shown of the times"))),
      m_stack(new QStackedWidget),
      m_headline(new ElidedLabel) {
  makeTabs();
  m_stack->addWidget(makeDistribution());
  m_stack->addWidget(makeCurves());
  for (Plot* plot : {static_cast<Plot*>(m_distribution), static_cast<Plot*>(m_curves)})
    connect(plot, &Plot::candidateClicked, this, &TimesPanel::candidateClicked);
  setLayout(makeColumn({makeFrame(m_tabs, m_headline, m_distributionTools + m_curveTools, m_stack)},
                       {0, 0, 0, 0}));
  showCurves(false);
}

void TimesPanel::makeTabs() {
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  m_tabs->setUsesScrollButtons(false);
  // As high as the tools beside them.
  m_tabs->setStyleSheet("QTabBar::tab { padding: 3px 10px; }");
  m_tabs->setTabToolTip(m_tabs->addTab(tr("Times")),
                        tr("How the times of all schedules are distributed"));
  m_tabs->setTabToolTip(m_tabs->addTab(tr("Best so far")),
                        tr("How soon searches found fast schedules"));
  connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) { showCurves(tab == 1); });
}

QWidget* TimesPanel::makeDistribution() {
  auto* scale =
      toolButton("logScale", tr("log"), tr("A logarithmic axis of times, or a linear one"));
  scale->setCheckable(true);
  scale->setChecked(true);
  connect(scale, &QToolButton::toggled, m_distribution, &DistributionPlot::setLogarithmic);
  SpaceModel& space = m_workspace.space();
  connect(m_distribution, &DistributionPlot::brushed, this,
          [&space](const DistributionPlot::Range& seconds) {
            SpaceFilter filter = space.filter();
            filter.seconds = seconds;
            space.setFilter(filter);
          });
  m_distributionTools = {new BesideButton(space), scale, makeSaveButton(*m_distribution)};
  return makePane(makeColumn({new BesideFaults(space), {m_distribution, 1}}, {0, 0, 0, 0}, 2));
}

QWidget* TimesPanel::makeCurves() {
  auto* seconds = toolButton(
      "curvesBySeconds", tr("by time"),
      tr("Against the seconds of the exploration, or against the number of schedules measured"));
  seconds->setCheckable(true);
  connect(seconds, &QToolButton::toggled, m_curves, [this](bool isOn) {
    m_curves->setAxis(isOn ? CurvePlot::Axis::Seconds : CurvePlot::Axis::Schedules);
  });
  m_curveTools = {seconds, makeSaveButton(*m_curves)};
  m_noRuns =
      named(mutedNote(tr("The store has no record of a search on this device. Explore, and the "
                         "best time so far is drawn here while schedules are measured.")),
            "noRuns");
  m_noRuns->setAlignment(Qt::AlignCenter);
  m_noRuns->setContentsMargins(24, 0, 24, 0);
  m_figures = named(new ElidedLabel, "runFigures");
  m_figures->setForegroundRole(QPalette::PlaceholderText);
  auto* below = makeRow({m_figures}, {12, 0, 12, 0});
  return makePane(makeColumn({{m_noRuns, 1}, {m_curves, 1}, below}, {0, 0, 0, 0}, 2));
}

void TimesPanel::showCurves(bool isOn) {
  m_stack->setCurrentIndex(isOn ? 1 : 0);
  for (QWidget* tool : m_distributionTools) tool->setVisible(!isOn);
  for (QWidget* tool : m_curveTools) tool->setVisible(isOn);
}

void TimesPanel::refresh(const QString& current) {
  const SpaceModel& model = m_workspace.space();
  const auto& space = model.space().value;
  std::vector<SpaceLane> lanes;
  for (const BesideSpace& beside : model.beside().all())
    if (beside.space.value) lanes.push_back({model.beside().nameOf(beside), beside.space.value});
  m_distribution->show(space, lanes, current);
  m_distribution->setBrush(model.filter().seconds);
  m_curves->show(space);
  refreshHeadline();
  refreshRuns();
}

void TimesPanel::refreshHeadline() {
  const SpaceModel& model = m_workspace.space();
  const auto& space = model.space().value;
  m_headline->clear();
  if (!space) return;
  QString headline =
      tr("%1 of %2 measured on %3")
          .arg(countText(space->byTime.size()), countText(space->size()), space->device.name);
  if (!model.putAsideAs().isEmpty())
    headline += tr(" · the old store is kept as %1").arg(QFileInfo(model.putAsideAs()).fileName());
  m_headline->setText(headline);
  m_headline->setToolTip(
      headline + '\n' +
      (space->kind == ResultKind::EndToEnd ? tr("By whole solves") : tr("Step by step")));
}

// Of the latest run, which is under way while an exploration is.
void TimesPanel::refreshRuns() {
  const auto& space = m_workspace.space().space().value;
  const bool hasRuns = space && !space->runs.empty();
  m_noRuns->setVisible(!hasRuns);
  m_curves->setVisible(hasRuns);
  m_figures->setVisible(hasRuns);
  if (!hasRuns) return;
  const RunCurve& latest = space->runs.back();
  QString text = latest.summary();
  if (!latest.curve.figures.empty()) text += " · " + toQt(figures_text(latest.curve.figures));
  m_figures->setText(text);
  m_figures->setToolTip(text);
}

}  // namespace thallo::gui
