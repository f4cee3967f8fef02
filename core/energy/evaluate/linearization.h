#pragma once

// The residuals and their derivatives at one x, and every product that the solvers need, computed
// straight from the definitions:
//
//   JtF = Jᵀ w F      d_j = sum over rows and accesses of w (∂r/∂u_j)²      JtJp = Jᵀ w (J p)
//
// F and J are those of the residuals as written; w = ρ'(‖r‖²) is the weight that the robust loss of
// a group gives to the rows of a point (loss.h), 1 without one.
//
// Rows are ordered as F: groups in order, the points of a group with its first domain fastest, the
// residuals of a point adjacent. In a row, two accesses that meet the same unknown at run time are
// two entries: J adds them; d adds the square of each, without their product.
//
// For each product, `..._magnitude` has what the rounding error of an entry is measured against:
// the magnitude of everything that was rounded on the way to the entry, in F and J too
// (core/energy/rounded.h).

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/sparse_matrix.h"
#include "core/energy/evaluate/unknown_layout.h"
#include "core/energy/rounded.h"

namespace thallo {

struct SparseEntry {
  std::int64_t column = 0;
  double value = 0;
};
using SparseRow = std::vector<SparseEntry>;  // ascending, each column once

// The derivative ∂residual/∂unknown through one access.
struct AccessPartial {
  UnknownEntry at;
  std::int64_t column = 0;
  int access = 0;  // equal in a row for equal index expressions at the same point of all Sums
  Rounded value;
};

struct ResidualRow {
  Rounded residual;
  Rounded weight = Rounded::factor(1);  // w
  std::vector<AccessPartial> partials;
};

// Returns the row of J, in which partials of the same column are added.
SparseRow sparse_row(const ResidualRow& row);

class Linearization {
 public:
  Linearization(UnknownLayout layout, std::vector<ResidualRow> rows, const Rounded& cost)
      : layout_(std::move(layout)), rows_(std::move(rows)), cost_(cost) {}

  const UnknownLayout& layout() const { return layout_; }
  const std::vector<ResidualRow>& rows() const { return rows_; }

  std::vector<double> residuals() const;
  double cost() const { return cost_.value; }  // ½ Σ ρ(‖r‖²)
  double cost_magnitude() const { return cost_.magnitude; }
  // Returns J. Entries that happen to be 0 are included if the row reads the unknown.
  SparseMatrix jacobian() const;
  // Returns Jᵀ w J, both triangles. Absent if it has more than `max_entries` entries; counting
  // stops there.
  std::optional<SparseMatrix> jtj(
      std::size_t max_entries = std::numeric_limits<std::size_t>::max()) const;

  std::vector<double> jtf() const;
  std::vector<double> jtf_magnitude() const;
  std::vector<double> diagonal() const;  // d
  std::vector<double> diagonal_magnitude() const;
  std::vector<double> jtjp(const std::vector<double>& p) const;
  std::vector<double> jtjp_magnitude(const std::vector<double>& p) const;

  // The dense blocks of JtJ, one for every element of an unknown space, by element. Only products
  // of two partials of the same access are added. A block is a lower triangle by rows: the entry of
  // channels i and j <= i of the space is number i (i + 1) / 2 + j.
  std::vector<double> blocks(std::size_t space) const;
  std::vector<double> blocks_magnitude(std::size_t space) const;

 private:
  std::vector<Rounded> rounded_blocks(std::size_t space) const;

  UnknownLayout layout_;
  std::vector<ResidualRow> rows_;
  Rounded cost_;
};

}  // namespace thallo
