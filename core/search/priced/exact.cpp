#include "core/search/priced/exact.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/option_text.h"
#include "core/schedule/storage_format.h"
#include "core/schedule/storage_limit.h"
#include "core/search/priced/beam.h"
#include "core/search/priced/best_states.h"
#include "core/search/priced/part_ways.h"

namespace thallo {
namespace {

using Clock = std::chrono::steady_clock;
using Node = ScheduleSpace::Node;

// What is held in memory at most; a space with more is too large for this search.
constexpr std::size_t MostPartitions = 20'000;
constexpr std::size_t MostStored = 20'000;
constexpr std::size_t MostCombinations = 4'000'000;
// Sums of the same times in another order may differ by this share.
constexpr double BoundRounding = 1e-9;
constexpr auto TellEvery = std::chrono::milliseconds(100);

bool is_stored(const Site& site) {
  return site.kind == SiteKind::Intermediate || site.kind == SiteKind::Sum;
}

// Something that can be stored, and the bound of what every program takes that stores it.
struct StoredWay {
  ScheduleSpace::Decisions decisions;  // about intermediates and Sums alone
  StoredValues values;
  double bound = 0;
};

// A partition together with what is stored.
struct Combination {
  double bound = 0;
  std::uint32_t partition = 0, stored = 0;
};

class ExactRun final : public SearchRun {
 public:
  explicit ExactRun(const SearchSpace& space)
      : space_(space),
        most_seconds_(*space.options.require<double>("seconds")),
        propose_(*space.options.require<std::int64_t>("propose")),
        pricer_(space.make_pricer()),
        best_(static_cast<std::size_t>(propose_), false),
        bounds_(space.energy, *pricer_),
        pinned_(space.full.with_pins(space.full.root()).decisions.plan),
        ways_(space, *pricer_, bounds_, vector_storage(pinned_)) {}

  std::vector<Proposal> next() override {
    if (std::exchange(has_searched_, true)) return {};
    begun_ = Clock::now();
    is_proven_ = search();
    ended_ = Clock::now();
    return best_.proposals(space_);
  }
  std::optional<std::int64_t> most() const override { return propose_; }

  SearchFigures figures() const override {
    using Unit = SearchFigure::Unit;
    return {{"states priced", static_cast<double>(num_priced_), Unit::Count},
            {"best", best_.best(), Unit::Estimate},
            {"bound", bound_, Unit::Estimate},
            {"partitions", static_cast<double>(partitions_.size()), Unit::Count},
            {"ways to store", static_cast<double>(stored_.size()), Unit::Count},
            {"searched", std::chrono::duration<double>(ended_ - begun_).count(), Unit::Seconds}};
  }
  std::string remark() const override {
    if (!has_searched_) return {};
    if (is_proven_) {
      return space_.full.pins().empty()
                 ? "proven: no schedule without low-level decisions is predicted faster"
                 : "proven: no schedule that keeps the pins, and makes no other low-level "
                   "decisions, is predicted faster";
    }
    return fmt::format("not proven: {}", why_not_);
  }

 private:
  // True if the result is proven.
  bool search() {
    begin_with_beam();
    for (const auto find : {&ExactRun::find_partitions, &ExactRun::find_stored,
                            &ExactRun::find_parts, &ExactRun::find_combinations}) {
      if (!goes_on()) return false;
      (this->*find)();
      if (!why_not_.empty()) return false;
    }
    std::ranges::sort(combinations_, {}, &Combination::bound);
    for (const Combination& its : combinations_) {
      bound_ = its.bound;
      if (is_beaten(its.bound)) break;
      if (!combine(its)) return false;
    }
    return true;
  }

  // Prices what a beam finds. The better these are, the more is ruled out by its bound; and they
  // are the result if nothing can be proven.
  void begin_with_beam() {
    SearchSpace space = space_;
    const std::unique_ptr<const Search> beam = make_beam_search();
    space.options =
        *complete_options(beam->options(), {{"low_level", false}, {"propose", propose_}});
    space.is_over = [this] { return !goes_on(); };
    space.tell = [](const SearchFigures&) {};
    const std::unique_ptr<SearchRun> run = *beam->start(space);
    for (const Proposal& found : run->next()) {
      auto plan = make_plan(space_.energy, found.schedule, space_.constructs);
      if (!plan) continue;
      const Plan start = space_.full.start().plan;
      plan->precision = start.precision;
      plan->limit = start.limit;
      price(*plan, found.schedule.directives());
    }
  }

  bool is_beaten(double bound) const { return bound * (1 - BoundRounding) >= best_.worst(); }

