#include "core/backend/cuda/sequence.h"

namespace thallo::cuda {
namespace {

void begin_another(std::vector<Sequence>& list) {
  if (list.back().loop || !list.back().phases.empty()) list.push_back({.is_in_batch = true});
}

void append(std::vector<Sequence>& list, const std::vector<Phase>& phases) {
  for (const Phase phase : phases) {
    const std::vector<Phase>& before = list.back().phases;
    if (phase == Phase::DirectSolve || (!before.empty() && before.back() == Phase::DirectSolve))
      begin_another(list);
    list.back().phases.push_back(phase);
  }
}

}  // namespace

std::vector<Sequence> sequences_of(const Batch& batch, std::optional<LoopShape> loop) {
  std::vector<Sequence> list(1, {.is_in_batch = true, .begins_batch = true});
  append(list, batch.before);
  if (loop) {
    begin_another(list);
    list.back().loop = loop;
  }
  append(list, batch.after);
  list.back().ends_batch = true;
  return list;
}

}  // namespace thallo::cuda
