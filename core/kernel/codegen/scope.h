// A body under construction, before it is put in order: a tree of scopes. A scope is the section
// itself or one serial loop. Private to code generation.
//
// Two things are called atoms in code generation. Here and in all of body_*: a boolean value that
// is no conjunction; a list of atoms means that all of them hold. In the index table
// (core/ir/index.h, AtomId): what an affine index adds up, a loop variable or the entry of a sparse
// map.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

struct Scope;

// A statement with the values that it needs.
struct ScopeStatement {
  std::variant<StoreItem, AddItem, MatrixAddItem, ReduceItem> node;
  std::vector<ValueId> atoms;  // it runs only where all of these booleans hold
};

// A serial loop: of statements, or of Sums over the same points, side by side.
struct ScopeLoop {
  std::vector<DomainId> domains;
  std::vector<DimId> extents;             // their dims
  ValueId begin, end;                     // of a run; else invalid
  std::vector<ValueId> coordinates;       // one per domain
  std::vector<Accumulator> accumulators;  // of the Sums; empty for a loop of statements
  std::vector<ExprId> sums;               // the Sums
  std::unique_ptr<Scope> body;
};

struct Scope {
  Scope* parent = nullptr;
  std::vector<DomainId> domains;  // bound here (the root: the section's own)
  std::vector<ValueId> values;    // defined here, operands before users
  std::vector<ScopeStatement> statements;
  std::vector<std::unique_ptr<ScopeLoop>> loops;
  std::map<ExprId, ValueId> expressions;  // those that have a value here already
  // Index instructions that are here already, by their operands and kind.
  std::map<std::pair<std::vector<std::int64_t>, int>, ValueId> keyed;
};

}  // namespace thallo
