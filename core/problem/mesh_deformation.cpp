#include "core/problem/mesh_deformation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/base/move_mesh.h"
#include "core/base/option_kinds.h"

namespace thallo {

std::vector<double> MeshDeformation::blended(double fraction) const {
  return blend_handles(input, fraction);
}

std::vector<OptionSpec> mesh_deformation_options(std::int64_t num_solves) {
  return {
      file_option("file",
                  "A mesh (ply, off, obj, stl); handles from NAME.mrk beside it, if it is there."),
      count_option("subdivisions", 0, "Refinements of the mesh, three times the triangles each.",
                   {0, 10}),
      count_option("solves", num_solves, "Steps in which the handles are blended to their goals.",
                   {1, 10000})};
}

Expected<Instance> make_mesh_deformation(const Energy& energy, const Options& options,
                                         std::shared_ptr<MeshDeformation> data,
                                         const char* made_title) {
  const auto file = text_in(options, "file");
  const auto subdivisions = count_in(options, "subdivisions");
  if (!file.empty()) {
    auto input = read_handled_mesh(file, subdivisions);
    if (!input) return fail(input.error());
    data->input = *std::move(input);
  }
  const Mesh& mesh = data->input.mesh;
  const auto num_vertices = static_cast<std::int64_t>(mesh.positions.size());
  data->edges = directed_edges(mesh.triangles, num_vertices);
  data->position = energy.find_field("Position");
  data->constraints = energy.find_field("Constraints");
  data->num_solves = count_in(options, "solves");

  const std::vector<double> places = coordinates(mesh.positions);
  Instance instance(energy);
  Binding& binding = instance.binding;
  THALLO_CHECK(binding.set_extent("N", num_vertices));
  THALLO_CHECK(binding.set_extent("E", static_cast<std::int64_t>(data->edges.size())));
  THALLO_CHECK(binding.set_field("Position", places));
  THALLO_CHECK(binding.set_field("UrShape", places));
  THALLO_CHECK(binding.set_field("Constraints", data->at_solve(0)));
  THALLO_CHECK(binding.set_map("V0", data->edges.v0));
  THALLO_CHECK(binding.set_map("V1", data->edges.v1));

  instance.title = file.empty() ? made_title : std::filesystem::path(file).filename().string();
  instance.labels = {{"vertices", std::to_string(num_vertices)},
                     {"triangles", std::to_string(mesh.triangles.size())},
                     {"edges", std::to_string(data->edges.size() / 2)},
                     {"handles", std::to_string(data->input.handles.size())}};
  instance.data = std::move(data);
  // Handles may leave the mesh free to turn, say. Once the cost is zero steps would do that.
  instance.solver.gradient_tolerance = 1e-10;
  instance.solver.parameter_tolerance = 1e-15;
  return instance;
}

Report report_mesh_deformation(const Instance& instance, const Solution& solution) {
  const auto& data = dynamic_cast<const MeshDeformation&>(*instance.data);
  const Mesh& before = data.input.mesh;
  Mesh after =
      with_positions(before, positions_from(instance.binding.field(data.position).to_doubles()));

  Report report;
  std::vector<MeshPanel> panels = {{before, {}}, {after, {}}};
  double farthest = 0;
  for (const MeshHandle& handle : data.input.handles) {
    const auto vertex = static_cast<std::size_t>(handle.vertex);
    farthest = std::max(farthest, distance(after.positions[vertex], handle.goal));
    constexpr Rgb Red = {200, 40, 40};
    panels[0].markers.push_back({before.positions[vertex], handle.goal, Red});
    panels[1].markers.push_back({after.positions[vertex], handle.goal, Red});
  }
  report.metrics = {
      {"largest distance of a handle from its goal", 100 * farthest / diagonal(before.positions),
       "% of the diagonal"},
      {"change of edge lengths (root mean square)",
       100 * change_of_lengths(data.edges.v0, data.edges.v1, before.positions, after.positions),
       "%"}};
  report.tables.push_back(blended_solves(data, solution));
  report.images.push_back(
      {"before_after", "Before with its handles, after",
       [panels = std::move(panels), view = data.view] { return draw_meshes(panels, view); }});
  report.meshes.push_back({"before", "The mesh as given", before});
  report.meshes.push_back({"after", "The deformed mesh", std::move(after)});
  return report;
}

}  // namespace thallo
