#include "gui/schedule/what_if_model.h"

#include <algorithm>
#include <cmath>

#include "core/backend/choose_device_spec.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr const char* Slot = "what if";
// Larger numbers of edited schedules are not compared; the current one always is.
constexpr std::size_t MostSchedules = 8;

QString whatIfExtents(const WhatIfPoint& point) {
  QStringList texts;
  for (const auto& [dim, extent] : point.extents)
    texts << QStringLiteral("%1 %2").arg(toQt(dim), countText(extent));
  return texts.join(", ");
}

QString strategiesText(const ExploredProblem& problem, const Schedule& schedule) {
  const auto plan = problem.plan_of(schedule);
  if (!plan) return {};
  const ShownNames shown(problem.file.energy, *plan);
  QStringList parts;
  constexpr qsizetype MostParts = 3;
  for (const Part& part : plan->parts) {
    if (parts.size() == MostParts) {
      parts << QObject::tr("%1 more").arg(plan->parts.size() - MostParts);
      break;
    }
    parts << toQt(shown.of(part.name)) + ' ' + toQt(to_string(part.strategy));
  }
  return parts.join(", ");
}

// "larger than 12,300 unknowns, opt is faster than auto"
QString crossoverText(const WhatIf& result, const Crossover& crossover, double here,
                      const QString& quantity) {
  return QObject::tr("From about %1 %2 on, %3 is faster than %4.")
      .arg(countText(std::round(here * crossover.factor)), quantity,
           toQt(result.names[crossover.to]), toQt(result.names[crossover.from]));
}

// Says where `auto` chooses other strategies: "auto would choose all 5 residuals [JtJ]p; from
// W 512, H 512 on all 5 residuals JtJp." Empty if it is not known.
QString choicesText(const WhatIfSnapshot& snapshot) {
  QStringList texts;
  QString last;
  for (qsizetype i = 0; i < snapshot.chosen.size(); ++i) {
    const QString& strategies = snapshot.chosen[i];
    if (strategies.isEmpty() || strategies == last) continue;
    last = strategies;
    const QString where =
        snapshot.axis == WhatIfAxis::Points
            ? snapshot.texts[i]
            : countText(snapshot.amounts[static_cast<std::size_t>(i)]) + ' ' + snapshot.quantity;
    texts << (texts.isEmpty() ? strategies : QObject::tr("from %1 on %2").arg(where, strategies));
  }
  return texts.isEmpty() ? QString()
                         : QObject::tr("auto would choose %1.").arg(texts.join(QObject::tr("; ")));
}

WhatIfSnapshot snapshotOf(const ExploredProblem& problem, const WhatIf& result, WhatIfAxis axis) {
  const bool isOfPoints = axis == WhatIfAxis::Points;
  WhatIfSnapshot snapshot{
      .axis = axis,
      .quantity = isOfPoints ? QObject::tr("unknowns") : QObject::tr("linear iterations")};
  for (const std::string& name : result.names) snapshot.lines.push_back({toQt(name), {}});
  WhatIfLine anew{QObject::tr("auto, chosen there"), {}};
  for (const WhatIfPoint& point : result.points) {
    if (point.factor == 1) snapshot.here = snapshot.amounts.size();
    snapshot.amounts.push_back(isOfPoints ? static_cast<double>(point.num_unknowns)
                                          : point.linear_iterations);
    snapshot.texts << whatIfExtents(point);
    snapshot.chosen << (point.chosen ? strategiesText(problem, point.chosen->schedule) : QString());
    for (std::size_t i = 0; i < point.seconds.size(); ++i)
      snapshot.lines[i].seconds.push_back(point.seconds[i]);
    if (point.chosen) anew.seconds.push_back(point.chosen->seconds);
  }
  if (!snapshot.amounts.empty()) {
    for (const Crossover& crossover : result.crossovers)
      snapshot.notes << crossoverText(result, crossover, snapshot.amounts[snapshot.here],
                                      snapshot.quantity);
    const auto fastest = result.points[snapshot.here].fastest();
    if (snapshot.notes.isEmpty() && fastest)
      snapshot.notes << QObject::tr("Of these schedules %1 is the fastest everywhere.")
                            .arg(toQt(result.names[*fastest]));
    if (const QString text = choicesText(snapshot); !text.isEmpty()) snapshot.notes << text;
    if (anew.seconds.size() == snapshot.amounts.size()) snapshot.lines.push_back(std::move(anew));
  }
  return snapshot;
}

