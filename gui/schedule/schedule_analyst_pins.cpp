// What ScheduleAnalyst knows about pins.
#include <algorithm>

#include <QObject>

#include "core/base/error.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"
#include "gui/schedule/schedule_analyst.h"

namespace thallo::gui {
namespace {

bool isAt(const Directive& directive, const QStringList& siteIds) {
  return siteIds.contains(SiteRow::idOf(toQt(directive.construct), toQt(directive.site.name)));
}

Pins withoutSites(const Pins& pins, const QStringList& siteIds, const ExploredProblem& problem) {
  std::vector<Directive> removed = pins.directives();
  std::erase_if(removed, [&](const Directive& pin) { return !isAt(pin, siteIds); });
  return without(pins, removed, problem.file.energy, *problem.constructs);
}

}  // namespace

Expected<Pins> ScheduleAnalyst::pins(const QStringList& directives) const {
  if (directives.isEmpty()) return Pins();
  return m_problem.read_pins(directives.join('\n').toStdString());
}

std::vector<PinnedSite> ScheduleAnalyst::pinnedSites(const Pins& pins) const {
  const auto plan =
      make_plan(m_problem.file.energy, Schedule(pins.directives()), *m_problem.constructs);
  THALLO_ASSERT(plan.has_value(), "{}", plan ? "" : plan.error().message());
  const ShownNames shown(m_problem.file.energy, *plan);
  std::vector<PinnedSite> sites;
  for (const Directive& pin : pins.directives()) {
    const QString construct = toQt(pin.construct);
    sites.push_back({.construct = construct,
                     .site = toQt(pin.site.name),
                     .shown = QObject::tr("%1 of %2").arg(construct, toQt(shown.of(pin.site.name))),
                     .choice = toQt(pin.choice.label),
                     .directive = toQt(m_problem.constructs->find(pin.construct)->print(pin))});
  }
  return sites;
}

Expected<std::vector<PinnedSite>> ScheduleAnalyst::readPins(const QStringList& directives) {
  const auto read = pins(directives);
  if (!read) return fail(read.error());
  return pinnedSites(*read);
}

Expected<std::vector<PinnedSite>> ScheduleAnalyst::pin(const QStringList& directives,
                                                       const Schedule& schedule,
                                                       const QStringList& siteIds) {
  const auto before = pins(directives);
  if (!before) return fail(before.error());
  const auto sites = choiceSites(schedule, nullptr);
  if (!sites) return fail(sites.error());
  std::vector<Directive> added;
  for (const ChoiceSite& at : *sites) {
    Directive its{std::string(at.construct->name()), at.site, at.alternatives[at.chosen].choice};
    if (isAt(its, siteIds)) added.push_back(std::move(its));
  }
  const auto pinned = with_needed(withoutSites(*before, siteIds, m_problem), added, schedule,
                                  m_problem.file.energy, *m_problem.constructs);
  if (!pinned) return fail(pinned.error());
  return pinnedSites(*pinned);
}

Expected<std::vector<PinnedSite>> ScheduleAnalyst::unpin(const QStringList& directives,
                                                         const QStringList& siteIds) {
  const auto before = pins(directives);
  if (!before) return fail(before.error());
  return pinnedSites(withoutSites(*before, siteIds, m_problem));
}

}  // namespace thallo::gui
