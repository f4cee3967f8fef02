#include "core/search/priced/beam.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/search/priced/beam_states.h"
#include "core/search/priced/best_states.h"
#include "core/search/priced/frozen_sites.h"

namespace thallo {
namespace {

using Clock = std::chrono::steady_clock;
using Fork = ScheduleSpace::Fork;
using Node = ScheduleSpace::Node;
using Offer = ScheduleSpace::Offer;

// The pass that freezes: below every depth.
constexpr int FreezingPass = -1;
// The states of a structure that was not blessed count as if so many had come before.
constexpr int NotBlessed = 10;
// Complete states within this factor of the best one bless their structures.
constexpr double NearBest = 1.2;
// So many states in which two decisions differ from the best one are priced.
constexpr std::size_t MostPairs = 4000;
constexpr auto TellBeamEvery = std::chrono::milliseconds(100);

using State = BeamState;
using StatePointer = std::shared_ptr<State>;

class BeamRun final : public SearchRun {
 public:
  BeamRun(const SearchSpace& space, const BeamOptions& options, std::uint64_t seed,
          std::shared_ptr<StatePricer> pricer)
      : space_(space),
        options_(options),
        pricer_owner_(std::move(pricer)),
        pricer_(*pricer_owner_),
        best_(options_.propose, true),
        random_(seed),
        pinned_tolerance_(
            space.full.with_pins(space.full.root()).decisions.plan.product_tolerance) {}

  std::vector<Proposal> next() override {
    if (std::exchange(has_searched_, true)) return {};
    search();
    told_ = {};
    return best_.proposals(space_);
  }
  std::optional<std::int64_t> most() const override {
    return static_cast<std::int64_t>(options_.propose);
  }

  SearchFigures figures() const override {
    using Unit = SearchFigure::Unit;
    return {{"states priced", static_cast<double>(pricer_.num_priced()), Unit::Count},
            {"pass", static_cast<double>(pass_), Unit::Count},
            {"best", best_.best(), Unit::Estimate},
            {"frozen sites", static_cast<double>(frozen_.size()), Unit::Count},
            {"pruned", static_cast<double>(num_pruned_), Unit::Count},
            {"kept prices", static_cast<double>(pricer_.num_kept()), Unit::Count},
            {"memo", pricer_.kept_bytes(), Unit::Bytes},
            {"searched", std::chrono::duration<double>(ended_ - begun_).count(), Unit::Seconds}};
  }

  // Returns the cheapest complete state of one pass.
  std::optional<Schedule> walk() {
    begun_ = ended_ = Clock::now();
    pass(0);
    if (complete_ == nullptr) return {};
    return Schedule(complete_->node.decisions.directives);
  }

 private:
  void search() {
    begun_ = ended_ = Clock::now();
    if (options_.freezing && options_.width > 1) {
      const std::vector<StatePointer> complete = pass(FreezingPass);
      if (!complete.empty()) freeze(*complete.front());
    }
    // There is always a first one, which prices the defaults.
    for (int i = 0; i < options_.passes && (i == 0 || !space_.is_over()); ++i) bless(pass(i), i);
    if (options_.descent && complete_ != nullptr) descend();
    ended_ = Clock::now();
  }

  // Decides everything once. Returns the complete states, the cheapest first.
  std::vector<StatePointer> pass(int number) {
    pass_ = number;
    times_seen_.clear();
    std::vector<StatePointer> complete;
    BeamQueue queue;
    if (StatePointer root = make_root()) queue.push(std::move(root));
    while (!queue.empty() && !space_.is_over()) {
      BeamQueue pending;
      std::swap(queue, pending);
      std::vector<StatePointer> children;
      std::size_t num_expanded = 0;
      while (!pending.empty() && num_expanded < options_.width && !space_.is_over()) {
        StatePointer state = pending.pop();
        if (!pending.empty() && is_dropped()) continue;
        if (is_put_back(*state, pending)) {
          pending.push(std::move(state));
          continue;
        }
        ++num_expanded;
        if (StatePointer done = expand(std::move(state), children))
          complete.push_back(std::move(done));
      }
      for (StatePointer& child : priced(std::move(children))) queue.push(std::move(child));
    }
    std::ranges::stable_sort(complete, {}, [](const StatePointer& its) { return its->seconds; });
    if (!complete.empty() &&
        (complete_ == nullptr || complete.front()->seconds < complete_->seconds))
      complete_ = complete.front();
    return complete;
  }

