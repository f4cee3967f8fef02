#include "core/cli/reproduce/searching.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/cli/reproduce/case_key.h"
#include "core/cli/require.h"
#include "core/search/search.h"

namespace thallo::cli {
namespace {

const Search& search_of(const CaseToMeasure& its, const Quantity& quantity) {
  return *require(its.run.session.searches().lookup(quantity.search));
}

Options search_options(const CaseToMeasure& its, const Quantity& quantity) {
  const std::vector<OptionSpec> specs = search_of(its, quantity).options();
  Options given = quantity.options;
  for (const std::string& name : its.input.search.names())
    if (std::ranges::find(specs, name, &OptionSpec::name) != specs.end())
      given.set(name, *its.input.search.find_value(name));
  return require(complete_options(specs, given));
}

}  // namespace

ExplorationRequest search_request(const CaseToMeasure& its, const Quantity& quantity,
                                  double limit) {
  ExplorationRequest request{.target = {.problem = its.one.problem,
                                        .options = its.input.options,
                                        .backend = its.run.backend,
                                        .device = its.run.device,
                                        .device_spec = its.item.device_spec,
                                        .solver_options = its.input.settings,
                                        .num_threads = its.run.num_threads,
                                        .plugin_path = its.run.session.plugin_path()},
                             .search = quantity.search,
                             .search_options = search_options(its, quantity)};
  if (its.input.samples > 0 && search_of(its, quantity).takes_samples())
    request.samples = its.input.samples;
  request.measurer.resources.budget = std::chrono::milliseconds(std::llround(1e3 * limit));
  return request;
}

std::optional<MeasuredCase> obtain_search(const CaseToMeasure& its, const Quantity& quantity,
                                          const CaseParts::Measure& measure) {
  const bool draws = search_of(its, quantity).takes_samples();
  const SearchOfCase search = {its.item.method, quantity.search, search_options(its, quantity),
                               draws ? its.input.samples : 0, its.item.device_spec};
  return its.parts.obtain(quantity.is_shown() ? quantity.title : quantity.key,
                          search_key(search, its.one, its.written), its.input.seconds, measure);
}

}  // namespace thallo::cli
