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
// What an index means where it leads nowhere: a sparse map read outside its `in` space, or whose
// entry says missing (-1 in an optional map), makes every read through it 0 and every bounds test
// on it false; as a number (IndexValue) the lookup counts as -1.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/energy/evaluate/dual.h"
#include "core/energy/evaluate/unknown_layout.h"

namespace thallo {

class PointEvaluator {
 public:
  // A variable of the dual numbers: of an unknown on a manifold, one tangent channel.
  struct Access {
    FieldId unknown;
    IndexId index;  // into an index table of this object: equal means syntactically equal
    int channel = 0;
    std::vector<std::pair<DomainId, std::int64_t>> loops;  // the point of the Sums around it
    std::int64_t element = 0;                              // which it reads
    std::int64_t column = 0;                               // in the unknown vector
  };

  // `graph` is the energy's own or a copy with more expressions. All arguments must outlive it.
  PointEvaluator(const ExprGraph& graph, const Energy& energy, const Binding& binding,
                 const UnknownLayout& layout);
  ~PointEvaluator();

  // The values of the unknowns to evaluate at; must outlive the evaluations.
  void set_unknowns(std::span<const double> unknowns) { current_ = unknowns; }
  // Evaluate for finite differences around `base`: what has no derivative by definition (Freeze,
  // comparisons) keeps its value at base, and a sampled image is its declared linearization there.
  // Empty ends it.
  void set_base(std::span<const double> base) { base_ = base; }
  void set_with_derivatives(bool with) { with_derivatives_ = with; }

  // Goes to a point and forgets what was known of another, variables too.
  void move_to(std::span<const DomainId> domains, std::span<const std::int64_t> coordinates);
  // Forgets values only (the unknowns changed).
  void restart();

  // At the point; free domains of the expression must be among those of move_to().
  const Dual& evaluate(ExprId expression);
  std::optional<std::int64_t> element(FieldId field, IndexId index);  // absent when outside

  const std::vector<Access>& accesses() const { return accesses_; }
  // Columns of all unknown scalars that evaluations read at this point, frozen reads too.
  const std::set<std::int64_t>& columns_read() const { return columns_read_; }
  // With a base: a comparison or abs came so close to where it switches, relative to its operands,
  // or went beyond, since restart().
  bool has_switched() const { return has_switched_; }
  void set_switch_margin(double margin) { switch_margin_ = margin; }

 private:
  struct Frame;
  enum class At { Current, Base };
  using Index = std::vector<std::optional<std::int64_t>>;

  const Dual& evaluate(Frame& frame, ExprId id, At at);
  Dual compute(Frame& frame, ExprId id, At at);
  Dual read(Frame& frame, ExprId id, At at);
  Dual read_intermediate(Frame& frame, const Intermediate& intermediate, ExprId id, At at);
  Dual multiply(Frame& frame, std::span<const ExprId> factors, At at);
  Dual sum(Frame& frame, ExprId id, At at);
  Dual sample(Frame& frame, ExprId id, At at);
  Rounded sample_layer(ExprId id, const Rounded& x, const Rounded& y, double layer) const;
  void watch_switch(Frame& frame, std::span<const ExprId> terms, double at_base, double now);
  double scale_of(Frame& frame, ExprId expression);

  std::optional<std::int64_t> evaluate(const Frame& frame, const Affine& component) const;
  std::optional<std::int64_t> lookup(const Frame& frame, const Atom& atom) const;
  std::optional<std::int64_t> element(const Frame& frame, IndexId index,
                                      const std::vector<DimId>& dims) const;
  Rounded texel(FieldId image, const Rounded& x, const Rounded& y, int channel) const;
  std::uint32_t variable(Access access);

  const ExprGraph& graph_;
  const Energy& energy_;
  const Binding& binding_;
  const UnknownLayout& layout_;
  IndexTable indices_;  // the graph's, and the indices that intermediates are read at

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
};

}  // namespace thallo
