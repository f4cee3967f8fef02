#include "core/cli/auto_target.h"

#include "core/cli/require.h"

namespace thallo::cli {

AutoTarget auto_target(Session& session, const RunOptions& run, const EnergyFile& file,
                       const Instance& instance, const RunRequest& request, Precision precision) {
  const SolverOptions solver = require(solver_options(instance, request));
  return {.binding = instance.binding,
          .precision = precision,
          .program = program_options(file.defaults, solver),
          .linear_iterations = static_cast<double>(solver.num_linear_iterations),
          .memory_limit = request.compile.memory_limit,
          .device = [&session, &run] {
            return session.device_spec(run.device_spec, run.backend, run.device);
          }};
}

}  // namespace thallo::cli
