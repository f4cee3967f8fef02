#pragma once

// The work of a program for given sizes: what cost models predict times from. Nothing here depends
// on a device.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/map_statistics.h"
#include "core/kernel/features.h"
#include "core/kernel/generate.h"

namespace thallo {

// A step of a phase.
struct StepWork {
  enum class Kind { Kernel, Clear, Library, DirectSolve };

  Phase phase = Phase::Setup;
  Kind kind = Kind::Kernel;
  std::string label;  // "apply_jtjp [fit]"
  KernelFeatures features;
  bool in_double = false;     // computes in double
  int threads_per_block = 0;  // 0: as the backend likes
  double points_per_thread = 1;
  bool aggregates = true;  // lanes of a warp add up first where they all add to one element
  bool reduces = false;    // sums up scalars over all points
  int registers = 0;       // of a thread; 0: not known before it is compiled
};

struct ProgramWork {
  std::vector<StepWork> steps;  // in the order of phases and their steps
  // Statistics of the maps that kernels jump through.
  std::map<MapId, MapStatistics> maps;
  double bytes = 0;       // all memory that the program needs on the device
  double loop_bytes = 0;  // what the steps of one linear iteration touch together
};

// `statistics` are those of map_statistics(); of the program's maps only.
ProgramWork work_of(const GeneratedProgram& program, const ProgramSizes& sizes,
                    std::map<MapId, MapStatistics> statistics, Precision precision);

}  // namespace thallo
