#include "gui/space/measurement_model.h"

#include <atomic>
#include <stop_token>
#include <utility>

#include "core/base/log.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr const char* MeasurementSlot = "measurement";

}  // namespace

struct MeasurementModel::Run {
  ExplorationTarget target;
  MeasurementTask task;
  MeasurerOptions options;
  std::atomic<bool> isCancelled = false;
};

MeasurementModel::MeasurementModel(QStringList workerCommand)
    : m_workerCommand(std::move(workerCommand)) {}

MeasurementModel::~MeasurementModel() {
  if (m_run) m_run->isCancelled = true;
}

void MeasurementModel::start(const ExplorationTarget& target, const QString& store,
                             const MeasurementTask& task) {
  cancel();
  m_store = store;
  m_name = task.name;
  m_hash = toQt(task.proposal.hash);
  m_doing = tr("opening the problem");
  m_error.clear();
  m_run = std::make_shared<Run>();
  m_run->target = target;
  m_run->task = task;
  MeasurementOptions& resources = m_run->options.resources;
  resources.store = store.toStdString();
  resources.existing = Existing::Replace;
  resources.is_cancelled = &m_run->isCancelled;
  for (const QString& word : m_workerCommand)
    resources.worker_command.push_back(word.toStdString());
  struct Measured {};
  m_runner.start(
      MeasurementSlot,
      [this, run = m_run](const std::stop_token&) -> Expected<Measured> {
        THALLO_CHECK(measure(run, this));
        return Measured();
      },
      [this](const Expected<Measured>& measured) {
        if (!measured) {
          m_error = toQt(measured.error());
          logger("gui").warn("{} was not measured: {}", m_name.toStdString(),
                             m_error.toStdString());
        }
        m_store = toQt(m_run->options.resources.store.string());
        setState(measured ? State::Done : State::Failed);
      });
  setState(State::Running);
}

Expected<void> MeasurementModel::measure(const std::shared_ptr<Run>& run, MeasurementModel* model) {
  THALLO_TRY(auto measurer, Measurer::open(run->target, run->options));
  // `model` outlives the thread, because its runner waits for the thread.
  measurer->on_progress([model, run](const MeasurerProgress& at) {
    model->m_runner.post([model, run, at] {
      if (model->m_run == run) model->take(at);
    });
  });
  auto measured = measure(*measurer, run->task);
  run->options.resources.store = measurer->store().path();
  return measured;
}

Expected<void> MeasurementModel::measure(Measurer& measurer, const MeasurementTask& task) {
  const std::string& hash = task.proposal.hash;
  THALLO_CHECK(measurer.explore({task.proposal}));
  const auto isOk = [](const std::optional<ScheduleResult>& result) -> Expected<void> {
    if (!result) return fail("nothing was measured");
    if (!result->is_ok()) return fail("{}", result->reason);
    return {};
  };
  const auto its = [&measurer] { return measurer.candidates().front(); };
  if (measurer.candidates().empty()) return fail("nothing was measured");
  if (auto composed = isOk(its().composed); !composed || !task.isSolved) return composed;
  THALLO_CHECK(measurer.solve({hash}));
  return isOk(its().end_to_end);
}

void MeasurementModel::take(const MeasurerProgress& progress) {
  if (!isRunning()) return;
  m_doing = progress.is_solving ? tr("running whole solves") : tr("compiling");
  if (!progress.is_solving && progress.timed.total > 0)
    m_doing = tr("timing steps, %1 of %2").arg(progress.timed.done).arg(progress.timed.total);
  Q_EMIT changed();
}

void MeasurementModel::cancel() {
  if (m_run) m_run->isCancelled = true;
  m_run.reset();
  m_store.clear();
  m_runner.cancel(MeasurementSlot);
  if (m_state != State::Idle) setState(State::Idle);
}

void MeasurementModel::setState(State state) {
  m_state = state;
  Q_EMIT changed();
}

}  // namespace thallo::gui
