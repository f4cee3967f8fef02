#include "core/explore/search.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/base/error.h"

namespace thallo {
namespace {

// So many schedules are proposed at once, to be compiled side by side.
constexpr std::size_t BatchSize = 256;
// Of a space without numbers so many schedules are walked at most.
constexpr std::int64_t LargestWalk = 100'000;

// Hands out a list that is known from the start, or made as it goes on.
class ListRun final : public SearchRun {
 public:
  // `at` is called with 0, 1, ... below `count`.
  ListRun(BigCount count, std::function<Proposal(const BigCount&)> at)
      : count_(std::move(count)), at_(std::move(at)) {}

  std::vector<Proposal> next() override {
    std::vector<Proposal> batch;
    for (; next_ < count_ && batch.size() < BatchSize; ++next_) batch.push_back(at_(next_));
    return batch;
  }

 private:
  BigCount count_;
  BigCount next_ = 0;
  std::function<Proposal(const BigCount&)> at_;
};

class Exhaustive final : public Search {
 public:
  std::string_view name() const override { return "exhaustive"; }
  std::string_view doc() const override { return "All schedules, in the order of the space."; }

  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (space.indexed != nullptr) {
      return std::make_unique<ListRun>(space.end - space.first, [&space](const BigCount& i) {
        const BigCount index = space.first + i;
        return Proposal::of(space.indexed->schedule(index), space.constructs,
                            index_text(space.indexed->id(), index));
      });
    }
    auto all = std::make_shared<std::vector<Schedule>>();
    const bool is_complete = space.full.visit([&](const Schedule& schedule, const Plan&) {
      all->push_back(schedule);
      return static_cast<std::int64_t>(all->size()) < LargestWalk;
    });
    if (!is_complete) {
      return fail(
          "the space has {} schedules or more: search it with random or greedy, or choose "
          "a smaller one with --space",
          LargestWalk);
    }
    return std::make_unique<ListRun>(all->size(), [&space, all](const BigCount& i) {
      return Proposal::of((*all)[static_cast<std::size_t>(i)], space.constructs);
    });
  }
};

class RandomSearch final : public Search {
 public:
  std::string_view name() const override { return "random"; }
  std::string_view doc() const override {
    return "As many schedules as --sample says, drawn with --seed.";
  }

  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (!space.samples) return fail("the search random needs --sample, how many to draw");
    if (space.indexed != nullptr) {
      auto drawn = std::make_shared<std::vector<BigCount>>(sample_indices(
          space.end - space.first, static_cast<std::size_t>(*space.samples), space.seed));
      return std::make_unique<ListRun>(drawn->size(), [&space, drawn](const BigCount& i) {
        const BigCount index = space.first + (*drawn)[static_cast<std::size_t>(i)];
        return Proposal::of(space.indexed->schedule(index), space.constructs,
                            index_text(space.indexed->id(), index));
      });
    }
    return std::make_unique<ListRun>(*space.samples, [&space](const BigCount& i) {
      return Proposal::of(space.full.sample(space.seed + static_cast<std::uint64_t>(i)).schedule,
                          space.constructs);
    });
  }
};

// Starts from the fastest schedule known and changes one decision at a time: all changes of one
// schedule are looked at, and the best becomes the next, until none is faster.
class GreedyRun final : public SearchRun {
 public:
  explicit GreedyRun(const SearchSpace& space) : space_(space) {}

  std::vector<Proposal> next() override {
    if (!has_started_) {
      has_started_ = true;
      return space_.start;
    }
    const auto [best, seconds] = fastest();
    if (!best || !(seconds < seconds_)) return {};
    seconds_ = seconds;
    proposed_ = neighbors(*best);
    return proposed_;
  }

 private:
  std::pair<std::optional<Schedule>, double> fastest() const {
    std::optional<Schedule> best;
    double seconds = std::numeric_limits<double>::infinity();
    for (const auto* list : {&space_.start, &proposed_}) {
      for (const Proposal& proposal : *list) {
        const auto its = space_.seconds(proposal.hash);
        if (!its || !(*its < seconds)) continue;
        seconds = *its;
        best = proposal.schedule;
      }
    }
    return {std::move(best), seconds};
  }

  std::vector<Proposal> neighbors(const Schedule& schedule) const {
    std::vector<Proposal> result;
    const auto plan = make_plan(space_.energy, schedule, space_.constructs);
    if (!plan) return result;
    std::set<std::string> seen = {schedule.text(space_.constructs)};
    for (const Construct* construct : in_stage_order(space_.constructs)) {
      for (const Site& site : construct->sites(space_.energy, *plan)) {
        for (const Choice& choice : construct->choices(space_.energy, *plan, site)) {
          const auto edited =
              edit(space_.energy, schedule, {std::string(construct->name()), site, choice},
                   space_.constructs);
          if (!edited) continue;
          std::optional<std::string> index;
          if (space_.indexed != nullptr) {
            if (const auto number = space_.indexed->index_of(edited->schedule))
              index = index_text(space_.indexed->id(), *number);
          }
          Proposal proposal = Proposal::of(edited->schedule, space_.constructs, index);
          if (seen.insert(proposal.text).second) result.push_back(std::move(proposal));
        }
      }
    }
    return result;
  }

  const SearchSpace& space_;
  bool has_started_ = false;
  double seconds_ = std::numeric_limits<double>::infinity();
  std::vector<Proposal> proposed_;
};

class Greedy final : public Search {
 public:
  std::string_view name() const override { return "greedy"; }
  std::string_view doc() const override {
    return "From the fastest named schedule, the best single change first, until none helps.";
  }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    return std::make_unique<GreedyRun>(space);
  }
};

}  // namespace

Proposal Proposal::of(Schedule schedule, const ConstructRegistry& constructs,
                      std::optional<std::string> index) {
  std::string text = schedule.text(constructs);
  std::string hash = hash_text(text).hex();
  return {std::move(schedule), std::move(text), std::move(hash), std::move(index)};
}

void add_searches(SearchRegistry& registry) {
  const auto add = [&registry](std::unique_ptr<const Search> search) {
    const std::string name(search->name());
    const auto added = registry.add(name, std::move(search), "thallo");
    THALLO_ASSERT(added.has_value(), "the search {} is there twice", name);
  };
  add(std::make_unique<Exhaustive>());
  add(std::make_unique<RandomSearch>());
  add(std::make_unique<Greedy>());
}

}  // namespace thallo
