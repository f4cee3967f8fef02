#pragma once

// The work of a program for given sizes, from which cost models predict times. Nothing here depends
// on a device.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/map_statistics.h"
#include "core/kernel/features.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"

namespace thallo {

// A step of a phase.
struct StepWork {
  enum class Kind { Kernel, Clear, Library, DirectSolve };

  Phase phase = Phase::Setup;
  Kind kind = Kind::Kernel;
  std::string label;  // "apply_jtjp [fit]"
  KernelFeatures features;
  bool in_double = false;     // computes in double
  int threads_per_block = 0;  // 0: the backend chooses
  double points_per_thread = 1;
  // Threads that visit a list together (core/kernel/teams.h), of several kinds of lists the most.
  // 0: as many as usual_team() says.
  int team = 1;
  bool aggregates = true;  // true if lanes of a warp that add to one element sum first
  bool reduces = false;    // true if scalars are summed over all points
  int registers = 0;       // per thread; 0 if not known before compiling
};

struct ProgramWork {
  std::vector<StepWork> steps;  // in the order of phases and their steps
  // Statistics of the maps through which kernels jump.
  std::map<MapId, MapStatistics> maps;
  double bytes = 0;       // all memory that the program needs on the device
  double loop_bytes = 0;  // what the steps of one linear iteration touch together
};

// `statistics` are a result of map_statistics(), for the program's maps only.
ProgramWork work_of(const GeneratedProgram& program, const ProgramSizes& sizes,
                    std::map<MapId, MapStatistics> statistics, Precision precision);
// Lowers the plan and generates its kernels. Fails if the sizes do not fit, and wherever
// check_program() fails.
Expected<ProgramWork> work_of(const Energy& energy, const Plan& plan, const ProgramOptions& options,
                              const Binding& binding);

}  // namespace thallo
