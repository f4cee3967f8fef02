#include "core/cost/autoschedule/autoschedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cost/autoschedule/part_search.h"
#include "core/cost/autoschedule/stored_choice.h"
#include "core/kernel/lower.h"
#include "core/schedule/arguments.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/plan_names.h"
#include "core/schedule/schedule_composer.h"

namespace thallo {
namespace {

// The dims of groups that can be one part.
using DomainClass = std::vector<DimId>;

// The classes whose groups are cheaper as one part, with nothing stored of intermediates.
Expected<std::set<DomainClass>> classes_worth_merging(const Energy& energy,
                                                      const ConstructRegistry& constructs,
                                                      AutoSearch& search) {
  std::set<DomainClass> all;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) all.insert(dims_of(energy, g));
  ScheduleComposer merged(energy, constructs);
  if (auto done = merged.merge([](const DomainClass&) { return true; }); !done)
    return fail(done.error());
  const StoredValues nothing = no_stored_values(energy);
  std::map<DomainClass, double> gain;
  for (const Part& part : merged.plan().parts)
    gain[dims_of(energy, part.residuals.front().group)] -= search.best_seconds({part}, nothing);
  for (const Part& part : default_plan(energy).parts)
    gain[dims_of(energy, part.residuals.front().group)] += search.best_seconds({part}, nothing);
  std::erase_if(all, [&gain](const DomainClass& dims) { return gain[dims] <= 0; });
  return all;
}

// What can be said of the whole plan only. Parts were decided one by one; what they have in common
// may make the whole slower than nothing. Then the vectors are blocked, where that is legal and
// promises a clear gain.
Expected<void> decide_whole(ScheduleComposer& composer, const ScheduleComposer& nothing_decided,
                            PlanPricer& pricer) {
  if (pricer.seconds(nothing_decided.plan()) <= pricer.seconds(composer.plan()))
    composer = nothing_decided;
  ScheduleComposer blocked = composer;
  const auto order = [](const Site&) { return std::string(to_string(VectorOrder::Blocked)); };
  if (auto done = blocked.choose("layout", order); !done) return fail(done.error());
  if (check_program(blocked.plan(), pricer.options().program) &&
      pricer.seconds(blocked.plan()) < pricer.seconds(composer.plan()) * (1 - WorthBlocking))
    composer = std::move(blocked);
  return {};
}

}  // namespace

Expected<AutoSchedule> autoschedule(const Energy& energy, const ConstructRegistry& constructs,
                                    PlanPricer& pricer, std::int64_t memory_limit) {
  AutoSearch search(energy, pricer, memory_limit);
  const auto classes = classes_worth_merging(energy, constructs, search);
  if (!classes) return fail(classes.error());
  ScheduleComposer composer(energy, constructs);
  const auto is_wanted = [&](const DomainClass& dims) { return classes->contains(dims); };
  if (auto done = composer.merge(is_wanted); !done) return fail(done.error());

  const std::vector<Part> parts = composer.plan().parts;
  StoredValues stored = choose_stored(energy, parts, search);
  AutoSearch::Outcome outcome = search.best(parts, stored);
  if (outcome.product_bytes > static_cast<double>(memory_limit)) {
    // Each part fits, all together do not: none may store more than its share.
    AutoSearch frugal(energy, pricer, memory_limit / static_cast<std::int64_t>(parts.size()));
    stored = choose_stored(energy, parts, frugal);
    outcome = frugal.best(parts, stored);
  }
  const auto wanted = [&](std::string_view part) -> const Part& {
    const auto found = std::ranges::find(outcome.parts, part, &Part::name);
    THALLO_ASSERT(found != outcome.parts.end(), "no part '{}'", part);
    return *found;
  };

  using Want = std::pair<std::string_view, ScheduleComposer::Wanted>;
  const Want wants[] = {
      {"materialize",
       [&](const Site& site) {
         const std::size_t i = position_of_intermediate(energy, site.name);
         return std::string(to_string(stored.intermediates[i]));
       }},
      {"strategy",
       [&](const Site& site) { return std::string(to_string(wanted(site.name).strategy)); }},
      {"compute_at_output",
       [&](const Site& site) {
         const MemberName name = parse_member_name(site.name);
         const Part& part = wanted(name.part);
         return label_of(energy, name.member == "JtF"  ? part.jtf
                                 : name.member == "Jt" ? part.jt
                                                       : part.jtjp);
       }},
      {"storage",
       [&](const Site& site) {
         const MemberName name = parse_member_name(site.name);
         const Part& part = wanted(name.part);
         return std::string(to_string(name.member == "J" ? part.j_format : part.jtj_format));
       }},
      {"sum_parallelize",
       [&](const Site& site) {
         const std::vector<PlannedSum>& sums = sums_of(energy);
         const auto sum = std::ranges::find(sums, site.name, &PlannedSum::name);
         const bool is_parallel = stored.sums[static_cast<std::size_t>(sum - sums.begin())];
         return std::string(is_parallel ? "parallel" : "serial");
       }},
      {"reorder",
       [&](const Site& site) {
         std::vector<std::string> order;
         for (const DomainId domain : wanted(site.name).order)
           order.push_back(domain_name(energy, wanted(site.name), domain));
         return Ordering::choice(order).label;
       }},
  };
  for (const auto& [construct, label] : wants)
    if (auto done = composer.choose(construct, label); !done) return fail(done.error());

  const ScheduleComposer nothing_decided(energy, constructs);
  if (auto done = decide_whole(composer, nothing_decided, pricer); !done) return fail(done.error());
  const double seconds = pricer.seconds(composer.plan());
  auto schedule = normal_form(energy, std::move(composer).take(), constructs);
  if (!schedule) return fail(schedule.error());
  return AutoSchedule{*std::move(schedule), seconds};
}

}  // namespace thallo
