#include "gui/schedule/way_model.h"

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

WayModel::WayModel(ScheduleModel& schedule, QObject* parent)
    : QObject(parent), m_schedule(schedule) {
  // Queued: while a change is made, the history has not counted it yet.
  connect(&schedule, &ScheduleModel::scheduleChanged, this, &WayModel::look, Qt::QueuedConnection);
}

void WayModel::look() {
  QUndoStack* history = m_schedule.history().activeStack();
  const auto& now = m_schedule.schedule().value;
  // In a problem that is opened again, what was measured and estimated before may not hold.
  if (history != m_history || !now) m_seen.clear();
  m_history = history;
  m_steps.clear();
  m_current = 0;
  if (history == nullptr || !now) return Q_EMIT changed();
  const int index = history->index();
  m_seen[index] = {now, m_schedule.name(), m_schedule.isTaken()};
  // After a new change, what was undone is gone.
  if (index == history->count()) m_seen.erase(m_seen.upper_bound(index), m_seen.end());

  int first = index;
  while (!m_seen.at(first).isTaken && m_seen.contains(first - 1)) --first;
  for (int i = first; m_seen.contains(i) && (i == first || !m_seen.at(i).isTaken); ++i) {
    const Seen& its = m_seen.at(i);
    const auto snapshot = m_schedule.withMeasured(its.snapshot);
    if (i == index) m_current = m_steps.size();
    m_steps.push_back(
        {.text = i == first ? its.name : decided(m_seen.at(i - 1).snapshot->text, snapshot->text),
         .hash = snapshot->hash,
         .time = snapshot->time,
         .index = i});
  }
  Q_EMIT changed();
}

void WayModel::go(std::size_t step) {
  if (m_history != nullptr && step < m_steps.size()) m_history->setIndex(m_steps[step].index);
}

}  // namespace thallo::gui
