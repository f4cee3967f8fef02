#include "core/search/search.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/option_text.h"
#include "core/base/random.h"
#include "core/search/priced/autotune.h"
#include "core/search/priced/beam.h"
#include "core/search/priced/exact.h"

namespace thallo {
namespace {

// A batch ends after so many schedules, or before workers run out of earlier ones: to find out
// whether a schedule fits can take a tenth of a second.
class BatchEnd {
 public:
  bool is_due(const std::vector<Proposal>& batch) const {
    return batch.size() >= MostProposals || (!batch.empty() && Clock::now() - start_ > MostTime);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t MostProposals = 256;
  static constexpr std::chrono::milliseconds MostTime{200};
  Clock::time_point start_ = Clock::now();
};
// In a space without numbers, at most this many schedules are visited.
constexpr std::int64_t LargestWalk = 100'000;

// To find one schedule that fits, at most this many are drawn.
constexpr std::int64_t DrawsForEach = 1000;

Proposal numbered(const SearchSpace& space, const BigCount& index) {
  return Proposal::of(space.indexed->schedule(index), space.constructs,
                      index_text(space.indexed->id(), index));
}

// Proposes the schedules of a list, which is generated on demand, and skips those that do not fit.
class ListRun final : public SearchRun {
 public:
  using IsWanted = std::function<bool(const Proposal&)>;
  // Calls `at` with 0, 1, ... below `count`, until `most` schedules that fit were proposed.
  ListRun(
      const SearchSpace& space, BigCount count, std::function<Proposal(const BigCount&)> at,
      std::int64_t most = std::numeric_limits<std::int64_t>::max(),
      IsWanted is_wanted = [](const Proposal&) { return true; })
      : space_(space),
        count_(std::move(count)),
        at_(std::move(at)),
        left_(most),
        is_wanted_(std::move(is_wanted)) {}

  std::vector<Proposal> next() override {
    std::vector<Proposal> batch;
    const BatchEnd end;
    for (; next_ < count_ && left_ > 0 && !end.is_due(batch) && !space_.is_over(); ++next_) {
      Proposal proposal = at_(next_);
      if (!is_wanted_(proposal) || !space_.fits(proposal)) continue;
      batch.push_back(std::move(proposal));
      --left_;
    }
    return batch;
  }

  std::optional<std::int64_t> most() const override {
    return static_cast<std::int64_t>(std::min(count_, BigCount(left_)));
  }

 private:
  const SearchSpace& space_;
  BigCount count_;
  BigCount next_ = 0;
  std::function<Proposal(const BigCount&)> at_;
  std::int64_t left_;
  IsWanted is_wanted_;
};

class Exhaustive final : public Search {
 public:
  std::string_view name() const override { return "exhaustive"; }
  std::string_view doc() const override { return "All schedules, in the order of the space."; }
  bool stays_in_space() const override { return true; }
  bool can_be_divided() const override { return true; }

  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (space.indexed != nullptr) {
      return std::make_unique<ListRun>(space, space.end - space.first, [&space](const BigCount& i) {
        return numbered(space, space.first + i);
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
          "a smaller one with {}",
          LargestWalk, option_text("space"));
    }
    return std::make_unique<ListRun>(space, all->size(), [&space, all](const BigCount& i) {
      return Proposal::of((*all)[static_cast<std::size_t>(i)], space.constructs);
    });
  }
};

// Draws numbers until the requested number of schedules that fit is found; all sets are equally
// likely. No number is drawn twice.
class DrawnRun final : public SearchRun {
 public:
  explicit DrawnRun(const SearchSpace& space)
      : space_(space),
        size_(space.end - space.first),
        left_(*space.samples),
        draws_left_(left_ * DrawsForEach),
        random_(space.seed + 1) {
    const std::vector<BigCount> first =
        sample_indices(size_, static_cast<std::size_t>(left_), space.seed);
    waiting_.assign(first.begin(), first.end());
    drawn_.insert(first.begin(), first.end());
  }

