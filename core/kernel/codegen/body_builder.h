// From the statements of one section to a CodeBody, in two steps. BodyBuilder makes the values:
// expressions and index arithmetic become instructions, each once per scope (value_placer.h).
// order_body() (body_order.h), called by finish(), then decides under which conditions each value
// is needed and puts everything in sequence. Private to code generation.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "core/kernel/codegen/value_placer.h"

namespace thallo {

class BodyBuilder : public ValuePlacer {
 public:
  // The expressions are in `graph`. `reductions` is shared by the sections of a kernel.
  // `has_branches`: work under a false mask is skipped, if the pass `bounds` is on.
  BodyBuilder(const KernelProgram& program, const ExprGraph& graph,
              std::vector<Reduction>& reductions, CodeBody& body, bool has_branches = true);

  void build(const std::vector<DomainId>& domains, const Block& block);
  // Makes the value of an expression available after the last statement; results() has it after
  // finish().
  void keep(ExprId expression) { results_.push_back(convert(*root_, expression)); }
  void finish();
  const std::vector<ValueId>& results() const { return results_; }

  // For ordering. For a product masked by booleans: the booleans and the unmasked product.
  struct Mask {
    std::vector<ValueId> atoms;
    ValueId product;
  };
  const Mask* find_mask(ValueId value) const;
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
  void convert_below(Scope& scope, ExprId expression);
  ValueId product(Scope& scope, ExprId expression);
  void drop_implied(const std::vector<ValueId>& factors, std::vector<ValueId>& atoms);
  bool is_finite(ValueId value) const;
  // The window that an access reads; -1 if there is none.
  int find_window(ExprId access) const;
  ValueId tensor_sum(Scope& scope, ExprId expression);
  void place_sums_before(Scope& scope, ExprId sum);
  ScopeLoop& loop_of_sum(Scope& scope, ExprId sum);
  std::set<const ScopeLoop*> loops_needed_by(const Scope& scope, ExprId expression) const;
  void bound_run(Scope& scope, ScopeLoop& loop);
  ValueId add_sample(Scope& scope, Instruction sample, ExprId expression);
  ValueId operation(Scope& scope, Op op, std::vector<ValueId> operands, int exponent = 0);
  ValueId boolean(Scope& scope, ValueId value);
  void collect_atoms(Scope& scope, ExprId boolean_expression, std::vector<ValueId>& atoms);

  std::vector<Reduction>& reductions_;
  bool bounds_pass_;
  std::map<ValueId, Mask> masks_;
  std::vector<ValueId> results_;
  int depth_ = 0;  // of the recursion of convert()
};

}  // namespace thallo
