#include "core/cost/autoschedule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/kernel/frequency.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/gather.h"
#include "core/schedule/plan_names.h"
#include "core/schedule/schedule_composer.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();
// A decision against a default must promise this share of the time; what promises less is left.
constexpr double WorthDeciding = 0.005;
// Passes over the intermediates, each of which may make another decision worth while.
constexpr int MaxPasses = 3;

using Stored = std::vector<Materialization>;

// How often a phase runs in a nonlinear iteration.
double runs(Phase phase, double linear_iterations) {
  switch (frequency_of(phase)) {
    case Frequency::Solve: return 0;
    case Frequency::NonlinearIteration: return 1;
    case Frequency::LinearIteration: return linear_iterations;
    case Frequency::ResidualReset: return 0;
  }
  THALLO_UNREACHABLE();
}

// A part with the cheapest of all that can be decided about it alone.
struct BestPart {
  Part part;
  double seconds = Never;
};

class AutoSearch {
 public:
  AutoSearch(const Energy& energy, Estimator& estimator, const CostModel& model,
             const DeviceSpec& device, const AutoOptions& options)
      : energy_(energy),
        estimator_(estimator),
        model_(model),
        device_(device),
        options_(options),
        frame_(estimator.frame(Stored(energy.intermediates().size()), 0)) {}

  // Seconds of a nonlinear iteration, without the solver's own steps, and the parts of it.
  struct Outcome {
    double seconds = Never;
    std::vector<BestPart> parts;
  };
  Outcome best(const std::vector<Part>& parts, const Stored& stored) {
    Outcome outcome{.seconds = 0, .parts = {}};
    for (const Part& part : parts) {
      outcome.parts.push_back(best(part, stored));
      outcome.seconds += outcome.parts.back().seconds;
    }
    for (std::size_t i = 0; i < stored.size(); ++i) outcome.seconds += storing(i, stored);
    return outcome;
  }

  // Decides what is stored of intermediates: those that read nothing first, and again while it
  // helps.
  Stored choose_stored(const std::vector<Part>& parts) {
    Stored stored(energy_.intermediates().size());
    double seconds = best(parts, stored).seconds;
    for (int pass = 0; pass < MaxPasses; ++pass) {
      bool has_changed = false;
      for (std::size_t i = 0; i < stored.size(); ++i) {
        for (const Materialization choice : choices(i)) {
          if (choice == stored[i]) continue;
          Stored other = stored;
          other[i] = choice;
          const double its = best(parts, other).seconds;
          if (its >= seconds * (1 - WorthDeciding)) continue;
          seconds = its;
          stored = std::move(other);
          has_changed = true;
        }
      }
      if (!has_changed) break;
    }
    return stored;
  }

  const BestPart& best(const Part& part, const Stored& stored) {
    std::pair<std::vector<ResidualRef>, std::vector<std::pair<bool, bool>>> key{part.residuals, {}};
    for (const std::size_t i : estimator_.intermediates_of(part.residuals))
      key.second.emplace_back(stored[i].value, stored[i].gradient);
    if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
    return parts_.emplace(std::move(key), cheapest(part, stored)).first->second;
  }

 private:
  std::vector<Materialization> choices(std::size_t intermediate) const {
    std::vector<Materialization> result = {{}, {.value = true}};
    if (check_gradient(energy_, intermediate)) {
      result.push_back({.gradient = true});
      result.push_back({.value = true, .gradient = true});
    }
    return result;
  }

  double seconds_of(const std::vector<StepWork>& steps, double product_bytes) {
    if (product_bytes > static_cast<double>(options_.memory_limit)) return Never;
    const double bytes = frame_.loop_bytes;
    frame_.loop_bytes += product_bytes;
    double seconds = 0;
    for (const StepWork& step : steps) {
      const double times = runs(step.phase, options_.linear_iterations);
      if (times > 0) seconds += times * model_.seconds(step, frame_, device_);
    }
    const bool fits = frame_.bytes + product_bytes <= device_.memory;
    frame_.loop_bytes = bytes;
    return fits ? seconds : Never;
  }

  double storing(std::size_t intermediate, const Stored& stored) {
    if (!stored[intermediate].value && !stored[intermediate].gradient) return 0;
    return seconds_of(estimator_.intermediate(intermediate, stored), 0);
  }

