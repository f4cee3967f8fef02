#include "core/cost/autoschedule/autoschedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/quantity_text.h"
#include "core/base/stop_scope.h"
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

std::string class_text(const Energy& energy, const DomainClass& dims) {
  std::vector<std::string_view> names;
  for (const DimId dim : dims) names.push_back(energy.dim(dim).name);
  return fmt::format("groups over ({})", fmt::join(names, ", "));
}

// The classes whose groups are cheaper as one part, with nothing stored of intermediates.
Expected<std::set<DomainClass>> classes_worth_merging(const Energy& energy,
                                                      const ConstructRegistry& constructs,
                                                      AutoSearch& search,
                                                      std::vector<AutoStep>& steps) {
  ScheduleComposer merged(energy, constructs);
  if (auto done = merged.merge([](const DomainClass&) { return true; }); !done)
    return fail(done.error());
  const StoredValues nothing = no_stored_values(energy);
  using Parts = std::map<DomainClass, std::pair<std::size_t, double>>;  // their number and seconds
  const auto parts_of = [&](const Plan& plan) {
    Parts parts;
    for (const Part& part : plan.parts) {
      auto& [number, seconds] = parts[dims_of(energy, part.residuals.front().group)];
      ++number;
      seconds += search.best_seconds({part}, nothing);
    }
    return parts;
  };
  const Parts as_one = parts_of(merged.plan());
  std::set<DomainClass> worth;
  for (const auto& [dims, apart] : parts_of(default_plan(energy))) {
    const double together = as_one.at(dims).second;
    if (together < apart.second) worth.insert(dims);
    if (apart.first == as_one.at(dims).first) continue;
    std::vector<AutoStep::Compared> compared = {{"one part", together}, {"apart", apart.second}};
    if (!worth.contains(dims)) std::swap(compared[0], compared[1]);
    steps.push_back({class_text(energy, dims), std::move(compared)});
  }
  return worth;
}

// Lowering programs for prices may take so many steps, about a second.
constexpr std::int64_t MostLoweringSteps = 2'000'000;

using PlanSeconds = std::function<double(const Plan&)>;

// What can be said of the whole plan only. Parts were decided one by one; what they have in common
// may make the whole slower than nothing. Then the vectors are blocked, where that is legal and
// promises a clear gain.
Expected<void> decide_whole(ScheduleComposer& composer, const ScheduleComposer& nothing_decided,
                            PlanPricer& pricer, const PlanSeconds& seconds_of,
                            std::vector<AutoStep>& steps) {
  // Records what was compared, and returns whether the other is chosen.
  const auto decide = [&](const char* subject, AutoStep::Compared its, AutoStep::Compared other,
                          bool is_other) {
    if (is_other) std::swap(its, other);
    steps.push_back({subject, {std::move(its), std::move(other)}});
    return is_other;
  };
  double seconds = seconds_of(composer.plan());
  const double undecided = seconds_of(nothing_decided.plan());
  if (decide("schedule", {"as decided", seconds}, {"default", undecided}, undecided <= seconds)) {
    composer = nothing_decided;
    seconds = undecided;
  }
  ScheduleComposer blocked = composer;
  const auto order = [](const Site&) { return std::string(to_string(VectorOrder::Blocked)); };
  if (auto done = blocked.choose("layout", order); !done) return fail(done.error());
  if (!check_program(pricer.energy(), blocked.plan(), pricer.options().program)) return {};
  // Nothing is lowered for blocks that do not help even by an estimate.
  if (pricer.estimated_seconds(blocked.plan()) >= pricer.estimated_seconds(composer.plan()))
    return {};
  const double in_blocks = seconds_of(blocked.plan());
  if (decide("vectors", {"plain", seconds}, {"blocked", in_blocks},
             in_blocks < seconds * (1 - WorthBlocking)))
    composer = std::move(blocked);
  return {};
}

// The same by prices, or by estimates where there are no data to lower a plan for, or lowering
// takes too long.
Expected<void> decide_whole(ScheduleComposer& composer, const ScheduleComposer& nothing_decided,
                            PlanPricer& pricer, std::vector<AutoStep>& steps) {
  try {
    const StepLimit limit(MostLoweringSteps);
    ScheduleComposer priced = composer;
    std::vector<AutoStep> its_steps = steps;
    bool has_prices = false;
    const auto price = [&](const Plan& plan) {
      const double seconds = pricer.price(plan).prediction.nonlinear_iteration;
      has_prices = has_prices || std::isfinite(seconds);
      return seconds;
    };
    auto done = decide_whole(priced, nothing_decided, pricer, price, its_steps);
    if (has_prices) {
      composer = std::move(priced);
      steps = std::move(its_steps);
      return done;
    }
  } catch (const OutOfSteps&) {
    logger("solve").debug("auto decides by estimates, since lowering takes too long");
  }
  const auto estimate = [&](const Plan& plan) { return pricer.estimated_seconds(plan); };
  return decide_whole(composer, nothing_decided, pricer, estimate, steps);
}

}  // namespace

std::string to_string(const AutoStep& step) {
  std::vector<std::string> compared;
  for (const auto& [name, seconds] : step.compared)
    compared.push_back(fmt::format("{} {}", name, quantity_text(seconds, "s")));
  std::string text = fmt::format("{}: {}", step.subject, compared.front());
  if (compared.size() > 1)
    text += fmt::format("; {}", fmt::join(compared.begin() + 1, compared.end(), ", "));
  return text;
}

Expected<AutoSchedule> autoschedule(const Energy& energy, const ConstructRegistry& constructs,
                                    PlanPricer& pricer, std::int64_t memory_limit) {
  std::vector<AutoStep> steps;
  AutoSearch search(energy, pricer, memory_limit);
  const auto classes = classes_worth_merging(energy, constructs, search, steps);
  if (!classes) return fail(classes.error());
  ScheduleComposer composer(energy, constructs);
  const auto is_wanted = [&](const DomainClass& dims) { return classes->contains(dims); };
  if (auto done = composer.merge(is_wanted); !done) return fail(done.error());

  const std::vector<Part> parts = composer.plan().parts;
  StoredChoice choice = choose_stored(energy, parts, search);
  AutoSearch::Outcome outcome = search.best(parts, choice.stored);
  if (outcome.product_bytes > static_cast<double>(memory_limit)) {
    // Each part fits, all together do not: none may store more than its share.
    AutoSearch frugal(energy, pricer, memory_limit / static_cast<std::int64_t>(parts.size()));
    choice = choose_stored(energy, parts, frugal);
    outcome = frugal.best(parts, choice.stored);
  }
  const StoredValues& stored = choice.stored;
  std::ranges::move(choice.steps, std::back_inserter(steps));
  std::ranges::move(outcome.steps, std::back_inserter(steps));
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

  ScheduleComposer nothing_decided(energy, constructs);
  if (pricer.options().program.is_deterministic) {
    if (auto done = nothing_decided.gather_most(); !done) return fail(done.error());
  }
  if (auto done = decide_whole(composer, nothing_decided, pricer, steps); !done)
    return fail(done.error());
  auto schedule = normal_form(energy, std::move(composer).take(), constructs);
  if (!schedule) return fail(schedule.error());
  return AutoSchedule{*std::move(schedule), std::move(steps)};
}

}  // namespace thallo
