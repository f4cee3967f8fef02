#include "core/cost/autoschedule/autoschedule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/quantity_text.h"
#include "core/cost/autoschedule/part_search.h"
#include "core/cost/autoschedule/stored_choice.h"
#include "core/cost/autoschedule/whole_choice.h"
#include "core/schedule/arguments.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/gather.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// The dims of groups that can be one part.
using DomainClass = std::vector<DimId>;

std::string class_text(const Energy& energy, const DomainClass& dims) {
  std::vector<std::string_view> names;
  for (const DimId dim : dims) names.push_back(energy.dim(dim).name);
  return fmt::format("groups over ({})", fmt::join(names, ", "));
}

// Groups of a class may join each other one by one, if there are no more.
constexpr std::size_t MostJoining = 8;

// Which groups are to be one part.
struct Merging {
  std::set<DomainClass> classes;             // all groups of these
  std::map<std::string, std::string> joins;  // of others: "dy[1]" joins by the choice "with dx[1]"

  Expected<void> apply(ScheduleComposer& composer) const {
    THALLO_CHECK(composer.merge([&](const DomainClass& dims) { return classes.contains(dims); }));
    return composer.choose("split_merge", [&](const Site& site) {
      const auto found = joins.find(site.name);
      return found != joins.end() ? found->second : std::string();
    });
  }
};

// Finds out which groups are cheaper together, with nothing stored of intermediates.
class MergingSearch {
 public:
  MergingSearch(const Energy& energy, const ConstructRegistry& constructs, AutoSearch& search)
      : energy_(energy),
        constructs_(constructs),
        search_(search),
        nothing_(no_stored_values(energy)) {}

  // Groups of a class are one part or apart, or may join one by one.
  Expected<Merging> run(bool may_join, std::vector<AutoStep>& steps) {
    ScheduleComposer merged(energy_, constructs_);
    THALLO_CHECK(merged.merge([](const DomainClass&) { return true; }));
    const std::map<DomainClass, Parts> as_one = parts_of(merged.plan());
    Merging merging;
    for (const auto& [dims, apart] : parts_of(default_plan(energy_))) {
      const Parts& together = as_one.at(dims);
      if (apart.firsts.size() == together.firsts.size()) continue;
      std::vector<AutoStep::Compared> compared = {{"apart", apart.seconds},
                                                  {"one part", together.seconds}};
      Merging joined;
      if (may_join && apart.firsts.size() > 2 && apart.firsts.size() <= MostJoining) {
        THALLO_TRY(const auto seconds, join(apart.firsts, joined));
        const std::size_t number = apart.firsts.size() - joined.joins.size();
        if (number > together.firsts.size() && number < apart.firsts.size())
          compared.push_back({fmt::format("{} parts", number), seconds});
      }
      std::ranges::stable_sort(compared, {}, &AutoStep::Compared::seconds);
      if (compared.front().name == "one part") {
        merging.classes.insert(dims);
      } else if (compared.front().name != "apart") {
        merging.joins.merge(joined.joins);
      }
      steps.push_back({class_text(energy_, dims), std::move(compared)});
    }
    return merging;
  }

 private:
  struct Parts {
    std::vector<std::size_t> firsts;  // the first group of each
    double seconds = 0;
  };
  std::map<DomainClass, Parts> parts_of(const Plan& plan) {
    std::map<DomainClass, Parts> all;
    for (const Part& part : plan.parts) {
      const std::size_t first = part.residuals.front().group;
      Parts& its = all[dims_of(energy_, first)];
      its.firsts.push_back(first);
      its.seconds += search_.best_seconds({part}, nothing_);
    }
    return all;
  }

