// What the kernels of a part compute with: its residuals, their weights and costs, and the partial
// derivatives collected by the unknown scalar they belong to. Private to lowering.
//
// A part has one list of domains, those of its order. Residuals that come from a group over other
// domains of the same dims are renamed to them. Residuals of a group with a robust loss have a
// weight w = rho'(|F|^2), |F|^2 over the whole group, in every product; the group's cost 0.5 rho is
// added by the part that has its first residual.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

struct JacobianEntry {
  std::size_t residual = 0;  // within the part
  ExprId derivative;
};

// All partials of a part at one unknown scalar: a row of J^T. Partials inside a Sum have its
// domains as loops, whose points count separately.
struct Target {
  FieldId unknown;  // in jp_targets also the values of a parallel Sum
  IndexId index;
  int channel = 0;
  std::vector<DomainId> loops;
  std::vector<JacobianEntry> entries;
};

struct PartExpressions {
  const Part* part = nullptr;
  std::vector<ExprId> residuals;
  std::vector<ExprId> weights;          // of each residual; constant 1 without a loss
  std::vector<ExprId> costs;            // of each residual: what it adds to twice the cost
  std::vector<ExprId> minimized_costs;  // ... to twice the cost that steps minimize
  std::vector<Target> targets;          // those with the same loops are adjacent
  // The targets from which Jp is computed: as above, but the chain rule ends at parallel Sums.
  std::vector<Target> jp_targets;
  bool has_parallel_sums = false;

  const std::vector<DomainId>& domains() const { return part->order; }
};

PartExpressions part_expressions(ProgramBuilder& builder, const Part& part);

// The sum over the entries of a target of derivative * factor of the residual.
ExprId transposed_product(ExprGraph& graph, const Target& target,
                          const std::function<ExprId(const JacobianEntry&)>& factor);

// Jp of each residual.
std::vector<ExprId> jacobian_product(ProgramBuilder& builder, const PartExpressions& e);
// The same for the step within the bounds, in place of p, by derivatives by the unknowns alone.
std::vector<ExprId> jacobian_times_move(ProgramBuilder& builder, const PartExpressions& e);

// The weighted sum over residuals of the product of two targets' derivatives: an entry of JtJ.
ExprId normal_entry(ExprGraph& graph, const PartExpressions& e, const Target& row,
                    const Target& col);
// The same targets with other domains for their loops: both ends of an entry of JtJ may be inside
// one Sum, and then every point of the Sum is paired with every other.
std::vector<Target> with_fresh_loops(ProgramBuilder& builder, std::vector<Target> targets);

// An empty kernel of a part; `name` is its name in generated text.
Kernel part_kernel(const Part& part, Role role, const std::string& name);

}  // namespace thallo
