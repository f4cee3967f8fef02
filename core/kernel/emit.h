#pragma once

// Emitters: readable C from KernelCode. One skeleton, two dialects. The text carries the role and
// slot names only (f0, m1, n0 ...), so equal kernels of different energies or schedules are the
// same text, and its hash is the canonical key.
//
// Launch interface. Every kernel takes one struct `Args` of 8-byte words, listed in order by
// kernel_arguments() (arguments.h). The first four words are common to all kernels:
//   state (double*); gate_slot (int64) and gate_value (double): the launch does nothing unless
//   gate_slot is -1 or state[gate_slot] == gate_value; loop (uint64): a CUDA graph's conditional
//   handle, 0 = none.
//
// Dialect C (C17). For code.role "apply":
//   void apply(const Args* a, int64_t section, int64_t begin, int64_t end, double* partial);
//   void apply_epilogue(const Args* a);   // when code.has_epilogue
// apply() runs points [begin, end) of a section, 0 <= begin < end <= number of points. `partial`
// has one double per entry of code.reductions, which it adds to (or takes the maximum with); the
// caller starts them at 0, combines them over threads and into state before it calls the epilogue.
// Scattered fields are plain +=: a caller with several threads passes each its own copy. Loops over
// points that depend on no other are marked "omp simd" (compile with -fopenmp-simd). The gate
// words are there and are tested by the caller; `loop` is unused.
//
// Dialect Cuda: extern "C" __global__ void apply(const Args a); one thread a point, or a group of
// lanes_per_thread() points (lanes.h), or a team of threads for each point (teams.h), blocks of
// block_size_of() threads in one dimension. A team has a power of two of threads, at most 32, or is
// a whole block. With a tile_width, a block has a tile of points (tiles.h) of each section that has
// tiles, one after the other along the first domain, and window_bytes() of dynamic shared memory.
// Section
// s owns the blocks from its `block` word to that of section s+1 (the grid's end for the last) and
// has
// - unless strides(): ceil(groups * threads of a team / block_size) of them;
// - else any number from 1 (0 if it has no points); its threads stride over the groups, so that few
//   blocks mean few atomics on the state. launch_blocks() is the rule.
// The grid has at least one block when there is an epilogue, even if there is no point at all.
// Scatters are atomicAdd, after a warp reduction where all lanes have one element, unless the code
// is not to aggregate; reductions go warp shuffle -> shared memory -> one double atomic a block on
// state[slot]. In a deterministic program no two points scatter to one element, so a scatter is a
// plain addition, and the last block to arrive adds up the reductions of all (`sums`). The last
// block to arrive (`arrivals`: one uint32 that is 0 before the first launch; every launch leaves
// it 0, so launches in one stream may share it) runs the epilogue and, if `loop` is not 0, passes
// loop_condition to cudaGraphSetConditional (a device function the driver resolves). A launch that
// its gate on Stop keeps from running passes 0, so that a loop around a finished solve ends; any
// other closed gate leaves the condition as it is. From sm_90 on the text begins by waiting for
// the kernel before it, so that a graph may launch it early. Indices are idx_t, int or long long;
// all index products and numbers of points must be below 2^(index_bits - 1). Compile with
// -default-device.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/kernel/arguments.h"
#include "core/kernel/code.h"
#include "core/kernel/launch_size.h"
#include "core/schedule/precision.h"

namespace thallo {

struct EmitOptions {
  Dialect dialect = Dialect::C;
  Precision precision = Precision::Float;  // the working type
  int index_bits = 32;                     // 32 or 64
  int block_size = 256;                    // CUDA threads per block, a multiple of 32
  bool has_windows = true;                 // CUDA: blocks have shared memory for windows (tiles.h)
  // CUDA: the kernel, of members alone, is a function for the threads of one team:
  //   __device__ void apply(const Args& a, uidx_t point, unsigned int team, unsigned int member,
  //                         unsigned int mates);
  // `member` is the thread's number in the team, and `mates` are those of its warp that are in it.
  bool is_member_function = false;
};

// Returns the CUDA threads per block of a kernel: the schedule's number if it has one, else
// `preferred`.
inline int block_size_of(const KernelCode& code, int preferred) {
  return code.shape.threads_per_block > 0 ? code.shape.threads_per_block : preferred;
}
// True if the threads of a CUDA kernel compute several groups of points one after the other.
inline bool strides(const KernelCode& code) {
  return !code.reductions.empty() || code.shape.rows_per_thread > 1;
}

std::string emit(const KernelProgram& program, const KernelCode& code, const EmitOptions& options);

// What a word of the text stands for.
struct SlotText {
  std::string name;     // in the text: "f0", or in a readable text "Ap_points"
  std::string meaning;  // "Ap.points over (P), 3 channels"
};

// The text for people: that of emit(), but slots are called what the energy and the solver call
// them. It is made by the same emitter and is as legal, but nothing compiles it.
struct ReadableText {
  std::string preamble;   // types and helpers that the functions need
  std::string functions;  // the kernel
  // For each line of `functions`: the lines of the author's text that it comes from, ascending;
  // none where nothing or too much would be to say, as for sums over residuals of several lines.
  std::vector<std::vector<int>> lines_of;
  std::vector<SlotText> slots;  // in the order of KernelSlots, without the state
};
ReadableText readable_text(const KernelProgram& program, const KernelCode& code,
                           const EmitOptions& options);

// Describes the slots in a comment to print above the text ("// f0 = ..."), below the kernel's
// label. The comment is not part of the compiled text.
std::string describe_slots(const KernelProgram& program, const KernelCode& code);
// Does so for a readable text, where a name that says what it is has no line.
std::string describe_slots(const KernelCode& code, const ReadableText& text);

// The canonical key of an emitted kernel for a target ("sm_90", "x86_64"). All that tells kernels
// apart is spelled in the text (renumbered body, types of slots, set or add, guards, reductions,
// launch shape, index width) and nothing else is, so the key is the text's hash with the target
// and the version of what made it. Equal keys are compiled once.
Hash128 canonical_key(std::string_view text, std::string_view architecture);

}  // namespace thallo
