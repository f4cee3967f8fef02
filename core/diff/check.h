#pragma once

// Derivatives are never trusted: the finite-difference checker (`thallo check`). It compares any
// Jacobian of an energy with differences of its residuals and names the entry that is worst.
//
// The differenced function is the *declared* one: Freeze, weights of norms and the conditions of
// Select keep their value at x, a sampled image is its declared linearization at x. Differences are
// central with Richardson extrapolation, the best of up to three Ridders' tables, which start from
//
//   h = 1e-2 s,  s = max(|x_j|, 1e-2 (the largest magnitude in the unknown's field), 1e-3)
//   h = 1e-2 |x_j|
//   h = 1e-4 s
//
// since the entries of a field may have one scale (coordinates) or several (parameters of a model),
// and a residual may turn within much less than it (normals of a depth map: a pixel's width). The
// first that is sure to 1e-9 ends the search.
// The error of an entry with analytic value a and numeric value n is |a - n| / max(|a|, |n|, 1e-3
// (the largest |a| of the row)), where |a - n| is first reduced by what the rounding of the
// residuals explains (core/energy/rounded.h; an entry that is exactly 0 would else have an error of
// 1). Where a comparison or abs changes sign inside the stencil, or comes within 1e-4 (relative to
// its operands) of doing so, differences mean nothing: where that holds of all three, the entry is
// skipped and counted, and so are entries of unknowns that are not finite (missing depths).

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
  // Of each group this many points are drawn when it has more; 0 = all points.
  std::int64_t max_points_per_group = 0;
  std::uint64_t seed = 1;
};

struct CheckedEntry {
  std::string group;
  std::size_t residual = 0;         // within the group
  std::vector<std::int64_t> point;  // coordinates of the group's domains
  std::string unknown;
  std::vector<std::int64_t> element;  // coordinates of its dims
  int channel = 0;
  double analytic = 0;
  double numeric = 0;
  double relative_error = 0;

  // "fit[0] at (3, 4), unknown X(3, 5) channel 1: analytic 2, numeric 1.9 (relative error 5e-2)"
  std::string text() const;
};

struct CheckResult {
  double worst_relative_error = 0;
  // The largest relative error that rounding may have hidden, among the entries that count in their
  // row (|a| at least 1e-3 of its largest).
  double resolution = 0;
  std::optional<CheckedEntry> worst;  // absent when no entry was checked
  std::int64_t num_points = 0;        // residual points visited
  std::int64_t num_checked = 0;       // entries compared (those that are not 0 on both sides)
  std::int64_t num_skipped = 0;       // entries near a switch, or without a finite difference

  // One line for a person.
  std::string brief() const;
};

// The rows of the residuals of one point (its position in the group, first domain fastest).
using JacobianRows =
    std::function<std::vector<ResidualRow>(std::size_t group, std::int64_t position)>;

// At the unknowns as bound. The binding must be valid for the energy.
CheckResult check_jacobian(const Energy& energy, const Binding& binding, const JacobianRows& rows,
                           const CheckOptions& options = {});

// What `thallo check` runs: the symbolic derivatives that solvers are generated from.
CheckResult check_derivatives(const Energy& energy, const Binding& binding,
                              const CheckOptions& options = {});

}  // namespace thallo
