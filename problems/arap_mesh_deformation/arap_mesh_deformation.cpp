// arap_mesh_deformation: pull vertices of a mesh, keep the rest as rigid as possible
// ===================================================================================
//
// Every vertex has a position (3 numbers) and a rotation (3 angles); the energy is
// arap_mesh_deformation.lua. Handles do not jump to their goals: 10 solves blend them there, each
// starting from the one before. Without a file it bends a starfish; with --file it takes a mesh and
// its handles:
//
//   thallo solve arap_mesh_deformation
//   thallo solve arap_mesh_deformation --file small_armadillo.ply --subdivisions 1
//   thallo solve arap_mesh_deformation --detail 8 --backend cuda
//
//   option        default  what
//   file          ""       a mesh (ply, off, obj); NAME.mrk beside it, if it is there: a count and
//                          `x y z radius vertex` a handle
//   subdivisions  0        sqrt(3) refinements of the mesh, three times the triangles each
//   detail        4        starfish: 20 * 3^detail triangles
//   solves        10       blending steps
//   fit_weight    4        weight of the handles
//   reg_weight    1        weight of the rigidity
//
// The solver is Gauss-Newton with 20 steps of 100 PCG iterations a solve, the published counts.
//
// The report has the mesh before and after, how far the handles are from their goals, and how much
// the edges changed their lengths.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/mesh.h"
#include "core/language/load_energy.h"
#include "core/plugin/abi.h"
#include "core/problem/blended_constraints.h"
#include "core/problem/problem.h"
#include "core/problem/report/mesh_view.h"
#include "problems/arap_mesh_deformation/deform_input.h"
#include "problems/arap_mesh_deformation/star.h"

namespace thallo::arap_mesh_deformation {
namespace {

struct DeformInstance : BlendedConstraints {
  std::vector<double> blended(double fraction) const override {
    return blend_constraints(input, fraction);
  }