  // Lets each group join the part before it with which it saves most. Returns what they take.
  Expected<double> join(const std::vector<std::size_t>& groups, Merging& merging) {
    std::map<std::size_t, double> parts;  // seconds, by the first group
    for (const std::size_t group : groups) {
      const std::string name = residual_name(energy_, {group, 0});
      const double alone =
          search_.best_seconds({part_with(default_plan(energy_), group)}, nothing_);
      double least = alone * (1 - WorthDeciding);  // that it adds
      std::optional<std::size_t> best;
      for (const auto& [first, seconds] : parts) {
        Merging tried = merging;
        tried.joins[name] = "with " + residual_name(energy_, {first, 0});
        ScheduleComposer composer(energy_, constructs_);
        THALLO_CHECK(tried.apply(composer));
        const Part part = part_with(composer.plan(), group);
        if (part.residuals.front().group != first) continue;  // not legal
        const double more = search_.best_seconds({part}, nothing_) - seconds;
        if (more >= least) continue;
        least = more;
        best = first;
      }
      if (best) {
        merging.joins[name] = "with " + residual_name(energy_, {*best, 0});
        parts[*best] += least;
      } else {
        parts[group] = alone;
      }
    }
    double all = 0;
    for (const auto& [first, seconds] : parts) all += seconds;
    return all;
  }
  static Part part_with(const Plan& plan, std::size_t group) {
    return *std::ranges::find_if(plan.parts, [&](const Part& part) {
      return std::ranges::find(part.residuals, group, &ResidualRef::group) != part.residuals.end();
    });
  }

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  AutoSearch& search_;
  StoredValues nothing_;
};

// How parts that convolve are multiplied: as is cheapest without tiles, or for them, by two
// gathers.
enum class Convolution { Cheapest, Gathered };

// Decides what is stored, and about each part, once it is known which groups are one.
Expected<void> decide_parts(ScheduleComposer& composer, PlanPricer& pricer, AutoSearch& search,
                            std::int64_t memory_limit, Convolution convolution,
                            std::vector<AutoStep>& steps) {
  const Energy& energy = pricer.energy();

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
  for (Part& part : outcome.parts) {
    if (convolution == Convolution::Cheapest || !convolves(energy, part)) continue;
    part.strategy = Strategy::StoredJp;
    part.jt = most_gathered(energy, part.residuals);
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
  for (const auto& [construct, label] : wants) THALLO_CHECK(composer.choose(construct, label));
  return {};
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
  MergingSearch mergings(energy, constructs, search);
  ScheduleComposer composer(energy, constructs);
  Merging merging;
  // What is cheaper with nothing stored may be dearer with what is stored then.
  for (const bool may_join : {false, true}) {
    std::vector<AutoStep> its_steps;
    THALLO_TRY(Merging its_merging, mergings.run(may_join, its_steps));
    if (may_join && its_merging.joins.empty()) continue;
    ScheduleComposer its(energy, constructs);
    THALLO_CHECK(its_merging.apply(its));
    THALLO_CHECK(decide_parts(its, pricer, search, memory_limit, Convolution::Cheapest, its_steps));
    if (may_join && !is_sooner(its.plan(), composer.plan(), pricer)) continue;
    composer = std::move(its);
    steps = std::move(its_steps);
    merging = std::move(its_merging);
  }

  THALLO_TRY(const auto named,
             named_choices(energy, constructs, pricer.options().program.is_deterministic));
  const auto its_parts = composer.plan().parts;
  THALLO_CHECK(decide_whole(composer, named, pricer, steps));
  const bool has_convolution =
      std::ranges::any_of(its_parts, [&](const Part& part) { return convolves(energy, part); });
  if (pricer.device().lanes > 1 && has_convolution) {
    std::vector<AutoStep> its_steps;
    ScheduleComposer its(energy, constructs);
    THALLO_CHECK(merging.apply(its));
    THALLO_CHECK(decide_parts(its, pricer, search, memory_limit, Convolution::Gathered, its_steps));
    THALLO_CHECK(decide_whole(its, named, pricer, its_steps));
    if (is_sooner(its.plan(), composer.plan(), pricer)) {
      composer = std::move(its);
      steps = std::move(its_steps);
    }
  }
  THALLO_TRY(auto schedule, normal_form(energy, std::move(composer).take(), constructs));
  return AutoSchedule{std::move(schedule), std::move(steps)};
}

}  // namespace thallo