  bool goes_on() {
    const auto now = Clock::now();
    if (now - told_ > TellEvery) {
      told_ = ended_ = now;
      space_.tell(figures());
    }
    if (space_.is_over()) return stop("the exploration was ended");
    if (std::chrono::duration<double>(now - begun_).count() > most_seconds_) {
      return stop(
          fmt::format("it took more than {} s ({} allows more), and is the best found so far",
                      most_seconds_, option_text("search_set", "seconds=...")));
    }
    return true;
  }
  bool stop(std::string why) {
    if (why_not_.empty()) why_not_ = std::move(why);
    return false;
  }

  void find_partitions() {
    visit_ways(
        space_.full, space_.full.root(), Stage::Partition, [](const Site&) { return true; },
        [this](const Node& node) {
          if (partitions_.size() == MostPartitions) {
            return stop(fmt::format("there are more than {} partitions", MostPartitions));
          }
          partitions_.push_back(node);
          return goes_on();
        });
  }

  void find_stored() {
    const Node& start = partitions_.front();
    Estimator& estimator = pricer_->estimator();
    const double beside = bounds_.beside_steps(start.decisions.plan);
    visit_ways(space_.full, start, Stage::Order, is_stored, [&](const Node& node) {
      if (stored_.size() == MostStored) {
        return stop(
            fmt::format("there are more than {} ways to store intermediates and Sums", MostStored));
      }
      const Plan plan = with_pinned_low_level(node.decisions.plan);
      StoredWay way{
          .decisions = {plan, stored_in(node)}, .values = stored_values(plan), .bound = beside};
      way.bound += bounds_.of(estimator.sum_values(way.values));
      for (std::size_t i = 0; i < plan.intermediates.size(); ++i)
        way.bound += bounds_.of(*estimator.intermediate(i, way.values));
      way.bound += std::min(bounds_.of(*estimator.solver(plan, true)),
                            bounds_.of(*estimator.solver(plan, false)));
      stored_.push_back(std::move(way));
      return goes_on();
    });
  }

  static std::vector<Directive> stored_in(const Node& node) {
    std::vector<Directive> stored;
    std::ranges::copy_if(node.decisions.directives, std::back_inserter(stored),
                         [](const Directive& its) { return is_stored(its.site); });
    return stored;
  }

  // Low-level decisions are those of the pins, in all schedules. Those about parts are theirs.
  Plan with_pinned_low_level(Plan plan) const {
    plan.vector_type = pinned_.vector_type;
    plan.vector_order = pinned_.vector_order;
    plan.extensions = pinned_.extensions;
    plan.product_tolerance = pinned_.product_tolerance;
    return plan;
  }

  // Finds the ways to decide about every part that occurs.
  void find_parts() {
    std::map<std::vector<ResidualRef>, std::size_t> numbers;
    for (const Node& node : partitions_) {
      std::vector<std::size_t> parts;
      for (const Part& part : node.decisions.plan.parts) {
        const auto [found, is_new] = numbers.try_emplace(part.residuals, numbers.size());
        parts.push_back(found->second);
        if (!is_new) continue;
        std::vector<const PartWays*> by_stored;
        for (const StoredWay& stored : stored_) {
          by_stored.push_back(&ways_.of(node, part, stored.values));
          if (!goes_on()) return;
        }
        parts_.push_back(std::move(by_stored));
      }
      parts_of_.push_back(std::move(parts));
    }
  }

  void find_combinations() {
    for (std::uint32_t p = 0; p < partitions_.size(); ++p) {
      for (std::uint32_t s = 0; s < stored_.size(); ++s) {
        if (combinations_.size() == MostCombinations) {
          stop(fmt::format("there are more than {} partitions with ways to store",
                           MostCombinations));
          return;
        }
        double bound = stored_[s].bound;
        double of_sums = 0;
        for (const std::size_t part : parts_of_[p]) {
          bound += parts_[part][s]->bound();
          of_sums = std::max(of_sums, parts_[part][s]->least_of_sums);
        }
        combinations_.push_back({bound + of_sums, p, s});
      }
      if (!goes_on()) return;
    }
  }