// The other specs that Thallo ships, of devices that run programs of the same kind.
std::vector<DeviceSpec> otherDevices(const DeviceSpec& device) {
  std::vector<DeviceSpec> others;
  for (const std::string& name : shipped_specs()) {
    auto spec = named_device_spec(name, "auto");
    if (spec && spec->backend != "interpreter" && spec->name != device.name)
      others.push_back(*std::move(spec));
  }
  return others;
}

Expected<WhatIfSnapshot> predict(const OpenProblem& open,
                                 const std::vector<std::pair<QString, QString>>& schedules,
                                 WhatIfAxis axis, const std::stop_token& stop) {
  const ExploredProblem& problem = open.explored();
  std::vector<NamedPlan> plans;
  for (const auto& [name, text] : schedules) {
    const auto schedule = problem.read(text.toStdString());
    if (!schedule) continue;  // typed text with a fault, or of other options of the problem
    auto plan = problem.plan_of(*schedule);
    if (plan) plans.push_back({name.toStdString(), *std::move(plan)});
  }
  const DeviceSpec& device = open.device();
  const WhatIfTarget target{.binding = problem.instance.binding,
                            .prices = problem.price_options(*problem.model),
                            .memory_limit = problem.compile.memory_limit};
  const Energy& energy = problem.file.energy;
  THALLO_TRY(const auto result,
             what_if(energy, *problem.constructs, plans, target, device, axis, stop));
  WhatIfSnapshot snapshot = snapshotOf(problem, result, axis);
  snapshot.devices.emplace_back(toQt(device.name), times_on(device, energy, plans, target));
  for (const DeviceSpec& other : otherDevices(device)) {
    if (stop.stop_requested()) break;
    snapshot.devices.emplace_back(toQt(other.name), times_on(other, energy, plans, target));
  }
  return snapshot;
}

}  // namespace

WhatIfModel::WhatIfModel(ProblemModel& problems, ScheduleModel& schedule)
    : m_problems(problems), m_schedule(schedule) {
  connect(&problems, &ProblemModel::problemChanged, this, &WhatIfModel::refresh);
  connect(&schedule, &ScheduleModel::scheduleChanged, this, &WhatIfModel::refresh);
  connect(&schedule.shelf(), &ScheduleShelf::changed, this, &WhatIfModel::refresh);
}

void WhatIfModel::setAxis(WhatIfAxis axis) {
  m_axis = axis;
  refresh();
}

void WhatIfModel::setShown(bool isShown) {
  if (isShown == m_isShown) return;
  m_isShown = isShown;
  Q_EMIT shownChanged();
  refresh();
}

void WhatIfModel::refresh() {
  const auto& problem = m_problems.problem();
  const auto& current = m_schedule.schedule();
  if (!problem.isReady() || !current.value || !m_problems.opened()) {
    m_runner.cancel(Slot);
    m_asked.clear();
    m_askedOf.reset();
    m_result = {};
    Q_EMIT resultChanged();
    return;
  }
  if (!m_isShown || m_schedule.isChanging()) return;
  std::vector<std::pair<QString, QString>> schedules;
  for (const NamedSchedule& named : problem.value->schedules)
    schedules.emplace_back(named.name, named.text);
  for (const Kept& kept : m_schedule.shelf().all())
    if (schedules.size() + 1 < MostSchedules) schedules.emplace_back(kept->name, kept->text);
  const auto isCurrent = [&](const auto& its) { return its.second == current.value->text; };
  if (std::ranges::none_of(schedules, isCurrent))
    schedules.emplace_back(m_schedule.name(), current.value->text);
  const auto opened = m_problems.opened();
  if (schedules == m_asked && opened == m_askedOf && m_axis == m_askedAxis) return;
  m_asked = schedules;
  m_askedOf = opened;
  m_askedAxis = m_axis;
  m_result = m_result.busy();
  Q_EMIT resultChanged();
  m_runner.start(
      Slot,
      [opened, schedules, axis = m_axis](const std::stop_token& stop) {
        return predict(*opened, schedules, axis, stop);
      },
      [this](Expected<WhatIfSnapshot> result) {
        m_result = m_result.next(std::move(result));
        Q_EMIT resultChanged();
      });
}

}  // namespace thallo::gui
