// How many blocks a CUDA kernel is launched with, and how many threads compute a point together.
#pragma once

#include <cstdint>

namespace thallo {

// The quantities that determine the number of CUDA blocks.
struct LaunchSize {
  std::int64_t num_points = 0;
  int lanes = 1;  // points that a thread computes at a time
  int team = 1;   // threads that compute a point together
  int block_size = 0;
  int rows_per_thread = 0;  // as in LaunchShape
  bool has_reductions = false;
  bool has_epilogue = false;
  std::int64_t resident_blocks = 0;  // blocks that fit on the device at once
  std::int64_t num_multiprocessors = 0;
};
// Returns the CUDA blocks of a section. If the schedule does not say: one for every block_size
// groups of points, or teams; with reductions, as few as keep memory busy; with an epilogue, a
// single one if there are few points.
std::int64_t launch_blocks(const LaunchSize& size);

// Returns the threads of a team where the schedule does not say, a power of two up to 32: as many
// as a list has points in the mean while there are multiprocessors without threads, else half as
// many. Measured on meshes, graphs of poses and bundle adjustment (docs/measurements.md).
int usual_team(double num_points, double mean_visits, double num_multiprocessors);

}  // namespace thallo
