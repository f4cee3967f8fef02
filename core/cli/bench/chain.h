// The smallest problem that shows the overhead of a linear iteration: a chain of springs with one
// residual group and hardly any arithmetic. Its time consists of launches and latency.
#pragma once

#include "core/problem/problem.h"

namespace thallo::cli {

//   fit = 0.01 (u(i) - f(i)),   smooth = u(i) - u(i + 1)   for i < 1000, u = 0 beyond the end
class ChainProblem final : public Problem {
 public:
  ProblemInfo info() const override;
  std::vector<OptionSpec> options() const override { return {}; }
  Expected<EnergyFile> energy(const Options& options) const override;
  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override;
  Report report(const Instance& instance, const Solution& solution) const override;
};

}  // namespace thallo::cli
