#include "gui/schedule/way_model.h"

#include <utility>

#include "gui/schedule/schedule_edits.h"

namespace thallo::gui {
namespace {

// Returns the lines that only `to` has, or else those that it lacks.
QString decided(const QString& from, const QString& to) {
  const QStringList before = from.split('\n', Qt::SkipEmptyParts);
  const QStringList after = to.split('\n', Qt::SkipEmptyParts);
  QStringList lines;
  for (const QString& line : after)
    if (!before.contains(line)) lines.append(line.trimmed());
  if (!lines.isEmpty()) return lines.join(QStringLiteral("; "));
  for (const QString& line : before)
    if (!after.contains(line)) lines.append(WayModel::tr("without %1").arg(line.trimmed()));
  return lines.join(QStringLiteral("; "));
}

}  // namespace

WayModel::WayModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule)
    : m_runner(analysisRunner), m_problems(problems), m_schedule(schedule) {
  // Queued: while a change is made, the history has not counted it yet.
  connect(&schedule, &ScheduleModel::scheduleChanged, this, &WayModel::look, Qt::QueuedConnection);
}

void WayModel::look() {
  QUndoStack* history = m_schedule.history().activeStack();
  const auto& now = m_schedule.schedule().value;
  if (m_schedule.isRestoring()) return;
  m_steps.clear();
  m_current = 0;
  if (history == nullptr || !now) return Q_EMIT changed();
  SeenByIndex& seen = m_seen[history];
  const int index = history->index();
  const int opening = m_schedule.opening();
  Seen& its = seen[index];
  // A problem that is opened again takes the schedule that it was left with.
  const bool isSame = its.snapshot && its.snapshot->hash == now->hash;
  its = {now, m_schedule.name(), isSame ? its.isTaken : m_schedule.isTaken(), opening};
  // After a new change, what was undone is gone.
  if (index == history->count()) seen.erase(seen.upper_bound(index), seen.end());
  if (readAgain(seen)) return Q_EMIT changed();

  int first = index;
  while (!seen.at(first).isTaken && seen.contains(first - 1)) --first;
  for (int i = first; seen.contains(i) && (i == first || !seen.at(i).isTaken); ++i) {
    const Seen& its = seen.at(i);
    const auto snapshot = m_schedule.times().withMeasured(its.snapshot);
    if (i == index) m_current = m_steps.size();
    m_steps.push_back(
        {.text = i == first ? its.name : decided(seen.at(i - 1).snapshot->text, snapshot->text),
         .hash = snapshot->hash,
         .time = snapshot->time,
         .index = i});
  }
  Q_EMIT changed();
}

// Estimates schedules of earlier openings anew, as of this device; those that are no longer legal
// leave the way. Returns false if there is none.
bool WayModel::readAgain(const SeenByIndex& seen) {
  std::map<int, QString> texts;
  for (const auto& [index, its] : seen)
    if (its.opening != m_schedule.opening()) texts[index] = its.snapshot->text;
  if (texts.empty()) return false;
  using Read = std::map<int, std::shared_ptr<const ScheduleSnapshot>>;
  m_runner.start(
      "way",
      [problem = m_problems.opened(), texts](const std::stop_token&) -> Expected<Read> {
        Read read;
        for (const auto& [index, text] : texts)
          if (auto made = readSchedule(*problem, text))
            read[index] = std::make_shared<const ScheduleSnapshot>(*std::move(made));
        return read;
      },
      [this, texts, history = m_schedule.history().activeStack(),
       opening = m_schedule.opening()](const Expected<Read>& read) {
        if (opening != m_schedule.opening() || !read) return;
        SeenByIndex& all = m_seen[history];
        for (const auto& [index, text] : texts) {
          const auto made = read->find(index);
          if (made == read->end()) {
            all.erase(index);
          } else {
            all[index].snapshot = made->second;
            all[index].opening = opening;
          }
        }
        look();
      });
  return true;
}

void WayModel::go(std::size_t step) {
  QUndoStack* history = m_schedule.history().activeStack();
  if (history != nullptr && step < m_steps.size()) history->setIndex(m_steps[step].index);
}

}  // namespace thallo::gui
