// Does an executable compute the operator that the energy defines? Compares masks, cost, JtF, d,
// the element blocks and JtJp of a compiled program against EnergyEvaluator at the binding's point,
// each entry relative to its companion (linearization.h: the magnitude of what was rounded).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend/backend.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "core/energy/evaluate/linearization.h"
#include "core/schedule/plan.h"

namespace thallo {

// What an entry may be off, relative to the magnitude of all that is rounded on the way to it: some
// ten roundings' worth. That magnitude is up to thousands of times |J|^T |F|, so that 1e-10 and
// 1e-4, fit for the latter, would let mistakes pass.
inline constexpr double DoubleTolerance = 1e-14;
inline constexpr double FloatTolerance = 2e-6;

struct ConformanceErrors {
  double masks = 0;  // 1 where other elements are excluded than should be
  double cost = 0;
  double jtf = 0;
  double diagonal = 0;
  double blocks = 0;
  double jtjp = 0;   // (JtJ + D) p, as a linear iteration computes it
  double p_ap = 0;   // the reduction p.(JtJ + D) p
  double reset = 0;  // (JtJ + D) x, as a residual reset computes it
  double moved = 0;  // the costs at a trial point and, once it is accepted, there
  double dense = 0;  // JtJ of the dense solver, when the program has one
  // Why errors are the data's fault: a stored product that halves do not hold, and that the
  // energy's own is too large for as well. Empty else.
  std::string out_of_range;
  double worst_of_working() const;
  double worst_of_products() const;  // what the products that a plan stores enter
  double worst() const;
  // Is everything within the tolerance, and what stored products enter within what the constructs
  // of `plan` declare?
  bool within(double tolerance, const Plan& plan) const;
  std::string text() const;
};

// What the energy defines at the binding's point, computed once for any number of executables.
// Keeps references to both.
class OperatorTruth {
 public:
  OperatorTruth(const Energy& energy, const Binding& binding);
  // The program must be one of Levenberg-Marquardt. Excluded entries are left out (they are
  // masked).
  ConformanceErrors errors_of(Executable& executable, std::uint64_t seed) const;

 private:
  bool excludes_the_same(Executable& executable) const;
  // What entries of JtJ p may be off by where these products are kept in halves, beside the
  // relative error of halves that a plan declares: numbers below 2^-14 lose all but multiples of
  // 2^-24. An upper bound: of all rows, as if each row's share of JtJ were kept by itself.
  std::vector<double> lost_below_halves(const std::set<std::string>& products,
                                        const std::vector<double>& p) const;
  // Whether entries of this product, in direction p, can be beyond what halves hold.
  bool exceeds_halves(std::string_view product, const std::vector<double>& p) const;

  const Energy& energy_;
  const Binding& binding_;
  std::vector<std::uint8_t> excluded_;
  Linearization linearization_;
};

// For a single executable.
ConformanceErrors conformance_errors(Executable& executable, const Energy& energy,
                                     const Binding& binding, std::uint64_t seed);

}  // namespace thallo
