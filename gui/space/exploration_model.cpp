#include "gui/space/exploration_model.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <stop_token>

#include "core/explore/space/explored_space.h"
#include "gui/base/text.h"
#include "gui/problem/catalog.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* ExplorationSlot = "exploration";
constexpr auto ProgressInterval = 100ms;
// A rate is shown only after this time.
constexpr auto ShortestRate = 1s;

std::chrono::milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

enum class Doing { Compiling, Measuring, Solving };

// What is named: while schedules are compiled, others may be measured.
Doing doingOf(const MeasurerProgress& progress) {
  if (progress.is_solving) return Doing::Solving;
  return progress.compiled.done < progress.compiled.total ? Doing::Compiling : Doing::Measuring;
}

// "96 measured, 3 out of memory"
QString resultsText(const ExplorationEnd& end) {
  QStringList results = {ExplorationModel::tr("%1 measured").arg(countText(end.timed))};
  std::int64_t left = end.proposed - end.timed;
  for (const auto& [status, count] : end.failed) {
    results.append(countText(count) + ' ' + toQt(to_string(status)).replace('_', ' '));
    left -= count;
  }
  if (left > 0) results.append(ExplorationModel::tr("%1 not measured").arg(countText(left)));
  return results.join(", ");
}

QString endingText(const ExplorationEnd& end, int minutes, qsizetype numPins) {
  const QString of = end.asked ? ExplorationModel::tr("%1 of %2 schedules")
                                     .arg(countText(end.proposed), countText(*end.asked))
                               : ExplorationModel::tr("%1 schedules").arg(countText(end.proposed));
  QString why;
  switch (end.why) {
    case ExplorationEnd::Why::Finished: why = ExplorationModel::tr("Done"); break;
    case ExplorationEnd::Why::NoMore:
      why = end.passed_over > 0
                ? ExplorationModel::tr("The space has no more that fit: %1 were measured before")
                      .arg(countText(end.passed_over))
                : ExplorationModel::tr("The space has no more that fit in memory");
      break;
    case ExplorationEnd::Why::OutOfTime:
      why = ExplorationModel::tr("The budget of %1 min is used up").arg(minutes);
      break;
    case ExplorationEnd::Why::Cancelled: why = ExplorationModel::tr("Stopped"); break;
  }
  const QString around = numPins == 0 ? QString()
                         : numPins == 1
                             ? ExplorationModel::tr(" around 1 pinned site")
                             : ExplorationModel::tr(" around %1 pinned sites").arg(numPins);
  return ExplorationModel::tr("%1: %2%3, of these %4.").arg(why, of, around, resultsText(end));
}

std::int64_t secondsNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

QStringList explorationSpaces() {
  QStringList names = {toQt(FullSpaceName)};
  for (const std::string& name : published_profile_names()) names.append(toQt(name));
  return names;
}

QStringList explorationObjectives() {
  QStringList names;
  for (const Objective objective :
       {Objective::NonlinearIteration, Objective::WithinPercent, Objective::WithinTenthPercent})
    names.append(toQt(to_string(objective)));
  return names;
}

// The explored space, kept while the exploration is paused: a space that takes long to count is not
// counted again, and its numbers keep their meaning. Used only on the thread of the run.
struct ExplorationModel::Opened {
  std::unique_ptr<Session> session;
  ExploredProblem problem;
  std::unique_ptr<ExploredSpace> space;

  Pins pins = {};

  static Expected<std::unique_ptr<Opened>> open(const ExplorationTarget& target,
                                                const QString& space, const QStringList& pins);
};

Expected<std::unique_ptr<ExplorationModel::Opened>> ExplorationModel::Opened::open(
    const ExplorationTarget& target, const QString& space, const QStringList& pins) {
  auto session = std::make_unique<Session>(target.plugin_path);
  THALLO_TRY(auto problem, ExploredProblem::open(*session, target));
  std::optional<PublishedProfile> profile;
  if (space.toStdString() != FullSpaceName) {
    THALLO_TRY(profile, read_published_profile(space.toStdString()));
  }
  std::unique_ptr<Opened> opened(new Opened{std::move(session), std::move(problem), nullptr});
  const ExploredProblem& its = opened->problem;
  if (!pins.isEmpty()) {
    THALLO_TRY(opened->pins, its.read_pins(pins.join('\n').toStdString()));
  }
  THALLO_TRY(opened->space, ExploredSpace::make(its.file, its.instance.binding,
                                                its.program.precision, *its.constructs, profile,
                                                {.memory_limit = its.compile.memory_limit,
                                                 .limits = {.max_seconds = 10},
                                                 .pins = opened->pins}));
  return opened;
}

