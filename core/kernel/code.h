#pragma once

// A kernel in executable order, which the interpreter runs, the emitters print and the feature
// counter walks. generate() (generate.h) makes it from a Kernel, whose statements contain
// expressions. Every value is placed in the outermost block where it is defined and needed:
// loop-invariant code is outside of the loops, and work under a false mask is skipped. A value is
// computed once in each block that needs it, and assigned exactly once, before its uses.
//
// The fields, maps and dims are those of the program; its expression graph is not needed.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/kernel/program.h"
#include "core/kernel/vector_layout.h"

namespace thallo {

using ValueId = Id<struct ValueTag>;  // index into CodeBody::values

// Real: the kernel's compute type. Scalar: double (made of state, params, constants and what is
// accumulated in double).
// Index: integer. Bool.
enum class ValueType { Real, Scalar, Index, Bool };

enum class InstructionKind {
  Constant,    // `constant`, Scalar (usable as Real)
  Coordinate,  // loop variable `domain`, Index
  Affine,      // constant + sum coefficients[i] * operands[i], Index
  Element,     // operands = components over `dims`: i0 + n0*(i1 + n1*...), Index
  MapLoad,     // maps[map][operands[0] * num_outputs + output], Index; operands[0] = element of the
               // map's `in` space. With a guard (operands[1], Bool): -1 where it is false
  InRange,     // 0 <= operands[0] < extent(dims[0]), Bool
  Load,    // `channel` of element operands[0] of `field` (vector_layout.h says where); rank 0: no
           // operand. Real, or Scalar for state and params. With a guard (operands[1], Bool): 0
           // where it is false, memory is not touched
  ToReal,  // Index -> Real
  Operation,  // `op` on operands: any op with operands except Sum and samples. Mul: all operands
              // Bool (conjunction, Bool) or none. Other Bool operands count as the numbers 0 and 1;
              // Select, Not, Or take Bool conditions. PowI uses `exponent`
  Sample,  // bilinear sample of `field` over `dims` at (operands[0], operands[1]), channel; Real.
           // Over two dims texels outside are 0; over three, operands[2] is the layer and texels
           // can be missing (Op::SampleLayer)
};

struct Instruction {
  InstructionKind kind = InstructionKind::Constant;
  ValueType type = ValueType::Scalar;
  Op op = Op::Constant;
  int exponent = 0;
  int channel = 0;
  int output = 0;
  double constant = 0;      // Constant
  std::int64_t offset = 0;  // Affine: the constant
  std::vector<std::int64_t> coefficients;
  std::vector<ValueId> operands;
  FieldId field;
  MapId map;
  DomainId domain;
  std::vector<DimId> dims;
  int window = -1;  // Load: the CodeBody's window that it reads, if it reads one
  int line = 0;     // of the author's text that it comes from (ExprGraph::line); 0 if unknown
};

struct CodeItem;
using CodeBlock = std::vector<CodeItem>;

// Computes a value here.
struct Let {
  ValueId value;
};
// field[element].channel = value
struct StoreItem {
  FieldId field;
  ValueId element;  // invalid: the field has rank 0
  int channel = 0;
  ValueId value;
};
// field[element].channel += value
struct AddItem {
  FieldId field;
  ValueId element;
  int channel = 0;
  ValueId value;
  ValueId guard;  // Bool: adds only where it holds; invalid: always
};
// A row or column of a dense JtJ: that of a channel of an unknown's element (vector_layout.h).
struct MatrixRow {
  FieldId unknown;
  ValueId element;
  int channel = 0;
};
// matrix[row, col] += value
struct MatrixAddItem {
  FieldId matrix;
  MatrixRow row, col;
  ValueId value;
  ValueId guard;
};
struct ReduceItem {
  std::size_t reduction = 0;  // into KernelCode::reductions
  ValueId value;
};
// sum = 0 before the loop, sum = op(sum, addend) at the end of each pass through the body
struct Accumulator {
  ValueId sum;
  ValueId addend;
  ReduceOp op = ReduceOp::Sum;
};
// A serial loop over the product of its domains, or over a run of one domain from `begin` to `end`.
struct LoopItem {
  std::vector<DomainId> domains;          // first = fastest
  std::vector<DimId> extents;             // their dims
  ValueId begin, end;                     // invalid: every domain runs over its whole dim
  std::vector<ValueId> coordinates;       // one per domain, defined in the body
  std::vector<Accumulator> accumulators;  // `sum` is defined after the loop
  CodeBlock body;
  bool is_divided = false;  // true if the threads of a team share its passes (teams.h)
};
struct IfItem {
  ValueId condition;
  CodeBlock body;
  // Defined by a Let or a Loop in the body and used after it; 0 where the condition is false.
  std::vector<ValueId> escapes;
};

struct CodeItem {
  std::variant<Let, StoreItem, AddItem, MatrixAddItem, ReduceItem, LoopItem, IfItem> node;
};

// A channel of a field that the points of a tile (tiles.h) read around them, all at indices whose
// component in each dim is step * coordinate + offset, with offsets in one range. What is outside
// of the field is 0.
struct Window {
  // constant + sum coefficient * i, for 0 <= i < extent of each dim
  struct Offset {
    std::int64_t constant = 0;
    std::vector<std::pair<DimId, std::int64_t>> loops;
    friend bool operator==(const Offset&, const Offset&) = default;
  };
  struct Component {
    int coordinate = -1;  // of CodeBody::coordinates; -1: the offset alone
    std::int64_t step = 0;
    std::vector<Offset> offsets;
  };
  FieldId field;
  int channel = 0;
  std::vector<Component> components;  // one for each dim of the field
};

struct CodeBody {
  std::vector<DomainId> domains;     // parallel domains, first = fastest; empty: one point
  std::vector<DimId> extents;        // their dims
  std::vector<ValueId> coordinates;  // one per domain
  std::vector<Instruction> values;
  CodeBlock block;
  int team = 1;  // as in Section; 1 where nothing is divided among a team (teams.h)
  std::vector<Window> windows;
  const Instruction& operator[](ValueId id) const { return values[id.value()]; }
};

struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  int slot = 0;  // channel of `state`
};

// What the kernel is handed at launch, each list in order of first use (so that it does not depend
// on names or ids).
struct KernelSlots {
  std::vector<FieldId> fields;  // pointers; params (rank 0, FieldKind::Param) by value as double
  std::vector<MapId> maps;      // pointers to int32
  std::vector<DimId> dims;      // extents
  std::vector<FieldId>
      offsets;  // unknowns whose offset in the unknown vector is needed (matrix rows)
  std::vector<LaterChunk> chunks;   // chunks whose offset in their field is needed
  bool needs_num_unknowns = false;  // N, for matrix rows
};

struct KernelCode {
  std::string role;
  std::string label;
  ComputeType compute = ComputeType::Working;
  LaunchShape shape;  // as in Kernel
  bool aggregates_in_warps = true;
  std::vector<CodeBody> sections;
  std::vector<Reduction> reductions;
  CodeBody epilogue;  // no domains; empty block when there is none
  bool has_epilogue = false;
  ValueId loop_condition;  // in epilogue.values; invalid when there is none
  KernelSlots slots;
  std::vector<FieldId> written;                  // fields stored to
  std::vector<FieldId> scattered;                // fields added to (AddItem, MatrixAddItem)
  std::map<DomainId, std::string> domain_names;  // of all loop variables, for printing
};

}  // namespace thallo
