// Checks that an executable computes the operator that the energy defines. Masks, cost, JtF, d, the
// element blocks and JtJp of a compiled program are compared with EnergyEvaluator at the binding's
// point. The error of an entry is relative to its companion, the magnitude of everything that was
// rounded on the way to it (core/energy/evaluate/linearization.h).
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

// The error that an entry may have, relative to its companion: a few tens of roundings. A companion
// can be thousands of times |J|^T |F|, so 1e-10 and 1e-4, which would suit an error relative to
// |J|^T |F|, would let mistakes pass here.
inline constexpr double DoubleTolerance = 1e-14;
inline constexpr double FloatTolerance = 2e-6;

struct ConformanceErrors {
  double masks = 0;  // 1 when the excluded elements are not the right ones, else 0
  double cost = 0;
  double jtf = 0;
  double diagonal = 0;
  double blocks = 0;
  double jtjp = 0;   // (JtJ + D) p, as a linear iteration computes it
  double p_ap = 0;   // the reduction p.(JtJ + D) p
  double reset = 0;  // (JtJ + D) x, as a residual reset computes it
  double moved = 0;  // the cost at a trial point, before and after the point is accepted
  double dense = 0;  // JtJ of the dense solver, when the program has one
  // Set when the data are to blame for errors: names a stored product that overflows its halves,
  // and whose true value is too large for a half as well. Empty otherwise.
  std::string out_of_range;
  double worst_of_working() const;   // of all errors but jtjp, p_ap and reset
  double worst_of_products() const;  // of jtjp, p_ap and reset, which read stored products
  double worst() const;
  // True if worst_of_working() is within the tolerance, and worst_of_products() is within the
  // larger of the tolerance and plan.product_tolerance.
  bool within(double tolerance, const Plan& plan) const;
  std::string text() const;
};

// Holds the true values, as the energy defines them at the binding's point. They are computed once
// and compared with any number of executables. Keeps a reference to the energy.
class OperatorTruth {
 public:
  OperatorTruth(const Energy& energy, const Binding& binding);
  // Binds the executable and runs its phases. Its program must be one of Levenberg-Marquardt.
  // `seed` draws the direction p. Excluded entries of JtF and those that are
  // held at a bound are not compared: the program masks them.
  ConformanceErrors errors_of(Executable& executable, std::uint64_t seed) const;

 private:
  // The steps of errors_of(), in the order in which they run.
  void check_linearization(Executable& executable, ConformanceErrors& errors) const;
  double dense_error(Executable& executable) const;  // of JtJ, when the program solves densely
  void check_products(Executable& executable, const std::vector<double>& p,
                      ConformanceErrors& errors) const;

  bool excludes_the_same(Executable& executable) const;
  // The absolute error that each entry of JtJ p may have because these products are kept in halves,
  // beside the relative error of halves that a plan declares: below 2^-14 halves are multiples of
  // 2^-24. This is an upper bound, summed over all rows as if each row's share of JtJ were stored
  // by itself.
  std::vector<double> lost_below_halves(const std::set<std::string>& products,
                                        const std::vector<double>& p) const;
  // True if an entry of this product ("J", "JtJ" or "Jp"), in direction p, can be too large for a
  // half.
  bool exceeds_halves(std::string_view product, const std::vector<double>& p) const;

  const Energy& energy_;
  const Binding binding_;  // with unknowns within their bounds
  std::vector<std::uint8_t> excluded_;
  Linearization linearization_;
  std::vector<std::uint8_t> masked_;  // excluded, or held at a bound
};

}  // namespace thallo
