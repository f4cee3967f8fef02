#pragma once

// The words an emitted kernel is launched with. Every kernel takes one struct `Args` of 8-byte
// words; kernel_arguments() lists them in order, so that a backend can pack a launch without
// knowing the kernel, and the emitter declares exactly the same struct. Word by word (emit.h says
// what the kernel does with each):
//
//   state        double*                 gate_slot  int64, -1 = none     gate_value  double
//   loop         uint64, 0 = none
//   f0, f1 ...   slots.fields: pointer to the field's memory type, or for a param its value, double
//   m0, m1 ...   slots.maps: const int32*
//   n0, n1 ...   slots.dims: int64
//   o0, o1 ...   slots.offsets: int64, scalars before the field in the unknown vector
//   c0, c1 ...   slots.chunks: int64, scalars from where a field begins to a chunk of it
//   N            int64, only if slots.needs_num_unknowns
//   points0 ...  int64, one per section
// and for dialect Cuda only:
//   block0 ...         int64, first block of each section (block0 = 0)
//   teamS              int64, threads of a team of section S, if it leaves them to the backend
//   multiplierS_D, shiftS_D   uint64, magic divisor of section S's domain D, for every domain but
//                      the last
//   arrivals     uint32*, only with an epilogue, or with sums
//   sums         double*, only of a deterministic program's reductions: one a reduction and block

#include <cstddef>
#include <string>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

enum class Dialect { C, Cuda };

enum class ArgumentKind {
  State,
  GateSlot,
  GateValue,
  LoopHandle,
  Field,
  Param,
  Map,
  Extent,
  Offset,
  Chunk,
  NumUnknowns,
  NumPoints,
  FirstBlock,
  Team,
  Multiplier,
  Shift,
  Arrivals,
  BlockSums,
};

struct Argument {
  ArgumentKind kind = ArgumentKind::State;
  std::string name;
  std::size_t slot = 0;    // into the slot list of its kind; the section for NumPoints .. Shift
  std::size_t domain = 0;  // Multiplier, Shift: into section.domains
};

std::vector<Argument> kernel_arguments(const KernelProgram& program, const KernelCode& code,
                                       Dialect dialect);

// Returns the position in a slot list. Throws InternalError if it is absent (`kind` names it in the
// message).
template <class T>
std::size_t slot_of(const std::vector<T>& slots, T id, const char* kind);

// True if blocks leave their reductions to the last one, which adds them up in order.
bool has_block_sums(const KernelProgram& program, const KernelCode& code);

// True if the field is passed by value.
bool is_param(const KernelProgram& program, FieldId field);

}  // namespace thallo
