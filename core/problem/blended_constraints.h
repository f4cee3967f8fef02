// Constraints that move to their goals over a sequence of solves, each starting from the previous
// solution: for example handles that drag pixels of a picture or vertices of a mesh. Solve s of n
// (counted from 0) holds them at the fraction (s + 1) / n of their way.
//
// A problem with such constraints derives the data of its instances from BlendedConstraints, binds
// at_solve(0) when it makes an instance, and is itself a BlendedProblem.
#pragma once

#include <vector>

#include "core/base/diagnostic.h"
#include "core/problem/text_problem.h"

namespace thallo {

class BlendedConstraints : public InstanceData {
 public:
  ~BlendedConstraints() override;

  // Returns the contents of the array `constraints` at this fraction of the way; 1 gives the goals.
  virtual std::vector<double> blended(double fraction) const = 0;

  double fraction(int solve) const { return static_cast<double>(solve + 1) / num_solves; }
  std::vector<double> at_solve(int solve) const { return blended(fraction(solve)); }

  FieldId constraints;
  int num_solves = 1;
};

class BlendedProblem : public TextProblem {
 public:
  using TextProblem::TextProblem;
  Expected<bool> advance(Instance& instance, int solve, const Solution& solution) const override;
};

// Returns a table with a row for each solve: the fraction, and the cost before and after.
ReportTable blended_solves(const BlendedConstraints& data, const Solution& solution);

}  // namespace thallo
