#pragma once

// EnergyEvaluator is the reference that everything else is tested against. It evaluates an Energy
// directly from its definition, in double, with derivatives by forward dual numbers. It shares no
// code with symbolic differentiation or lowering, whose results are tested against it. It is meant
// for small instances and for samples of large ones: a residual costs microseconds, not
// nanoseconds.

#include <cstdint>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/energy/evaluate/linearization.h"
#include "core/energy/evaluate/point_evaluator.h"
#include "core/energy/evaluate/unknown_layout.h"

namespace thallo {

// The origin of a row of F and J.
struct ResidualPlace {
  std::size_t group = 0;
  std::vector<std::int64_t> point;  // coordinates of the group's domains
  std::size_t residual = 0;         // within the group
};

class EnergyEvaluator {
 public:
  // The binding must be valid for the energy (Binding::validate); both must outlive the evaluator.
  // The values of the unknowns are copied from the binding; set_unknowns() replaces them.
  EnergyEvaluator(const Energy& energy, const Binding& binding);

  const UnknownLayout& layout() const { return layout_; }
  const std::vector<double>& unknowns() const { return unknowns_; }
  void set_unknowns(std::vector<double> values);

  // Rows of F and J, in the order of linearization.h.
  std::int64_t num_residuals() const { return first_rows_.back(); }
  ResidualPlace place(std::int64_t row) const;
  std::int64_t num_points(std::size_t group) const { return num_points_[group]; }
  // Returns the coordinates of the point at position 0, 1, 2 ..., the first domain fastest; for a
  // group or for any domains.
  std::vector<std::int64_t> point(std::size_t group, std::int64_t position) const;
  std::vector<std::int64_t> point(const std::vector<DomainId>& domains,
                                  std::int64_t position) const;
  std::int64_t first_row(std::size_t group, std::int64_t position) const;

  std::vector<double> residuals();
  double cost() { return rounded_cost().value; }  // ½ Σ ρ(‖r‖²)
  Rounded rounded_cost();
  Linearization linearize();
  // Returns the rows of the residuals at one point of a group.
  std::vector<ResidualRow> linearize(std::size_t group, std::int64_t position);

  // True if the exclusion's condition holds for an element.
  bool holds(const Exclusion& exclusion, std::int64_t element);
  // Returns a number for each entry of the unknown vector: 1 where an exclusion holds, else 0.
  std::vector<std::uint8_t> excluded();
  // Returns the same for channels that are held.
  std::vector<std::uint8_t> held();
  // The bounds of each entry of the unknown vector, infinite where there is none.
  struct Box {
    std::vector<double> lower, upper;
  };
  Box bounds();

 private:
  // Returns the value of an expression over these domains at the point of that position.
  double value_at(const std::vector<DomainId>& domains, std::int64_t position, ExprId expression);
  std::vector<std::uint8_t> marks(const std::vector<Exclusion>& exclusions);
  // Returns ρ and ρ' of the group's loss, given ‖r‖² at a point.
  LossValue loss_at_point(std::size_t group, const Rounded& squared_norm);

  const Energy& energy_;
  const Binding& binding_;
  UnknownLayout layout_;
  std::vector<double> unknowns_;
  std::vector<std::int64_t> num_points_;  // of each group
  std::vector<std::int64_t> first_rows_;  // of each group; last the number of rows
  PointEvaluator evaluator_;
};

}  // namespace thallo
