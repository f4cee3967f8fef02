#include "gui/schedule/schedule_times.h"

#include <utility>

#include "gui/base/text.h"
#include "gui/schedule/schedule_edits.h"

namespace thallo::gui {

std::shared_ptr<const ScheduleSnapshot> ScheduleTimes::withMeasured(
    const std::shared_ptr<const ScheduleSnapshot>& snapshot) const {
  TimeEstimate time = snapshot->time;
  const auto measured = m_measurements ? m_measurements(snapshot->hash) : std::nullopt;
  time.measured = measured ? std::optional(measured->nonlinear) : std::nullopt;
  time.spread = measured ? measured->spread : std::nullopt;
  time.scale = scale();
  for (TimeSegment& segment : time.segments) {
    segment.measured = segment.spread = {};
    if (!measured || !measured->steps.contains(segment.label)) continue;
    const MeasuredTimes::Step& step = measured->steps.at(segment.label);
    segment.measured = step.seconds;
    segment.spread = step.spread;
  }
  time.fitSteps();
  if (time == snapshot->time) return snapshot;
  ScheduleSnapshot result = *snapshot;
  result.time = std::move(time);
  return std::make_shared<const ScheduleSnapshot>(std::move(result));
}

std::optional<double> ScheduleTimes::measuredSeconds(const QString& hash) const {
  const auto measured = m_measurements ? m_measurements(hash) : std::nullopt;
  return measured ? std::optional(measured->nonlinear) : std::nullopt;
}

TimeChange ScheduleTimes::changeTo(const TimeEstimate& from, const QString& hash,
                                   double predicted) const {
  const auto measured = m_measurements ? m_measurements(hash) : std::nullopt;
  TimeChange change =
      changeBetween(from, predicted, measured ? std::optional(measured->nonlinear) : std::nullopt);
  if (measured) change.spread = measured->spread;
  return change;
}

void ScheduleTimes::referTo(const ScheduleSnapshot& snapshot) {
  if (measuredSeconds(snapshot.hash)) m_reference = {snapshot.hash, snapshot.time.nonlinear};
}

double ScheduleTimes::scale() const {
  if (!m_reference) return 1;
  TimeEstimate time;
  time.nonlinear = m_reference->predicted;
  time.measured = measuredSeconds(m_reference->hash);
  return time.measuredRatio();
}

bool ScheduleTimes::addChanges(const ScheduleSnapshot& now, SiteTable& table) const {
  if (table.hash != now.hash) return false;
  bool isChanged = false;
  for (SiteRow& site : table.sites) {
    for (ChoiceRow& choice : site.choices) {
      if (!choice.seconds) continue;
      const auto change = changeTo(now.time, choice.hash, *choice.seconds);
      isChanged = isChanged || choice.change != change;
      choice.change = change;
    }
  }
  for (OtherMove& move : table.moves) {
    const auto change = changeTo(now.time, move.hash, move.seconds);
    isChanged = isChanged || move.change != change;
    move.change = change;
  }
  return isChanged;
}

void ScheduleTimes::addTimes(const ScheduleSnapshot& now, Trial& trial) const {
  if (!trial.snapshot) return;
  trial.change = changeTo(now.time, trial.snapshot->hash, trial.snapshot->time.nonlinear);
  trial.snapshot = withMeasured(trial.snapshot);
}

void ShelfTimes::start(JobRunner& runner, std::shared_ptr<OpenProblem> problem,
                       const ScheduleShelf& shelf, std::function<void()> known) {
  m_times.clear();
  QStringList texts;
  for (const Kept& kept : shelf.all()) texts.append(kept->text);
  if (texts.isEmpty()) return;
  runner.start(
      Slot,
      [problem = std::move(problem), texts](const std::stop_token&) -> Expected<Times> {
        Times times;
        for (const QString& text : texts) {
          const auto made = readSchedule(*problem, text);
          times[text] = made ? ShelfTime{made->hash, made->time.nonlinear}
                             : ShelfTime{.illegal = toQt(made.error())};
        }
        return times;
      },
      [this, known = std::move(known)](Expected<Times> times) {
        m_times.merge(*times);
        known();
      });
}

const ShelfTime* ShelfTimes::of(const Kept& kept) const {
  const auto known = m_times.find(kept->text);
  return known == m_times.end() ? nullptr : &known->second;
}

}  // namespace thallo::gui
