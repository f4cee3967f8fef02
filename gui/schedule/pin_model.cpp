#include "gui/schedule/pin_model.h"

#include <algorithm>
#include <utility>

#include "gui/base/text.h"
#include "gui/schedule/schedule_analyst.h"

namespace thallo::gui {
namespace {

constexpr const char* PinsSlot = "pins";

}  // namespace

PinModel::PinModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule,
                   QObject* parent)
    : QObject(parent), m_runner(analysisRunner), m_problems(problems), m_schedule(schedule) {
  connect(&m_problems, &ProblemModel::problemChanged, this, &PinModel::onProblemChanged);
}

void PinModel::onProblemChanged() {
  m_runner.cancel(PinsSlot);
  m_waiting.clear();
  m_key = m_problems.problem().isReady() ? m_problems.key() : QString();
  m_pins.clear();
  Q_EMIT changed();
  // The energy may be another one since.
  if (const auto kept = m_kept.find(m_key); kept != m_kept.end())
    restore(QStringList(kept->second));
}

QStringList PinModel::directives() const {
  QStringList directives;
  for (const PinnedSite& pin : m_pins) directives.append(pin.directive);
  return directives;
}

QString PinModel::text() const {
  return m_pins.empty() ? QString() : directives().join('\n') + '\n';
}

bool PinModel::isBusy() const { return !m_waiting.empty() || m_runner.isBusy(PinsSlot); }

QStringList PinModel::sitesWith(const QString& siteId) const {
  const auto& table = m_schedule.sites().value;
  const SiteRow* row = table ? table->find(siteId) : nullptr;
  if (row == nullptr || table->groupsOf(row->construct) == nullptr) return {siteId};
  QStringList all;
  for (const SiteRow& other : table->sites)
    if (other.construct == row->construct) all.append(other.id());
  return all;
}

void PinModel::toggle(const QString& siteId) {
  const QStringList sites = sitesWith(siteId);
  const auto isPinned = [&](const PinnedSite& pin) { return sites.contains(pin.id()); };
  const auto& schedule = m_schedule.schedule().value;
  if (std::ranges::any_of(m_pins, isPinned)) return unpin(siteId);
  if (!schedule) return;
  submit([now = schedule, sites](ScheduleAnalyst& analysis, const QStringList& directives) {
    return analysis.pin(directives, now->schedule, sites);
  });
}

void PinModel::unpin(const QString& siteId) {
  submit([sites = sitesWith(siteId)](ScheduleAnalyst& analysis, const QStringList& directives) {
    return analysis.unpin(directives, sites);
  });
}

void PinModel::clear() {
  submit([](ScheduleAnalyst&, const QStringList&) -> Expected<std::vector<PinnedSite>> {
    return std::vector<PinnedSite>();
  });
}

void PinModel::restore(const QStringList& directives) {
  if (directives.isEmpty()) return clear();
  submit([directives](ScheduleAnalyst& analysis, const QStringList&) {
    return analysis.readPins(directives);
  });
}

void PinModel::submit(Make make) {
  if (!m_problems.analysis()) return;
  m_waiting.push_back(std::move(make));
  startNext();
}

// One after the other, since each begins with what the one before has pinned.
void PinModel::startNext() {
  if (m_waiting.empty() || m_runner.isBusy(PinsSlot)) return;
  Make make = std::move(m_waiting.front());
  m_waiting.pop_front();
  m_runner.start(
      PinsSlot,
      [analysis = m_problems.analysis(), make = std::move(make),
       before = directives()](const std::stop_token&) { return make(*analysis, before); },
      [this](Expected<std::vector<PinnedSite>> pins) {
        if (pins)
          setPins(*std::move(pins));
        else
          m_schedule.refuse(tr("Not pinned: %1").arg(toQt(pins.error())));
        startNext();
      });
}

void PinModel::setPins(std::vector<PinnedSite> pins) {
  if (pins == m_pins) return;
  m_pins = std::move(pins);
  m_kept[m_key] = directives();
  Q_EMIT changed();
}

}  // namespace thallo::gui