  StatePointer make_root() {
    auto root = std::make_shared<State>();
    root->node = space_.full.root();
    root->cost = root->seconds = price(*root);
    return root;
  }

  // Penalizes a state once, if states of its structure were seen before. True if it is no longer
  // the cheapest.
  bool is_put_back(State& state, const BeamQueue& pending) {
    if (std::exchange(state.is_penalized, true) || options_.width == 1 || options_.passes == 1 ||
        pass_ == FreezingPass)
      return false;
    int penalty = 1;
    if (options_.penalties) penalty = ++times_seen_[state.hash.at(pass_ + 1)];
    if (options_.blessing && pass_ > 0 && !blessed_.contains(state.hash.at(pass_ - 1)))
      penalty += NotBlessed;
    state.cost *= penalty;
    return penalty > 1 && !pending.empty() && pending.least_cost() < state.cost;
  }

  // Drops a state in such a way that a run without any drop has the probability that was asked for.
  bool is_dropped() {
    if (options_.dropout >= 100) return false;
    if (num_decisions_ == 0) num_decisions_ = count_decisions();
    const double keeps =
        std::pow(options_.dropout / 100, 1.0 / static_cast<double>(num_decisions_));
    return random_.uniform() >= keeps;
  }
  std::size_t count_decisions() const {
    std::size_t count = 1;
    Node node = space_.full.root();
    while (const auto fork = space_.full.next_fork(node, options_.low_level)) {
      if (fork->offers.empty()) break;
      count += fork->offers.size() > 1 ? 1 : 0;
      node = space_.full.taken(node, *fork, fork->offers.front());
    }
    return count;
  }

  // Adds the states behind the next decision that is open. If there is none, returns the complete
  // state.
  StatePointer expand(StatePointer state, std::vector<StatePointer>& children) {
    while (auto fork = space_.full.next_fork(state->node, options_.low_level)) {
      if (fork->offers.empty()) return nullptr;  // a limit forbids all of them
      const Offer* only = frozen_.find(*fork);
      if (only == nullptr && fork->offers.size() == 1) only = &fork->offers.front();
      if (only != nullptr) {
        // Nothing is to be chosen. Another plan needs another price; pins are in all prices.
        StatePointer next = child(state, *fork, *only);
        if (!only->is_default && !fork->is_pinned) {
          promise(*fork, *next);
          children.push_back(std::move(next));
          return nullptr;
        }
        next->seconds = state->seconds;
        state = std::move(next);
        continue;
      }
      for (const Offer& offer : fork->offers) {
        StatePointer next = child(state, *fork, offer);
        if (!options_.loosens && loosens(*next)) continue;
        promise(*fork, *next);
        children.push_back(std::move(next));
      }
      return nullptr;
    }
    return state;
  }

  StatePointer child(const StatePointer& state, const Fork& fork, const Offer& offer) const {
    auto next = std::make_shared<State>();
    next->node = space_.full.taken(state->node, fork, offer);
    next->hash = state->hash;
    next->hash.add(depth_of(fork.construct->stage(), fork.site.kind), fork.site, offer.choice,
                   offer.is_default);
    next->is_low_level = fork.construct->stage() == Stage::LowLevel;
    next->promises = state->promises;
    next->promises.settle(fork);
    next->parent = state;
    next->taken = {std::string(fork.construct->name()), fork.site, offer.choice.label};
    return next;
  }

  // Of a state that has just decided for a strategy, promises what is fastest at the sites that
  // this has brought.
  void promise(const Fork& fork, State& state) {
    if (fork.construct->stage() != Stage::Strategy || decides_default(state)) return;
    state.promises.promise(space_.full, state.parent->node.decisions.plan, state.node,
                           [&](const Promises& tried) { return price(state, tried); });
  }

  // Returns those of the children that stay, with their prices. A child that decides as was
  // expected has its parent's price and always stays in the sample.
  std::vector<StatePointer> priced(std::vector<StatePointer> children) {
    std::vector<StatePointer> stay, pruned;
    for (const StatePointer& its : sample(std::move(children))) {
      if (space_.is_over()) break;
      its->cost = its->seconds = price(*its);
      // What the model does not see is left at its default.
      if (its->is_low_level && its->seconds == its->parent->seconds && !decides_default(*its))
        continue;
      (is_pruned(*its) ? pruned : stay).push_back(its);
    }
    // Something must be left.
    if (stay.empty()) return pruned;
    num_pruned_ += pruned.size();
    return stay;
  }

