#pragma once

// The finite-difference checker of derivatives (`thallo check`). It compares any Jacobian of an
// energy with differences of the residuals and names the worst entry.
//
// The differenced function is the *declared* one: Freeze, weights of norms and the conditions of
// Select keep their value at x; a sampled image is its declared linearization at x. Differences are
// central with Richardson extrapolation, the best of up to three Ridders' tables, which start from
//
//   h = 1e-2 s,  s = max(|x_j|, 1e-2 (the largest magnitude in the unknown's field), 1e-3)
//   h = 1e-2 |x_j|
//   h = 1e-4 s
//
// because the entries of a field may have one scale (coordinates) or several (parameters of a
// model), and a residual may bend within a much smaller distance than that scale (normals of a
// depth map: within the width of a pixel). For a pose s = 1 and the second table is left out. The
// search ends at the first table whose relative error estimate is at most 1e-9.
//
// The error of an entry with analytic value a and numeric value n is
//
//   max(|a - n| - rounding, 0) / max(|a|, |n|, 1e-3 (the largest |a| of the row))
//
// where `rounding` is what the rounding of the residuals may contribute to n
// (core/energy/rounded.h); without it an entry that is exactly 0 would have an error of 1.
// Differences mean nothing where a comparison or abs changes sign inside the stencil or comes
// within 1e-4 (relative to its operands) of doing so. An entry for which that holds in every table
// is skipped and counted; so is an entry of an unknown that is not finite (a missing depth).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/energy/evaluate/linearization.h"

namespace thallo {

struct CheckOptions {
  // Groups with more points are sampled down to this number; 0 visits all points.
  std::int64_t max_points_per_group = 0;
  // Limits the number of expressions that are evaluated for differences, over all groups together;
  // 0 means no limit. When the limit is reached, the remaining points of a group, and the remaining
  // unknowns of its last point, are skipped; at least one unknown of one point is checked in every
  // group.
  std::int64_t max_evaluations = 0;
  std::uint64_t seed = 1;
  // Called with the finished share of the work, from 0 to 1.
  std::function<void(double)> progress = {};
};

struct CheckedEntry {
  std::string group;
  std::size_t residual = 0;         // within the group
  std::vector<std::int64_t> point;  // coordinates of the group's domains
  std::string unknown;
  std::vector<std::int64_t> element;  // coordinates in the unknown's dims
  int channel = 0;
  double analytic = 0;
  double numeric = 0;
  double relative_error = 0;

  // "fit[0] at (3, 4), unknown X(3, 5) channel 1: analytic 2, numeric 1.9 (relative error 5e-2)"
  std::string text() const;
};

struct CheckResult {
  double worst_relative_error = 0;
  // The largest relative error that rounding may have hidden, among entries with |a| at least 1e-3
  // of the largest in their row.
  double resolution = 0;
  std::optional<CheckedEntry> worst;  // absent if no entry was checked
  std::int64_t num_points = 0;        // residual points visited
  std::int64_t num_all_points = 0;    // number of residual points that exist
  std::int64_t num_evaluations = 0;   // of expressions, for differences
  std::int64_t num_checked = 0;       // entries compared (those that are not 0 on both sides)
  std::int64_t num_skipped = 0;       // analytic entries near a switch or with no difference

  // Returns one line for people.
  std::string brief() const;
};

// Returns the rows of the residuals at one point; `position` numbers the points of the group, its
// first domain fastest.
using JacobianRows =
    std::function<std::vector<ResidualRow>(std::size_t group, std::int64_t position)>;

// Checks at the bound values of the unknowns. The binding must be valid for the energy.
CheckResult check_jacobian(const Energy& energy, const Binding& binding, const JacobianRows& rows,
                           const CheckOptions& options = {});

// Checks the symbolic derivatives that solvers are generated from; `thallo check` runs this.
CheckResult check_derivatives(const Energy& energy, const Binding& binding,
                              const CheckOptions& options = {});

}  // namespace thallo
