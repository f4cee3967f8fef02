#include "core/kernel/launch_size.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace thallo {

std::int64_t launch_blocks(const LaunchSize& size) {
  const std::int64_t points_of_a_thread = std::max(size.lanes, size.rows_per_thread);
  const std::int64_t threads =
      (size.num_points + points_of_a_thread - 1) / points_of_a_thread * size.team;
  const std::int64_t blocks = (threads + size.block_size - 1) / size.block_size;
  if (!size.has_reductions || size.rows_per_thread > 0) return blocks;
  // Threads that do a few points each cost less than blocks that wait for each other at the end.
  constexpr std::int64_t points_of_a_lone_thread = 4;
  if (size.has_epilogue && size.num_points * size.team <= points_of_a_lone_thread * size.block_size)
    return std::min<std::int64_t>(blocks, 1);
  // Every block adds to the state, one after the other, and the epilogue waits for all of them.
  // Few threads keep memory busy where each reads much and computes little, as in the solver's
  // kernels; what computes hides its latencies behind as many threads as there is room for.
  const std::int64_t enough_threads = size.has_epilogue ? 1024 : 2048;
  const std::int64_t per_multiprocessor =
      std::max<std::int64_t>(1, enough_threads / size.block_size);
  return std::min({blocks, size.resident_blocks, per_multiprocessor * size.num_multiprocessors});
}

int usual_team(double num_points, double mean_visits, double num_multiprocessors) {
  constexpr double lanes_of_warp = 32;
  constexpr double busy_threads = 1024;  // of a multiprocessor
  const auto most =
      std::bit_ceil(static_cast<unsigned>(std::ceil(std::clamp(mean_visits, 1.0, lanes_of_warp))));
  const auto least =
      std::bit_floor(static_cast<unsigned>(std::clamp(mean_visits / 2, 1.0, lanes_of_warp)));
  unsigned team = most;
  while (team > least && num_points * team > busy_threads * num_multiprocessors) team /= 2;
  return static_cast<int>(team);
}

}  // namespace thallo
