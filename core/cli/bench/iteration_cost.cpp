#include "core/cli/bench/iteration_cost.h"

#include "core/cli/require.h"
#include "core/kernel/features.h"

namespace thallo::cli {

LinearIterationCost linear_iteration_cost(const GeneratedProgram& program, const Binding& binding,
                                          Precision precision) {
  const ProgramSizes sizes = require(ProgramSizes::make(program.program, binding));
  LinearIterationCost cost;
  for (const Phase phase : {Phase::Direction, Phase::Apply, Phase::Update}) {
    const PhaseFeatures features =
        count_features(program.program, program.codes, phase, sizes, precision);
    cost.launches += features.launches;
    cost.must_move += features.must_move;
  }
  return cost;
}

}  // namespace thallo::cli