  double seconds_of(const Part& part, const Stored& stored) {
    const Estimator::PartWork work = estimator_.part(part, stored);
    return seconds_of(work.steps, work.product_bytes);
  }

  BestPart cheapest(const Part& part, const Stored& stored) {
    BestPart best{part, seconds_of(part, stored)};
    for (const std::vector<DomainId>& order : orders(part)) {
      BestPart in_order = cheapest_in_order(part, order, stored);
      const bool is_first = order == part.order;
      if (in_order.seconds < best.seconds * (1 - (is_first ? 0 : WorthDeciding)))
        best = std::move(in_order);
    }
    return best;
  }

  // Each domain once as the first, the declared one before the others.
  static std::vector<std::vector<DomainId>> orders(const Part& part) {
    std::vector<std::vector<DomainId>> result;
    for (const DomainId first : part.order) {
      std::vector<DomainId> order = {first};
      for (const DomainId other : part.order)
        if (other != first) order.push_back(other);
      result.push_back(std::move(order));
    }
    return result;
  }

  BestPart cheapest_in_order(const Part& part, const std::vector<DomainId>& order,
                             const Stored& stored) {
    Part start = part;
    start.order = order;
    const bool can_gather = check_gather(energy_, part.residuals).has_value();
    if (can_gather) {
      Part gathered = start;
      gathered.jtf = ComputeAt::Output;
      if (seconds_of(gathered, stored) < seconds_of(start, stored) * (1 - WorthDeciding))
        start = std::move(gathered);
    }
    BestPart best{start, seconds_of(start, stored)};
    for (const Part& candidate : operators(start, can_gather)) {
      const double seconds = seconds_of(candidate, stored);
      if (seconds < best.seconds * (1 - WorthDeciding)) best = {candidate, seconds};
    }
    return best;
  }

  // All ways to apply the operator of a part, beside the one it has.
  std::vector<Part> operators(const Part& part, bool can_gather) const {
    std::vector<Part> result;
    const auto add = [&result](Part candidate) { result.push_back(std::move(candidate)); };
    for (const Strategy strategy : AllStrategies) {
      Part with = part;
      with.strategy = strategy;
      const std::vector<StorageFormat> j_formats =
          stores_j(strategy) ? legal_formats(with, StoredProduct::J)
                             : std::vector<StorageFormat>{StorageFormat::Structured};
      for (const StorageFormat j : j_formats) {
        with.j_format = j;
        if (stores_jtj(strategy)) {
          for (const StorageFormat jtj : legal_formats(with, StoredProduct::JtJ)) {
            with.jtj_format = jtj;
            add(with);
          }
          continue;
        }
        add(with);
        if (!can_gather || j != StorageFormat::Structured) continue;
        Part gathered = with;
        (stores_jp(strategy) ? gathered.jt : gathered.jtjp) = ComputeAt::Output;
        add(std::move(gathered));
      }
    }
    return result;
  }

  const Energy& energy_;
  Estimator& estimator_;
  const CostModel& model_;
  const DeviceSpec& device_;
  const AutoOptions& options_;
  ProgramWork frame_;
  std::map<std::pair<std::vector<ResidualRef>, std::vector<std::pair<bool, bool>>>, BestPart>
      parts_;
};

// Groups over domains of equal dims, in equal order: those that can be one part.
using DomainClass = std::vector<DimId>;

DomainClass class_of(const Energy& energy, std::size_t group) {
  DomainClass dims;
  for (const DomainId domain : energy.groups()[group].domains)
    dims.push_back(energy.graph().indices().domain(domain).dim);
  return dims;
}

// Merges the groups of the classes that are wanted.
Expected<void> merge(ScheduleComposer& composer, const Energy& energy,
                     const std::set<DomainClass>& classes) {
  return composer.choose("split_merge", [&](const Site& site, const Choice& choice) {
    const auto with = choice.args.find<std::string>("with");
    if (!with || !site.name.ends_with("[1]")) return false;
    const DomainClass own = class_of(energy, find_residual(energy, site.name)->group);
    return classes.contains(own) && own == class_of(energy, find_residual(energy, *with)->group);
  });
}

