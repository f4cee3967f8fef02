#pragma once

#include <algorithm>

#include "core/kernel/multigrid.h"
#include "core/kernel/preconditioner.h"

namespace thallo {

class MultigridPreconditioner final : public Preconditioner {
 public:
  std::string_view name() const override { return "multigrid"; }
  std::string_view doc() const override {
    return "corrects on coarser and coarser grids: for images and volumes, where it takes a few "
           "iterations to the answer instead of hundreds";
  }
  InverseForm form() const override { return InverseForm::Steps; }
  Expected<void> check_energy(const Energy& energy) const override {
    return check_multigrid(energy);
  }
  // Residuals that compare two scalars with each other make a matrix as that of Poisson's equation,
  // for which a few iterations do whatever the size: 3 to 6 a step for images that take 30 to 290
  // with the diagonal. Warps take 5 for 38 and 431 for 7,090, depths with a penalty on bending 15
  // for 140; less of a gain where weights differ by orders of magnitude.
  double expected_iterations(const LinearCase& the_case) const override {
    if (the_case.most_read() <= 2 && !the_case.varies_weights()) return Least;
    return std::max(Least, the_case.diagonal_iterations() / (the_case.varies_weights() ? 3 : 15));
  }
  void lower_matrix(ProgramBuilder& builder,
                    const std::vector<PartExpressions>& pieces) const override;
  std::vector<Step> steps_to_invert(KernelProgram&) const override {
    return {RunMultigrid{.pass = RunMultigrid::Pass::Build}};
  }
  std::vector<Step> steps_to_apply(KernelProgram&, std::optional<Gate> gate) const override {
    return {RunMultigrid{.pass = RunMultigrid::Pass::Cycle, .gate = gate}};
  }

 private:
  static constexpr double Least = 6;
};

}  // namespace thallo