  static bool decides_default(const State& state) {
    return state.node.decisions.directives.size() == state.parent->node.decisions.directives.size();
  }

  // True if the last decision is the one that the prices before have assumed.
  static bool decides_as_expected(const State& state) {
    const std::string* promised =
        state.parent->promises.find(state.taken->construct, state.taken->site);
    return promised ? *promised == state.taken->label : decides_default(state);
  }

  std::vector<StatePointer> sample(std::vector<StatePointer> children) {
    if (!options_.sampling) return children;
    std::vector<StatePointer> drawn;
    std::map<Hash128, std::vector<StatePointer>> buckets;
    std::vector<Hash128> order;
    for (StatePointer& its : children) {
      if (decides_as_expected(*its)) {
        drawn.push_back(std::move(its));
        continue;
      }
      const Hash128 structure = its->hash.at(pass_);
      std::vector<StatePointer>& bucket = buckets[structure];
      if (bucket.empty()) order.push_back(structure);
      bucket.push_back(std::move(its));
    }
    for (const Hash128& structure : order) {
      std::vector<StatePointer>& bucket = buckets[structure];
      const auto wanted = std::max<std::size_t>(std::bit_width(bucket.size()) - 1, 1);
      for (std::size_t i = 0; i < wanted; ++i) {
        std::swap(bucket[i], bucket[i + random_.below(bucket.size() - i)]);
        drawn.push_back(std::move(bucket[i]));
      }
    }
    return drawn;
  }

  // What is undecided is promised or pinned, or has its default.
  double price(const State& state) { return price(state, state.promises); }
  double price(const State& state, const Promises& promises) {
    if (space_.full.pins().empty() && promises.empty())
      return price(state.hash, state.node.decisions, true);
    const auto [decisions, has_all_pins] = promises.complete(space_.full, state.node);
    return price(promises.added_to(state.hash), decisions, has_all_pins);
  }
  double price(const StructuralHash& hash, const ScheduleSpace::Decisions& decisions,
               bool has_all_pins) {
    const double seconds = pricer_.seconds(decisions.plan, hash.schedule());
    if (has_all_pins) best_.add(seconds, decisions.directives);
    if (Clock::now() - told_ > TellBeamEvery) {
      told_ = ended_ = Clock::now();
      space_.tell(figures());
    }
    return seconds;
  }

  bool is_pruned(const State& state) {
    if (options_.prunes_memory && std::isinf(state.seconds)) return true;
    // What is stored of intermediates is known when the last of them was decided.
    if (options_.most_recomputation == 0 || !state.taken ||
        state.node.decisions.plan.intermediates.empty())
      return false;
    if (state.taken->site.kind != SiteKind::Intermediate) return false;
    Node node = state.node;
    auto fork = space_.full.next_fork(node, options_.low_level);
    for (; fork && fork->is_pinned; fork = space_.full.next_fork(node, options_.low_level)) {
      if (fork->offers.empty()) return false;
      node = space_.full.taken(node, *fork, fork->offers.front());
    }
    if (fork && fork->site.kind == SiteKind::Intermediate) return false;
    return pricer_.recomputation(node.decisions.plan) > options_.most_recomputation;
  }

  void freeze(const State& state) {
    std::vector<TakenDecision> way;
    for (const State* its = &state; its != nullptr; its = its->parent.get())
      if (its->taken) way.push_back(*its->taken);
    frozen_ = FrozenSites(space_.energy, state.node.decisions.plan, way, pricer_);
  }