// The classes whose groups are cheaper as one part, with nothing stored of intermediates.
Expected<std::set<DomainClass>> classes_worth_merging(const Energy& energy,
                                                      const ConstructRegistry& constructs,
                                                      AutoSearch& search) {
  std::set<DomainClass> all;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) all.insert(class_of(energy, g));
  ScheduleComposer merged(energy, constructs);
  if (auto done = merge(merged, energy, all); !done) return fail(done.error());
  const Stored nothing(energy.intermediates().size());
  std::map<DomainClass, double> gain;
  for (const Part& part : merged.plan().parts)
    gain[class_of(energy, part.residuals.front().group)] -= search.best(part, nothing).seconds;
  for (const Part& part : default_plan(energy).parts)
    gain[class_of(energy, part.residuals.front().group)] += search.best(part, nothing).seconds;
  std::erase_if(all, [&gain](const DomainClass& dims) { return gain[dims] <= 0; });
  return all;
}

}  // namespace

Expected<AutoSchedule> autoschedule(const Energy& energy, const ConstructRegistry& constructs,
                                    Estimator& estimator, const CostModel& model,
                                    const DeviceSpec& device, const AutoOptions& options) {
  AutoSearch search(energy, estimator, model, device, options);
  const auto classes = classes_worth_merging(energy, constructs, search);
  if (!classes) return fail(classes.error());
  ScheduleComposer composer(energy, constructs);
  if (auto done = merge(composer, energy, *classes); !done) return fail(done.error());

  const std::vector<Part> parts = composer.plan().parts;
  const Stored stored = search.choose_stored(parts);
  const AutoSearch::Outcome outcome = search.best(parts, stored);
  const auto wanted = [&](std::string_view part) -> const Part& {
    const auto found = std::ranges::find_if(
        outcome.parts, [&](const BestPart& best) { return best.part.name == part; });
    THALLO_ASSERT(found != outcome.parts.end(), "no part '{}'", part);
    return found->part;
  };

  using Want = std::pair<std::string_view, ScheduleComposer::Wanted>;
  const Want wants[] = {
      {"materialize",
       [&](const Site& site, const Choice& choice) {
         std::size_t i = 0;
         while (energy.field(energy.intermediates()[i].field).name != site.name) ++i;
         return choice.args.value_or("value", false) == stored[i].value &&
                choice.args.value_or("gradient", false) == stored[i].gradient;
       }},
      {"strategy",
       [&](const Site& site, const Choice& choice) {
         return choice.label == to_string(wanted(site.name).strategy);
       }},
      {"compute_at_output",
       [&](const Site& site, const Choice& choice) {
         const MemberName name = parse_member_name(site.name);
         const Part& part = wanted(name.part);
         const ComputeAt at = name.member == "JtF"  ? part.jtf
                              : name.member == "Jt" ? part.jt
                                                    : part.jtjp;
         return (at == ComputeAt::Output) == (choice.label == "output");
       }},
      {"storage",
       [&](const Site& site, const Choice& choice) {
         const MemberName name = parse_member_name(site.name);
         const Part& part = wanted(name.part);
         return choice.label == to_string(name.member == "J" ? part.j_format : part.jtj_format);
       }},
      {"reorder",
       [&](const Site& site, const Choice& choice) {
         std::string label;
         for (const DomainId domain : wanted(site.name).order)
           label += (label.empty() ? "" : ", ") + domain_name(energy, wanted(site.name), domain);
         return choice.label == label;
       }},
  };
  for (const auto& [construct, is_wanted] : wants)
    if (auto done = composer.choose(construct, is_wanted); !done) return fail(done.error());

  const auto predicted = [&](const Plan& plan) {
    return predicted_seconds(plan, estimator, model, device, options);
  };
  // Parts were decided one by one; what they have in common may make the whole slower than nothing.
  const double seconds = predicted(composer.plan());
  const double of_default = predicted(default_plan(energy));
  if (of_default <= seconds) return AutoSchedule{Schedule(), of_default};
  auto schedule = normal_form(energy, std::move(composer).take(), constructs);
  if (!schedule) return fail(schedule.error());
  return AutoSchedule{*std::move(schedule), seconds};
}

double predicted_seconds(const Plan& plan, Estimator& estimator, const CostModel& model,
                         const DeviceSpec& device, const AutoOptions& options) {
  Plan weighed = plan;
  weighed.precision = options.precision;
  return predict(model, estimator.estimate(weighed), device,
                 {.linear_iterations = options.linear_iterations, .reset_period = 0})
      .nonlinear_iteration;
}

}  // namespace thallo
