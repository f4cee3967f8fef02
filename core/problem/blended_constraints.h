// Constraints that move to their goals in a sequence of solves, each of which starts from the
// solution of the one before: handles that drag pixels of a picture or vertices of a mesh. Solve s
// of n (counted from 0) holds them at the fraction (s + 1) / n of their way.
//
// A problem with such constraints derives the data of its instances from BlendedConstraints, binds
// at_solve(0) when it makes an instance, and has advance_blended() for its advance().
#pragma once

#include <vector>

#include "core/base/diagnostic.h"
#include "core/problem/problem.h"

namespace thallo {

class BlendedConstraints : public InstanceData {
 public:
  ~BlendedConstraints() override;

  // The contents of the array `constraints` when they have gone this fraction of their way; 1: the
  // goals.
  virtual std::vector<double> blended(double fraction) const = 0;

  double fraction(int solve) const { return static_cast<double>(solve + 1) / num_solves; }
  std::vector<double> at_solve(int solve) const { return blended(fraction(solve)); }

  FieldId constraints;
  int num_solves = 1;
};

// Binds the constraints of the solve after number `solve`; false if that was the last one.
Expected<bool> advance_blended(Instance& instance, int solve);

// A row for each solve: the fraction, the cost before and after.
ReportTable blended_solves(const BlendedConstraints& data, const Solution& solution);

}  // namespace thallo
