#include "gui/space/view/times_panel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/space/view/ablation_dialog.h"
#include "gui/space/view/beside_button.h"
#include "gui/space/view/curve_plot.h"
#include "gui/space/view/distribution_plot.h"
#include "gui/space/view/plot_frame.h"
#include "gui/widgets/elided.h"

namespace thallo::gui {
namespace {

QWidget* bodyOf(QVBoxLayout*& column) {
  auto* body = new QWidget;
  column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  return body;
}

}  // namespace

TimesPanel::TimesPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_distribution(new DistributionPlot),
      m_curves(new CurvePlot),
      m_tabs(new QTabBar),
      m_stack(new QStackedWidget),
      m_headline(new ElidedLabel) {
  makeTabs();
  m_stack->addWidget(makeDistribution());
  m_stack->addWidget(makeCurves());
  for (Plot* plot : {static_cast<Plot*>(m_distribution), static_cast<Plot*>(m_curves)})
    connect(plot, &Plot::candidateClicked, this, &TimesPanel::candidateClicked);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(makeFrame(m_tabs, m_headline, m_distributionTools + m_curveTools, m_stack));
  showCurves(false);
}

void TimesPanel::makeTabs() {
  m_tabs->setObjectName("timesTabs");
  m_tabs->setAccessibleName(tr("What is shown of the times"));
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
  auto* scale = new QToolButton;
  scale->setObjectName("logScale");
  scale->setText(tr("log"));
  scale->setCheckable(true);
  scale->setChecked(true);
  scale->setToolTip(tr("A logarithmic axis of times, or a linear one"));
  connect(scale, &QToolButton::toggled, m_distribution, &DistributionPlot::setLogarithmic);
  SpaceModel& space = m_workspace.space();
  connect(m_distribution, &DistributionPlot::brushed, this,
          [&space](const DistributionPlot::Range& seconds) {
            SpaceFilter filter = space.filter();
            filter.seconds = seconds;
            space.setFilter(filter);
          });
  m_distributionTools = {new BesideButton(space), scale, makeSaveButton(*m_distribution)};
  QVBoxLayout* column = nullptr;
  QWidget* body = bodyOf(column);
  column->addWidget(new BesideFaults(space));
  column->addWidget(m_distribution, 1);
  return body;
}

QWidget* TimesPanel::makeCurves() {
  auto* seconds = new QToolButton;
  seconds->setObjectName("curvesBySeconds");
  seconds->setText(tr("by time"));
  seconds->setCheckable(true);
  seconds->setToolTip(
      tr("Against the seconds of the exploration, or against the number of schedules measured"));
  connect(seconds, &QToolButton::toggled, m_curves, [this](bool isOn) {
    m_curves->setAxis(isOn ? CurvePlot::Axis::Seconds : CurvePlot::Axis::Schedules);
  });
  auto* ablate = new QToolButton;
  ablate->setObjectName("ablateButton");
  ablate->setText(tr("Switches …"));
  ablate->setToolTip(tr("What each switch of a search buys, by predicted times"));
  connect(ablate, &QToolButton::clicked, this,
          [this] { AblationDialog::show(m_workspace, window()); });
  m_curveTools = {ablate, seconds, makeSaveButton(*m_curves)};
  m_noRuns = new QLabel(
      tr("The store has no record of a search on this device. Explore, and the best time so far "
         "is drawn here while schedules are measured."));
  m_noRuns->setObjectName("noRuns");
  m_noRuns->setWordWrap(true);
  m_noRuns->setAlignment(Qt::AlignCenter);
  m_noRuns->setForegroundRole(QPalette::PlaceholderText);
  m_noRuns->setContentsMargins(24, 0, 24, 0);
  m_figures = new ElidedLabel;
  m_figures->setObjectName("runFigures");
  m_figures->setForegroundRole(QPalette::PlaceholderText);
  QVBoxLayout* column = nullptr;
  QWidget* body = bodyOf(column);
  column->addWidget(m_noRuns, 1);
  column->addWidget(m_curves, 1);
  auto* below = new QHBoxLayout;
  below->setContentsMargins(12, 0, 12, 0);
  below->addWidget(m_figures);
  column->addLayout(below);
  return body;
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
  QString headline = tr("%1 of %2 measured on %3")
                         .arg(countText(static_cast<double>(space->byTime.size())),
                              countText(static_cast<double>(space->size())), space->device.name);
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
