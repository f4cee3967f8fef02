// The times in ScheduleModel: measured ones, the scaling of predictions, and those of the shelf.
#include <utility>

#include "gui/base/text.h"
#include "gui/schedule/schedule_analyst.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

std::shared_ptr<const ScheduleSnapshot> ScheduleModel::withMeasured(
    const std::shared_ptr<const ScheduleSnapshot>& snapshot) const {
  TimeEstimate time = snapshot->time;
  const auto measured = m_measurements ? m_measurements(snapshot->hash) : std::nullopt;
  time.measured = measured ? std::optional(measured->nonlinear) : std::nullopt;
  time.spread = measured ? measured->spread : std::nullopt;
  time.scale = timeScale();
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

void ScheduleModel::refreshMeasured() {
  if (!m_schedule.value) return;
  const auto previous = m_previous.snapshot;
  if (previous) referTo(*previous);
  referTo(*m_schedule.value);
  if (previous) m_previous.snapshot = withMeasured(previous);
  const auto snapshot = withMeasured(m_schedule.value);
  if (snapshot != m_schedule.value || previous != m_previous.snapshot) {
    m_schedule.value = snapshot;
    Q_EMIT scheduleChanged();
  }
  if (m_trial.isReady()) {
    Trial trial = *m_trial.value;
    addTimes(trial);
    if (trial.snapshot != m_trial.value->snapshot || trial.change != m_trial.value->change)
      setTrial(Remote<Trial>::ready(std::move(trial)));
  }
  if (!m_sites.value) return;
  SiteTable table = *m_sites.value;
  if (!addChanges(table)) return;
  m_sites.value = std::make_shared<const SiteTable>(std::move(table));
  Q_EMIT sitesChanged();
}

std::optional<double> ScheduleModel::measuredSeconds(const QString& hash) const {
  const auto measured = m_measurements ? m_measurements(hash) : std::nullopt;
  return measured ? std::optional(measured->nonlinear) : std::nullopt;
}

TimeChange ScheduleModel::changeTo(const QString& hash, double predicted) const {
  const auto measured = m_measurements ? m_measurements(hash) : std::nullopt;
  TimeChange change = changeBetween(m_schedule.value->time, predicted,
                                    measured ? std::optional(measured->nonlinear) : std::nullopt);
  if (measured) change.spread = measured->spread;
  return change;
}

void ScheduleModel::referTo(const ScheduleSnapshot& snapshot) {
  if (measuredSeconds(snapshot.hash)) m_reference = {snapshot.hash, snapshot.time.nonlinear};
}

double ScheduleModel::timeScale() const {
  if (!m_reference) return 1;
  TimeEstimate time;
  time.nonlinear = m_reference->predicted;
  time.measured = measuredSeconds(m_reference->hash);
  return time.measuredRatio();
}

std::optional<TimeChange> ScheduleModel::change() const {
  if (!m_schedule.value || !m_previous.snapshot) return std::nullopt;
  return changeBetween(m_previous.snapshot->time, m_schedule.value->time);
}

bool ScheduleModel::addChanges(SiteTable& table) const {
  const auto& now = m_schedule.value;
  if (!now || table.hash != now->hash) return false;
  bool isChanged = false;
  for (SiteRow& site : table.sites) {
    for (ChoiceRow& choice : site.choices) {
      if (!choice.seconds) continue;
      const auto change = changeTo(choice.hash, *choice.seconds);
      isChanged = isChanged || choice.change != change;
      choice.change = change;
    }
  }
  for (OtherMove& move : table.moves) {
    const auto change = changeTo(move.hash, move.seconds);
    isChanged = isChanged || move.change != change;
    move.change = change;
  }
  return isChanged;
}

void ScheduleModel::addTimes(Trial& trial) const {
  if (!trial.snapshot || !m_schedule.value) return;
  trial.change = changeTo(trial.snapshot->hash, trial.snapshot->time.nonlinear);
  trial.snapshot = withMeasured(trial.snapshot);
}

// Times the schedules that were on the shelf when the problem was opened. Others are timed when
// they are made.
void ScheduleModel::timeShelf() {
  QStringList texts;
  for (const Kept& kept : m_shelf.all()) texts.append(kept->text);
  if (texts.isEmpty()) return;
  using Times = std::map<QString, ShelfTime>;
  m_runner.start(
      "shelf",
      [analysis = m_problems.analysis(), texts](const std::stop_token&) -> Expected<Times> {
        Times times;
        for (const QString& text : texts) {
          const auto made = analysis->read(text);
          times[text] = made ? ShelfTime{made->hash, made->time.nonlinear}
                             : ShelfTime{.hash = {}, .illegal = toQt(made.error())};
        }
        return times;
      },
      [this](Expected<Times> times) {
        m_shelfTimes.merge(*times);
        Q_EMIT shelfTimed();
      });
}

const ScheduleModel::ShelfTime* ScheduleModel::timeOf(const Kept& kept) const {
  const auto known = m_shelfTimes.find(kept->text);
  return known == m_shelfTimes.end() ? nullptr : &known->second;
}

}  // namespace thallo::gui
