// From the statements of one section to a CodeBody, in two steps. BodyBuilder makes the values:
// expressions and index arithmetic become instructions, each once per scope (a scope is the section
// itself or one serial loop; a value lives in the outermost scope that defines all the loop
// variables it depends on). order_body (body_order.cpp) then decides under which conditions each
// value is needed and puts everything in sequence. Private to code generation.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

struct Scope;

// A statement or loop with what it needs.
struct ScopeStatement {
  std::variant<StoreItem, AddItem, MatrixAddItem, ReduceItem> node;
  std::vector<ValueId> atoms;  // it runs only where all of these booleans hold
};
struct ScopeLoop {
  std::vector<DomainId> domains;
  ValueId begin, end;  // of a run
  std::vector<ValueId> coordinates;
  // Of Sums over the same points, side by side; empty for a loop of statements.
  std::vector<Accumulator> accumulators;
  std::vector<ExprId> sums;
  std::unique_ptr<Scope> body;
};

struct Scope {
  Scope* parent = nullptr;
  std::vector<DomainId> domains;  // bound here (the root: the section's own)
  std::vector<ValueId> values;    // defined here, operands before users
  std::vector<ScopeStatement> statements;
  std::vector<std::unique_ptr<ScopeLoop>> loops;
  std::map<ExprId, ValueId> expressions;                               // memo
  std::map<std::pair<std::vector<std::int64_t>, int>, ValueId> keyed;  // memo of index instructions
};

class BodyBuilder {
 public:
  // `reductions` is shared by the sections of a kernel.
  BodyBuilder(const KernelProgram& program, ComputeType compute, bool bounds_pass,
              std::vector<Reduction>& reductions, CodeBody& body);

  void build(const std::vector<DomainId>& domains, const Block& block);
  // Makes the value of an expression available after the last statement; where it is, is known
  // after finish().
  void keep(ExprId expression) { results_.push_back(convert(*root_, expression)); }
  void finish();  // orders everything into body.block
  const std::vector<ValueId>& results() const { return results_; }

  // For ordering.
  const CodeBody& body() const { return body_; }
  CodeBody& body() { return body_; }
  Scope& root() { return *root_; }
  // Booleans whose conjunction must hold for a load (or map lookup) to touch memory; empty = always
  // safe.
  const std::vector<ValueId>& guard_atoms(ValueId value) const;
  // For a product masked by booleans: the booleans and the unmasked product.
  struct Mask {
    std::vector<ValueId> atoms;
    ValueId product;
  };
  const Mask* find_mask(ValueId value) const;
  ValueId conjunction(Scope& scope, const std::vector<ValueId>& atoms);
  bool bounds_pass() const { return bounds_pass_; }
  template <class Resolve>
  void resolve_results(Resolve resolve) {
    for (ValueId& result : results_) result = resolve(result);
  }

 private:
  void statements(Scope& scope, const Block& block, const std::vector<ValueId>& atoms);
  void add_statement(Scope& scope, const Statement& statement, const std::vector<ValueId>& atoms);
  void masked(Scope& scope, ExprId expression, std::vector<ValueId>& atoms, ValueId& value);
  void added(Scope& scope, ExprId expression, std::span<const IndexId> targets,
             std::vector<ValueId>& atoms, ValueId& value);

  ValueId convert(Scope& scope, ExprId expression);
  ValueId convert_in(Scope& scope, ExprId expression);
  ValueId product(Scope& scope, ExprId expression);
  ValueId tensor_sum(Scope& scope, ExprId expression);
  void place_sums_before(Scope& scope, ExprId sum);
  ScopeLoop& loop_of_sum(Scope& scope, ExprId sum);
  std::set<const ScopeLoop*> loops_needed_by(const Scope& scope, ExprId expression) const;
  void bound_run(Scope& scope, ScopeLoop& loop);
  ValueId add_sample(Scope& scope, Instruction sample, ExprId expression);
  ValueId operation(Scope& scope, Op op, std::vector<ValueId> operands, int exponent = 0);
  ValueId constant(double value);
  ValueId boolean(Scope& scope, ValueId value);
  void collect_atoms(Scope& scope, ExprId boolean_expression, std::vector<ValueId>& atoms);

  ValueId component(Scope& scope, const Affine& affine);
  ValueId atom(Scope& scope, AtomId id);
  ValueId in_range(Scope& scope, const Affine& affine, DimId dim);
  ValueId element(Scope& scope, const std::vector<DimId>& dims, IndexId index);
  std::vector<ValueId> bounds(Scope& scope, const std::vector<DimId>& dims, IndexId index);

  Scope& scope_of(Scope& scope, const std::vector<DomainId>& domains);
  ValueId add_value(Scope& scope, Instruction instruction);
  ValueId add_index_value(Scope& scope, Instruction instruction, std::vector<std::int64_t> key);

  const KernelProgram& program_;
  const ExprGraph& graph_;
  ComputeType compute_;
  bool bounds_pass_;
  std::vector<Reduction>& reductions_;
  CodeBody& body_;
  std::unique_ptr<Scope> root_;
  std::map<DomainId, ValueId> coordinates_;  // of the domains bound in scopes that are open
  std::map<ValueId, std::vector<ValueId>> guards_;
  std::map<ValueId, Mask> masks_;
  std::vector<ValueId> results_;
};

}  // namespace thallo
