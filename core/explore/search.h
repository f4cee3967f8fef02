#pragma once

// A search decides which schedules an exploration looks at, and in which order. Searches are kept
// in a registry, so that others can be added.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/registry.h"
#include "core/explore/indexed_space.h"
#include "core/explore/schedule_space.h"

namespace thallo {

struct Proposal {
  Schedule schedule;                      // in normal form
  std::string text;                       // of the schedule
  std::string hash;                       // of the text, hex
  std::optional<std::string> index = {};  // "ID:NUMBER", in a space that is numbered

  static Proposal of(Schedule schedule, const ConstructRegistry& constructs,
                     std::optional<std::string> index = {});
};

// "ID:NUMBER" of the schedule; absent without a space, and for a schedule that is not in it.
std::optional<std::string> index_in(const IndexedSpace* space, const Schedule& schedule);

// What a search may look at.
struct SearchSpace {
  const Energy& energy;
  const ConstructRegistry& constructs;
  const ScheduleSpace& full;
  const IndexedSpace* indexed = nullptr;  // if a numbered space was asked for
  // Of a numbered space, the part that is searched.
  BigCount first = 0, end = 0;
  std::vector<Proposal> start;          // schedules to begin with: those with names
  std::optional<std::int64_t> samples;  // how many to draw that fit
  std::uint64_t seed = 1;
  // Those that have a time on some device, the fastest first.
  std::function<Expected<std::vector<Proposal>>()> timed = [] {
    return Expected<std::vector<Proposal>>(std::vector<Proposal>());
  };
  // Seconds of a schedule, by its hash; infinite when it failed, absent when it was not looked at.
  std::function<std::optional<double>(const std::string& hash)> seconds;
  // Can what the schedule stores be in memory? Others are not proposed, but for those
  // to begin with.
  std::function<bool(const Proposal&)> fits = [](const Proposal&) { return true; };
  // May it be drawn? Those that draw at random pass over others, as if there were none such.
  std::function<bool(const Proposal&)> may_draw = [](const Proposal&) { return true; };
  // Should the search stop, even when it has found nothing yet?
  std::function<bool()> is_over = [] { return false; };
};

class SearchRun {
 public:
  virtual ~SearchRun() = default;
  // The schedules to look at next, when all that were proposed before have been. None: it is done.
  virtual std::vector<Proposal> next() = 0;
  // How many it will propose at most, asked before it has begun; absent when that is not known.
  virtual std::optional<std::int64_t> most() const { return {}; }
};

class Search {
 public:
  virtual ~Search() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one sentence
  virtual bool takes_samples() const { return false; }
  // Does it propose schedules of SearchSpace::indexed alone, between first and end?
  virtual bool stays_in_space() const { return false; }
  // Fails when the space is none for this search. Space and result live equally long.
  virtual Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const = 0;
};

using SearchRegistry = Registry<Search>;

// The searches that are in thallo itself: exhaustive, random, greedy and timed.
SearchRegistry searches();

}  // namespace thallo
