// volumetric_mesh_deformation: bend a mesh by the lattice that it is embedded in
// ===============================================================================
//
// The mesh lies in a lattice of boxes. The lowest layer of its nodes stays, the highest is turned
// and shifted, the others follow as rigidly as they can, and the mesh is carried along. The energy
// is volumetric_mesh_deformation.lua. Without a file it bends a queen of chess.
//
// The solver is Gauss-Newton with 20 steps of 60 PCG iterations, the published counts; turn and
// lattice are published, too, and the shift above. By default a mesh that is 30 high, as the queen
// and the published head are, bends along a quarter of a circle.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/mesh.h"
#include "core/base/move_mesh.h"
#include "core/plugin/abi.h"
#include "core/problem/report/mesh_view.h"
#include "core/problem/text_problem.h"
#include "problems/volumetric_mesh_deformation/lattice.h"
#include "problems/volumetric_mesh_deformation/queen.h"

namespace thallo::volumetric_mesh_deformation {
namespace {

struct LatticeInstance : InstanceData {
  Mesh mesh;
  Lattice lattice;
  std::vector<double> goals;  // x y z a node; -infinity where there is none
  FieldId offset;
};

std::vector<MeshMarker> markers_of(const std::vector<std::array<double, 3>>& rest,
                                   const std::vector<std::array<double, 3>>& moved,
                                   const std::vector<std::array<double, 3>>& goals) {
  constexpr Rgb Red = {200, 40, 40};
  std::vector<MeshMarker> markers;
  for (std::size_t n = 0; n < goals.size(); ++n)
    if (std::isfinite(goals[n][0]) && goals[n] != rest[n])
      markers.push_back({moved[n], goals[n], Red});
  return markers;
}

// The mesh, and the nodes of the lattice as dots.
MeshPanel panel_of(const Mesh& mesh, const std::vector<std::array<double, 3>>& nodes) {
  MeshPanel panel{mesh, {}};
  panel.mesh.normals.clear();
  panel.mesh.color_type = "uchar";
  panel.mesh.colors.assign(mesh.positions.size(), {206, 188, 164});
  panel.mesh.positions.insert(panel.mesh.positions.end(), nodes.begin(), nodes.end());
  panel.mesh.colors.resize(panel.mesh.positions.size(), {70, 110, 170});
  return panel;
}

class VolumetricMeshDeformation : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"volumetric_mesh_deformation", "Volumetric mesh deformation",
            "Sorkine and Alexa: As-rigid-as-possible surface modeling, SGP 2007, on a lattice; "
            "energy and counts of DeVito et al., Opt, 2017",
            "a regular grid of three dimensions, neighbors beyond its borders", picture()};
  }

  std::vector<OptionSpec> options() const override {
    const auto cells = [](const char* name, int count) {
      return count_option(name, count, "Boxes of the lattice along this axis.", {1, 1000});
    };
    const auto shift = [](const char* name, double length) {
      return number_option(name, length,
                           "Shift of the highest layer after its turn, in the mesh's unit.");
    };
    return {
        file_option("file", "A mesh (ply, off, obj, stl); y is up."),
        cells("cells_x", 5),
        cells("cells_y", 20),
        cells("cells_z", 5),
        number_option("turn", -90,
                      "Turn of the highest layer about the z axis through the origin, in degrees."),
        shift("shift_x", -11),
        shift("shift_y", 19),
        shift("shift_z", 0),
        count_option("around", 64, "Queen: vertices around it.", {3, 10000}),
        number_option("fit_weight", 1, "Weight of the two layers.", {0}),
        number_option("reg_weight", 0.05, "Weight of the rigidity.", {0})};
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"cells_x", 2}, {"cells_y", 4}, {"cells_z", 2}, {"around", 8}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    THALLO_TRY(auto mesh, file.empty() ? Expected<Mesh>(make_queen(count_in(options, "around")))
                                       : read_mesh(file));
    const std::array<std::int64_t, 3> cells = {count_in<std::int64_t>(options, "cells_x"),
                                               count_in<std::int64_t>(options, "cells_y"),
                                               count_in<std::int64_t>(options, "cells_z")};
    THALLO_TRY(auto lattice, lattice_around(file, mesh, cells));

    auto data = std::make_shared<LatticeInstance>();
    data->mesh = std::move(mesh);
    data->lattice = lattice;
    data->goals =
        pull_ends(lattice, {.turn = number_in(options, "turn"),
                            .shift = {number_in(options, "shift_x"), number_in(options, "shift_y"),
                                      number_in(options, "shift_z")}});
    data->offset = energy.find_field("Offset");

    const std::vector<double> nodes = nodes_of(lattice);
    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("W", cells[0] + 1));
    THALLO_CHECK(binding.set_extent("H", cells[1] + 1));
    THALLO_CHECK(binding.set_extent("D", cells[2] + 1));
    THALLO_CHECK(binding.set_field("Offset", nodes));
    THALLO_CHECK(binding.set_field("Angle", std::vector<double>(nodes.size())));
    THALLO_CHECK(binding.set_field("UrShape", nodes));
    THALLO_CHECK(binding.set_field("Constraints", data->goals));
    THALLO_CHECK(
        set_weights(binding, options, {{"w_fitSqrt", "fit_weight"}, {"w_regSqrt", "reg_weight"}}));

    instance.solver.num_iterations = 20;
    instance.solver.num_linear_iterations = 60;
    instance.title = input_title(options, "queen");
    instance.labels = {
        {"vertices", std::to_string(data->mesh.positions.size())},
        {"nodes", fmt::format("{} x {} x {}", cells[0] + 1, cells[1] + 1, cells[2] + 1)}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const LatticeInstance&>(*instance.data);
    const std::vector<double> solved = instance.binding.field(data.offset).to_doubles();
    const auto rest = positions_from(nodes_of(data.lattice));
    const auto moved = positions_from(solved);
    const auto goals = positions_from(data.goals);
    Mesh after = with_positions(data.mesh, carry(data.lattice, solved, data.mesh.positions));

    Report report;
    std::vector<MeshPanel> panels = {panel_of(data.mesh, rest), panel_of(after, moved)};
    panels[1].markers = markers_of(rest, moved, goals);
    double farthest = 0;
    for (const MeshMarker& marker : panels[1].markers)
      farthest = std::max(farthest, distance(marker.at, marker.goal));
    const LatticeEdges edges = edges_of(data.lattice);
    report.metrics = {{"largest distance of a pulled node from its goal",
                       100 * farthest / diagonal(rest), "% of the diagonal"},
                      {"change of the lattice's edge lengths (root mean square)",
                       100 * change_of_lengths(edges.v0, edges.v1, rest, moved), "%"}};
    report.images.push_back(
        {"before_after", "The mesh in its lattice, before and after",
         [panels = std::move(panels)] { return draw_meshes(panels, {.show_edges = false}); }});
    report.meshes.push_back({"before", "The mesh as given", data.mesh});
    report.meshes.push_back({"after", "The deformed mesh", std::move(after)});
    return report;
  }
};

}  // namespace
}  // namespace thallo::volumetric_mesh_deformation

THALLO_PLUGIN(
    "volumetric_mesh_deformation", "1.0.0", "",
    thallo::add_text_problem<thallo::volumetric_mesh_deformation::VolumetricMeshDeformation>);
