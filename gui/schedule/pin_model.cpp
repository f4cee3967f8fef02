#include "gui/schedule/pin_model.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/schedule/pins.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"
#include "gui/schedule/schedule_edits.h"

namespace thallo::gui {
namespace {

constexpr const char* PinsSlot = "pins";

bool isAt(const Directive& directive, const QStringList& siteIds) {
  return siteIds.contains(SiteRow::idOf(toQt(directive.construct), toQt(directive.site.name)));
}

Pins withoutSites(const Pins& pins, const QStringList& siteIds, const OpenProblem& problem) {
  std::vector<Directive> removed = pins.directives();
  std::erase_if(removed, [&](const Directive& pin) { return !isAt(pin, siteIds); });
  return without(pins, removed, problem.energy(), problem.constructs());
}

Expected<Pins> pinsOf(const OpenProblem& problem, const QStringList& directives) {
  if (directives.isEmpty()) return Pins();
  return problem.explored().read_pins(directives.join('\n').toStdString());
}

std::vector<PinnedSite> pinnedSites(const OpenProblem& problem, const Pins& pins) {
  const auto plan = make_plan(problem.energy(), Schedule(pins.directives()), problem.constructs());
  THALLO_ASSERT(plan.has_value(), "{}", plan ? "" : plan.error().message());
  const ShownNames shown(problem.energy(), *plan);
  std::vector<PinnedSite> sites;
  for (const Directive& pin : pins.directives()) {
    const QString construct = toQt(pin.construct);
    sites.push_back({.construct = construct,
                     .site = toQt(pin.site.name),
                     .shown = QObject::tr("%1 of %2").arg(construct, toQt(shown.of(pin.site.name))),
                     .choice = toQt(pin.choice.label),
                     .directive = toQt(problem.constructs().find(pin.construct)->print(pin))});
  }
  return sites;
}

// Pins also these sites, as the schedule decides them, and what they need. Sites that are pinned
// already are pinned anew. Fails if the other pins are not possible then.
Expected<std::vector<PinnedSite>> pin(const OpenProblem& problem, const QStringList& directives,
                                      const Schedule& schedule, const QStringList& siteIds) {
  THALLO_TRY(const auto before, pinsOf(problem, directives));
  THALLO_TRY(const auto sites, choiceSites(problem, schedule));
  std::vector<Directive> added;
  for (const ChoiceSite& at : sites) {
    Directive its{std::string(at.construct->name()), at.site, at.alternatives[at.chosen].choice};
    if (isAt(its, siteIds)) added.push_back(std::move(its));
  }
  THALLO_TRY(const auto pinned, with_needed(withoutSites(before, siteIds, problem), added, schedule,
                                            problem.energy(), problem.constructs()));
  return pinnedSites(problem, pinned);
}

// Leaves these sites open, and those that need them.
Expected<std::vector<PinnedSite>> unpin(const OpenProblem& problem, const QStringList& directives,
                                        const QStringList& siteIds) {
  THALLO_TRY(const auto before, pinsOf(problem, directives));
  return pinnedSites(problem, withoutSites(before, siteIds, problem));
}

}  // namespace

PinModel::PinModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule)
    : m_runner(analysisRunner), m_problems(problems), m_schedule(schedule) {
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
  submit([now = schedule, sites](const OpenProblem& problem, const QStringList& directives) {
    return pin(problem, directives, now->schedule, sites);
  });
}

void PinModel::unpin(const QString& siteId) {
  submit([sites = sitesWith(siteId)](const OpenProblem& problem, const QStringList& directives) {
    return gui::unpin(problem, directives, sites);
  });
}

void PinModel::clear() {
  submit([](const OpenProblem&, const QStringList&) -> Expected<std::vector<PinnedSite>> {
    return std::vector<PinnedSite>();
  });
}

void PinModel::restore(const QStringList& directives) {
  if (directives.isEmpty()) return clear();
  submit([directives](const OpenProblem& problem,
                      const QStringList&) -> Expected<std::vector<PinnedSite>> {
    THALLO_TRY(const auto read, pinsOf(problem, directives));
    return pinnedSites(problem, read);
  });
}

void PinModel::submit(Make make) {
  if (!m_problems.opened()) return;
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
      [problem = m_problems.opened(), make = std::move(make),
       before = directives()](const std::stop_token&) { return make(*problem, before); },
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