struct ExplorationModel::Run {
  ExplorationTarget target;
  ExplorationRequest request;
  QString space;
  QStringList pins;
  std::vector<std::pair<QString, QString>> searchOptions;
  std::unique_ptr<Opened> opened;
  // Belongs to the current run.
  std::atomic<bool> isCancelled = false;
};

ExplorationModel::ExplorationModel(QStringList workerCommand)
    : m_workerCommand(std::move(workerCommand)) {}

ExplorationModel::~ExplorationModel() {
  if (m_run) m_run->isCancelled = true;
}

void ExplorationModel::start(const ExplorationTarget& target, const QString& store,
                             const ExplorationSettings& settings) {
  forget();
  m_settings = settings;
  m_spent = 0ms;
  const auto objective = parse_as(settings.objective.toStdString(), Objective());
  if (!objective) {
    m_error = toQt(objective.error());
    return setState(State::Failed);
  }
  m_store = store;
  m_run = std::make_shared<Run>();
  m_run->target = target;
  m_run->space = settings.space;
  m_run->pins = settings.pins;
  m_run->searchOptions = settings.searchOptions;
  ExplorationRequest& request = m_run->request;
  request.target = target;
  request.search = settings.search.toStdString();
  request.samples = settings.samples;
  request.seed = settings.seed;
  // Makes a second sample differ from the first. What is measured from now on belongs to this
  // sample, even after a pause.
  request.fresh_since = secondsNow();
  request.measurer.objective = *objective;
  MeasurementOptions& resources = request.measurer.resources;
  resources.store = store.toStdString();
  for (const QString& word : m_workerCommand)
    resources.worker_command.push_back(word.toStdString());
  resources.jobs = settings.workers;
  launch();
}

void ExplorationModel::launch() {
  m_run->isCancelled = false;
  if (m_settings.budgetMinutes > 0) {
    m_run->request.measurer.resources.budget =
        std::max<std::chrono::milliseconds>(1s, 60s * m_settings.budgetMinutes - m_spent);
  }
  m_launched = Clock::now();
  m_isSolving.reset();
  m_progress = {};
  m_progress.doing = tr("opening the problem");
  m_error.clear();
  m_runner.start(
      ExplorationSlot, [this, run = m_run](const std::stop_token&) { return explore(run, this); },
      [this](const Expected<ExplorationEnd>& end) {
        m_spent += since(m_launched);
        m_store = toQt(m_run->request.measurer.resources.store.string());
        const bool wasPaused = m_state == State::Pausing;
        if (end) m_ending = endingText(*end, m_settings.budgetMinutes, m_settings.pins.size());
        if (!end && !wasPaused) m_error = toQt(end.error());
        if (end && end->why != ExplorationEnd::Why::Cancelled) return setState(State::Done);
        setState(wasPaused ? State::Paused : State::Failed);
      });
  setState(State::Running);
}

