#include "core/schedule/named_schedules.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/schedule/gather.h"
#include "core/schedule/schedule_composer.h"

namespace thallo {
namespace {

// The first residual of a group joins the first part that takes it; the others stay with it.
Expected<void> merge_equal_domains(ScheduleComposer& composition) {
  return composition.choose("split_merge", [](const Site& site, const Choice& choice) {
    return site.name.ends_with("[1]") && choice.args.has("with");
  });
}

bool contains_sum(const Energy& energy, const Plan& plan, const Part& part) {
  std::vector<ExprId> roots;
  for (const auto [group, residual] : part.residuals) {
    roots.push_back(energy.groups()[group].residuals[residual]);
  }
  const std::vector<ExprId> nodes = nodes_behind(energy.data(), std::move(roots));
  return std::ranges::any_of(
      plan.sums, [&](const PlannedSum& sum) { return std::ranges::binary_search(nodes, sum.sum); });
}

Expected<void> published_default(const Energy& energy, ScheduleComposer& composition) {
  if (auto done = merge_equal_domains(composition); !done) return done;
  const auto chosen = composition.choose("strategy", [&](const Site& site, const Choice& choice) {
    return choice.label == to_string(Strategy::StoredJp) &&
           contains_sum(energy, composition.plan(), *find_part(composition.plan(), site.name));
  });
  if (!chosen) return chosen;
  const auto parallel = composition.choose(
      "sum_parallelize", [](const Site&, const Choice& c) { return c.label == "parallel"; });
  if (!parallel) return parallel;
  return composition.choose("aggregate",
                            [](const Site&, const Choice& c) { return c.label == "each lane"; });
}

// Gathers for stencils, scatters for graphs and Sums: where every element is read by every point of
// a Sum, gathering would compute the whole Sum for each of them.
Expected<void> opt(const Energy& energy, ScheduleComposer& composition) {
  if (auto done = merge_equal_domains(composition); !done) return done;
  return composition.choose("compute_at_output", [&](const Site& site, const Choice& choice) {
    const std::string part = site.name.substr(0, site.name.rfind('.'));
    const Part& gathered = *find_part(composition.plan(), part);
    return choice.label == AtOutput && !reads_through_map(energy, gathered.residuals) &&
           !contains_sum(energy, composition.plan(), gathered);
  });
}

}  // namespace

Expected<Schedule> named_schedule(std::string_view name, const Energy& energy,
                                  const ConstructRegistry& constructs) {
  const std::vector<std::string> known(std::begin(NamedSchedules), std::end(NamedSchedules));
  if (std::ranges::find(known, name) == known.end()) {
    return fail(
        Diagnostic{fmt::format("no schedule '{}'{}", name, did_you_mean(name, known)), {}, known});
  }
  ScheduleComposer composition(energy, constructs);
  Expected<void> composed;
  if (name == "published-default") composed = published_default(energy, composition);
  if (name == "opt") composed = opt(energy, composition);
  if (!composed) return fail(composed.error());
  return std::move(composition).take();
}

}  // namespace thallo
