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
  // 6 iterations for an image that takes 290 with the diagonal, 18 for one of 2,790, and 431 for a
  // warp of 7,090; less of a gain where weights differ by orders of magnitude.
  double expected_iterations(const LinearCase& the_case) const override {
    return std::max(8.0, the_case.diagonal_iterations() / (the_case.varies_weights() ? 3 : 15));
  }
  void lower_matrix(ProgramBuilder& builder,
                    const std::vector<PartExpressions>& pieces) const override;
  std::vector<Step> steps_to_invert(KernelProgram&) const override {
    return {RunMultigrid{.pass = RunMultigrid::Pass::Build}};
  }
  std::vector<Step> steps_to_apply(KernelProgram&, std::optional<Gate> gate) const override {
    return {RunMultigrid{.pass = RunMultigrid::Pass::Cycle, .gate = gate}};
  }
};

}  // namespace thallo
