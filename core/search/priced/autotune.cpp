#include "core/search/priced/autotune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/option_text.h"
#include "core/base/parallel_for.h"
#include "core/base/random.h"
#include "core/search/priced/beam.h"

namespace thallo {
namespace {

// To find one new schedule, at most so many greedy runs are made on average.
constexpr std::size_t WalksForEach = 8;
// So many are made at a time, and the batch ends when WalksForEach times as many have found nothing
// new: a space may have fewer schedules than a batch.
constexpr std::size_t MostWalks = 32;
// Each thread of the greedy runs has derivatives and prices of its own.
constexpr std::size_t MostThreads = 32;
// How many schedules the mode top-5 proposes.
constexpr std::size_t NumTop = 5;

constexpr const char* Autotuned = "autotuned";
constexpr const char* TopFive = "top-5";
constexpr const char* OneShot = "one-shot";

struct AutotuneOptions {
  std::string mode;
  std::int64_t rounds = 0;  // 0: any number
  std::size_t batch = 0;    // schedules of a round
  double greedy_dropout = 0;
  BeamOptions beam;  // its `propose` is how many of a batch are the beam's

  // Those of the beam come last.
  static std::vector<OptionSpec> specs() {
    std::vector<OptionSpec> specs = {
        {.name = "mode",
         .default_value = std::string(Autotuned),
         .doc = "autotuned: rounds of batches; or the cheapest, or five, of one beam.",
         .choices = {Autotuned, TopFive, OneShot}},
        {.name = "rounds",
         .default_value = std::int64_t{0},
         .doc = "Batches to measure; 0: until time is up or nothing is new.",
         .minimum = 0,
         .maximum = 1'000'000},
        {.name = "batch",
         .default_value = std::int64_t{32},
         .doc = "New schedules of a round.",
         .minimum = 1,
         .maximum = 4096},
        {.name = "greedy_dropout",
         .default_value = 1.0,
         .doc = "The dropout of the greedy runs; that of the beam is `dropout`.",
         .minimum = 0.001,
         .maximum = 100}};
    for (OptionSpec& spec : BeamOptions::specs()) {
      if (spec.name == "propose") {
        spec.default_value = std::int64_t{8};
        spec.doc = "So many of a batch are the beam's cheapest; the others are of greedy runs.";
      }
      specs.push_back(std::move(spec));
    }
    return specs;
  }

  static AutotuneOptions of(const Options& options) {
    return {.mode = *options.require<std::string>("mode"),
            .rounds = *options.require<std::int64_t>("rounds"),
            .batch = static_cast<std::size_t>(*options.require<std::int64_t>("batch")),
            .greedy_dropout = *options.require<double>("greedy_dropout"),
            .beam = BeamOptions::of(options)};
  }
};

class AutotuneRun final : public SearchRun {
 public:
  AutotuneRun(const SearchSpace& space, AutotuneOptions options)
      : space_(space),
        beam_space_(space),
        walks_space_(space),
        options_(std::move(options)),
        make_pricer_(space.make_pricer),
        seeds_(space.seed) {
    beam_space_.tell = [this](const SearchFigures&) { space_.tell(figures()); };
    walks_space_.tell = [](const SearchFigures&) {};
    for (const Proposal& proposal : space.start) {
      if (known_.insert(proposal.hash).second) measured_.push_back(proposal.hash);
    }
    num_named_ = measured_.size();
  }

  std::vector<Proposal> next() override {
    if (space_.is_over() || has_ended_) return {};
    if (const auto error = error_of_batch()) error_ = error;
    batch_.clear();
    if (options_.rounds > 0 && round_ == options_.rounds) {
      has_ended_ = true;
      return {};
    }
    refit();
    ++round_;
    std::vector<Proposal> found = find_batch();
    // What was found in half a round depends on how fast it was.
    if (space_.is_over()) return {};
    has_ended_ = found.empty();
    for (const Proposal& proposal : found) {
      batch_.push_back({proposal.hash, predicted(proposal.schedule)});
      measured_.push_back(proposal.hash);
    }
    return found;
  }

