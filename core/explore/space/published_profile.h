// Parameters of the space of schedules that the published system enumerates (published_space.h), as
// read from a .toml file:
//
//   groups = "as written"             # or "split": every residual is a group
//   memory_limit = 8950985523         # bytes
//   strategies = ["Jt[Jp]", "JtJp"]   # of a group, in this order
//   strategies_with_sum = ["Jt[Jp]"]  # of a group with a Sum
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/schedule/plan.h"

namespace thallo {

struct PublishedProfile {
  std::string name;  // the file's name without .toml
  bool splits_groups = false;
  std::int64_t memory_limit = 0;  // bytes
  std::vector<Strategy> strategies;
  std::vector<Strategy> strategies_with_sum;
};

// The names of the profiles that come with Thallo, sorted.
std::vector<std::string> published_profile_names();

// `which` is a name, or the path of a .toml file. Fails for an unknown name and lists the known
// ones. Errors in a file state the line, and an unknown key is answered with the legal keys. All
// keys are required.
Expected<PublishedProfile> read_published_profile(const std::string& which);

}  // namespace thallo
