#include "core/schedule/named_schedules.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

Expected<void> merge_equal_domains(ScheduleComposer& composition) {
  return composition.merge([](const std::vector<DimId>&) { return true; });
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
  THALLO_CHECK(merge_equal_domains(composition));
  THALLO_CHECK(composition.choose("strategy", [&](const Site& site) {
    const Part& part = *find_part(composition.plan(), site.name);
    const bool is_stored = contains_sum(energy, composition.plan(), part);
    return std::string(to_string(is_stored ? Strategy::StoredJp : Strategy::JtJp));
  }));
  THALLO_CHECK(composition.choose("sum_parallelize", [](const Site&) { return "parallel"; }));
  return composition.choose("aggregate", [](const Site&) { return "each lane"; });
}

// Gathers for stencils, scatters for graphs and Sums: where every element is read by every point of
// a Sum, gathering would compute the whole Sum for each of them.
Expected<void> opt(const Energy& energy, ScheduleComposer& composition) {
  THALLO_CHECK(merge_equal_domains(composition));
  return composition.choose("compute_at_output", [&](const Site& site) {
    const std::string part = site.name.substr(0, site.name.rfind('.'));
    const Part& gathered = *find_part(composition.plan(), part);
    const bool gathers = !reads_through_map(energy, gathered.residuals) &&
                         !contains_sum(energy, composition.plan(), gathered);
    return std::string(gathers ? AtOutput : AtResidual);
  });
}

}  // namespace

Expected<Schedule> gathered_schedule(const Energy& energy, const ConstructRegistry& constructs) {
  ScheduleComposer composition(energy, constructs);
  THALLO_CHECK(composition.gather_most());
  return std::move(composition).take();
}

Expected<ScheduleComposer> compose_named(std::string_view name, const Energy& energy,
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
  return composition;
}

Expected<Schedule> named_schedule(std::string_view name, const Energy& energy,
                                  const ConstructRegistry& constructs) {
  THALLO_TRY(auto composition, compose_named(name, energy, constructs));
  return std::move(composition).take();
}

}  // namespace thallo
