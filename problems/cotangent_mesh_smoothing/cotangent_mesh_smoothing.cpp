// cotangent_mesh_smoothing: take the noise off a mesh
// ====================================================
//
// Vertices stay near where they were measured and near their neighbors, which count by the
// cotangents of the angles opposite to the edge to them; the angles are those of the mesh being
// solved for. The energy is cotangent_mesh_smoothing.lua. Without a file it smooths a noisy torus;
// with --file any triangle mesh, open or closed.
//
// The solver is Gauss-Newton with 5 steps of 25 PCG iterations, the published counts.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/mesh.h"
#include "core/base/move_mesh.h"
#include "core/plugin/abi.h"
#include "core/problem/report/mesh_view.h"
#include "core/problem/text_problem.h"
#include "problems/cotangent_mesh_smoothing/roughness.h"
#include "problems/cotangent_mesh_smoothing/torus.h"

namespace thallo::cotangent_mesh_smoothing {
namespace {

struct SmoothingInstance : InstanceData {
  Mesh mesh;
  MeshEdges edges;
  bool is_torus = false;
  FieldId positions;
};

double torus_error(const Mesh& mesh) {
  double sum = 0;
  for (const auto& p : mesh.positions) sum += distance_to_torus(p) * distance_to_torus(p);
  return std::sqrt(sum / static_cast<double>(mesh.positions.size()));
}

class CotangentMeshSmoothing : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"cotangent_mesh_smoothing", "Mesh smoothing with cotangent weights",
            "Desbrun et al.: Implicit fairing of irregular meshes using diffusion and curvature "
            "flow, SIGGRAPH 1999; energy and counts of DeVito et al., Opt, 2017",
            "four sparse maps an edge, two of them optional: one-rings of a mesh with borders",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "A triangle mesh (ply, off, obj, stl)."),
        count_option("around", 80, "Torus: vertices around the ring, half as many around the tube.",
                     {6, 20000}),
        number_option("noise", 0.02,
                      "Torus: standard deviation of each coordinate; the ring's radius is 1.", {0}),
        count_option("seed", 1, "Seed of the noise.", {0}),
        number_option("fit_weight", 1, "Weight of staying where the mesh was.", {0}),
        number_option("reg_weight", 0.5, "Weight of smoothness.", {0}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"around", 8}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    const auto around = count_in<std::int64_t>(options, "around");
    if (file.empty() && around % 2 != 0) {
      return fail("option 'around' must be even: every other ring is turned, found {}", around);
    }
    THALLO_TRY(auto mesh, file.empty() ? Expected<Mesh>(make_torus(
                                             static_cast<int>(around), number_in(options, "noise"),
                                             count_in<std::uint64_t>(options, "seed")))
                                       : read_mesh(file));
    if (mesh.triangles.empty()) return fail_at({file, 0, 0}, "has no triangles; a mesh is needed");

    auto data = std::make_shared<SmoothingInstance>();
    data->mesh = std::move(mesh);
    data->is_torus = file.empty();
    data->positions = energy.find_field("X");
    const auto num_vertices = static_cast<std::int64_t>(data->mesh.positions.size());
    data->edges = directed_edges(data->mesh.triangles, num_vertices);
    const std::vector<double> places = coordinates(data->mesh.positions);

    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("N", num_vertices));
    THALLO_CHECK(binding.set_extent("E", static_cast<std::int64_t>(data->edges.size())));
    THALLO_CHECK(binding.set_field("X", places));
    THALLO_CHECK(binding.set_field("A", places));
    THALLO_CHECK(binding.set_map("V0", data->edges.v0));
    THALLO_CHECK(binding.set_map("V1", data->edges.v1));
    THALLO_CHECK(binding.set_map("V2", data->edges.v2));
    THALLO_CHECK(binding.set_map("V3", data->edges.v3));
    THALLO_CHECK(
        set_weights(binding, options, {{"w_fitSqrt", "fit_weight"}, {"w_regSqrt", "reg_weight"}}));

    instance.solver.num_iterations = 5;
    instance.solver.num_linear_iterations = 25;
    instance.title = input_title(options, "noisy torus");
    instance.labels = {{"vertices", std::to_string(num_vertices)},
                       {"triangles", std::to_string(data->mesh.triangles.size())},
                       {"directed edges", std::to_string(data->edges.size())}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const SmoothingInstance&>(*instance.data);
    const Mesh& before = data.mesh;
    Mesh after =
        with_positions(before, positions_from(instance.binding.field(data.positions).to_doubles()));

    Report report;
    if (!data.edges.crowded.empty())
      report.warnings.push_back(crowding_text(data.edges.crowded, "triangles"));
    report.metrics = {{"bend across an edge before (root mean square)",
                       bend_across_edges(data.edges, before.positions), "degrees"},
                      {"bend across an edge after (root mean square)",
                       bend_across_edges(data.edges, after.positions), "degrees"}};
    if (data.is_torus) {
      report.metrics.push_back({"distance from the torus before (root mean square)",
                                100 * torus_error(before) / TubeRadius, "% of the tube's radius"});
      report.metrics.push_back({"distance from the torus after (root mean square)",
                                100 * torus_error(after) / TubeRadius, "% of the tube's radius"});
    }
    MeshView view;
    if (data.is_torus) view = {.from = {0.2, -1, 0.9}, .up = {0, 0, 1}};
    view.show_edges = false;  // shading shows what is rough
    std::vector<MeshPanel> panels = {{before, {}}, {after, {}}};
    report.images.push_back(
        {"before_after", "The mesh as given, and smoothed",
         [panels = std::move(panels), view] { return draw_meshes(panels, view); }});
    report.meshes.push_back({"before", "The mesh as given", before});
    report.meshes.push_back({"after", "The smoothed mesh", std::move(after)});
    return report;
  }
};

}  // namespace
}  // namespace thallo::cotangent_mesh_smoothing

THALLO_PLUGIN("cotangent_mesh_smoothing", "1.0.0", "",
              thallo::add_text_problem<thallo::cotangent_mesh_smoothing::CotangentMeshSmoothing>);
