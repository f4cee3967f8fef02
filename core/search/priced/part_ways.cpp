#include "core/search/priced/part_ways.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/search/subject.h"

namespace thallo {
namespace {

bool is_about(const Site& site, const std::string& part) {
  return subject_of(site) == Subject{SiteKind::Part, part};
}

}  // namespace

StepBounds::StepBounds(const Energy& energy, PlanPricer& pricer)
    : pricer_(pricer),
      least_(pricer.estimator().frame(no_stored_values(energy), 0)),
      most_(least_) {
  most_.loop_bytes = std::max(least_.loop_bytes, pricer.device().memory);
}

double StepBounds::of(const std::vector<StepWork>& steps, double product_bytes) {
  const PriceOptions& options = pricer_.options();
  const DeviceSpec& device = pricer_.device();
  const double loop_bytes = least_.loop_bytes;
  least_.loop_bytes += product_bytes;
  IterationTime time(device);
  for (const StepWork& step : steps) {
    const double seconds = std::min(options.model->seconds(step, least_, device),
                                    options.model->seconds(step, most_, device));
    time.add(step.phase, seconds, options.counts);
  }
  least_.loop_bytes = loop_bytes;
  return time.of_steps();
}

double StepBounds::beside_steps(const Plan& plan) {
  const BesideSteps beside = pricer_.estimate(plan).prediction.beside;
  return beside.loop_turns + beside.host;
}

double PartWays::bound() const {
  return ways.empty() ? std::numeric_limits<double>::infinity() : ways.front().bound;
}

bool visit_ways(const ScheduleSpace& space, ScheduleSpace::Node node, Stage last,
                const SiteFilter& is_wanted, const NodeVisitor& visitor) {
  while (const auto fork = space.next_fork(node, false)) {
    if (fork->construct->stage() > last) break;
    if (fork->offers.empty()) return true;
    if (is_wanted(fork->site)) {
      return std::ranges::all_of(fork->offers, [&](const ScheduleSpace::Offer& offer) {
        return visit_ways(space, space.taken(node, *fork, offer), last, is_wanted, visitor);
      });
    }
    node = space.taken(node, *fork, fork->offers.front());
  }
  return visitor(node);
}

const PartWays& PartWaysTable::of(const ScheduleSpace::Node& node, const Part& part,
                                  const StoredValues& stored) {
  Estimator& estimator = pricer_.estimator();
  Key key{part.residuals, stored.sums};
  for (const std::size_t i : estimator.intermediates_of(part.residuals, stored)) {
    key.second.push_back(stored.intermediates[i].value);
    key.second.push_back(stored.intermediates[i].gradient);
  }
  const auto [found, is_new] = found_.try_emplace(std::move(key));
  PartWays& result = found->second;
  if (!is_new) return result;
  const std::size_t num_before = node.decisions.directives.size();
  visit_ways(
      space_.full, node, Stage::LowLevel,
      [&](const Site& site) { return is_about(site, part.name); },
      [&](const ScheduleSpace::Node& leaf) {
        const Part* its = find_part(leaf.decisions.plan, part.name);
        PartWay way{.part = *its, .work = estimator.part(*its, stored, vectors_)};
        for (std::size_t d = num_before; d < leaf.decisions.directives.size(); ++d)
          if (is_about(leaf.decisions.directives[d].site, part.name))
            way.directives.push_back(leaf.decisions.directives[d]);
        way.bound = bounds_.of(way.work->steps, way.work->product_bytes);
        if (way.work->dense_product)
          way.of_dense_product = bounds_.of({*way.work->dense_product}, way.work->product_bytes);
        if (!way.work->sums.empty())
          way.of_sums = bounds_.of(estimator.sum_products(way.work->sums, stored, vectors_));
        result.ways.push_back(std::move(way));
        return !space_.is_over();
      });
  std::ranges::stable_sort(result.ways, {}, &PartWay::bound);
  if (!result.ways.empty())
    result.least_of_sums = std::ranges::min(result.ways, {}, &PartWay::of_sums).of_sums;
  return result;
}

}  // namespace thallo
