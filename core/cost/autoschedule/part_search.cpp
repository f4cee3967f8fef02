#include "core/cost/autoschedule/part_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "core/kernel/lower.h"
#include "core/schedule/gather.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();

// Each domain but the first once as the first.
std::vector<std::vector<DomainId>> other_orders(const Part& part) {
  std::vector<std::vector<DomainId>> result;
  for (std::size_t d = 1; d < part.order.size(); ++d) {
    std::vector<DomainId> order = {part.order[d]};
    for (const DomainId other : part.order)
      if (other != part.order[d]) order.push_back(other);
    result.push_back(std::move(order));
  }
  return result;
}

bool has_parallel(const StoredValues& stored) {
  for (const bool is_parallel : stored.sums)
    if (is_parallel) return true;
  return false;
}

void add_flags(const Materialization& stored, std::vector<bool>& flags) {
  flags.push_back(stored.value);
  flags.push_back(stored.gradient);
}

std::vector<bool> all_flags(const StoredValues& stored) {
  std::vector<bool> flags = stored.sums;
  for (const Materialization& intermediate : stored.intermediates) add_flags(intermediate, flags);
  return flags;
}

// True if JtJ may be added up entry by entry: in float, rounding leaves something of it in
// directions that no residual holds, along which Gauss-Newton, which does not damp, then steps far.
bool keeps_null_space(const ProgramOptions& program) {
  return program.solver != SolverKind::GaussNewton || program.precision == Precision::Double;
}

// "[JtJ]p, JtJ as csr, JtF at output"
std::string text_of(const Energy& energy, const Part& part) {
  std::string text(to_string(part.strategy));
  const auto stored = [&](std::string_view product, StorageFormat format) {
    if (format != StorageFormat::Structured)
      text += fmt::format(", {} as {}", product, to_string(format));
  };
  if (stores_j(part.strategy)) stored("J", part.j_format);
  if (stores_jtj(part.strategy)) stored("JtJ", part.jtj_format);
  const auto gathered = [&](std::string_view product, ComputeAt where) {
    if (where.gathers()) text += fmt::format(", {} at {}", product, label_of(energy, where));
  };
  gathered("JtF", part.jtf);
  if (stores_jp(part.strategy)) {
    gathered("Jt", part.jt);
  } else if (!stores_jtj(part.strategy)) {
    gathered("JtJp", part.jtjp);
  }
  return text;
}

}  // namespace

AutoSearch::AutoSearch(const Energy& energy, PlanPricer& pricer, std::int64_t memory_limit)
    : energy_(energy), pricer_(pricer), memory_limit_(static_cast<double>(memory_limit)) {
  const Plan plan = default_plan(energy);
  start_by_solver_ = std::max(0.0, pricer.share(*estimator().solver(plan, false)) -
                                       pricer.share(*estimator().solver(plan, true)));
}

bool AutoSearch::WeighedPart::is_worth_more_than(const WeighedPart& other) const {
  const bool stores_more = product_bytes > other.product_bytes;
  const double promise = !stores_more ? WorthDeciding : is_streamed ? WorthStreaming : WorthStoring;
  return seconds < other.seconds * (1 - promise);
}

void AutoSearch::BestPart::consider(WeighedPart part) {
  double& least = of_strategies.try_emplace(part.part.strategy, Never).first->second;
  least = std::min(least, part.seconds);
  if (part.starts_product && part.is_worth_more_than(of_starting)) of_starting = part;
  if (part.is_worth_more_than(of_all)) of_all = std::move(part);
}

// Each part at its best, but one that starts the product if that is less than what the solver takes
// to start it.
class AutoSearch::Together {
 public:
  Together(double seconds, double start_by_solver)
      : seconds_(seconds), start_by_solver_(start_by_solver) {}

  void add(const BestPart& part) {
    seconds_ += part.of_all.seconds - part.of_all.of_dense_product;
    of_dense_product_ = std::max(of_dense_product_, part.of_all.of_dense_product);
    const double start = part.of_all.starts_product ? 0
                         : std::isinf(part.of_starting.seconds)
                             ? Never
                             : part.of_starting.seconds - part.of_all.seconds;
    if (parts_.empty() || start < start_) {
      start_ = start;
      starting_ = parts_.size();
    }
    parts_.push_back(&part);
  }
  double seconds() const {
    return seconds_ + of_dense_product_ + std::min(start_, start_by_solver_);
  }
  const WeighedPart& part(std::size_t p) const {
    const bool starts = p == starting_ && start_ < start_by_solver_;
    return starts && !parts_[p]->of_all.starts_product ? parts_[p]->of_starting : parts_[p]->of_all;
  }

 private:
  double seconds_, start_by_solver_;
  double of_dense_product_ = 0;
  double start_ = 0;  // what it takes to have the part `starting_` start the product
  std::size_t starting_ = 0;
  std::vector<const BestPart*> parts_;
};

