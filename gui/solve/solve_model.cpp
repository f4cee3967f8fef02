#include "gui/solve/solve_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/linear/linear_solver.h"
#include "core/plugin/session.h"
#include "core/problem/files/data_file.h"
#include "core/solve/options.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// The host compiler may take long for one kernel.
constexpr auto Patience = 600s;

ConvergencePoint pointOf(int solve, const IterationRecord& record) {
  return {.solve = solve,
          .iteration = record.iteration,
          .seconds = record.total_seconds,
          .cost = record.cost,
          .linearIterations = record.linear_iterations,
          .isAccepted = record.accepted};
}

// Solvers that iterate have a preconditioner.
QString solvedBy(const RunRecord& run) {
  QString text = toQt(run.linear_solver);
  const LinearSolver* solver = own_linear_solvers().find(run.linear_solver);
  if (solver != nullptr && !solver->is_direct() && !run.preconditioner.empty())
    text = QObject::tr("%1, preconditioner %2").arg(text, toQt(run.preconditioner));
  if (!run.why_linear_solver.empty())
    text = QObject::tr("%1, which was chosen: %2").arg(text, toQt(run.why_linear_solver));
  return text;
}

// The option unset, and all items of a registry.
template <class T>
std::vector<SolverChoice> choices(const Registry<T>& registry, const QString& unset,
                                  const QString& doc) {
  std::vector<SolverChoice> choices = {{{}, unset, doc}};
  for (const auto* entry : registry.entries())
    choices.push_back({toQt(entry->name), toQt(entry->name), toQt(entry->item->doc())});
  return choices;
}

}  // namespace

void takeAnswer(const RunAnswer& answer, SolveRun& run) {
  const RunRecord& its = answer.run;
  run.state = SolveRun::State::Finished;
  run.stage.clear();
  run.device = toQt(answer.device);
  run.precision = toQt(to_string(its.precision));
  run.scheduleText = toQt(its.schedule);
  run.wasCancelled = answer.cancelled;
  run.initialCost = its.initial_cost;
  run.finalCost = its.final_cost;
  run.compileSeconds = its.compile_seconds;
  run.solvedBy = solvedBy(its);
  for (const SolveRecord& solve : its.solves) {
    run.solveSeconds += solve.seconds;
    run.iterations += solve.num_iterations;
    run.linearIterations += solve.num_linear_iterations;
  }
  if (!its.solves.empty()) run.ending = toQt(its.solves.back().why);
  for (const Metric& metric : its.metrics) {
    run.metrics.emplace_back(toQt(metric.name),
                             (significant(metric.value) + ' ' + toQt(metric.unit)).trimmed());
  }
  for (const WrittenFile& file : answer.files) {
    auto& files = file.kind == WrittenFile::Kind::Image  ? run.pictures
                  : file.kind == WrittenFile::Kind::Mesh ? run.meshes
                                                         : run.otherFiles;
    files.push_back({toQt(file.path.string()), toQt(file.caption)});
    // A result written in the format of its input may also be a picture.
    const bool isPicture = kind_of_suffix(file.path.extension().string()) == "an image";
    if (file.kind == WrittenFile::Kind::File && isPicture) run.pictures.push_back(files.back());
  }
  for (const std::string& warning : its.warnings) run.warnings << toQt(warning);
  run.shortfall = toQt(its.shortfall);
}

Expected<std::vector<std::pair<QString, QString>>> readSolverOptions(const QString& text) {
  std::vector<std::pair<QString, QString>> result;
  SolverOptions options;
  for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
    const qsizetype sign = word.indexOf('=');
    if (sign <= 0) return fail("solver options are NAME=VALUE, not '{}'", word.toStdString());
    THALLO_CHECK(options.set(word.left(sign).toStdString(), word.mid(sign + 1).toStdString()));
    result.emplace_back(word.left(sign), word.mid(sign + 1));
  }
  return result;
}

std::vector<SolverChoice> linearSolverChoices(Session& session) {
  return choices(
      *session.solver_parts().linear_solvers, QObject::tr("linear solver: chosen"),
      QObject::tr("As the problem wants or, if it says nothing, the one with which the answer is "
                  "expected soonest. A finished run says which one and why."));
}

std::vector<SolverChoice> preconditionerChoices(Session& session) {
  return choices(*session.solver_parts().preconditioners, QObject::tr("preconditioner: chosen"),
                 QObject::tr("As the energy asks for; else the one with which the answer is "
                             "expected soonest"));
}

SolveModel::SolveModel(QStringList workerCommand, ProblemModel& problems, ScheduleModel& schedule)
    : m_problems(problems), m_schedule(schedule), m_worker(std::move(workerCommand)) {
  connect(&problems, &ProblemModel::problemChanged, this, &SolveModel::onProblemChanged);
}

void SolveModel::onProblemChanged() {
  m_worker.setOpenRequest(std::nullopt);  // cancels the current run
  if (m_request && m_runs.value && !m_runs.value->runs.empty())
    m_left.emplace_back(*m_request, *m_runs.value);
  m_request.reset();
  m_runs = {};
  if (m_problems.problem().isReady()) {
    m_request = m_problems.request();
    const auto before =
        std::ranges::find(m_left, *m_request, &std::pair<ProblemRequest, SolveSnapshot>::first);
    if (before != m_left.end()) {
      m_runs = Remote<SolveSnapshot>::ready(std::move(before->second));
      m_left.erase(before);
    }
  }
  Q_EMIT runsChanged();
}

