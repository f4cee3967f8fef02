#include "gui/schedule/comparison_model.h"

#include <algorithm>
#include <utility>

#include "core/kernel/bind/program_bytes.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"
#include "gui/schedule/schedule_edits.h"

namespace thallo::gui {
namespace {

constexpr const char* Slot = "comparison";

// Returns the decisions of the schedule, in the order of the sites.
Expected<std::vector<Decision>> decisionsOf(const OpenProblem& problem, const Schedule& schedule) {
  THALLO_TRY(const auto sites, choiceSites(problem, schedule));
  THALLO_TRY(const auto plan, problem.plan(schedule));
  const ShownNames shown(problem.energy(), plan);
  std::vector<Decision> decisions;
  for (const ChoiceSite& at : sites) {
    decisions.push_back(
        {QObject::tr("%1 of %2").arg(toQt(at.construct->name()), toQt(shown.of(at.site.name))),
         toQt(at.alternatives[at.chosen].choice.label), at.chosen == 0});
  }
  return decisions;
}

// Returns the buffers that its program stores, the largest first.
Expected<std::vector<StoredBuffer>> buffersOf(const OpenProblem& problem,
                                              const Schedule& schedule) {
  THALLO_TRY(const auto plan, problem.plan(schedule));
  const KernelProgram program = make_program(problem.energy(), plan, problem.explored().program);
  THALLO_TRY(const auto sizes, ProgramSizes::make(program, problem.explored().instance.binding));
  std::vector<StoredBuffer> buffers = program_buffers(program, sizes, problem.precision());
  std::ranges::stable_sort(buffers, std::ranges::greater(), &StoredBuffer::bytes);
  return buffers;
}

// Says why the predicted time of one schedule differs from that of another.
Expected<TimeChangeCauses> causesOf(OpenProblem& problem, const Schedule& from,
                                    const Schedule& to) {
  THALLO_TRY(const auto before, problem.plan(from));
  THALLO_TRY(const auto after, problem.plan(to));
  return explain_change(problem.pricer().price(before).work, problem.pricer().price(after).work,
                        problem.scope());
}

Expected<ComparedSchedule> sideOf(const OpenProblem& problem, const ScheduleSnapshot& its) {
  THALLO_TRY(auto decisions, decisionsOf(problem, its.schedule));
  THALLO_TRY(auto buffers, buffersOf(problem, its.schedule));
  return ComparedSchedule{
      .text = its.text, .decisions = std::move(decisions), .buffers = std::move(buffers)};
}

}  // namespace

ComparisonModel::ComparisonModel(JobRunner& analysisRunner, ProblemModel& problems,
                                 ScheduleModel& schedule)
    : m_runner(analysisRunner), m_problems(problems), m_schedule(schedule) {
  connect(&problems, &ProblemModel::problemChanged, this, &ComparisonModel::onProblemChanged);
  connect(&schedule, &ScheduleModel::scheduleChanged, this, [this] {
    // Its name may be what has changed.
    followKept();
    if (m_schedule.isChanging()) return;
    Q_EMIT choicesChanged();
    refresh();
  });
  connect(&schedule.shelf(), &ScheduleShelf::changed, this, [this] {
    followKept();
    Q_EMIT choicesChanged();
    refresh();
  });
}

void ComparisonModel::followKept() {
  if (!m_kept) return;
  if (m_schedule.shelf().has(m_kept)) {
    m_with.name = m_kept->name;
  } else {
    m_with = {};
    m_kept.reset();
  }
}

void ComparisonModel::onProblemChanged() {
  m_with = {};
  m_kept.reset();
  m_known.reset();
  Q_EMIT choicesChanged();
  refresh();
}

std::vector<CompareWith> ComparisonModel::choices() const {
  std::vector<CompareWith> choices = {{}, {CompareWith::Kind::Previous}};
  if (const auto& problem = m_problems.problem().value) {
    for (const NamedSchedule& named : problem->schedules)
      choices.push_back({CompareWith::Kind::Named, named.name});
  }
  for (const Kept& kept : m_schedule.shelf().all())
    choices.push_back({CompareWith::Kind::Named, kept->name});
  return choices;
}

QString ComparisonModel::textOf(const CompareWith& choice) const {
  if (choice.kind == CompareWith::Kind::Nothing) return tr("nothing");
  if (choice.kind == CompareWith::Kind::Named) return choice.name;
  const ScheduleModel::Named& previous = m_schedule.previous();
  return previous.snapshot ? tr("the one before (%1)").arg(previous.name) : tr("the one before");
}

void ComparisonModel::setWith(const CompareWith& with) {
  const auto legal = choices();
  const bool isThere = std::ranges::find(legal, with) != legal.end();
  const CompareWith chosen = isThere ? with : CompareWith();
  if (chosen == m_with) return;
  m_with = chosen;
  m_kept = chosen.kind == CompareWith::Kind::Named ? m_schedule.shelf().find(chosen.name) : nullptr;
  Q_EMIT choicesChanged();
  refresh();
}

std::optional<ComparisonModel::Other> ComparisonModel::other() const {
  if (m_with.kind == CompareWith::Kind::Nothing) return std::nullopt;
  if (m_with.kind == CompareWith::Kind::Previous) {
    const ScheduleModel::Named& previous = m_schedule.previous();
    if (!previous.snapshot) return std::nullopt;
    return Other{previous.name, previous.snapshot->text};
  }
  if (m_kept) return Other{m_kept->name, m_kept->text};
  const auto& problem = m_problems.problem().value;
  if (!problem) return std::nullopt;
  const auto named = std::ranges::find(problem->schedules, m_with.name, &NamedSchedule::name);
  if (named == problem->schedules.end()) return std::nullopt;
  return Other{named->name, named->text};
}

void ComparisonModel::setShown(bool isShown) {
  if (isShown == m_isShown) return;
  m_isShown = isShown;
  Q_EMIT shownChanged();
  refresh();
}

void ComparisonModel::refresh() {
  const auto wanted = other();
  const auto& now = m_schedule.schedule().value;
  if (!m_isShown || !wanted || !now || !m_problems.opened()) {
    m_runner.cancel(Slot);
    m_asked = {};
    if (m_comparison.state != RemoteState::Empty) set({});
    return;
  }
  if (m_known && m_known->hash == now->hash && m_known->otherText == wanted->text) return compare();
  if (m_runner.isBusy(Slot) && m_asked == std::pair(now->hash, wanted->text)) return;
  m_asked = {now->hash, wanted->text};
  set(m_comparison.busy());
  m_runner.start(
      Slot,
      [problem = m_problems.opened(), now,
       text = wanted->text](const std::stop_token&) -> Expected<Known> {
        THALLO_TRY(auto read, readSchedule(*problem, text));
        THALLO_TRY(auto other, sideOf(*problem, read));
        THALLO_TRY(auto current, sideOf(*problem, *now));
        const auto causes = causesOf(*problem, read.schedule, now->schedule);
        return Known{now->hash,
                     text,
                     std::make_shared<const ScheduleSnapshot>(std::move(read)),
                     std::move(other),
                     std::move(current),
                     causes ? *causes : TimeChangeCauses()};
      },
      [this](Expected<Known> known) {
        if (!known) return set(m_comparison.failed(toQt(known.error())));
        m_known = *std::move(known);
        refresh();
      });
}

void ComparisonModel::compare() {
  ComparedSchedule otherSide = m_known->otherSide, currentSide = m_known->currentSide;
  otherSide.name = other()->name;
  otherSide.time = m_schedule.times().withMeasured(m_known->other)->time;
  currentSide.name = m_schedule.name();
  currentSide.time = m_schedule.schedule().value->time;
  set(Remote<ScheduleComparison>::ready(compareSchedules(otherSide, currentSide, m_known->causes)));
}

void ComparisonModel::set(Remote<ScheduleComparison> comparison) {
  m_comparison = std::move(comparison);
  Q_EMIT comparisonChanged();
}

}  // namespace thallo::gui