  std::optional<std::int64_t> most() const override {
    if (options_.rounds == 0) return {};
    return options_.rounds * static_cast<std::int64_t>(options_.batch);
  }

  SearchFigures figures() const override {
    using Unit = SearchFigure::Unit;
    SearchFigures figures = {
        {"states priced", static_cast<double>(num_priced()), Unit::Count},
        {"round", static_cast<double>(round_), Unit::Count},
        {"proposed", static_cast<double>(measured_.size() - num_named_), Unit::Count}};
    const auto error = error_of_batch();
    if (error || error_)
      figures.push_back({"error of prices", error ? *error : *error_, Unit::Share});
    if (const double best = best_seconds(); std::isfinite(best))
      figures.push_back({"best", best, Unit::Seconds});
    return figures;
  }

  std::string remark() const override {
    std::string why;
    if (!has_ended_) {
      if (!space_.is_over()) return {};
      why = fmt::format("the time was up in round {}", round_);
    } else if (options_.rounds > 0 && round_ == options_.rounds && batch_.empty()) {
      why = fmt::format("all {} rounds are done", round_);
    } else {
      why = fmt::format("round {} found nothing new", round_);
    }
    if (fault_.empty()) return why;
    return fmt::format("{}; prices are not corrected: {}", why, fault_);
  }

 private:
  // A schedule of the batch.
  struct Priced {
    std::string hash;
    double predicted = 0;  // seconds
  };

  // From now on, prices are those of a model that is corrected by all that was measured.
  void refit() {
    num_priced_ = num_priced();
    walk_pricers_.clear();
    if (!measured_.empty()) {
      auto make_pricer = space_.refit(measured_);
      fault_ = make_pricer ? std::string() : make_pricer.error().message();
      if (make_pricer) make_pricer_ = *std::move(make_pricer);
    }
    pricer_ = make_state_pricer();
  }

  std::int64_t num_priced() const {
    std::int64_t count = num_priced_ + (pricer_ ? pricer_->num_priced() : 0);
    for (const auto& pricer : walk_pricers_) count += pricer->num_priced();
    return count;
  }

  std::vector<Proposal> find_batch() {
    std::vector<Proposal> batch;
    const auto add = [&](Proposal proposal) {
      if (batch.size() == options_.batch || !known_.insert(proposal.hash).second) return;
      proposal.index = index_in(space_.indexed, proposal.schedule);
      batch.push_back(std::move(proposal));
    };
    BeamOptions of_beam = options_.beam;
    const std::size_t wanted = std::min(of_beam.propose, options_.batch);
    of_beam.propose += known_.size();
    for (Proposal& proposal : make_beam_run(beam_space_, of_beam, seeds_.bits(), pricer_)->next()) {
      if (batch.size() == wanted) break;
      add(std::move(proposal));
    }
    std::size_t walks_left = WalksForEach * options_.batch;
    std::size_t num_vain = 0;  // walks since one has found a new schedule
    while (walks_left > 0 && num_vain < WalksForEach * MostWalks && batch.size() < options_.batch &&
           !space_.is_over()) {
      const std::size_t num_walks =
          std::min({walks_left, options_.batch - batch.size(), MostWalks});
      walks_left -= num_walks;
      const std::size_t num_before = batch.size();
      for (std::optional<Schedule>& schedule : walk(num_walks)) {
        if (!schedule) continue;
        Proposal proposal = Proposal::of(*std::move(schedule), space_.constructs);
        if (space_.fits(proposal)) add(std::move(proposal));
      }
      num_vain = batch.size() == num_before ? num_vain + num_walks : 0;
    }
    return batch;
  }