Expected<ExplorationEnd> ExplorationModel::explore(const std::shared_ptr<Run>& run,
                                                   ExplorationModel* model) {
  if (!run->opened) {
    THALLO_TRY(run->opened, Opened::open(run->target, run->space, run->pins));
  }
  ExplorationRequest request = run->request;
  request.space = run->opened->space->indexed();
  request.space_name = run->space.toStdString();
  request.pins = run->opened->pins;
  request.measurer.resources.is_cancelled = &run->isCancelled;
  const Search* search = run->opened->session->searches().find(request.search);
  if (search != nullptr && !search->takes_samples()) request.samples.reset();
  if (search != nullptr) {
    THALLO_TRY(request.search_options,
               readOptions(search->options(), run->searchOptions,
                           fmt::format("the search {} has no option", search->name())));
  }
  THALLO_TRY(const auto exploration, Exploration::open(*run->opened->session, std::move(request)));
  // `model` outlives the thread, because its runner waits for the thread.
  exploration->on_progress([model, run, last = Clock::time_point(), doing = Doing::Solving,
                            &its = *exploration](const MeasurerProgress& at) mutable {
    if (doingOf(at) == doing && since(last) < ProgressInterval) return;
    last = Clock::now();
    doing = doingOf(at);
    model->m_runner.post([model, run, at, store = toQt(its.measurer().store().path().string())] {
      if (model->m_run == run) model->take(at, store);
    });
  });
  exploration->on_search_told(
      [model, run, last = Clock::time_point()](const SearchFigures& told) mutable {
        if (since(last) < ProgressInterval) return;
        last = Clock::now();
        model->m_runner.post([model, run, told] {
          if (model->m_run == run) model->take(told);
        });
      });
  const auto ran = exploration->run();
  // What goes on after a pause goes on there.
  run->request.measurer.resources.store = exploration->measurer().store().path();
  if (!ran) return fail(ran.error());
  return (exploration)->end();
}

void ExplorationModel::take(const MeasurerProgress& progress, const QString& store) {
  if (!isRunning()) return;
  m_store = store;
  // Rates count either measured schedules or whole solves.
  if (m_isSolving != progress.is_solving || progress.schedules.done < m_progress.schedulesDone) {
    m_isSolving = progress.is_solving;
    m_firstDone = progress.schedules.done;
    m_firstTime = Clock::now();
  }
  const Doing doing = doingOf(progress);
  constexpr std::array Texts = {"compiling schedules", "measuring steps", "running whole solves"};
  const std::array counts = {progress.compiled, progress.timed, progress.schedules};
  const MeasurerProgress::Count& its = counts[static_cast<std::size_t>(doing)];
  m_progress = {.doing = tr(Texts[static_cast<std::size_t>(doing)]),
                .done = its.done,
                .total = its.total,
                .figures = m_progress.figures,
                .schedulesDone = progress.schedules.done,
                .schedulesTotal = progress.schedules.total};
  const auto elapsed = since(m_firstTime);
  const auto newlyDone = static_cast<double>(progress.schedules.done - m_firstDone);
  if (elapsed > ShortestRate && newlyDone > 0) {
    const double seconds = 1e-3 * static_cast<double>(elapsed.count());
    m_progress.secondsLeft =
        seconds / newlyDone *
        static_cast<double>(progress.schedules.total - progress.schedules.done);
  }
  if (m_settings.budgetMinutes > 0) {
    const auto left = 60s * m_settings.budgetMinutes - m_spent - since(m_launched);
    const double seconds =
        std::max(0.0, 1e-3 * static_cast<double>(std::chrono::milliseconds(left).count()));
    m_progress.secondsLeft = std::min(m_progress.secondsLeft.value_or(seconds), seconds);
  }
  Q_EMIT changed();
}

void ExplorationModel::take(const SearchFigures& figures) {
  if (!isRunning()) return;
  m_progress.figures = toQt(figures_text(figures));
  Q_EMIT changed();
}

void ExplorationModel::pause() {
  if (m_state != State::Running) return;
  m_run->isCancelled = true;
  setState(State::Pausing);
}

void ExplorationModel::resume() {
  if (m_state == State::Paused) launch();
}

void ExplorationModel::cancel() {
  const ExplorationProgress last = m_progress;
  const bool wasUnderWay = isUnderWay();
  forget();
  if (!wasUnderWay) return;
  m_ending = last.schedulesTotal > 0
                 ? tr("Cancelled after %1 of %2 schedules; what was measured is kept.")
                       .arg(countText(last.schedulesDone), countText(last.schedulesTotal))
                 : tr("Cancelled before a schedule was measured.");
  Q_EMIT changed();
}

void ExplorationModel::forget() {
  m_ending.clear();
  m_store.clear();
  if (m_run) m_run->isCancelled = true;
  m_run.reset();
  m_runner.cancel(ExplorationSlot);
  m_progress = {};
  if (m_state != State::Idle) setState(State::Idle);
}

void ExplorationModel::setState(State state) {
  m_state = state;
  Q_EMIT changed();
}

}  // namespace thallo::gui
