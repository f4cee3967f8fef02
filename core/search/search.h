#pragma once

// A search decides which schedules an exploration measures, and in which order. Searches are kept
// in a registry, so that plugins can add others.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/options.h"
#include "core/base/registry.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/search/indexed_space.h"
#include "core/search/schedule_space.h"
#include "core/search/search_figure.h"

namespace thallo {

struct Proposal {
  Schedule schedule;                      // in normal form
  std::string text;                       // of the schedule
  std::string hash;                       // of the text, hex
  std::optional<std::string> index = {};  // "ID:NUMBER", in a space that is numbered

  static Proposal of(Schedule schedule, const ConstructRegistry& constructs,
                     std::optional<std::string> index = {});
};

// Returns "ID:NUMBER" of the schedule. Absent without a space, and for a schedule that is not in
// the space.
std::optional<std::string> index_in(const IndexedSpace* space, const Schedule& schedule);

using PricerMaker = std::function<std::unique_ptr<PlanPricer>()>;

// The input of a search. It goes around the pins of `full`: all schedules here keep them.
struct SearchSpace {
  const Energy& energy;
  const ConstructRegistry& constructs;
  const ScheduleSpace& full;
  const IndexedSpace* indexed = nullptr;  // set if a numbered space was asked for
  // The range of the numbered space to search.
  BigCount first = 0, end = 0;
  std::vector<Proposal> start;          // schedules to begin with: the named ones, with the pins
  std::optional<std::int64_t> samples;  // how many schedules that fit to draw
  std::uint64_t seed = 1;
  Options options;  // of the search, complete
  // Makes a pricer for plans of the energy on the device that is searched for. Null if nothing is
  // known about a device.
  PricerMaker make_pricer;
  // Corrects the cost model of make_pricer by the measured steps of schedules, given their hashes,
  // and returns what makes pricers of the corrected model; a pricer must not outlive it. Equal
  // hashes and measurements give equal models. Fails if none of these steps was measured. Null
  // where steps are not measured.
  std::function<Expected<PricerMaker>(std::span<const std::string> hashes)> refit;
  // Returns the schedules that have a time on any device, the fastest first.
  std::function<Expected<std::vector<Proposal>>()> timed = [] {
    return Expected<std::vector<Proposal>>(std::vector<Proposal>());
  };
  // Returns the time of a schedule, given its hash. Infinite if it failed, absent if it was not
  // measured.
  std::function<std::optional<double>(const std::string& hash)> seconds;
  // True if the stored products of the schedule fit into memory. Schedules that do not fit are not
  // proposed, except those in `start`.
  std::function<bool(const Proposal&)> fits = [](const Proposal&) { return true; };
  // True if the schedule may be drawn at random. Random searches skip all others, as if they did
  // not exist.
  std::function<bool(const Proposal&)> may_draw = [](const Proposal&) { return true; };
  // True if the search must stop, even if it has found nothing yet.
  std::function<bool()> is_over = [] { return false; };
  // Called now and then by a search that works for long before it proposes something.
  std::function<void(const SearchFigures&)> tell = [](const SearchFigures&) {};
};

class SearchRun {
 public:
  virtual ~SearchRun() = default;
  // Returns the schedules to measure next; called once all earlier proposals were processed, or
  // sooner if they do not matter (Search::can_be_divided()). An empty list ends the search.
  virtual std::vector<Proposal> next() = 0;
  // Returns the largest number of schedules that it will propose, if known. Called before the
  // search begins.
  virtual std::optional<std::int64_t> most() const { return {}; }
  // Returns what the search reports about itself; empty if it reports nothing.
  virtual SearchFigures figures() const { return {}; }
  // Returns a sentence that people must know about the result, such as that it is not proven;
  // empty if there is none.
  virtual std::string remark() const { return {}; }
};

class Search {
 public:
  virtual ~Search() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one sentence
  // Returns the options that people can set; SearchSpace::options has a value for each.
  virtual std::vector<OptionSpec> options() const { return {}; }
  virtual bool takes_samples() const { return false; }
  // True if the search proposes only schedules of SearchSpace::indexed, between first and end.
  virtual bool stays_in_space() const { return false; }
  // True if its proposals depend on no time, neither measured nor predicted, so that several
  // explorations can each measure a part of them, and one need not wait for results.
  virtual bool can_be_divided() const { return false; }
  // True if it proposes what is predicted to be fast. Then a schedule with kernels that spill
  // registers is not measured if one without is predicted to be about as fast.
  virtual bool goes_by_predictions() const { return false; }
  // Fails if the search cannot work in this space. The space must outlive the result.
  virtual Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const = 0;
};

using SearchRegistry = Registry<Search>;

// Adds the built-in searches: exhaustive, random, greedy, timed, beam, exact and
// autotune.
void add_searches(SearchRegistry& registry);

}  // namespace thallo