void SolveModel::setSettings(const SolveSettings& settings) {
  if (settings == m_settings) return;
  m_settings = settings;
  Q_EMIT settingsChanged();
}

void SolveModel::start() {
  const auto& schedule = m_schedule.schedule().value;
  if (isRunning() || !schedule || !m_problems.opened()) return;
  SolveRun run{.number = ++m_lastNumber,
               .schedule = m_schedule.name(),
               .scheduleText = schedule->text,
               .stage = tr("starting"),
               .predicted = prediction()};
  RunOrder order{.target = m_problems.opened()->target(),
                 .schedule = schedule->text.toStdString(),
                 .folder = m_folder.filePath(QString::number(run.number)).toStdString()};
  order.target.backend = m_settings.backend.toStdString();
  // Times are measured, not predicted, so no spec is needed.
  order.target.device_spec.clear();
  if (m_settings.backend == "interpreter") order.target.precision = Precision::Double;
  for (const auto& [name, value] : m_settings.solverOptions)
    order.target.solver_options.emplace_back(name.toStdString(), value.toStdString());

  SolveSnapshot snapshot = m_runs.value ? *m_runs.value : SolveSnapshot{};
  snapshot.runs.push_back(std::move(run));
  m_runs = Remote<SolveSnapshot>::ready(std::move(snapshot)).busy();
  Q_EMIT runsChanged();
  m_worker.submit({.request = std::move(order),
                   .timeout = Patience,
                   .heard = [this](const WorkerMessage& message) { onMessage(message); },
                   .done = [this](const WorkAnswer& answer) { onAnswer(answer); }});
}

std::optional<std::pair<double, double>> SolveModel::prediction() const {
  const ProblemSnapshot& problem = *m_problems.problem().value;
  const bool isHere = problem.backend == "cpu" || m_problems.measuringDevice() != nullptr;
  const bool isThere = m_settings.backend == "auto" || m_settings.backend == problem.backend;
  // Solver options can make other programs than the one that was predicted.
  const TimeEstimate& time = m_schedule.schedule().value->time;
  if (!isHere || !isThere || !m_settings.solverOptions.empty() || !std::isfinite(time.nonlinear))
    return std::nullopt;
  return std::pair(time.nonlinear - time.linearIterations * time.linear, time.linear);
}

void SolveModel::change(const std::function<void(SolveRun&)>& how, RemoteState state) {
  if (!m_runs.value || m_runs.value->runs.empty()) return;
  SolveSnapshot snapshot = *m_runs.value;
  how(snapshot.runs.back());
  const QString error = state == RemoteState::Failed ? snapshot.runs.back().fault : QString();
  m_runs = {state, std::make_shared<const SolveSnapshot>(std::move(snapshot)), error};
  Q_EMIT runsChanged();
}

void SolveModel::onMessage(const WorkerMessage& message) {
  change(
      [&message](SolveRun& run) {
        if (message.kind != WorkerMessage::Kind::Part) {
          run.stage = toQt(message.doing.what);
          return;
        }
        const RunIteration iteration = message.as<RunIteration>();
        run.points.push_back(pointOf(iteration.solve, iteration.record));
      },
      RemoteState::Busy);
}

void SolveModel::onAnswer(const WorkAnswer& answer) {
  if (answer.is_ok()) {
    change([&answer](SolveRun& run) { takeAnswer(answer.as<RunAnswer>(), run); },
           RemoteState::Ready);
    return;
  }
  change(
      [&answer](SolveRun& run) {
        run.state = SolveRun::State::Failed;
        run.stage.clear();
        run.fault = toQt(answer.why());
      },
      RemoteState::Failed);
}

void SolveModel::edit(int number, const std::function<void(SolveRun&)>& how) {
  if (!m_runs.value) return;
  SolveSnapshot snapshot = *m_runs.value;
  const auto run = std::ranges::find(snapshot.runs, number, &SolveRun::number);
  if (run == snapshot.runs.end()) return;
  how(*run);
  m_runs.value = std::make_shared<const SolveSnapshot>(std::move(snapshot));
  Q_EMIT runsChanged();
}

void SolveModel::renameRun(int number, const QString& name) {
  edit(number, [&name](SolveRun& run) {
    run.name = name.trimmed() == run.schedule ? QString() : name.trimmed();
  });
}

void SolveModel::hideRun(int number, bool isHidden) {
  edit(number, [isHidden](SolveRun& run) { run.isHidden = isHidden; });
}

void SolveModel::removeRun(int number) {
  if (!m_runs.value || isRunning()) return;
  SolveSnapshot snapshot = *m_runs.value;
  std::erase_if(snapshot.runs, [number](const SolveRun& run) { return run.number == number; });
  m_runs = snapshot.runs.empty() ? Remote<SolveSnapshot>::empty()
                                 : Remote<SolveSnapshot>::ready(std::move(snapshot));
  Q_EMIT runsChanged();
}

}  // namespace thallo::gui
