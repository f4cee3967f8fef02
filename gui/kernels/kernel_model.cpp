#include "gui/kernels/kernel_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <QObject>

#include "core/explore/report/explanation.h"
#include "core/kernel/frequency.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"
#include "gui/kernels/kernel_rows.h"
#include "gui/problem/open_problem.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// A host compiler may take long for one kernel.
constexpr auto CompilePatience = 600s;
constexpr auto ShowInterval = 100ms;

std::vector<std::pair<Wait, double>> waitsOf(const TimeParts& parts) {
  std::vector<std::pair<Wait, double>> waits;
  for (const Wait wait : AllWaits)
    if (parts[wait] > 0) waits.emplace_back(wait, parts[wait]);
  std::ranges::stable_sort(waits, std::ranges::greater(), &std::pair<Wait, double>::second);
  return waits;
}

// Of a step that has a price, or of a kernel outside of iterations, which has none.
StepFacts factsOf(const auto& step, bool isKernel, const ShownNames& shown) {
  return {.label = toQt(step.label),
          .shown = toQt(shown.label(step.label)),
          .isKernel = isKernel,
          .frequency = toQt(to_string(frequency_of(step.phase))),
          .flops = step.features.flops.total(),
          .bytes = step.features.must_move(),
          .atomics = step.features.atomics};
}

// Returns one entry for each label, in program order.
Expected<std::vector<StepFacts>> stepFacts(OpenProblem& problem, const Schedule& schedule) {
  THALLO_TRY(const auto plan, problem.plan(schedule));
  const auto [work, prediction] = problem.pricer().price(plan);
  THALLO_TRY(const auto explained,
             explain(problem.energy(), schedule, problem.constructs(), problem.explored().program,
                     problem.explored().instance.binding, problem.precision()));
  const PriceScope scope = problem.scope();
  const ShownNames shown(problem.energy(), plan);
  std::vector<StepFacts> all;
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    const StepWork& step = work.steps[i];
    if (std::ranges::find(all, toQt(step.label), &StepFacts::label) != all.end()) continue;
    StepFacts facts = factsOf(step, step.kind == StepWork::Kind::Kernel, shown);
    facts.predicted = prediction.steps[i];
    const TimeParts parts = scope.model.parts(step, work, scope.device);
    facts.waits = waitsOf(parts);
    facts.remedy = toQt(remedy(parts.longest(), step, work, scope));
    all.push_back(std::move(facts));
  }
  for (const ExplainedKernel& kernel : explained.kernels) {
    auto facts = std::ranges::find(all, toQt(kernel.label), &StepFacts::label);
    if (facts == all.end()) facts = all.insert(all.end(), factsOf(kernel, true, shown));
    if (!facts->over.isEmpty() || !facts->askedBy.isEmpty()) continue;
    for (const std::string& points : kernel.over) facts->over.append(toQt(points));
    for (const std::string& directive : kernel.asked_by) facts->askedBy.append(toQt(directive));
  }
  return all;
}

DeviceRoofs roofsOf(const DeviceSpec& device, Precision precision) {
  return {.memory = device.copy,
          .cache = device.cached_copy,
          .arithmetic = precision == Precision::Double ? device.double_flops : device.float_flops};
}

}  // namespace

KernelModel::KernelModel(QStringList workerCommand, JobRunner& analysisRunner,
                         ProblemModel& problems, ScheduleModel& schedule)
    : m_runner(analysisRunner),
      m_problems(problems),
      m_schedule(schedule),
      m_worker(std::move(workerCommand)) {
  m_soon.setSingleShot(true);
  m_soon.setInterval(ShowInterval);
  connect(&m_soon, &QTimer::timeout, this, [this] { show(RemoteState::Ready); });
  connect(&problems, &ProblemModel::problemChanged, this, &KernelModel::onProblemChanged);
  connect(&schedule, &ScheduleModel::scheduleChanged, this, &KernelModel::onScheduleChanged);
}

void KernelModel::onProblemChanged() {
  ++m_round;
  m_soon.stop();
  m_runner.cancel("steps");
  m_worker.setOpenRequest(std::nullopt);
  m_isOpen = false;
  m_shown = nullptr;
  m_kernels = {};
  Q_EMIT kernelsChanged();
}

void KernelModel::setWanted(const QObject* view, bool isWanted) {
  if (isWanted)
    m_wantedBy.insert(view);
  else
    m_wantedBy.erase(view);
  onScheduleChanged();
}

void KernelModel::onScheduleChanged() {
  const auto& now = m_schedule.schedule();
  if (m_wantedBy.empty() || !now.isReady() || !m_problems.opened()) return;
  if (m_shown && m_shown->hash == now.value->hash) {
    if (m_shown == now.value) return;
    m_shown = now.value;  // its times may have changed
    if (m_hasTexts) show(m_kernels.state, m_kernels.error);
    return;
  }
  start();
}

void KernelModel::retry() {
  if (m_problems.opened() && m_schedule.schedule().value) start();
}

