#include "core/backend/cuda/sequence.h"

namespace thallo::cuda {
namespace {

void begin_another(std::vector<Sequence>& list) {
  if (list.back().loop || !list.back().phases.empty()) list.push_back({.is_in_batch = true});
}

void append(std::vector<Sequence>& list, const std::vector<Phase>& phases, bool solves_on_host) {
  for (const Phase phase : phases) {
    const std::vector<Phase>& before = list.back().phases;
    const bool is_behind_solve = !before.empty() && before.back() == Phase::DirectSolve;
    if (solves_on_host && (phase == Phase::DirectSolve || is_behind_solve)) begin_another(list);
    list.back().phases.push_back(phase);
  }
}

}  // namespace

std::vector<Sequence> sequences_of(const Batch& batch, std::optional<LoopShape> loop,
                                   bool solves_on_host) {
  std::vector<Sequence> list(1, {.is_in_batch = true, .begins_batch = true});
  append(list, batch.before, solves_on_host);
  if (loop) {
    begin_another(list);
    list.back().loop = loop;
  }
  append(list, batch.after, solves_on_host);
  list.back().ends_batch = true;
  return list;
}

}  // namespace thallo::cuda
