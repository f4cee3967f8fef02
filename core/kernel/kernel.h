#pragma once

// The loop-nest language. A kernel is a list of sections; a section runs its body for every point
// of its parallel domains (first = fastest varying across lanes; no domains = one point). Bodies
// are statements on expressions of the program's graph. Reductions leave the kernel through rank-0
// scalar slots (field `state`); an epilogue runs once, after every point of every section has run
// and all reductions are complete.
//
// Types: expressions are evaluated in the kernel's `compute` type, except those made of state
// scalars, params and constants only, which are evaluated in double and converted where they meet
// other values. Reductions accumulate in double.
//
// Races: Store must not hit an element twice in one kernel; ScatterAdd may (it is atomic, or
// privatized on a CPU). Loads see memory as it was before the kernel: a kernel never reads an
// element that another point of the same kernel writes.

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/energy/energy.h"
#include "core/ir/graph.h"
#include "core/schedule/roles.h"

namespace thallo {

struct Statement;
using Block = std::vector<Statement>;

// field[index].channel = value
struct Store {
  FieldId field;
  IndexId index;
  int channel = 0;
  ExprId value;
};

// field[index].channel += value; dropped when the index is outside the field (or a missing optional
// map entry).
struct ScatterAdd {
  FieldId field;
  IndexId index;
  int channel = 0;
  ExprId value;
};

// One scalar of the unknown vector: row or column of a dense JtJ.
struct UnknownScalar {
  FieldId unknown;
  IndexId index;
  int channel = 0;
};

// matrix[row][col] += value, row-major N x N over the unknown vector; dropped when either is
// outside.
struct MatrixAdd {
  FieldId matrix;
  UnknownScalar row;
  UnknownScalar col;
  ExprId value;
};

enum class ReduceOp { Sum, Max };

// state[slot] = op(state[slot], value over all points). Slots start at 0, so Max takes non-negative
// values only.
struct Reduce {
  ReduceOp op = ReduceOp::Sum;
  int slot = 0;  // channel of the state field
  ExprId value;
};

// Serial loop over the product of domains.
struct Loop {
  std::vector<DomainId> domains;
  Block body;
};

// Runs the body if the boolean condition holds; inside, the condition is known to be true.
struct Guard {
  ExprId condition;
  Block body;
};

struct Statement {
  std::variant<Store, ScatterAdd, MatrixAdd, Reduce, Loop, Guard> node;
};

struct Section {
  std::vector<DomainId> domains;
  Block body;
  // CUDA threads that compute a point together (teams.h): a power of two up to 32, or WholeBlock; 0
  // leaves it to the backend.
  int team = 0;
};
inline constexpr int WholeBlock = -1;

// Of a CUDA kernel. 0 leaves a number to the backend.
struct LaunchShape {
  int threads_per_block = 0;
  int resident_threads = 0;  // per multiprocessor; the compiler limits registers to allow it
  int rows_per_thread = 0;   // points that a thread computes sequentially
  int tile_width = 0;        // points of a block along the first domain (tiles.h)

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};
enum class ComputeType { Working, Double };

struct Kernel {
  std::string role;   // e.g. "apply_jtjp"; enters the emitted text
  std::string label;  // e.g. "apply_jtjp [fit]"; shown, never compiled
  // The part that the kernel belongs to and its role there, by which constructs find the kernels to
  // change; empty for the solver's own kernels.
  std::string part;
  std::optional<Role> part_role;
  ComputeType compute = ComputeType::Working;
  LaunchShape shape;
  // True if lanes of a CUDA warp that all add to one element sum first.
  bool aggregates_in_warps = true;
  std::vector<Section> sections;
  // Stores to `state`, made by one thread after the reductions. All values are computed before the
  // first one is stored.
  std::vector<Store> epilogue;
  ExprId loop_condition;  // state expression; a device-side WHILE loop around this kernel goes on
                          // while it is non-zero
};

// True if a statement of the kernel's sections, also in a loop or guard, is as wanted.
bool has_statement(const Kernel& kernel, const std::function<bool(const Statement&)>& is_wanted);
// True if the kernel adds to elements that several of its points may add to.
bool adds_to_memory(const Kernel& kernel);

}  // namespace thallo