  DeformInput input;
  MeshEdges edges;
  MeshView view;
  FieldId position;
};

double distance(const std::array<float, 3>& a, const std::array<float, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Root mean square of the relative changes of the edges' lengths.
double stretch(const MeshEdges& edges, const Mesh& before, const Mesh& after) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto v = static_cast<std::size_t>(edges.v0[e]);
    const auto u = static_cast<std::size_t>(edges.v1[e]);
    const double length = distance(before.positions[v], before.positions[u]);
    if (length == 0) continue;
    const double change = distance(after.positions[v], after.positions[u]) / length - 1;
    sum += change * change;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

class ArapMeshDeformation : public Problem {
 public:
  explicit ArapMeshDeformation(std::filesystem::path energy_file)
      : energy_file_(std::move(energy_file)) {}

  ProblemInfo info() const override {
    return {"arap_mesh_deformation", "As-rigid-as-possible mesh deformation",
            "Sorkine and Alexa: As-rigid-as-possible surface modeling, SGP 2007; energy and counts "
            "of DeVito et al., Opt, 2017",
            "residuals on the edges of a mesh through sparse maps, a sequence of solves",
            picture_beside(energy_file_)};
  }

  std::vector<OptionSpec> options() const override {
    return {
        {.name = "file",
         .default_value = std::string(),
         .doc = "A mesh (ply, off, obj); handles from NAME.mrk beside it, if it is there.",
         .is_file = true},
        {.name = "subdivisions",
         .default_value = std::int64_t{0},
         .doc = "Refinements of the mesh, three times the triangles each.",
         .minimum = 0,
         .maximum = 10},
        {.name = "detail",
         .default_value = std::int64_t{4},
         .doc = "Starfish: 20 * 3^detail triangles.",
         .minimum = 1,
         .maximum = 12},
        {.name = "solves",
         .default_value = std::int64_t{10},
         .doc = "Steps in which the handles are blended to their goals.",
         .minimum = 1,
         .maximum = 10000},
        {.name = "fit_weight", .default_value = 4.0, .doc = "Weight of the handles.", .minimum = 0},
        {.name = "reg_weight",
         .default_value = 1.0,
         .doc = "Weight of the rigidity.",
         .minimum = 0},
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"subdivisions", 0}, {"detail", 1}};
  }

  Expected<EnergyFile> energy(const Options& /*options*/) const override {
    return load_energy(energy_file_);
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = options.value_or<std::string>("file", "");
    const auto subdivisions = static_cast<int>(options.value_or<std::int64_t>("subdivisions", 0));
    const auto detail = static_cast<int>(options.value_or<std::int64_t>("detail", 4));
    auto input = file.empty() ? Expected<DeformInput>(make_star(detail + subdivisions))
                              : read_deform_input(file, subdivisions);
    if (!input) return fail(input.error());

    auto data = std::make_shared<DeformInstance>();
    data->input = *std::move(input);
    // The star lies on the ground.
    if (file.empty()) data->view = {.from = {0.55, -1, 0.62}, .up = {0, 0, 1}};
    const Mesh& mesh = data->input.mesh;
    const std::size_t num_vertices = mesh.positions.size();
    data->edges = directed_edges(mesh.triangles, static_cast<std::int64_t>(num_vertices));
    data->position = energy.find_field("Position");
    data->constraints = energy.find_field("Constraints");
    data->num_solves = static_cast<int>(options.value_or<std::int64_t>("solves", 10));

    const std::vector<double> places = coordinates(mesh.positions);
    Instance instance(energy);
    Binding& binding = instance.binding;
    Expected<void> bound = binding.set_extent("N", static_cast<std::int64_t>(num_vertices));
    if (bound) bound = binding.set_extent("E", static_cast<std::int64_t>(data->edges.size()));
    if (bound) bound = binding.set_field("Position", places);
    if (bound) bound = binding.set_field("Angle", std::vector<double>(3 * num_vertices));
    if (bound) bound = binding.set_field("UrShape", places);
    if (bound) bound = binding.set_field("Constraints", data->at_solve(0));
    if (bound) bound = binding.set_map("V0", data->edges.v0);
    if (bound) bound = binding.set_map("V1", data->edges.v1);
    // The params multiply residuals, which are squared: hence the square roots of the weights.
    const double fit_weight = options.value_or<double>("fit_weight", 4.0);
    const double reg_weight = options.value_or<double>("reg_weight", 1.0);
    if (bound) bound = binding.set_param("w_fitSqrt", std::sqrt(fit_weight));
    if (bound) bound = binding.set_param("w_regSqrt", std::sqrt(reg_weight));
    if (!bound) return fail(bound.error());

    instance.solver.num_iterations = 20;
    instance.solver.num_linear_iterations = 100;
    instance.title = file.empty() ? "starfish" : std::filesystem::path(file).filename().string();
    instance.labels = {{"vertices", std::to_string(num_vertices)},
                       {"triangles", std::to_string(mesh.triangles.size())},
                       {"edges", std::to_string(data->edges.size() / 2)},
                       {"handles", std::to_string(data->input.handles.size())}};
    instance.data = std::move(data);
    return instance;
  }

  Expected<bool> advance(Instance& instance, int solve,
                         const Solution& /*solution*/) const override {
    return advance_blended(instance, solve);
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const DeformInstance&>(*instance.data);
    const Mesh& before = data.input.mesh;
    Mesh after;
    after.triangles = before.triangles;
    after.positions = positions_from(instance.binding.field(data.position).to_doubles());

    Report report;
    MeshPanel panels[] = {{before, {}}, {after, {}}};
    double farthest = 0;
    for (const Handle& handle : data.input.handles) {
      const auto vertex = static_cast<std::size_t>(handle.vertex);
      const std::array<float, 3> goal = {static_cast<float>(handle.goal[0]),
                                         static_cast<float>(handle.goal[1]),
                                         static_cast<float>(handle.goal[2])};
      farthest = std::max(farthest, distance(after.positions[vertex], goal));
      constexpr Rgb Red = {200, 40, 40};
      panels[0].markers.push_back({before.positions[vertex], goal, Red});
      panels[1].markers.push_back({after.positions[vertex], goal, Red});
    }
    report.metrics = {{"largest distance of a handle from its goal",
                       100 * farthest / diagonal(before.positions), "% of the diagonal"},
                      {"change of edge lengths (root mean square)",
                       100 * stretch(data.edges, before, after), "%"}};
    report.tables.push_back(blended_solves(data, solution));
    report.images.push_back(
        {"before_after", "Before with its handles, after", draw_meshes(panels, data.view)});
    report.meshes.push_back({"before", "The mesh as given", before});
    report.meshes.push_back({"after", "The deformed mesh", std::move(after)});
    return report;
  }

 private:
  std::filesystem::path energy_file_;
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Problem>(
      "arap_mesh_deformation",
      std::make_unique<ArapMeshDeformation>(registrar.folder() / "arap_mesh_deformation.lua"));
}

}  // namespace
}  // namespace thallo::arap_mesh_deformation

THALLO_PLUGIN("arap_mesh_deformation", "1.0.0", "", thallo::arap_mesh_deformation::register_into);
