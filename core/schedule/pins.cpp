#include "core/schedule/pins.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/error.h"
#include "core/schedule/plan_names.h"
#include "core/schedule/schedule_reader.h"

namespace thallo {
namespace {

bool is_same_place(const Directive& a, const Directive& b) {
  return a.construct == b.construct && a.site == b.site;
}

bool decides_at(const std::vector<Directive>& directives, const Directive& place) {
  return std::ranges::any_of(directives,
                             [&](const Directive& its) { return is_same_place(its, place); });
}

// Returns the choices that the schedule makes at the sites that its text decides.
std::vector<Directive> said_in(const ScheduleReading& reading) {
  std::vector<Directive> said;
  for (const PlacedDirective& placed : reading.directives) {
    if (placed.is_replaced) continue;
    const std::vector<Directive>& chosen = reading.schedule->directives();
    const auto differs = std::ranges::find_if(
        chosen, [&](const Directive& its) { return is_same_place(its, placed.directive); });
    said.push_back(differs != chosen.end() ? *differs : placed.directive);
  }
  return said;
}

// Adds the residuals of all parts that a merge or split changes.
void add_whole_parts(const Energy& energy, const ConstructRegistry& constructs,
                     const std::vector<ScheduleStatement>& statements,
                     const ScheduleReading& reading, std::vector<Directive>& said) {
  const auto plan = make_plan(energy, *reading.schedule, constructs);
  THALLO_ASSERT(plan.has_value(), "{}", plan.error().message());
  const Plan undecided = default_plan(energy);
  for (const PlacedDirective& placed : reading.directives) {
    const bool is_whole = statements[placed.statement].on.kind == ScheduleName::Kind::Energy;
    if (!is_whole || placed.directive.site.kind != SiteKind::Residual) continue;
    const Construct& construct = *constructs.find(placed.directive.construct);
    const auto moved = find_residual(energy, placed.directive.site.name);
    if (!moved) continue;
    for (const ResidualRef member : part_of(*plan, *moved).residuals) {
      Directive its{
          std::string(construct.name()), {SiteKind::Residual, residual_name(energy, member)}, {}};
      // Where the schedule decides otherwise than by default, the text has said it.
      if (decides_at(said, its)) continue;
      its.choice = construct.default_choice(energy, undecided, its.site);
      said.push_back(std::move(its));
    }
  }
}

void sort(std::vector<Directive>& directives, const ConstructRegistry& constructs) {
  std::map<std::string_view, std::size_t> ranks;
  for (const Construct* construct : in_stage_order(constructs))
    ranks.emplace(construct->name(), ranks.size());
  std::ranges::sort(directives, {}, [&](const Directive& its) {
    return std::tuple(ranks.at(its.construct), its.site.kind, its.site.name);
  });
}

}  // namespace

const Choice* Pins::find(std::string_view construct, const Site& site) const {
  const auto found = std::ranges::find_if(directives_, [&](const Directive& its) {
    return its.construct == construct && its.site == site;
  });
  return found != directives_.end() ? &found->choice : nullptr;
}

std::size_t Pins::count_of(std::string_view construct) const {
  return static_cast<std::size_t>(
      std::ranges::count(directives_, construct, &Directive::construct));
}

std::vector<std::string> Pins::texts(const ConstructRegistry& constructs) const {
  std::vector<std::string> texts;
  for (const Directive& its : directives_)
    texts.push_back(constructs.find(its.construct)->print(its));
  return texts;
}

bool Pins::are_kept_by(const Schedule& schedule, const Energy& energy,
                       const ConstructRegistry& constructs) const {
  if (empty()) return true;
  // The last directive of a site counts, and one at a site that is not there is a failure.
  std::vector<Directive> both = schedule.directives();
  both.insert(both.end(), directives_.begin(), directives_.end());
  const auto pinned = normal_form(energy, Schedule(std::move(both)), constructs);
  const auto own = normal_form(energy, schedule, constructs);
  return pinned && own && pinned->text(constructs) == own->text(constructs);
}

Expected<Pins> read_pins(const Energy& energy, const std::vector<ScheduleStatement>& statements,
                         const ConstructRegistry& constructs, std::string_view name) {
  ScheduleReading reading = read_statements(energy, statements, constructs, Repetition::Refused);
  if (!reading.schedule) return fail(in_one(std::move(reading.faults)));
  std::vector<Directive> said = said_in(reading);
  add_whole_parts(energy, constructs, statements, reading, said);
  if (said.empty()) {
    return fail(
        "{} pins nothing: pins are decisions as a schedule writes them, such as "
        "r.{}:strategy(\"JtJp\")",
        name, energy.groups().front().name);
  }
  sort(said, constructs);
  return Pins(std::move(said));
}

Expected<Pins> with_needed(const Pins& pins, const std::vector<Directive>& added,
                           const Schedule& schedule, const Energy& energy,
                           const ConstructRegistry& constructs) {
  std::vector<Directive> wanted = pins.directives();
  wanted.insert(wanted.end(), added.begin(), added.end());
  std::vector<Directive> needed;
  for (const Directive& its : schedule.directives())
    if (!decides_at(wanted, its)) needed.push_back(its);
  const auto together = [&](const std::vector<Directive>& with) {
    std::vector<Directive> all = with;
    all.insert(all.end(), wanted.begin(), wanted.end());
    return all;
  };
  // Later decisions are never needed by earlier ones.
  for (std::size_t i = needed.size(); i-- > 0;) {
    std::vector<Directive> fewer = needed;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (make_plan(energy, Schedule(together(fewer)), constructs)) needed = std::move(fewer);
  }
  std::vector<Directive> all = together(needed);
  THALLO_CHECK(make_plan(energy, Schedule(all), constructs));
  sort(all, constructs);
  return Pins(std::move(all));
}

Pins without(const Pins& pins, const std::vector<Directive>& removed, const Energy& energy,
             const ConstructRegistry& constructs) {
  std::vector<Directive> left;
  for (const Directive& its : pins.directives()) {
    if (decides_at(removed, its)) continue;
    // What it needs comes before it.
    left.push_back(its);
    if (!make_plan(energy, Schedule(left), constructs)) left.pop_back();
  }
  return Pins(std::move(left));
}

}  // namespace thallo