AutoSearch::Outcome AutoSearch::best(const std::vector<Part>& parts, const StoredValues& stored) {
  Together together(storing_all(stored), start_by_solver_);
  for (const Part& part : parts) together.add(best(part, stored));
  Outcome outcome{.seconds = together.seconds(), .product_bytes = 0};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const WeighedPart& chosen = together.part(p);
    outcome.product_bytes += chosen.product_bytes;
    outcome.parts.push_back(chosen.part);
    AutoStep step{"part " + chosen.part.name, {{text_of(energy_, chosen.part), chosen.seconds}}};
    for (const auto& [strategy, seconds] : best(parts[p], stored).of_strategies) {
      if (strategy != chosen.part.strategy && std::isfinite(seconds))
        step.compared.push_back({std::string(to_string(strategy)), seconds});
    }
    outcome.steps.push_back(std::move(step));
  }
  return outcome;
}

double AutoSearch::best_seconds(const std::vector<Part>& parts, const StoredValues& stored) {
  Together together(storing_all(stored), start_by_solver_);
  for (const Part& part : parts) together.add(best(part, stored));
  return together.seconds();
}

// What is stored of intermediates that the part does not read is none of its business.
const AutoSearch::BestPart& AutoSearch::best(const Part& part, const StoredValues& stored) {
  std::pair<std::vector<ResidualRef>, Flags> key{part.residuals, {}};
  if (has_parallel(stored)) {
    key.second = all_flags(stored);
  } else {
    for (const std::size_t i : estimator().intermediates_of(part.residuals, stored))
      add_flags(stored.intermediates[i], key.second);
  }
  if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
  return parts_.emplace(std::move(key), cheapest(part, stored)).first->second;
}

double AutoSearch::storing(std::size_t intermediate, const StoredValues& stored) {
  const Materialization& its = stored.intermediates[intermediate];
  if (!its.value && !its.gradient) return 0;
  const auto [found, is_new] = storing_.try_emplace({intermediate, all_flags(stored)});
  if (is_new) found->second = pricer_.share(*estimator().intermediate(intermediate, stored));
  return found->second;
}

double AutoSearch::storing_all(const StoredValues& stored) {
  double seconds = has_parallel(stored) ? pricer_.share(estimator().sum_values(stored)) : 0;
  for (std::size_t i = 0; i < stored.intermediates.size(); ++i) seconds += storing(i, stored);
  return seconds;
}

double AutoSearch::seconds_of(const Part& part, const StoredValues& stored) {
  return weighed(part, stored).seconds;
}

AutoSearch::WeighedPart AutoSearch::weighed(const Part& part, const StoredValues& stored) {
  const std::shared_ptr<const Estimator::PartWork> work = estimator().part(part, stored);
  WeighedPart result{.part = part,
                     .seconds = Never,
                     .starts_product = work->starts_product,
                     .product_bytes = work->product_bytes,
                     .is_streamed = work->product_bytes > pricer_.device().cache};
  if (!check_part(energy_, part, pricer_.options().program)) return result;
  if (work->dense_product) result.of_dense_product = pricer_.share({*work->dense_product});
  if (work->product_bytes > memory_limit_) return result;
  result.seconds = pricer_.share(work->steps, work->product_bytes) + result.of_dense_product;
  if (!work->sums.empty())
    result.seconds += pricer_.share(estimator().sum_products(work->sums, stored));
  return result;
}

// All that can be decided in the declared order, and what is best then in the other orders.
AutoSearch::BestPart AutoSearch::cheapest(const Part& part, const StoredValues& stored) {
  Part start = part;
  if (pricer_.options().program.is_deterministic)
    start.jtf = start.jtjp = start.jt = most_gathered(energy_, part.residuals);
  BestPart best{.of_all = {.part = start}};
  best.consider(weighed(start, stored));
  std::vector<ComputeAt> gathers = gathers_of(energy_, part.residuals);
  std::erase_if(gathers, [&](ComputeAt where) {
    return !check_gather(energy_, part.residuals, where).has_value();
  });
  for (const ComputeAt where : gathers) {
    start.jtf = where;
    best.consider(weighed(start, stored));
  }
  start.jtf = best.of_all.part.jtf;
  for (const Part& candidate : operators(start, gathers)) best.consider(weighed(candidate, stored));
  const BestPart in_declared_order = best;
  for (const std::vector<DomainId>& order : other_orders(part)) {
    for (const WeighedPart* found : {&in_declared_order.of_all, &in_declared_order.of_starting}) {
      if (std::isinf(found->seconds)) continue;
      Part reordered = found->part;
      reordered.order = order;
      best.consider(weighed(reordered, stored));
    }
  }
  return best;
}

// All ways to apply the operator of a part, beside the one it has.
std::vector<Part> AutoSearch::operators(const Part& part,
                                        const std::vector<ComputeAt>& gathers) const {
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
        const std::vector<StorageFormat> formats = legal_formats(with, StoredProduct::JtJ);
        for (const StorageFormat jtj : formats) {
          with.jtj_format = jtj;
          if (jtj == formats.front() || keeps_null_space(pricer_.options().program)) add(with);
        }
        continue;
      }
      // The part as it is has been looked at.
      if (strategy != part.strategy) add(with);
      if (j != StorageFormat::Structured) continue;
      for (const ComputeAt where : gathers) {
        Part gathered = with;
        (stores_jp(strategy) ? gathered.jt : gathered.jtjp) = where;
        add(std::move(gathered));
      }
    }
  }
  return result;
}

}  // namespace thallo
