#include "core/cost/autoschedule/whole_choice.h"

#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cost/autoschedule/part_search.h"
#include "core/kernel/lower.h"
#include "core/schedule/arguments.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/gather.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// Lowering programs for prices may take so many steps, about a second.
constexpr std::int64_t MostLoweringSteps = 2'000'000;

// Times an estimate, which is off by up to a quarter.
constexpr double FarBehind = 1.3;

using PlanSeconds = std::function<double(const Plan&)>;

void take_fastest(ScheduleComposer& composer, const std::vector<NamedChoice>& named,
                  PlanPricer& pricer, const PlanSeconds& seconds_of, std::vector<AutoStep>& steps) {
  double seconds = seconds_of(composer.plan());
  // Nothing is lowered for a schedule that is far behind even by an estimate.
  const double most_estimated = FarBehind * pricer.estimated_seconds(composer.plan());
  std::vector<AutoStep::Compared> compared = {{"as decided", seconds}};
  for (const NamedChoice& other : named) {
    const bool decides_nothing = &other == &named.front();
    const Plan& plan = other.composer.plan();
    if (!decides_nothing && (pricer.estimated_seconds(plan) > most_estimated ||
                             !check_program(pricer.energy(), plan, pricer.options().program)))
      continue;
    const double its = seconds_of(plan);
    compared.push_back({other.name, its});
    if (its > seconds || (its == seconds && !decides_nothing)) continue;
    composer = other.composer;
    seconds = its;
    std::swap(compared.front(), compared.back());
  }
  steps.push_back({"schedule", std::move(compared)});
}

Expected<void> block_vectors(ScheduleComposer& composer, PlanPricer& pricer,
                             const PlanSeconds& seconds_of, std::vector<AutoStep>& steps) {
  ScheduleComposer blocked = composer;
  const auto order = [](const Site&) { return std::string(to_string(VectorOrder::Blocked)); };
  THALLO_CHECK(blocked.choose("layout", order));
  if (!check_program(pricer.energy(), blocked.plan(), pricer.options().program)) return {};
  // Nothing is lowered for blocks that do not help even by an estimate.
  if (pricer.estimated_seconds(blocked.plan()) >= pricer.estimated_seconds(composer.plan()))
    return {};
  const double plain = seconds_of(composer.plan()), in_blocks = seconds_of(blocked.plan());
  std::vector<AutoStep::Compared> orders = {{"plain", plain}, {"blocked", in_blocks}};
  if (in_blocks < plain * (1 - WorthBlocking)) {
    composer = std::move(blocked);
    std::swap(orders.front(), orders.back());
  }
  steps.push_back({"vectors", std::move(orders)});
  return {};
}

// The launch shapes with tiles (construct block) that are tried.
constexpr std::string_view Tiles[] = {"threads=256, rows=2, width=32",
                                      "threads=256, rows=4, width=32",
                                      "threads=128, rows=8, width=32"};

// Lets blocks of a GPU compute tiles of convolutions in kernels of the linear loop, where that
// promises a clear gain. Of stencils, whose reads the caches serve as well, tiles are not as fast
// as their prices say: on an H200 image_warping takes 1.3 to 1.4 times as long with them.
Expected<void> decide_tiles(ScheduleComposer& composer, const PlanPricer& pricer,
                            const PlanSeconds& seconds_of, std::vector<AutoStep>& steps) {
  if (pricer.device().lanes == 1) return {};
  double seconds = seconds_of(composer.plan());
  for (const Part& part : std::vector(composer.plan().parts)) {
    if (!convolves(pricer.energy(), part)) continue;
    for (const Role role : {Role::Jp, Role::Jt, Role::JtJp}) {
      const std::string kernel = MemberName{part.name, std::string(to_string(role))}.text();
      std::vector<AutoStep::Compared> compared = {{"the backend's", seconds}};
      double least = seconds * (1 - WorthTiling);
      ScheduleComposer best = composer;
      for (const std::string_view shape : Tiles) {
        ScheduleComposer tiled = composer;
        const auto label = [&](const Site& site) {
          return std::string(site.name == kernel ? shape : std::string_view());
        };
        THALLO_CHECK(tiled.choose("block", label));
        if (tiled.plan().extensions.size() == composer.plan().extensions.size()) break;
        AutoStep::Compared its{std::string(shape), seconds_of(tiled.plan())};
        const bool is_best = its.seconds < least;
        compared.insert(is_best ? compared.begin() : compared.end(), its);
        if (!is_best) continue;
        least = seconds = its.seconds;
        best = std::move(tiled);
      }
      if (compared.size() == 1) continue;
      composer = std::move(best);
      steps.push_back({"blocks of " + kernel, std::move(compared)});
    }
  }
  return {};
}

Expected<void> decide_by(const PlanSeconds& seconds_of, ScheduleComposer& composer,
                         const std::vector<NamedChoice>& named, PlanPricer& pricer,
                         std::vector<AutoStep>& steps) {
  take_fastest(composer, named, pricer, seconds_of, steps);
  THALLO_CHECK(block_vectors(composer, pricer, seconds_of, steps));
  return decide_tiles(composer, pricer, seconds_of, steps);
}

}  // namespace

Expected<std::vector<NamedChoice>> named_choices(const Energy& energy,
                                                 const ConstructRegistry& constructs,
                                                 bool is_deterministic) {
  std::vector<NamedChoice> all;
  if (is_deterministic) {
    ScheduleComposer gathered(energy, constructs);
    THALLO_CHECK(gathered.gather_most());
    all.push_back({"default", std::move(gathered)});
    return all;
  }
  for (const std::string_view name : NamedSchedules) {
    auto composer = compose_named(name, energy, constructs);
    if (!composer) continue;  // a construct that it needs is not loaded
    all.push_back({std::string(name), *std::move(composer)});
  }
  return all;
}

Expected<void> decide_whole(ScheduleComposer& composer, const std::vector<NamedChoice>& named,
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
    auto done = decide_by(price, priced, named, pricer, its_steps);
    if (has_prices) {
      composer = std::move(priced);
      steps = std::move(its_steps);
      return done;
    }
  } catch (const OutOfSteps&) {
    logger("solve").debug("auto decides by estimates, since lowering takes too long");
  }
  const auto estimate = [&](const Plan& plan) { return pricer.estimated_seconds(plan); };
  return decide_by(estimate, composer, named, pricer, steps);
}

bool convolves(const Energy& energy, const Part& part) {
  return part.order.size() > 1 && check_gather(energy, part.residuals) &&
         !reads_through_map(energy, part.residuals) && !check_jtj(energy, part.residuals);
}

bool is_sooner(const Plan& plan, const Plan& other, PlanPricer& pricer) {
  try {
    const StepLimit limit(MostLoweringSteps);
    const double its = pricer.price(plan).prediction.nonlinear_iteration;
    const double others = pricer.price(other).prediction.nonlinear_iteration;
    if (std::isfinite(its) || std::isfinite(others)) return its < others;
  } catch (const OutOfSteps&) {
    logger("solve").debug("auto compares parts by estimates, since lowering takes too long");
  }
  return pricer.estimated_seconds(plan) < pricer.estimated_seconds(other);
}

}  // namespace thallo