void KernelModel::start() {
  ++m_round;
  m_soon.stop();
  const OpenProblem& problem = *m_problems.opened();
  if (m_isOpen)
    m_worker.cancel();
  else
    m_worker.setOpenRequest(problem.openRequest());
  m_isOpen = true;
  m_shown = m_schedule.schedule().value;
  m_texts.clear();
  m_hasTexts = false;
  m_steps.clear();
  m_frame = {};
  m_frame.scheduleHash = m_shown->hash;
  m_frame.backend = toQt(problem.target().backend);
  m_frame.roofs = roofsOf(problem.device(), problem.precision());
  m_kernels = m_kernels.busy();
  Q_EMIT kernelsChanged();
  ask(false);
  startSteps();
}

void KernelModel::ask(bool compiles) {
  m_worker.submit({.request = KernelsRequest{m_shown->text.toStdString(), compiles},
                   .timeout = CompilePatience,
                   .heard =
                       [this, round = m_round](const WorkerMessage& message) {
                         if (round == m_round) take(message);
                       },
                   .done =
                       [this, round = m_round, compiles](const WorkAnswer& answer) {
                         if (round != m_round) return;
                         compiles ? finishCompiling(answer) : finishTexts(answer);
                       }});
}

void KernelModel::take(const WorkerMessage& message) {
  if (message.kind != WorkerMessage::Kind::Part) return;
  KernelText kernel = message.as<KernelText>();
  const auto known = std::ranges::find(m_texts, kernel.kernel, &KernelText::kernel);
  if (known == m_texts.end()) {
    m_texts.push_back(std::move(kernel));
  } else {
    *known = std::move(kernel);
    if (!m_soon.isActive()) m_soon.start();
  }
}

void KernelModel::finishTexts(const WorkAnswer& answer) {
  if (!answer.is_ok()) {
    m_kernels = m_kernels.failed(toQt(answer.why()));
    Q_EMIT kernelsChanged();
    return;
  }
  m_hasTexts = true;
  m_frame.architecture = toQt(answer.as<KernelsAnswer>().architecture);
  m_frame.isCompiling = m_frame.backend != "interpreter";
  show(RemoteState::Ready);
  if (m_frame.isCompiling) ask(true);
}

void KernelModel::finishCompiling(const WorkAnswer& answer) {
  m_soon.stop();
  m_frame.isCompiling = false;
  if (answer.has_died) return show(RemoteState::Failed, toQt(answer.why()));
  if (!answer.is_ok()) m_frame.shortfall = tr("Not compiled: %1").arg(toQt(answer.why()));
  show(RemoteState::Ready);
}

void KernelModel::startSteps() {
  m_runner.start(
      "steps",
      [problem = m_problems.opened(), now = m_shown](const std::stop_token&) {
        return stepFacts(*problem, now->schedule);
      },
      [this](Expected<std::vector<StepFacts>> steps) {
        if (steps)
          m_steps = *std::move(steps);
        else
          m_frame.shortfall = toQt(steps.error());
        m_frame.hasAskers = true;
        if (m_hasTexts) show(m_kernels.state, m_kernels.error);
      });
}

void KernelModel::show(RemoteState state, const QString& error) {
  KernelSnapshot snapshot = m_frame;
  snapshot.rows = kernelRows(m_texts, m_steps, m_shown->time);
  m_kernels = {state, std::make_shared<const KernelSnapshot>(std::move(snapshot)), error};
  Q_EMIT kernelsChanged();
}

std::vector<std::pair<QString, QString>> KernelModel::describe(const QString& label) const {
  // While kernels of another schedule are made, the previous ones are still shown.
  const auto& now = m_schedule.schedule().value;
  const bool isKnown = m_kernels.value && now && m_kernels.value->scheduleHash == now->hash;
  const KernelRow* row = isKnown ? m_kernels.value->find(label) : nullptr;
  if (row == nullptr) return {};
  std::vector<std::pair<QString, QString>> rows;
  if (row->runs == 0) rows.emplace_back(tr("runs"), tr("once a %1").arg(row->facts.frequency));
  if (!row->facts.over.isEmpty()) rows.emplace_back(tr("over"), row->facts.over.join(", "));
  rows.emplace_back(tr("moves"), bytesText(row->facts.bytes));
  rows.emplace_back(tr("computes"), quantityText(row->facts.flops, "flop"));
  if (row->facts.atomics > 0) rows.emplace_back(tr("atomics"), countText(row->facts.atomics));
  if (row->registers) rows.emplace_back(tr("registers"), QString::number(*row->registers));
  if (row->stackBytes.value_or(0) > 0) {
    rows.emplace_back(tr("stack"), bytesText(*row->stackBytes) +
                                       (row->spills ? tr(", spilled registers") : QString()));
  }
  for (const auto& [wait, seconds] : row->facts.waits)
    rows.emplace_back(tr("waits for %1").arg(toQt(to_string(wait))), secondsText(seconds));
  if (!row->facts.remedy.isEmpty()) rows.emplace_back(tr("would help"), row->facts.remedy);
  if (!row->facts.askedBy.isEmpty())
    rows.emplace_back(tr("asked for by"), row->facts.askedBy.join('\n'));
  return rows;
}

}  // namespace thallo::gui
