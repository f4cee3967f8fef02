#include "core/cli/reproduce/switched_search.h"

#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "core/backend/host_machine.h"
#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/base/suggest.h"
#include "core/cli/interrupt.h"
#include "core/cli/reproduce/searching.h"
#include "core/cli/require.h"
#include "core/explore/search/prediction.h"

namespace thallo::cli {
namespace {

constexpr const char* FallingFigure = "best";  // the others rise while a search runs

double shown_value(const SearchFigure& figure) {
  switch (figure.unit) {
    case SearchFigure::Unit::Bytes: return figure.value / 1e6;
    case SearchFigure::Unit::Share: return figure.value * 100;
    case SearchFigure::Unit::Count:
    case SearchFigure::Unit::Seconds: return figure.value;
  }
  THALLO_UNREACHABLE();
}

// It is not complete if it was ended before its limit.
MeasuredCase run_switched(const CaseToMeasure& its, const Quantity& quantity) {
  const double wanted = its.input.seconds;
  const double limit = its.budget.limit_now(wanted);
  InterruptWatch interrupt;
  const StopScope scope(interrupt.stop());
  ExplorationRequest request = search_request(its, quantity, limit);
  request.target.backend = "cuda";
  request.measurer.resources.is_cancelled = &interrupt.is_interrupted();
  const auto prediction = require(PredictedExploration::open(its.run.session, std::move(request)));
  interrupt.keep();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  require(prediction->run());
  const std::chrono::duration<double> seconds = Clock::now() - start;
  MeasuredCase part;
  const bool is_cut = prediction->ending() != SearchEnding::Finished;
  part.is_complete = !interrupt.is_interrupted() && (!is_cut || limit >= its.budget.limit(wanted));
  const auto bound = [is_cut](Bound of_cut) { return is_cut ? of_cut : Bound::Exact; };
  if (is_cut) part.limit = limit;
  part.set(SearchSeconds, seconds.count(), bound(Bound::AtLeast));
  for (const SearchFigure& figure : prediction->figures())
    part.set(figure.name, shown_value(figure),
             bound(figure.name == FallingFigure ? Bound::AtMost : Bound::AtLeast));
  part.conditions = fmt::format("{}, times predicted for {}; searched on {}.",
                                prediction->problem().instance.title, prediction->device().name,
                                host_machine().processor);
  return part;
}

double figure_of(const MeasuredCase& part, const Quantity& quantity) {
  const auto found = part.values.find(quantity.figure);
  if (found != part.values.end()) return found->second;
  std::vector<std::string> legal;
  for (const auto& [name, value] : part.values) legal.push_back(name);
  throw UserError(Diagnostic{fmt::format("the search {} reports no '{}'{}", quantity.search,
                                         quantity.figure, did_you_mean(quantity.figure, legal)),
                             {},
                             legal});
}

}  // namespace

MeasuredCase switched_search(const CaseToMeasure& its) {
  MeasuredCase measured;
  for (const Quantity& quantity : its.item.quantities) {
    if (quantity.search.empty()) continue;
    const auto part = obtain_search(its, quantity, [&] { return run_switched(its, quantity); });
    if (!part) continue;
    measured.set(quantity.key, figure_of(*part, quantity), part->bound(quantity.figure));
    measured.conditions = part->conditions;
  }
  return measured;
}

}  // namespace thallo::cli
