// arap_mesh_deformation: pull vertices of a mesh, keep the rest as rigid as possible
// ===================================================================================
//
// Every vertex has a position (3 numbers) and a rotation (3 angles); the energy is
// arap_mesh_deformation.lua. Handles do not jump to their goals: 10 solves blend them there, each
// starting from the one before. Without a file it bends a starfish; with --file it takes a mesh and
// its handles.
//
// The solver is Gauss-Newton with 20 steps of 100 PCG iterations a solve, the published counts.
#include <memory>
#include <vector>

#include "core/plugin/abi.h"
#include "core/problem/mesh_deformation.h"
#include "problems/arap_mesh_deformation/star.h"

namespace thallo::arap_mesh_deformation {
namespace {

class ArapMeshDeformation : public BlendedProblem {
 public:
  using BlendedProblem::BlendedProblem;

  ProblemInfo info() const override {
    return {"arap_mesh_deformation", "As-rigid-as-possible mesh deformation",
            "Sorkine and Alexa: As-rigid-as-possible surface modeling, SGP 2007; energy and counts "
            "of DeVito et al., Opt, 2017",
            "residuals on the edges of a mesh through sparse maps, a sequence of solves",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    std::vector<OptionSpec> options = mesh_deformation_options(10);
    options.push_back(count_option("detail", 4, "Starfish: 20 * 3^detail triangles.", {1, 12}));
    options.push_back(number_option("fit_weight", 4, "Weight of the handles.", {0}));
    options.push_back(number_option("reg_weight", 1, "Weight of the rigidity.", {0}));
    return options;
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"subdivisions", 0}, {"detail", 1}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    auto data = std::make_shared<MeshDeformation>();
    if (text_in(options, "file").empty()) {
      data->input = make_star(count_in(options, "detail") + count_in(options, "subdivisions"));
      // The star lies on the ground.
      data->view = {.from = {0.55, -1, 0.62}, .up = {0, 0, 1}};
    }
    THALLO_TRY(auto instance, make_mesh_deformation(energy, options, data, "starfish"));

    Binding& binding = instance.binding;
    THALLO_CHECK(
        binding.set_field("Angle", std::vector<double>(3 * data->input.mesh.positions.size())));
    THALLO_CHECK(
        set_weights(binding, options, {{"w_fitSqrt", "fit_weight"}, {"w_regSqrt", "reg_weight"}}));

    instance.solver.num_iterations = 20;
    instance.solver.num_linear_iterations = 100;
    return instance;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    return report_mesh_deformation(instance, solution);
  }
};

}  // namespace
}  // namespace thallo::arap_mesh_deformation

THALLO_PLUGIN("arap_mesh_deformation", "1.0.0", "",
              thallo::add_text_problem<thallo::arap_mesh_deformation::ArapMeshDeformation>);
