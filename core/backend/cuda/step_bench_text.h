#pragma once

// The text of the kernels that run between the timed runs of a step (step_bench.h). No CUDA types
// here.

#include "core/backend/cuda/compile.h"

namespace thallo::cuda {

// Both take a struct of three 8-byte words and, like generated kernels, begin by waiting for the
// kernel before them.
//   copy_words(from, to, count)       copies 8-byte words with one block
//   read_through(data, sink, count)   reads float4 records; `data` are not negative and `sink` is
//                                     never written
Source step_bench_source();

}  // namespace thallo::cuda
