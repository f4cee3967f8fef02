#pragma once

// How the linear loop is laid out as a CUDA graph: a WHILE node whose body holds `unroll` linear
// iterations and, after every `reset_every`-th of them, the steps of a residual reset.
//
// Steps that are not due do nothing (they are gated on state.Stop and state.Resetting), so any
// shape computes the same; it only costs time. What it costs, in microseconds on an H200: 3.5 for
// each pass through the WHILE node, 0.85 for each launch, due or not. Iterations after the stop run
// to the end of the body. Resets are due after iterations period, 2 period, ...: in a body of U
// iterations those are positions that are multiples of gcd(U, period), and each such position holds
// the reset steps.

#include "core/backend/backend.h"

namespace thallo::cuda {

struct LoopShape {
  int unroll = 1;       // linear iterations in the body
  int reset_every = 0;  // 0 = the body holds no reset steps
  friend bool operator==(const LoopShape&, const LoopShape&) = default;
};

// The cheapest shape with unroll <= 32 for a solve that may run to max_iterations.
// `iteration_launches` and `reset_launches` are those of one linear iteration and of one reset.
LoopShape choose_loop_shape(const LinearLoop& loop, int iteration_launches, int reset_launches);

}  // namespace thallo::cuda
