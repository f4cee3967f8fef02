// Computes the cost of one linear iteration (direction, apply and update) from the program.
#pragma once

#include "core/energy/binding.h"
#include "core/kernel/generate.h"
#include "core/schedule/precision.h"

namespace thallo::cli {

struct LinearIterationCost {
  int launches = 0;
  double must_move = 0;  // bytes moved if every cache were perfect
};

LinearIterationCost linear_iteration_cost(const GeneratedProgram& program, const Binding& binding,
                                          Precision precision);

}  // namespace thallo::cli
