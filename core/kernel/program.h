#pragma once

// A KernelProgram is everything a backend needs to run a solver: the buffers, the kernels, and for
// each phase the steps (kernel launches, clears, library operations) in order. It holds its own
// copy of the energy's graph, extended by derivatives and by the program's fields. Sizes appear
// nowhere: extents are bound when it is executed.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/energy/energy.h"
#include "core/kernel/kernel.h"
#include "core/kernel/passes.h"
#include "core/kernel/phase.h"
#include "core/kernel/solver_vector.h"
#include "core/kernel/state.h"
#include "core/linear/linear_solver.h"
#include "core/schedule/vector_order.h"

namespace thallo {

// The purpose of a program's own buffer; the fields of the energy are bound to user data.
enum class BufferKind {
  State,         // num_state_slots doubles, of each member of a batch
  Vector,        // a SolverVector; the per-unknown fields are consecutive views into one allocation
  ElementBlock,  // per element of an unknown space: a lower triangle, b(b+1)/2 scalars
  Mask,          // uint8 per element or channel of an unknown: 1 = free, 0 = excluded or held
  Values,        // stored values of an intermediate or a Sum; any values at the trial point
  Rounded,       // a copy of a field in double, rounded to the working precision
  Derivatives,   // stored derivatives of an intermediate
  Product,       // stored Jp, J or JtJ of a part, Jp of a Sum
  Matrix,        // over pairs of unknown scalars: a dense JtJ, or a Schur complement
  Multigrid,     // the finest matrix of multigrid, or the memory of its levels
  Partials,      // parts of the sums of an AdditionOrder
};

// Returns where the lower triangle of a symmetric block has an entry.
template <class Integer>
constexpr Integer triangle_position(Integer row, Integer col) {
  return row < col ? triangle_position(col, row) : row * (row + 1) / 2 + col;
}

// One allocation.
struct BufferDecl {
  std::string name;  // "p", "Ap", "inverse_diagonal", ...
  BufferKind kind = BufferKind::Vector;
  ScalarType type = ScalarType::Working;
  // Its views, in memory order (Vector: one per unknown in declaration order).
  std::vector<FieldId> fields;
  FieldId flat;  // the whole allocation as a field of 1 channel (Vector: over `unknown_scalars`)
};

// Unknown fields over the same dims form one space; an element has the channels of all of them, in
// declaration order.
struct UnknownSpace {
  std::vector<DimId> dims;
  std::vector<FieldId> unknowns;
  int channels = 0;
  // True if the linear solver eliminates the unknowns (core/kernel/elimination.h).
  bool is_eliminated = false;
  // Buffers of a preconditioner in InverseForm::Blocks: the diagonal blocks of JtJ and their
  // inverses. There are none with another preconditioner, or where has_block() is false.
  std::optional<std::size_t> blocks, block_inverse;
  bool lacks_block = false;  // true where the latter is the reason
  // Where the linear solver eliminates other unknowns: what that takes from the blocks.
  std::optional<std::size_t> eliminated_blocks;
};

std::string_view to_string(Phase phase);

// In KernelProgram::maps, the program's own sparse maps come after those of the energy. Their
// entries follow from the energy's maps and the extents, and are computed on the host when these
// are bound (bind/tables.h). The structs below define them.

// The column of an unknown scalar in the unknown vector; missing if the access is outside.
struct ColumnTable {
  MapId map;                      // in the dims of `domains`, out {unknown_scalars}
  std::vector<DomainId> domains;  // those that occur in the index
  UnknownScalar scalar;
};

// The blocks of a sparse JtJ: the pairs of elements of two unknowns that meet in some residual,
// each pair once, sorted by row, then column.
struct BlockPattern {
  std::string name;
  DimId blocks;  // its extent is the number of blocks
  FieldId row, col;
  MapId row_element, col_element;  // in {blocks}, out the unknown's dims
  // Two accesses of a residual, and the block that they contribute to; missing if one of them is
  // outside.
  struct Meeting {
    MapId block;                    // in the dims of `domains`, out {blocks}
    std::vector<DomainId> domains;  // those that occur in the indices
    IndexId row, col;
  };
  std::vector<Meeting> meetings;
  // True if meetings are at pairs of BlockProducts, which other patterns are made into first.
  bool has_products = false;
};

// The pairs of blocks of two patterns that are in one column: of one pattern, each pair of two
// different blocks once, the later one first. They are sorted by the row of the first block, then
// by that of the second, so that neighbors belong to the same pair of rows.
struct BlockProducts {
  std::size_t first = 0, second = 0;  // into KernelProgram::patterns
  DimId products;                     // its extent is the number of pairs
  MapId first_block, second_block;    // in {products}, out {blocks} of the pattern
  MapId first_row, second_row;        // in {products}, out the dims of the rows
};

// A stored J as CSR matrix: a row for each residual at each point, residual after residual, points
// in the order of `points`. A row has an entry for each access of its residual at each point of the
// loops, the accesses of one point adjacent. Where several accesses lead to one column all entries
// are kept, and a product adds them up (cuSPARSE's does, though its documentation only promises
// that columns may be in any order). Entries outside of their unknown are 0 and have the column of
// another entry of the row. cuSPARSE insists on no more entries than rows times columns; since a
// residual that reads a tiny unknown at many places has more, there are empty rows at the end, as
// many as it takes.
struct CsrRows {
  DimId rows;  // the same dim for all matrices of a part
  DimId entries;
  // The start of each row, and the end of the last.
  MapId offsets;
  MapId columns;                                     // column of each entry
  std::vector<DomainId> loops, points;               // entries run over loops, then points
  std::vector<std::vector<UnknownScalar>> accesses;  // by residual
};

// JtJ as CSR matrix, that of a part or of a direct solver, or a Schur complement. It is made of H,
// with JtJ = H + H^T, which is stored in blocks: each entry of JtJ is the sum of at most two
// entries of H.
struct MirroredBlocks {
  std::string name;
  DimId rows;  // the scalars: all unknown ones, or those that are kept
  struct Half {
    std::size_t pattern = 0;  // into KernelProgram::patterns
    // (row, column) of the entries of each block. Channels beyond those of an unknown are those of
    // the next ones in its space.
    std::vector<std::pair<int, int>> channels;
  };
  std::vector<Half> halves;  // in the order of H in memory
  DimId num_halves, entries;
  MapId offsets, columns;  // of JtJ, as above; columns ascend in a row
  MapId first, second;     // in {entries}, out {num_halves}; missing where there is none
};

// A matrix that libraries multiply. It has N columns.
enum class MatrixKind {
  Csr,
  Dense,      // column by column
  Symmetric,  // N x N, of which the lower triangle counts (column by column)
};
struct StoredMatrix {
  MatrixKind kind = MatrixKind::Csr;
  std::size_t values = 0;  // buffer
  MapId offsets, columns;  // Csr
};

// A launch does nothing (its epilogue neither) unless state[slot] == value. Steps of the linear
// solve are gated on Stop == 0, those of the residual reset on Resetting == 1, so that a
// device-side loop can be unrolled freely.
struct Gate {
  StateSlot slot = StateSlot::Stop;
  double value = 0;
};
struct LaunchKernel {
  std::size_t kernel = 0;  // into KernelProgram::kernels
  std::optional<Gate> gate;
  std::map<FieldId, FieldId> rebind;  // the kernel's field -> the field whose memory it uses here
};
struct ClearBuffer {
  std::size_t buffer = 0;  // the buffer that is set to zero
};
// (matrix + diag(damping)) x = b in double with unit-diagonal scaling; identity on excluded rows
// (free[i] == 0) and on empty ones. When the matrix is not positive definite x = 0, so that the
// solver sees a step of length 0, and StateSlot::DirectFailed is 1, else 0. With a Schur complement
// all are over the unknowns that are kept.
struct SolveDirect {
  const LinearSolver* solver = nullptr;  // one that takes a matrix
  std::size_t matrix = 0;                // N x N, or the values of a matrix in CSR
  MapId offsets, columns;                // for a matrix in CSR
  std::optional<std::size_t> damping;    // Levenberg-Marquardt only
  std::size_t free = 0;
  std::size_t b = 0;
  std::size_t x = 0;
};
// Library operations have no gate, so those of the linear loop keep running after the stop. All
// they change then is Ap, which the next direction kernel starts anew, and Jp, which they compute
// anew.
//
// Computes y = A x or y += A x, or the same with A^T.
struct MultiplyMatrix {
  std::size_t matrix = 0;  // into KernelProgram::matrices
  bool is_transposed = false;
  bool adds = false;
  std::size_t x = 0;  // buffers
  std::size_t y = 0;
};
// Adds A^T A of a dense matrix to the lower triangle of a symmetric one.
struct AddGram {
  std::size_t matrix = 0;
  std::size_t to = 0;
};
// A pass of the multigrid preconditioner (KernelProgram::multigrid).
struct RunMultigrid {
  enum class Pass {
    Build,  // makes the coarse matrices and the smoothers of all levels
    Cycle   // z = M^-1 r
  };
  Pass pass = Pass::Cycle;
  std::optional<Gate> gate;
};
using Step =
    std::variant<LaunchKernel, ClearBuffer, SolveDirect, MultiplyMatrix, AddGram, RunMultigrid>;

// Multigrid as preconditioner: all unknowns are over the same one to three dims, and two elements
// that meet in a residual are at a fixed offset (core/kernel/multigrid.h).
struct Multigrid {
  // A value for each element: what the matrix has in the row of the element's channel `row`, at the
  // channel `col` of the element at `offset`. The channels are those of an element of the space.
  struct Entry {
    int row = 0, col = 0;
    std::array<int, 3> offset = {};
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;  // of JtJ, ascending; rows and columns of excluded elements are 0
  std::size_t matrix = 0;      // buffer: a field for each entry
  std::size_t levels = 0;      // buffer: smoothers, matrices and vectors, as GridLevels says
  DimId scalars;               // of that buffer
};

// The inverse of a map from one dim to one dim, as two maps that are computed when that map is
// bound (bind/inverse_map.h).
struct InverseMap {
  MapId of;
  MapId offsets;  // where each element's list of points begins; one entry more than elements
  MapId points;   // the lists: from a place in them to the point
  // Other maps in the order of the lists: from a place in them to where `of` sends its point.
  struct Followed {
    MapId of;
    MapId table;
  };
  std::vector<Followed> followed;
};

// Additions in a fixed order: the elements of a field that points add to, or the pairs of elements
// whose entries of a matrix they add to, each once, and for each of these targets the points. The
// points of a target are cut into segments, of which none has many points: sums of segments are
// computed side by side, whether a target has a million points or there are a million targets.
struct AdditionOrder {
  // One, or the unknowns of a matrix's row and column. None where all points add at constant
  // indices: there is one target then, which stands for all of them.
  std::vector<FieldId> fields;
  DimId targets;
  std::vector<MapId> elements;  // in {targets}, out the dims of each field; invalid for rank 0
  // The points of one access, or of a pair of them.
  struct List {
    std::vector<IndexId> at;        // in each of `fields`
    std::vector<DomainId> domains;  // of the points
    DimId points, segments;
    MapId point;        // in {points}, out the dims of `domains`; sorted by target
    MapId begin;        // in {segments}, and the end of the last: where the points of each begin
    MapId segments_of;  // in {targets}, likewise: where the segments of each begin
  };
  std::vector<List> lists;
};

// A dim whose points are groups of neighbors in another one.
struct GroupedDim {
  DimId groups, of;
  int size = 1;  // of a group; the last one may have fewer
};

struct KernelProgram {
  std::string name;
  ExprGraph graph;
  // The energy's, then `unknown_scalars`, `kept_scalars` if it is valid, those of tables, and those
  // of groups.
  std::vector<Dim> dims;
  DimId unknown_scalars;  // its extent is N, the number of unknown scalars; the flat field of a
                          // vector is over it
  DimId kept_scalars;     // those that are not eliminated; valid if a Schur complement is formed
  std::vector<SparseMap> maps;  // the energy's maps first, under their own ids
  std::vector<InverseMap> inverses;
  std::vector<ColumnTable> columns;
  std::vector<BlockPattern> patterns;
  std::vector<BlockProducts> block_products;
  std::vector<CsrRows> csr_rows;
  std::vector<MirroredBlocks> mirrored_blocks;
  std::vector<AdditionOrder> addition_orders;
  std::vector<GroupedDim> grouped_dims;
  std::vector<StoredMatrix> matrices;
  std::vector<Field> fields;  // the energy's fields first, under their own ids
  std::vector<FieldId> unknowns;
  std::vector<UnknownSpace> spaces;
  std::vector<BufferDecl> buffers;
  // Buffers by content. A program has those that its solver and its plan need.
  std::map<SolverVector, std::size_t> vectors;
  std::map<FieldId, std::size_t> masks;  // by unknown, for unknowns with an exclusion
  std::optional<std::size_t> dense_jtj;
  std::optional<Multigrid> multigrid;
  std::vector<Kernel> kernels;
  std::map<Phase, std::vector<Step>> phases;
  FieldId state;  // double, num_state_slots channels; of rank 0, or over `members`
  DimId members;  // of a batch; invalid if there is none
  VectorOrder vector_order = VectorOrder::Plain;  // of the solver's own memory (vector_layout.h)
  // The cost that steps minimize: another than Cost where norms are reweighted
  // (core/energy/reweighted_norm.h).
  StateSlot minimized_cost = StateSlot::Cost;
  // False if residuals have other frozen parts that change with the unknowns, so that good steps
  // may raise the cost.
  bool knows_minimized_cost = true;
  PassOptions passes;  // of the generation of its kernels
  // True if the order of all additions follows from the sizes and the device alone: no two points
  // of a kernel add to the same element (meetings.h), and reductions are trees.
  bool is_deterministic = false;

  const Field& field(FieldId id) const { return fields[id.value()]; }
  bool has_members() const { return members.valid(); }
  // True if the solve keeps unknowns within bounds.
  bool has_bounds() const { return vectors.contains(SolverVector::Move); }
  std::span<const SparseMap> bound_maps() const;
  const std::vector<Step>& steps(Phase phase) const;
  // True if the linear loop can compute its residual anew.
  bool resets_residual() const { return !steps(Phase::ResetUpdate).empty(); }
  // True if the linear solver takes a matrix; else the program has a linear loop. It has both if
  // the loop finds the first steps.
  bool solves_directly() const { return !steps(Phase::DirectSolve).empty(); }
  bool has_linear_loop() const { return !steps(Phase::Update).empty(); }
  // Return the position of a buffer; throw InternalError if it is absent.
  std::size_t vector(SolverVector v) const;
  std::size_t mask(FieldId unknown) const;
  std::size_t find_buffer(std::string_view name) const;  // "J.fit"
};

}  // namespace thallo
