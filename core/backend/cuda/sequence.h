#pragma once

// What is launched at once: a linear loop and phases behind it, or phases alone. A batch is a few
// sequences. The phases before a loop differ from batch to batch (a step may begin with the
// acceptance of the step before, or without a linearization), whereas the loop, which takes long to
// make a graph of, is the same in all of them.

#include <compare>
#include <optional>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/cuda/loop_shape.h"

namespace thallo::cuda {

struct Sequence {
  std::optional<LoopShape> loop = {};
  std::vector<Phase> phases = {};
  bool is_in_batch = false;   // true if marks (batch_marks.h) time the loop and each phase
  bool begins_batch = false;  // true if the first mark precedes
  bool ends_batch = false;    // true if the last mark follows
  friend auto operator<=>(const Sequence&, const Sequence&) = default;
};

// Returns the sequences of a batch in their order. A direct solve by the host, which no graph can
// have, is one by itself. `loop` is the shape of the batch's loop, if it has one.
std::vector<Sequence> sequences_of(const Batch& batch, std::optional<LoopShape> loop,
                                   bool solves_on_host);

}  // namespace thallo::cuda