  // Takes other choices than the best complete state has, one at a time while that is faster, and
  // two together where no single one is: storing an intermediate can pay off in another strategy
  // alone.
  void descend() {
    std::size_t pairs_left = MostPairs;
    do {
      std::size_t singles_left = std::numeric_limits<std::size_t>::max();
      while (improve(make_root(), 1, singles_left)) {
      }
    } while (improve(make_root(), 2, pairs_left));
  }
  // Goes on from a state as the best complete state does, but with other choices at so many sites.
  // All further decisions stay as far as they can. Returns true if the best complete state is
  // another one then. Prices no more states than are left.
  bool improve(StatePointer state, int changes, std::size_t& left) {
    const StatePointer before = complete_;
    while (auto fork = space_.full.next_fork(state->node, options_.low_level)) {
      if (fork->offers.empty() || left == 0 || space_.is_over()) break;
      const Offer& chosen = offer_as_in(*complete_, *fork);
      for (const Offer& offer : fork->offers) {
        if (&offer == &chosen || left == 0 || space_.is_over()) continue;
        const StatePointer changed = child(state, *fork, offer);
        promise(*fork, *changed);
        if (changes > 1) {
          improve(changed, changes - 1, left);
        } else {
          --left;
          take_if_better(completed(changed));
        }
      }
      state = child(state, *fork, offer_as_in(*complete_, *fork));
    }
    return complete_ != before;
  }
  void take_if_better(const StatePointer& state) {
    if (state == nullptr) return;
    state->seconds = price(*state);
    if (state->seconds < complete_->seconds && !is_pruned(*state)) complete_ = state;
  }
  // Returns the offer that was taken on the way to a state, else the first one.
  static const Offer& offer_as_in(const State& state, const Fork& fork) {
    for (const State* its = &state; its != nullptr; its = its->parent.get()) {
      if (!its->taken || its->taken->site != fork.site ||
          its->taken->construct != fork.construct->name())
        continue;
      if (const Offer* same = fork.find(its->taken->label)) return *same;
    }
    return fork.offers.front();
  }
  // Decides what a state leaves open as is promised, or as in the best complete state. Returns null
  // if a limit forbids that, or if it would lower the accuracy of products.
  StatePointer completed(StatePointer state) {
    while (auto fork = space_.full.next_fork(state->node, options_.low_level)) {
      if (fork->offers.empty()) return nullptr;
      const std::string* label = state->promises.find(fork->construct->name(), fork->site);
      const Offer* promised = label ? fork->find(*label) : nullptr;
      state = child(state, *fork, promised ? *promised : offer_as_in(*complete_, *fork));
    }
    return loosens(*state) && !options_.loosens ? nullptr : state;
  }
  bool loosens(const State& state) const {
    return state.node.decisions.plan.product_tolerance > pinned_tolerance_;
  }

  // Remembers the structures of the best complete states and of all states on the way to them.
  void bless(const std::vector<StatePointer>& complete, int depth) {
    blessed_.clear();
    for (std::size_t i = 0; i < complete.size() && i < options_.width; ++i) {
      if (complete[i]->seconds > NearBest * complete.front()->seconds) break;
      for (const State* its = complete[i].get(); its != nullptr; its = its->parent.get())
        blessed_.insert(its->hash.at(depth));
    }
  }

  const SearchSpace& space_;
  BeamOptions options_;
  std::shared_ptr<StatePricer> pricer_owner_;
  StatePricer& pricer_;
  BestStates best_;
  Random random_;
  double pinned_tolerance_;  // the product_tolerance that the pins alone lead to
  FrozenSites frozen_;
  std::map<Hash128, int> times_seen_;
  std::set<Hash128> blessed_;
  StatePointer complete_;  // the cheapest complete state so far
  bool has_searched_ = false;
  int pass_ = 0;
  std::size_t num_decisions_ = 0, num_pruned_ = 0;
  Clock::time_point begun_, ended_, told_;
};

class Beam final : public Search {
 public:
  std::string_view name() const override { return "beam"; }
  bool goes_by_predictions() const override { return true; }
  std::string_view doc() const override {
    return "Those predicted to be fastest, by a beam of decisions from coarse to fine.";
  }
  std::vector<OptionSpec> options() const override { return BeamOptions::specs(); }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (!space.make_pricer)
      return fail("the search beam needs predictions, and there is no device");
    return make_beam_run(space, BeamOptions::of(space.options));
  }
};

}  // namespace

std::unique_ptr<SearchRun> make_beam_run(const SearchSpace& space, const BeamOptions& options,
                                         std::uint64_t seed, std::shared_ptr<StatePricer> pricer) {
  return std::make_unique<BeamRun>(space, options, seed, std::move(pricer));
}

std::unique_ptr<SearchRun> make_beam_run(const SearchSpace& space, const BeamOptions& options) {
  return make_beam_run(
      space, options, space.seed,
      std::make_shared<StatePricer>(space.energy, space.make_pricer, options.memoizes));
}

std::optional<Schedule> walk_greedily(const SearchSpace& space, BeamOptions options,
                                      std::uint64_t seed, std::shared_ptr<StatePricer> pricer) {
  options.width = 1;
  options.passes = 1;
  return BeamRun(space, options, seed, std::move(pricer)).walk();
}

std::unique_ptr<const Search> make_beam_search() { return std::make_unique<Beam>(); }

}  // namespace thallo
