#include "gui/solve/view/solve_page.h"

#include <algorithm>

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

enum Column {
  Number,
  Schedule,
  Device,
  Start,
  End,
  SolveTime,
  CompileTime,
  LinearIterations,
  Ending,
  NumColumns
};

QTableWidgetItem* cell(const QString& text, bool isNumber = false) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  item->setToolTip(text);
  return item;
}

}  // namespace

SolvePage::SolvePage(Workspace& workspace, QWidget* parent)
    : Page(workspace, "solve", tr("Solve"), parent),
      m_controls(makeControls()),
      m_plot(new ConvergencePlot),
      m_table(new QTableWidget(0, NumColumns)),
      m_pictures(new RunPictures),
      m_facts(new QLabel) {
  setHeader(m_controls);
  setContent(makeResults());
  setAction(tr("Solve"), [this] { start(); });
  SolveModel& solve = workspace.solve();
  connect(&solve, &SolveModel::runsChanged, this, &SolvePage::refresh);
  connect(&solve, &SolveModel::settingsChanged, this, &SolvePage::refreshSettings);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &SolvePage::refresh);
  connect(m_table, &QTableWidget::itemSelectionChanged, this, &SolvePage::refreshRun);
  refreshSettings();
  refresh();
}

QWidget* SolvePage::makeControls() {
  auto* controls = new QWidget;
  auto* layout = new QHBoxLayout(controls);
  layout->setContentsMargins(12, 8, 12, 8);
  m_startButton = new QPushButton(tr("Solve"));
  m_startButton->setObjectName("solveButton");
  m_startButton->setToolTip(tr("Run the current schedule (Ctrl+R)"));
  m_startButton->setShortcut(QKeySequence(tr("Ctrl+R")));
  m_cancelButton = new QPushButton(tr("Cancel"));
  m_cancelButton->setObjectName("cancelButton");
  m_cancelButton->setToolTip(tr("End the run at its next iteration, with what it reached"));
  m_backend = new QComboBox;
  m_backend->setObjectName("backend");
  m_backend->setAccessibleName(tr("Backend"));
  m_backend->setToolTip(tr("Where to run: auto is the GPU if there is one, else the CPU"));
  m_backend->addItems({"auto", "cuda", "cpu", "interpreter"});
  m_options = new QLineEdit;
  m_options->setObjectName("solverOptions");
  m_options->setAccessibleName(tr("Solver options"));
  m_options->setPlaceholderText(tr("solver options: nIterations=20 lIterations=50 …"));
  m_options->setToolTip(
      tr("NAME=VALUE by published names, separated by blanks; the help of `thallo solve` lists "
         "them"));
  m_optionsFault = new QLabel;
  m_stage = new QLabel;
  m_stage->setObjectName("stage");
  m_stage->setForegroundRole(QPalette::PlaceholderText);
  m_over = new QComboBox;
  m_over->addItems({tr("over iterations"), tr("over time")});
  m_over->setAccessibleName(tr("Horizontal axis"));
  layout->addWidget(m_startButton);
  layout->addWidget(m_cancelButton);
  layout->addWidget(m_backend);
  layout->addWidget(m_options, 1);
  layout->addWidget(m_optionsFault);
  layout->addWidget(m_stage);
  layout->addWidget(m_over);
  connect(m_startButton, &QPushButton::clicked, this, &SolvePage::start);
  connect(m_cancelButton, &QPushButton::clicked, this, [this] { workspace().solve().cancel(); });
  connect(m_over, &QComboBox::currentIndexChanged, this,
          [this](int index) { m_plot->setOverTime(index == 1); });
  return controls;
}

QWidget* SolvePage::makeResults() {
  m_table->setObjectName("runTable");
  m_table->setAccessibleName(tr("Runs"));
  m_table->setHorizontalHeaderLabels({tr("run"), tr("schedule"), tr("device"), tr("cost at start"),
                                      tr("at the end"), tr("solving"), tr("compiling"),
                                      tr("linear iterations"), tr("ended because")});
  m_table->horizontalHeaderItem(SolveTime)->setToolTip(
      tr("Time of all solves of the run, without compiling and without what the problem does "
         "before, between and after them"));
  m_table->horizontalHeaderItem(CompileTime)
      ->setToolTip(tr("Time until the kernels were ready: short where they were compiled before"));
  m_table->verticalHeader()->hide();
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setShowGrid(false);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(NumColumns - 1, QHeaderView::Stretch);
  m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft);
  m_facts->setObjectName("facts");
  m_facts->setWordWrap(true);
  m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* picture = new QWidget;
  auto* pictureLayout = new QVBoxLayout(picture);
  pictureLayout->setContentsMargins(12, 0, 12, 8);
  pictureLayout->addWidget(m_pictures, 1);
  pictureLayout->addWidget(m_facts);

  auto* above = new QSplitter(Qt::Horizontal);
  above->addWidget(m_plot);
  above->addWidget(picture);
  above->setSizes({500, 420});
  auto* results = new QSplitter(Qt::Vertical);
  results->addWidget(above);
  results->addWidget(m_table);
  results->setSizes({520, 160});
  return results;
}