  // Branches over the ways of the parts, one part after the other. Returns false if it was ended.
  bool combine(const Combination& its) {
    Branch branch{.stored = &stored_[its.stored],
                  .directives = partitions_[its.partition].decisions.directives,
                  .plan = with_pinned_low_level(partitions_[its.partition].decisions.plan)};
    const auto& [plan, stored] = branch.stored->decisions;
    branch.plan.intermediates = plan.intermediates;
    branch.plan.sums = plan.sums;
    branch.directives.insert(branch.directives.end(), stored.begin(), stored.end());
    for (const std::size_t part : parts_of_[its.partition])
      branch.parts.push_back(parts_[part][its.stored]);
    branch.rest.assign(branch.parts.size() + 1, {});
    for (std::size_t p = branch.parts.size(); p > 0; --p) {
      branch.rest[p - 1].bound = branch.rest[p].bound + branch.parts[p - 1]->bound();
      branch.rest[p - 1].of_sums =
          std::max(branch.rest[p].of_sums, branch.parts[p - 1]->least_of_sums);
    }
    return decide(branch, 0, {.bound = branch.stored->bound});
  }

  struct Bound {
    double bound = 0, of_dense_product = 0, of_sums = 0;
  };
  struct Branch {
    const StoredWay* stored;
    std::vector<Directive> directives;
    Plan plan;
    std::vector<const PartWays*> parts = {};
    std::vector<Bound> rest = {};  // of the parts from a number on
  };

  bool decide(Branch& branch, std::size_t part, const Bound& so_far) {
    if (part == branch.parts.size()) {
      price(branch.plan, branch.directives);
      return goes_on();
    }
    const Bound& rest = branch.rest[part + 1];
    for (const PartWay& way : branch.parts[part]->ways) {
      const Bound with = {
          .bound = so_far.bound + way.bound,
          .of_dense_product = std::max(so_far.of_dense_product, way.of_dense_product),
          .of_sums = std::max(so_far.of_sums, way.of_sums)};
      const double without_shared = with.bound + rest.bound;
      // The ways that follow have higher bounds.
      if (is_beaten(without_shared + so_far.of_dense_product)) break;
      if (is_beaten(without_shared + with.of_dense_product + std::max(with.of_sums, rest.of_sums)))
        continue;
      Part before = std::exchange(branch.plan.parts[part], way.part);
      const std::size_t num_before = branch.directives.size();
      branch.directives.insert(branch.directives.end(), way.directives.begin(),
                               way.directives.end());
      const bool is_done = decide(branch, part + 1, with);
      branch.directives.resize(num_before);
      branch.plan.parts[part] = std::move(before);
      if (!is_done) return false;
    }
    return true;
  }

  void price(const Plan& plan, const std::vector<Directive>& directives) {
    if (!check_program(space_.energy, plan, pricer_->options().program)) return;
    const double seconds = pricer_->estimated_seconds(plan);
    ++num_priced_;
    if (!best_.would_keep(seconds)) return;
    if (!check_limit(plan, stored_products_of(plan).size())) return;
    // Parts and what is stored have their pins; the solver's vectors are missing.
    std::vector<Directive> all = directives;
    const std::vector<Directive>& pinned = space_.full.pins().directives();
    all.insert(all.end(), pinned.begin(), pinned.end());
    const auto normal = normal_form(space_.energy, Schedule(std::move(all)), space_.constructs);
    if (normal) best_.add(seconds, normal->directives());
  }

  const SearchSpace& space_;
  double most_seconds_;
  std::int64_t propose_;
  std::unique_ptr<PlanPricer> pricer_;
  BestStates best_;
  StepBounds bounds_;
  Plan pinned_;  // of the pins alone
  PartWaysTable ways_;
  std::vector<Node> partitions_;
  std::vector<StoredWay> stored_;
  std::vector<std::vector<std::size_t>> parts_of_;   // by partition: numbers of its parts
  std::vector<std::vector<const PartWays*>> parts_;  // by part and what is stored
  std::vector<Combination> combinations_;
  bool has_searched_ = false, is_proven_ = false;
  std::string why_not_;  // why nothing is proven
  double bound_ = 0;
  std::int64_t num_priced_ = 0;
  Clock::time_point begun_, ended_, told_;
};

class Exact final : public Search {
 public:
  std::string_view name() const override { return "exact"; }
  bool goes_by_predictions() const override { return true; }
  std::string_view doc() const override {
    return "The provably cheapest by predicted times, if the space is small enough.";
  }
  std::vector<OptionSpec> options() const override {
    return {{.name = "propose",
             .default_value = std::int64_t{32},
             .doc = "So many of the cheapest schedules are measured.",
             .minimum = 1,
             .maximum = 100000},
            {.name = "seconds",
             .default_value = 600.0,
             .doc = "The time to end after, without a proof.",
             .minimum = 0}};
  }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (!space.make_pricer)
      return fail("the search exact needs predictions, and there is no device");
    return std::make_unique<ExactRun>(space);
  }
};

}  // namespace

std::unique_ptr<const Search> make_exact_search() { return std::make_unique<Exact>(); }

}  // namespace thallo
