#pragma once

// Evaluates expressions at one point of their domains, straight from an energy's definition and a
// binding, in double: the workhorse of EnergyEvaluator and of the finite-difference checker.
// Nothing here is shared with symbolic differentiation or with lowering.
//
// Derivatives are forward dual numbers by *access*: one variable per syntactically distinct read of
// an unknown scalar (field, index expression, channel) and point of the Sums around it. An index
// expression inside a named intermediate is the one after the intermediate's domains were replaced
// by the read's index. Two accesses that meet the same element at run time stay two variables.
//
// A sparse map has no value where it is read outside its `in` space or where its entry is missing
// (-1 in an optional map). Every read through such a lookup is 0 and every bounds test of it false;
// as a number (IndexValue) the lookup counts as -1.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/energy/evaluate/dual.h"
#include "core/energy/evaluate/unknown_layout.h"

namespace thallo {

// ρ(s) and ρ'(s) of a loss.
struct LossValue {
  Rounded rho;
  Rounded weight = Rounded::factor(1);
};

class PointEvaluator {
 public:
  // A variable of the dual numbers. Its channel is a tangent channel if the unknown is on a
  // manifold.
  struct Access {
    FieldId unknown;
    IndexId index;  // into an index table of this object: equal means syntactically equal
    int channel = 0;
    std::vector<std::pair<DomainId, std::int64_t>> loops;  // the point of the enclosing Sums
    std::int64_t element = 0;                              // the element that is read
    // The variable's column in the unknown vector.
    std::int64_t column = 0;
  };

  // `graph` is the energy's own or a copy with more expressions. All arguments must outlive this
  // object.
  PointEvaluator(const ExprGraph& graph, const Energy& energy, const Binding& binding,
                 const UnknownLayout& layout);
  ~PointEvaluator();

  // Sets the values of the unknowns, which must outlive the evaluations.
  void set_unknowns(std::span<const double> unknowns) { current_ = unknowns; }
  // Makes evaluations suitable for finite differences around `base`: what has no derivative by
  // definition (Freeze, comparisons) keeps its value at base, and a sampled image is replaced by
  // its declared linearization there. An empty base ends this.
  void set_base(std::span<const double> base) { base_ = base; }
  void set_with_derivatives(bool with) { with_derivatives_ = with; }

  // Goes to a point and forgets the values and variables of the previous one.
  void move_to(std::span<const DomainId> domains, std::span<const std::int64_t> coordinates);
  // Forgets values only; must be called when the unknowns have changed.
  void restart();

  // Returns the value at the current point. Free domains of the expression must be among those
  // passed to move_to().
  const Dual& evaluate(ExprId expression);
  std::optional<std::int64_t> element(FieldId field, IndexId index);  // absent if outside

  // Return a loss at s, and a function of it with its derivative by s as partial 0.
  LossValue loss(const Loss& loss, const Rounded& s);
  Dual evaluate(const Loss& loss, ExprId function, const Rounded& s);

  const std::vector<Access>& accesses() const { return accesses_; }
  // The columns of all unknown scalars that evaluations at this point have read, including frozen
  // reads.
  const std::set<std::int64_t>& columns_read() const { return columns_read_; }
  // True if, since move_to() or restart(), a comparison or abs had different results at the base
  // and at the unknowns, or came closer to its switching point than the margin times its largest
  // operand. Needs a base.
  bool has_switched() const { return has_switched_; }
  void set_switch_margin(double margin) { switch_margin_ = margin; }
  // The number of expressions computed so far; those inside Sums count once for each of their
  // points.
  std::int64_t num_computed() const { return num_computed_; }

 private:
  struct Frame;
  enum class At { Current, Base };

  const Dual& evaluate(Frame& frame, ExprId id, At at);
  const Rounded& frozen(Frame& frame, ExprId operand, At at);
  Dual compute(Frame& frame, ExprId id, At at);
  Rounded in_bounds(const Frame& frame, ExprId id) const;
  Rounded index_value(const Frame& frame, ExprId id) const;
  Dual read(Frame& frame, ExprId id, At at);
  Dual read_intermediate(Frame& frame, const Intermediate& intermediate, ExprId id, At at);
  Dual add(Frame& frame, std::span<const ExprId> terms, At at);
  Dual multiply(Frame& frame, std::span<const ExprId> factors, At at);
  Dual absolute(Frame& frame, std::span<const ExprId> operand, At at);
  Rounded compare(Frame& frame, Op op, std::span<const ExprId> operands, At at);
  Dual sum(Frame& frame, ExprId id, At at);
  Dual sample(Frame& frame, ExprId id, At at);
  void watch_switch(Frame& frame, std::span<const ExprId> terms, double at_base, double now);
  double scale_of(Frame& frame, ExprId expression);

  std::optional<std::int64_t> evaluate(const Frame& frame, const Affine& component) const;
  std::optional<std::int64_t> lookup(const Frame& frame, const Atom& atom) const;
  std::optional<std::int64_t> element(const Frame& frame, IndexId index,
                                      const std::vector<DimId>& dims) const;
  std::uint32_t variable(Access access);

  const ExprGraph& graph_;
  const Energy& energy_;
  const Binding& binding_;
  const UnknownLayout& layout_;
  IndexTable indices_;  // a copy of the graph's; grows by indices that intermediates are read at

  std::span<const double> current_;
  std::span<const double> base_;
  bool with_derivatives_ = false;

  std::unique_ptr<Frame> root_;
  std::vector<Access> accesses_;
  using Key = std::tuple<FieldId, IndexId, int, std::vector<std::pair<DomainId, std::int64_t>>>;
  std::map<Key, std::uint32_t> variables_;
  std::set<std::int64_t> columns_read_;
  bool has_switched_ = false;
  double switch_margin_ = 1e-4;
  std::int64_t num_computed_ = 0;
};

}  // namespace thallo