  // Makes greedy runs, several at a time. What each of them finds does not depend on how many.
  std::vector<std::optional<Schedule>> walk(std::size_t count) {
    BeamOptions options = options_.beam;
    options.dropout = options_.greedy_dropout;
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < count; ++i) seeds.push_back(seeds_.bits());
    const std::size_t num_threads = std::min(count, most_threads());
    while (walk_pricers_.size() < num_threads) walk_pricers_.push_back(make_state_pricer());
    std::vector<std::optional<Schedule>> found(count);
    parallel_for(num_threads, static_cast<int>(num_threads), [&](std::size_t thread) {
      for (std::size_t i = thread; i < count; i += num_threads)
        found[i] = walk_greedily(walks_space_, options, seeds[i], walk_pricers_[thread]);
    });
    return found;
  }
  static std::size_t most_threads() {
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, MostThreads);
  }
  std::shared_ptr<StatePricer> make_state_pricer() const {
    return std::make_shared<StatePricer>(space_.energy, make_pricer_, options_.beam.memoizes);
  }

  double predicted(const Schedule& schedule) {
    auto plan = make_plan(space_.energy, schedule, space_.constructs);
    if (!plan) return std::numeric_limits<double>::infinity();
    plan->precision = space_.full.start().plan.precision;
    return pricer_->pricer().estimated_seconds(*plan);
  }

  // Returns the median of |predicted / measured - 1| of the batch's schedules, whose prices did not
  // know their times; nothing if none has a time.
  std::optional<double> error_of_batch() const {
    std::vector<double> errors;
    for (const Priced& its : batch_) {
      const auto seconds = space_.seconds(its.hash);
      if (seconds && std::isfinite(*seconds) && *seconds > 0)
        errors.push_back(std::abs(its.predicted / *seconds - 1));
    }
    if (errors.empty()) return {};
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::ranges::nth_element(errors, middle);
    return *middle;
  }

  double best_seconds() const {
    double best = std::numeric_limits<double>::infinity();
    for (const std::string& hash : measured_)
      best = std::min(best, space_.seconds(hash).value_or(best));
    return best;
  }

  const SearchSpace& space_;
  SearchSpace beam_space_;   // the same, where a beam does not tell its own figures
  SearchSpace walks_space_;  // the same, where nothing is told
  AutotuneOptions options_;
  PricerMaker make_pricer_;
  // Of the current round: that of the beam, and one for each thread of the greedy runs.
  std::shared_ptr<StatePricer> pricer_;
  std::vector<std::shared_ptr<StatePricer>> walk_pricers_;
  Random seeds_;                       // of the runs
  std::set<std::string> known_;        // hashes of all that was proposed, and of the named ones
  std::vector<std::string> measured_;  // the same in the order in which they were measured
  std::size_t num_named_ = 0;
  std::vector<Priced> batch_;                // the last one
  std::optional<double> error_;              // of the batch before
  std::int64_t round_ = 0, num_priced_ = 0;  // in earlier rounds
  bool has_ended_ = false;
  std::string fault_;  // of the last refit
};

class Autotune final : public Search {
 public:
  std::string_view name() const override { return "autotune"; }
  bool goes_by_predictions() const override { return true; }
  std::string_view doc() const override {
    return "Batches of beams; what is measured of each corrects the prices of the next.";
  }
  std::vector<OptionSpec> options() const override { return AutotuneOptions::specs(); }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (!space.make_pricer)
      return fail("the search autotune needs predictions, and there is no device");
    AutotuneOptions options = AutotuneOptions::of(space.options);
    if (options.mode != Autotuned) {
      options.beam.propose = options.mode == OneShot ? 1 : NumTop;
      return make_beam_run(space, options.beam);
    }
    if (!space.refit) {
      return fail(
          "the search autotune in mode {} learns from the times of steps, which are not measured: "
          "choose {}, or mode {} or {}",
          Autotuned, option_text("measure", "composed"), OneShot, TopFive);
    }
    return std::make_unique<AutotuneRun>(space, std::move(options));
  }
};

}  // namespace

std::unique_ptr<const Search> make_autotune_search() { return std::make_unique<Autotune>(); }

}  // namespace thallo
