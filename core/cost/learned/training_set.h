#pragma once

// Measured steps, and the schedules that consist of them: what models are fitted to and judged by.
// core/explore/learn reads them from stores.

#include <cstddef>
#include <string>
#include <vector>

#include "core/cost/learned/step_inputs.h"

namespace thallo {

struct MeasuredStep {
  std::size_t problem = 0;  // of TrainingSet::problems
  StepWork work;
  // Its maps; and as the bytes of the loop 0 if the caches were hot, infinity if they were evicted.
  ProgramWork program;
  double seconds = 0;  // of one run, the median of the samples
};

struct MeasuredUse {
  std::size_t step = 0;  // of TrainingSet::steps
  double runs = 0;       // in a nonlinear iteration
};

struct MeasuredSchedule {
  std::size_t instance = 0;  // of TrainingSet::instances
  double seconds = 0;        // of a nonlinear iteration, added up from its steps
  double linear_iterations = 0;
  double loop_bytes = 0;  // that a linear iteration touches
  std::vector<MeasuredUse> uses;
};

// A problem with one input.
struct MeasuredInstance {
  std::size_t problem = 0;  // of TrainingSet::problems
  std::string options;
};

struct TrainingSet {
  DeviceSpec device;  // that everything was measured on
  std::vector<std::string> problems;
  std::vector<MeasuredInstance> instances;
  std::vector<MeasuredStep> steps;
  std::vector<MeasuredSchedule> schedules;
};

}  // namespace thallo
