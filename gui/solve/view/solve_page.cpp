#include "gui/solve/view/solve_page.h"

#include <algorithm>

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>

#include "gui/base/text.h"
#include "gui/solve/view/convergence_plot.h"
#include "gui/solve/view/run_pictures.h"
#include "gui/solve/view/run_table.h"
#include "gui/widgets/elided.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// The solver options that have boxes of their own.
const QString LinearSolverOption = QStringLiteral("linear_solver");
const QString PreconditionerOption = QStringLiteral("preconditioner");

void fillBox(QComboBox& box, const std::vector<SolverChoice>& choices) {
  const QString chosen = box.currentData().toString();
  box.clear();
  for (const auto& [value, label, doc] : choices) {
    box.addItem(label, value);
    box.setItemData(box.count() - 1, doc, Qt::ToolTipRole);
  }
  box.setCurrentIndex(std::max(0, box.findData(chosen)));
}

class SolvePage final : public Page {
 public:
  explicit SolvePage(Workspace& workspace)
      : Page(workspace, "solve", tr("Solve")),
        m_controls(makeControls()),
        m_plot(new ConvergencePlot),
        m_table(new RunTable),
        m_pictures(new RunPictures),
        m_facts(named(textLabel(), "facts")),
        m_refreshRuns(*this, [this] { showRuns(); }) {
    setHeader(m_controls);
    setContent(makeResults());
    setAction(tr("Solve"), [this] { start(); });
    SolveModel& solve = workspace.solve();
    connect(&solve, &SolveModel::runsChanged, this, &SolvePage::refresh);
    connect(&solve, &SolveModel::settingsChanged, this, &SolvePage::refreshSettings);
    connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &SolvePage::refresh);
    connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &SolvePage::fillSolvers);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &SolvePage::refreshRun);
    connect(m_table, &RunTable::runHidden, &solve, &SolveModel::hideRun);
    connect(m_table, &RunTable::runRenamed, &solve, &SolveModel::renameRun);
    connect(m_table, &RunTable::runRemoved, &solve, &SolveModel::removeRun);
    fillSolvers();
    refreshSettings();
    refresh();
  }

  bool isSettled() const override {
    return Page::isSettled() && !workspace().solve().isRunning() && m_pictures->isSettled();
  }

  void prepareForPicture() override {
    if (workspace().solve().runs().state == RemoteState::Empty) start();
  }

  int itemCount() const override { return m_table->rowCount(); }

 private:
  QWidget* makeControls() {
    m_startButton = named(new QPushButton(tr("Solve")), "solveButton");
    m_startButton->setToolTip(tr("Run the current schedule (Ctrl+R)"));
    m_startButton->setShortcut(QKeySequence(tr("Ctrl+R")));
    m_cancelButton = named(new QPushButton(tr("Cancel")), "cancelButton");
    m_cancelButton->setToolTip(tr("End the run at its next iteration, with what it reached"));
    m_backend = named(new QComboBox, "backend", tr("Backend"));
    m_backend->setToolTip(tr("Where to run: auto is the GPU if there is one, else the CPU"));
    m_backend->addItems({"auto", "cuda", "cpu", "interpreter"});
    m_linearSolver = named(new QComboBox, "linearSolver", tr("Linear solver"));
    m_preconditioner = named(new QComboBox, "preconditioner", tr("Preconditioner of pcg"));
    m_options = named(new QLineEdit, "solverOptions", tr("Solver options"));
    m_options->setPlaceholderText(tr("solver options: nIterations=20 lIterations=50 …"));
    m_options->setToolTip(
        tr("NAME=VALUE by published names, separated by blanks; the help of `thallo solve` lists "
           "them"));
    m_optionsFault = named(faultLabel(), "solverOptionsFault");
    m_optionsFault->hide();
    m_stage = named(new ElidedLabel, "stage");
    m_stage->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_stage->setForegroundRole(QPalette::PlaceholderText);
    auto* above = makeRow(
        {m_startButton, m_cancelButton, m_backend, m_linearSolver, m_preconditioner, {m_stage, 1}});
    auto* controls = makePane(makeColumn({above, m_options, m_optionsFault}, {12, 8, 12, 8}));
    connect(m_startButton, &QPushButton::clicked, this, &SolvePage::start);
    connect(m_cancelButton, &QPushButton::clicked, this, [this] { workspace().solve().cancel(); });
    return controls;
  }

  QWidget* makeResults() {
    auto* picture = makePane(makeColumn({{m_pictures, 1}, m_facts}, {12, 0, 12, 8}));

    auto* above = makeSplitter(Qt::Horizontal, {makePlot(), picture}, {500, 420});
    return makeSplitter(Qt::Vertical, {above, m_table}, {520, 160});
  }

  void start() {
    SolveSettings settings{.backend = m_backend->currentText()};
    const auto options = readSolverOptions(m_options->text());
    m_optionsFault->setText(options ? QString() : toQt(options.error()));
    m_optionsFault->setVisible(!options);
    if (!options) return;
    for (const auto& [option, box] : {std::pair(&LinearSolverOption, m_linearSolver),
                                      {&PreconditionerOption, m_preconditioner}})
      if (const QString value = box->currentData().toString(); !value.isEmpty())
        settings.solverOptions.emplace_back(*option, value);
    settings.solverOptions.insert(settings.solverOptions.end(), options->begin(), options->end());
    workspace().solve().setSettings(settings);
    workspace().solve().start();
  }

  void refresh() {
    const auto& runs = workspace().solve().runs();
    const bool canStart = workspace().schedule().schedule().value != nullptr;
    const bool isRunning = workspace().solve().isRunning();
    m_startButton->setEnabled(canStart && !isRunning);
    m_cancelButton->setEnabled(isRunning);
    m_stage->setText(isRunning && runs.value ? tr("%1 …").arg(runs.value->runs.back().stage)
                                             : QString());
    follow(runs,
           canStart
               ? tr("Run the schedule to see how the cost falls, and what becomes of the data.")
               : tr("Open a problem to solve it."),
           tr("Running …"));
    // A run reports all that it has done since the last turn of the event loop.
    m_refreshRuns.askSoon();
  }

  void refreshSettings() {
    const SolveSettings& settings = workspace().solve().settings();
    m_backend->setCurrentText(settings.backend);
    QStringList options;
    QString linearSolver, preconditioner;
    for (const auto& [name, value] : settings.solverOptions) {
      QString* const box =
          name == LinearSolverOption && m_linearSolver->findData(value) >= 0       ? &linearSolver
          : name == PreconditionerOption && m_preconditioner->findData(value) >= 0 ? &preconditioner
                                                                                   : nullptr;
      if (box != nullptr)
        *box = value;
      else
        options << name + '=' + value;
    }
    m_linearSolver->setCurrentIndex(m_linearSolver->findData(linearSolver));
    m_preconditioner->setCurrentIndex(m_preconditioner->findData(preconditioner));
    m_options->setText(options.join(' '));
  }

  void showRuns() {
    const auto& runs = workspace().solve().runs().value;
    m_plot->show(runs);
    m_table->show(runs);
    refreshRun();
  }

  void refreshRun() {
    const SolveRun* run = shownRun();
    m_pictures->show(run);
    m_facts->setText(run == nullptr ? QString() : factsOf(*run));
  }

  QString factsOf(const SolveRun& run) const {
    QStringList facts;
    for (const auto& [name, value] : run.metrics) facts << name + QStringLiteral("  ") + value;
    if (run.wasCancelled) facts << tr("cancelled: this is what was reached");
    for (const QString& warning : run.warnings) facts << tr("warning: %1").arg(warning);
    if (!run.shortfall.isEmpty()) facts << run.shortfall;
    if (!run.solvedBy.isEmpty()) facts << tr("linear solver %1").arg(run.solvedBy);
    for (const std::vector<ReportItem>* files : {&run.meshes, &run.otherFiles})
      for (const ReportItem& file : *files)
        facts << file.caption + QStringLiteral(": ") + QFileInfo(file.file).fileName();
    return facts.join(QStringLiteral("   ·   "));
  }

  QWidget* makePlot() {
    auto* quantity = named(new QComboBox, "costQuantity", tr("Vertical axis"));
    quantity->addItems({tr("above the lowest known"), tr("cost")});
    quantity->setToolTip(
        tr("The lowest cost that any of the shown runs has reached is the end of the axis"));
    auto* over = named(new QComboBox, "costOver", tr("Horizontal axis"));
    over->addItems({tr("over iterations"), tr("over time")});
    connect(quantity, &QComboBox::currentIndexChanged, this, [this](int index) {
      m_plot->setQuantity(index == 0 ? ConvergencePlot::Quantity::AboveLowest
                                     : ConvergencePlot::Quantity::Cost);
    });
    connect(over, &QComboBox::currentIndexChanged, this,
            [this](int index) { m_plot->setOverTime(index == 1); });
    auto* choice = makeRow({quantity, over, Cell::gap()}, {12, 0, 12, 0});
    return makePane(makeColumn({choice, {m_plot, 1}}, {0, 0, 0, 0}));
  }

  void fillSolvers() {
    Session& session = *workspace().problems().session();
    fillBox(*m_linearSolver, linearSolverChoices(session));
    fillBox(*m_preconditioner, preconditionerChoices(session));
  }

  const SolveRun* shownRun() const {
    const auto& runs = workspace().solve().runs().value;
    if (!runs) return nullptr;
    const auto run = std::ranges::find(runs->runs, m_table->shownRun(), &SolveRun::number);
    return run == runs->runs.end() ? nullptr : &*run;
  }

  QWidget* m_controls;
  QComboBox* m_backend;
  QComboBox *m_linearSolver, *m_preconditioner;
  QLineEdit* m_options;
  QLabel* m_optionsFault;
  QPushButton* m_startButton;
  QPushButton* m_cancelButton;
  QLabel* m_stage;
  ConvergencePlot* m_plot;
  RunTable* m_table;
  RunPictures* m_pictures;
  QLabel* m_facts;
  ShownRefresh m_refreshRuns;
};

}  // namespace

Page* makeSolvePage(Workspace& workspace) { return new SolvePage(workspace); }

}  // namespace thallo::gui