  std::vector<Proposal> next() override {
    std::vector<Proposal> batch;
    const BatchEnd end;
    while (!end.is_due(batch) && left_ > 0 && draws_left_-- > 0 && !space_.is_over()) {
      const std::optional<BigCount> number = draw();
      if (!number) break;
      Proposal proposal = numbered(space_, space_.first + *number);
      if (!space_.may_draw(proposal) || !space_.fits(proposal)) continue;
      batch.push_back(std::move(proposal));
      --left_;
    }
    return batch;
  }

  std::optional<std::int64_t> most() const override {
    return static_cast<std::int64_t>(std::min(size_, BigCount(left_)));
  }

 private:
  // Returns nothing if all numbers were drawn.
  std::optional<BigCount> draw() {
    if (waiting_.empty() && drawn_.size() < size_) {
      if (2 * drawn_.size() > size_) {
        line_up_the_rest();
      } else {
        BigCount number = draw_below(random_, size_);
        while (!drawn_.insert(number).second) number = draw_below(random_, size_);
        return number;
      }
    }
    if (waiting_.empty()) return {};
    BigCount number = std::move(waiting_.front());
    waiting_.pop_front();
    return number;
  }

  void line_up_the_rest() {
    for (BigCount number = 0; number < size_; ++number)
      if (drawn_.insert(number).second) waiting_.push_back(number);
    for (std::size_t i = waiting_.size(); i > 1; --i)
      std::swap(waiting_[i - 1], waiting_[random_.below(i)]);
  }

  const SearchSpace& space_;
  BigCount size_;
  std::int64_t left_, draws_left_;
  Random random_;
  std::set<BigCount> drawn_;
  std::deque<BigCount> waiting_;  // drawn, but not processed yet
};

class RandomSearch final : public Search {
 public:
  std::string_view name() const override { return "random"; }
  std::string_view doc() const override {
    return "So many schedules that fit in memory, drawn evenly.";
  }
  bool takes_samples() const override { return true; }
  bool stays_in_space() const override { return true; }
  bool can_be_divided() const override { return true; }

  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (!space.samples)
      return fail("the search random needs {}, how many to draw", option_text("sample"));
    if (space.indexed != nullptr) return std::make_unique<DrawnRun>(space);
    return std::make_unique<ListRun>(
        space, BigCount(*space.samples) * DrawsForEach,
        [&space](const BigCount& i) {
          return Proposal::of(
              space.full.sample(space.seed + static_cast<std::uint64_t>(i)).schedule,
              space.constructs);
        },
        *space.samples, space.may_draw);
  }
};

// Starts from the fastest known schedule. Tries all changes of one decision, continues with the
// best of them, and ends when no change is faster.
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
    std::set<std::string> seen = {schedule.text(space_.constructs)};
    space_.full.visit_neighbors(schedule, [&](const Schedule& other) {
      Proposal proposal = Proposal::of(other, space_.constructs, index_in(space_.indexed, other));
      if (seen.insert(proposal.text).second && space_.fits(proposal))
        result.push_back(std::move(proposal));
    });
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

// Proposes the schedules that were measured on another device.
class Timed final : public Search {
 public:
  std::string_view name() const override { return "timed"; }
  std::string_view doc() const override {
    return "Those that the store has times of, on any device, the fastest first.";
  }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    THALLO_TRY(auto timed, space.timed());
    auto all = std::make_shared<const std::vector<Proposal>>(std::move(timed));
    return std::make_unique<ListRun>(space, all->size(), [all](const BigCount& i) {
      return (*all)[static_cast<std::size_t>(i)];
    });
  }
};

}  // namespace

Proposal Proposal::of(Schedule schedule, const ConstructRegistry& constructs,
                      std::optional<std::string> index) {
  std::string text = schedule.text(constructs);
  std::string hash = hash_text(text).hex();
  return {std::move(schedule), std::move(text), std::move(hash), std::move(index)};
}

std::optional<std::string> index_in(const IndexedSpace* space, const Schedule& schedule) {
  const auto number = space != nullptr ? space->index_of(schedule) : std::nullopt;
  return number ? std::optional(index_text(space->id(), *number)) : std::nullopt;
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
  add(std::make_unique<Timed>());
  add(make_beam_search());
  add(make_exact_search());
  add(make_autotune_search());
}

}  // namespace thallo
