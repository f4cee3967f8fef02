#include "core/explore/worker/step_features.h"

namespace thallo {
StepFeatures StepFeatures::of(const StepWork& step) {
  const KernelFeatures& features = step.features;
  return {.points = static_cast<double>(features.points),
          .flops = features.flops.total(),
          .loads = features.loads,
          .reads = features.reads.total(),
          .writes = features.writes.total(),
          .scatters = features.scatters.total(),
          .atomics = features.atomics,
          .must_read = features.must_read,
          .must_write = features.must_write};
}

}  // namespace thallo