void SolvePage::start() {
  SolveSettings settings{.backend = m_backend->currentText(), .solverOptions = {}};
  const auto options = readSolverOptions(m_options->text());
  m_optionsFault->setText(options ? QString() : toQt(options.error()));
  QPalette palette = m_optionsFault->palette();
  palette.setColor(QPalette::WindowText, ink(Ink::Bad));
  m_optionsFault->setPalette(palette);
  if (!options) return;
  settings.solverOptions = *options;
  workspace().solve().setSettings(settings);
  workspace().solve().start();
}

void SolvePage::refreshSettings() {
  const SolveSettings& settings = workspace().solve().settings();
  m_backend->setCurrentText(settings.backend);
  QStringList options;
  for (const auto& [name, value] : settings.solverOptions) options << name + '=' + value;
  m_options->setText(options.join(' '));
}

void SolvePage::prepareForPicture() {
  if (workspace().solve().runs().state == RemoteState::Empty) start();
}

bool SolvePage::isSettled() const {
  return Page::isSettled() && !workspace().solve().isRunning() && m_pictures->isSettled();
}

void SolvePage::refresh() {
  const auto& runs = workspace().solve().runs();
  const bool canStart = workspace().schedule().schedule().value != nullptr;
  const bool isRunning = workspace().solve().isRunning();
  m_startButton->setEnabled(canStart && !isRunning);
  m_cancelButton->setEnabled(isRunning);
  m_stage->setText(isRunning && runs.value ? tr("%1 …").arg(runs.value->runs.back().stage)
                                           : QString());
  follow(runs,
         canStart ? tr("Run the schedule to see how the cost falls, and what becomes of the data.")
                  : tr("Open a problem to solve it."),
         tr("Running …"));
  m_plot->show(runs.value);
  refreshTable();
}

void SolvePage::refreshTable() {
  const auto& runs = workspace().solve().runs().value;
  const int numRuns = runs ? static_cast<int>(runs->runs.size()) : 0;
  const bool isNew = numRuns > m_table->rowCount();
  m_table->setRowCount(numRuns);
  for (int row = 0; row < numRuns; ++row) {
    const SolveRun& run = runs->runs[static_cast<std::size_t>(row)];
    auto* number = cell(QString::number(run.number));
    QPixmap dot(10, 10);
    dot.fill(runColor(run));
    number->setIcon(QIcon(dot));
    m_table->setItem(row, Number, number);
    m_table->setItem(row, Schedule, cell(run.schedule));
    m_table->setItem(row, Device, cell((run.device + ' ' + run.precision).trimmed()));
    const bool isFinished = run.state == SolveRun::State::Finished;
    m_table->setItem(row, Start,
                     cell(isFinished ? significant(run.initialCost, 5) : QString(), true));
    m_table->setItem(row, End, cell(isFinished ? significant(run.finalCost, 5) : QString(), true));
    m_table->setItem(row, SolveTime,
                     cell(isFinished ? secondsText(run.solveSeconds) : QString(), true));
    m_table->setItem(row, CompileTime,
                     cell(isFinished ? secondsText(run.compileSeconds) : QString(), true));
    m_table->setItem(
        row, LinearIterations,
        cell(isFinished ? countText(static_cast<double>(run.linearIterations)) : QString(), true));
    const QString ending = run.state == SolveRun::State::Failed    ? run.fault
                           : run.state == SolveRun::State::Running ? run.stage
                                                                   : run.ending;
    m_table->setItem(row, Ending, cell(ending));
  }
  if (isNew) m_table->selectRow(numRuns - 1);
  refreshRun();
}

const SolveRun* SolvePage::shownRun() const {
  const auto& runs = workspace().solve().runs().value;
  if (!runs || runs->runs.empty()) return nullptr;
  const int row = m_table->currentRow();
  const auto index = row >= 0 && row < static_cast<int>(runs->runs.size())
                         ? static_cast<std::size_t>(row)
                         : runs->runs.size() - 1;
  return &runs->runs[index];
}

void SolvePage::refreshRun() {
  const SolveRun* run = shownRun();
  m_pictures->show(run);
  QStringList facts;
  if (run != nullptr) {
    for (const auto& [name, value] : run->metrics) facts << name + QStringLiteral("  ") + value;
    if (run->wasCancelled) facts << tr("cancelled: this is what was reached");
    for (const QString& warning : run->warnings) facts << tr("warning: %1").arg(warning);
    if (!run->shortfall.isEmpty()) facts << run->shortfall;
    for (const std::vector<ReportItem>* files : {&run->meshes, &run->otherFiles})
      for (const ReportItem& file : *files)
        facts << file.caption + QStringLiteral(": ") + QFileInfo(file.file).fileName();
  }
  m_facts->setText(facts.join(QStringLiteral("   ·   ")));
}

}  // namespace thallo::gui
