#pragma once

// The layout of the linear loop as a CUDA graph: a WHILE node whose body holds `unroll` linear
// iterations and, after every `reset_every`-th of them, the steps of a residual reset.
//
// Steps that are not due do nothing (they are gated on state.Stop and state.Resetting), so all
// shapes compute the same and differ only in time. On an H200 each pass through the WHILE node
// takes 3.5 us and each launch 0.85 us, due or not; after the stop, the iterations to the end of
// the body are still launched. Resets are due after iterations period, 2 period, ... A body of U
// iterations meets them at positions that are multiples of gcd(U, period), so each such position
// holds the reset steps.

#include <compare>

#include "core/backend/backend.h"

namespace thallo::cuda {

struct LoopShape {
  int unroll = 1;       // linear iterations in the body
  int reset_every = 0;  // 0 = the body holds no reset steps
  friend auto operator<=>(const LoopShape&, const LoopShape&) = default;
};

// The largest number of linear iterations in a body.
inline constexpr int MaxUnroll = 32;

// Returns the cheapest shape with unroll <= MaxUnroll for a solve that runs up to
// loop.max_iterations, or some 50 where more are allowed. `iteration_launches` and
// `reset_launches` count the launches of one linear iteration and of one reset.
LoopShape choose_loop_shape(const LinearLoop& loop, int iteration_launches, int reset_launches);

}  // namespace thallo::cuda
