// The flags of `thallo explore`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/flags/problem_options.h"
#include "core/cli/flags/run_options.h"
#include "core/explore/space/explored_space.h"
#include "core/search/search.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace thallo::cli {

struct ExploreFlags {
  RunOptions run;
  std::unique_ptr<ProblemOptions> problem_options;
  std::string space{FullSpaceName};
  std::string stages = "default";
  CLI::Option* memory_limit = nullptr;
  CLI::Option* stages_option = nullptr;
  bool count = false;
  bool list = false;
  std::string search;
  std::vector<std::string> search_settings;  // "name=value"
  std::string measure = "composed";
  std::string objective = "nonlinear";
  CLI::Option* best_option = nullptr;
  CLI::Option* others_option = nullptr;
  std::string shard;
  std::string store;
  std::string device_name;
  double budget = 0;
  int jobs = 0;
  std::vector<int> devices;
  int num_best = 5;
  int num_random = 0;
  std::string index;
  std::string pin;  // a file of pins
  std::optional<std::int64_t> sample;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> search_seed;
  bool json = false;

  // Adds the flags to the command. Those of a problem are added, too, if it is known.
  void add_to(CLI::App& command, Session& session, const Problem* problem);
  // Throws UserError if flags exclude each other, or if one of them has no effect.
  void check_selection() const;
  void check_measuring() const;
  // Converts the settings of the search to typed values. An option that it does not have stays a
  // text; check_search() names it, with all options there are. Throws UserError if a setting is not
  // NAME=VALUE, sets an option for the second time, or is not a legal value.
  Options options_of(const Search& of) const;
};

}  // namespace thallo::cli
