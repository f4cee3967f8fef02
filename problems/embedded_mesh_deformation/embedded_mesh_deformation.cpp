// embedded_mesh_deformation: pull vertices of a mesh, whose surroundings follow by affine maps
// =============================================================================================
//
// Every vertex has a position (3 numbers) and a matrix (9 numbers) that is kept near a rotation,
// but need not be one; the energy is embedded_mesh_deformation.lua. Handles do not jump to their
// goals: 31 solves blend them there, each starting from the one before. Without a file it twists
// and bends a bar; with --file it takes a mesh and its handles.
//
// The solver is Gauss-Newton with 5 steps of 125 PCG iterations a solve, the published counts.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/subdivide.h"
#include "core/plugin/abi.h"
#include "core/problem/mesh_deformation.h"
#include "problems/embedded_mesh_deformation/bar.h"

namespace thallo::embedded_mesh_deformation {
namespace {

struct EmbeddedInstance : MeshDeformation {
  FieldId matrix;
};

// Root mean square, over the matrices, of the Frobenius norm of M^T M - I.
double distance_from_rotations(const std::vector<double>& matrices) {
  double sum = 0;
  for (std::size_t at = 0; at < matrices.size(); at += 9) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        double dot = i == j ? -1 : 0;
        for (std::size_t row = 0; row < 3; ++row)
          dot += matrices[at + 3 * row + i] * matrices[at + 3 * row + j];
        sum += dot * dot;
      }
    }
  }
  return std::sqrt(sum / static_cast<double>(matrices.size() / 9));
}

class EmbeddedMeshDeformation : public BlendedProblem {
 public:
  using BlendedProblem::BlendedProblem;

  ProblemInfo info() const override {
    return {"embedded_mesh_deformation", "Embedded mesh deformation",
            "Sumner, Schmid, Pauly: Embedded deformation for shape manipulation, SIGGRAPH 2007; "
            "energy and counts of DeVito et al., Opt, 2017",
            "matrices as unknowns, residuals on vertices and edges, a sequence of solves",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    std::vector<OptionSpec> options = mesh_deformation_options(31);
    options.push_back(count_option("across", 8, "Bar: vertices on each of its sides.", {1, 1000}));
    options.push_back(
        number_option("twist", 90, "Bar: degrees by which its right end turns about the bar."));
    options.push_back(number_option("bend", 90, "Bar: degrees by which its right end turns up."));
    options.push_back(number_option("fit_weight", 3, "Weight of the handles.", {0}));
    options.push_back(
        number_option("reg_weight", 12, "Weight of the edges, which the matrices turn.", {0}));
    options.push_back(
        number_option("rot_weight", 5, "Weight of matrices that are rotations.", {0}));
    return options;
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"across", 1}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    auto data = std::make_shared<EmbeddedInstance>();
    data->matrix = energy.find_field("Matrix");
    if (text_in(options, "file").empty()) {
      data->input = make_bar(count_in(options, "across"), {.twist = number_in(options, "twist"),
                                                           .bend = number_in(options, "bend")});
      // Handles stay where they are: old vertices keep their numbers.
      const auto subdivisions = count_in<std::int64_t>(options, "subdivisions");
      for (std::int64_t i = 0; i < subdivisions; ++i)
        data->input.mesh = subdivide_sqrt3(data->input.mesh);
    }
    THALLO_TRY(auto instance, make_mesh_deformation(energy, options, data, "bar"));

    const std::size_t num_vertices = data->input.mesh.positions.size();
    std::vector<double> matrices(9 * num_vertices);
    for (std::size_t vertex = 0; vertex < num_vertices; ++vertex)
      for (std::size_t k = 0; k < 3; ++k) matrices[9 * vertex + 4 * k] = 1;
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_field("Matrix", matrices));
    THALLO_CHECK(set_weights(
        binding, options,
        {{"w_fitSqrt", "fit_weight"}, {"w_regSqrt", "reg_weight"}, {"w_rotSqrt", "rot_weight"}}));

    instance.solver.num_iterations = 5;
    instance.solver.num_linear_iterations = 125;
    return instance;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    Report report = report_mesh_deformation(instance, solution);
    const auto& data = dynamic_cast<const EmbeddedInstance&>(*instance.data);
    report.metrics.push_back(
        {"distance of the matrices from rotations (root mean square)",
         distance_from_rotations(instance.binding.field(data.matrix).to_doubles()), ""});
    return report;
  }
};

}  // namespace
}  // namespace thallo::embedded_mesh_deformation

THALLO_PLUGIN("embedded_mesh_deformation", "1.0.0", "",
              thallo::add_text_problem<thallo::embedded_mesh_deformation::EmbeddedMeshDeformation>);
