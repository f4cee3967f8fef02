// What if the data were larger, the linear solve longer, or the device another? Predicts schedules
// for instances that are not there: extents and statistics of maps are scaled, no data are needed.
//
// Of all dims those grow that unknowns are over, and those that maps lead from (edges, say) to what
// grows. The points of each grow by the same factor: an image of W x H becomes 2 W x 2 H with the
// factor 4, a graph has 4 times the nodes and edges. Maps keep how many points lead to one element,
// and how near to each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/problem/choose_schedule.h"

namespace thallo {

// The instance with that factor of points. Only its extents and `maps` are of use.
struct ScaledInstance {
  Binding binding;
  std::map<MapId, MapStatistics> maps;
};
// `maps` are those of the binding. `factor` is positive; every extent stays at least 1.
ScaledInstance scaled_instance(const Energy& energy, const Binding& binding,
                               const std::map<MapId, MapStatistics>& maps, double factor);

struct NamedPlan {
  std::string name;
  Plan plan;
};

// What is varied.
enum class WhatIfAxis { Points, LinearIterations };

struct WhatIfPoint {
  double factor = 1;
  std::vector<std::pair<std::string, std::int64_t>> extents;  // of all dims
  std::int64_t num_unknowns = 0;                              // scalars
  double linear_iterations = 0;
  // Of each plan, for a nonlinear iteration; infinite if it does not fit into the device's memory.
  std::vector<double> seconds;
  // What `auto` chooses there; absent if the energy is too large for it.
  struct Chosen {
    Schedule schedule;
    double seconds = 0;
  };
  std::optional<Chosen> chosen;

  // Returns the number of the fastest plan; nothing if none fits.
  std::optional<std::size_t> fastest() const;
};

// Where another plan becomes the fastest.
struct Crossover {
  std::size_t from = 0, to = 0;  // numbers of plans
  double factor = 1;
};

struct WhatIf {
  std::vector<std::string> names;
  std::vector<WhatIfPoint> points;  // ascending
  // Between neighboring points, interpolated in the logarithms of factor and time.
  std::vector<Crossover> crossovers;
};

// The instance that is varied, and what prices assume.
struct WhatIfTarget {
  const Binding& binding;  // its extents and maps are used
  PriceOptions prices;
  std::int64_t memory_limit = 0;  // bytes of stored products, for `auto`
};

// The plans belong to the energy. Points at which a dim that grows has fewer than two elements are
// left out. Takes a fraction of a second for each point, most of it for `auto`. Ends early, with
// fewer points, if asked to stop.
Expected<WhatIf> what_if(const Energy& energy, const ConstructRegistry& constructs,
                         std::span<const NamedPlan> plans, const WhatIfTarget& target,
                         const DeviceSpec& device, WhatIfAxis axis,
                         const std::stop_token& stop = {});
// Returns the times of the plans on a device, as at a WhatIfPoint.
std::vector<double> times_on(const DeviceSpec& device, const Energy& energy,
                             std::span<const NamedPlan> plans, const WhatIfTarget& target);

}  // namespace thallo
