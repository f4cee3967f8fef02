// procrustes_alignment: move one set of points onto another
// =========================================================
//
// Every point has its target; wanted is the one rotation and translation that brings all of them
// there as well as can be. The energy is procrustes_alignment.lua. Without a file the points are
// those of a sea shell; the targets are the moved points, some with noise and some not known.
//
// The solver is Gauss-Newton with 10 steps of 6 PCG iterations, the published counts; six is the
// number of unknowns. The published target is turned by 45 degrees about x and exact.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/base/mesh.h"
#include "core/base/move_mesh.h"
#include "core/base/subdivide.h"
#include "core/plugin/abi.h"
#include "core/problem/report/mesh_view.h"
#include "core/problem/text_problem.h"
#include "problems/procrustes_alignment/alignment_input.h"
#include "problems/procrustes_alignment/shell.h"

namespace thallo::procrustes_alignment {
namespace {

struct AlignmentInstance : InstanceData {
  AlignmentInput input;
  MeshView view;
  FieldId angle, translation;
};

Expected<AlignmentInput> make_input(const Options& options) {
  const auto file = text_in(options, "file");
  auto source =
      file.empty() ? Expected<Mesh>(make_shell(count_in(options, "around"))) : read_mesh(file);
  if (!source) return fail(source.error());
  const auto subdivisions = count_in<std::int64_t>(options, "subdivisions");
  if (subdivisions > 0 && source->triangles.empty()) {
    return fail_at({file, 0, 0}, "has no triangles to refine; subdivisions must be 0, found {}",
                   subdivisions);
  }
  for (std::int64_t i = 0; i < subdivisions; ++i) source = subdivide_sqrt3(*source);
  const auto target = text_in(options, "target");
  if (!target.empty()) return read_targets(*std::move(source), target);

  const double size = diagonal(source->positions);
  const double degree = std::numbers::pi / 180;
  const double step = number_in(options, "shift") * size / std::numbers::sqrt3;
  return move_points(*std::move(source),
                     {.motion = {.angles = {degree * number_in(options, "angle_x"),
                                            degree * number_in(options, "angle_y"),
                                            degree * number_in(options, "angle_z")},
                                 .translation = {step, step, step}},
                      .noise = size * number_in(options, "noise"),
                      .missing = number_in(options, "missing"),
                      .seed = count_in<std::uint64_t>(options, "seed")});
}

Mesh moved(const Mesh& source, const Motion& motion) {
  auto positions = source.positions;
  for (auto& p : positions) p = motion(p);
  return with_positions(source, std::move(positions));
}

Mesh known_targets(const AlignmentInput& input) {
  Mesh points;
  for (std::size_t n = 0; n < input.source.positions.size(); ++n) {
    if (!input.known(n)) continue;
    points.positions.push_back(
        {input.targets[3 * n], input.targets[3 * n + 1], input.targets[3 * n + 2]});
  }
  return points;
}

Image draw(const Mesh& before, const Mesh& after, const Mesh& targets, const MeshView& view) {
  constexpr std::size_t MostDots = 250;
  constexpr Rgb Blue = {36, 92, 168};
  MeshPanel panels[] = {{before, {}}, {after, {}}};
  const std::size_t every = std::max<std::size_t>(1, targets.positions.size() / MostDots);
  for (MeshPanel& panel : panels) {
    panel.mesh.colors.clear();
    for (std::size_t i = 0; i < targets.positions.size(); i += every) {
      panel.markers.push_back({targets.positions[i], targets.positions[i], Blue});
    }
  }
  return draw_meshes(panels, view);
}

class ProcrustesAlignment : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {
        "procrustes_alignment", "Procrustes alignment of two point sets",
        "Schoenemann: A generalized solution of the orthogonal Procrustes problem, "
        "Psychometrika 1966; counts of Mara et al., Thallo, 2021",
        "six unknowns that all residuals share: a dense JtJ, stored by the energy's own schedule",
        picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "A mesh (ply, off, obj, stl) whose vertices are aligned."),
        count_option("subdivisions", 0, "Refinements of the mesh, three times the triangles each.",
                     {0, 10}),
        file_option(
            "target",
            "A mesh with as many vertices, the targets; made by moving the points without."),
        count_option("around", 20, "Sea shell: 6 * around^2 points.", {3, 4096}),
        number_option("angle_x", 45,
                      "Made targets: degrees by which they are turned about x, before y and z."),
        number_option("angle_y", 0, "Made targets: degrees about y."),
        number_option("angle_z", 0, "Made targets: degrees about z."),
        number_option("shift", 0.5,
                      "Made targets: length of their translation, in diagonals of the mesh."),
        number_option(
            "noise", 0.002,
            "Made targets: standard deviation of each coordinate, in diagonals of the mesh.", {0}),
        number_option("missing", 0.1, "Made targets: the fraction that is not known.", {0, 1}),
        count_option("seed", 1, "Seed of the noise and of what is missing.", {0}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"subdivisions", 0}, {"target", ""}, {"around", 3}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto input, make_input(options));
    auto data = std::make_shared<AlignmentInstance>();
    data->input = std::move(input);
    data->angle = energy.find_field("Angle");
    data->translation = energy.find_field("Translation");
    const auto file = text_in(options, "file");
    if (file.empty()) data->view = {.from = {0.2, -1, 0.35}, .up = {0, 0, 1}, .show_edges = false};
    const auto num_points = static_cast<std::int64_t>(data->input.source.positions.size());

    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("N", num_points));
    THALLO_CHECK(binding.set_extent("U", 1));
    THALLO_CHECK(binding.set_field("Translation", std::vector<double>(3)));
    THALLO_CHECK(binding.set_field("Angle", std::vector<double>(3)));
    THALLO_CHECK(binding.set_field("Mesh", coordinates(data->input.source.positions)));
    THALLO_CHECK(binding.set_field("Target", data->input.targets));

    instance.solver.num_iterations = 10;
    instance.solver.num_linear_iterations = 6;
    instance.title = input_title(options, "sea shell");
    instance.labels = {{"points", std::to_string(num_points)},
                       {"known targets", std::to_string(data->input.num_known())}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const AlignmentInstance&>(*instance.data);
    const AlignmentInput& input = data.input;
    const auto solved = [&](FieldId field) {
      const HostArray& values = instance.binding.field(field);
      return Vector3{values.value(0), values.value(1), values.value(2)};
    };
    const Motion found = {.angles = solved(data.angle), .translation = solved(data.translation)};
    const double size = diagonal(input.source.positions);

    Report report;
    report.metrics = {
        {"distance before (root mean square)", 100 * distance(input, {}) / size,
         "% of the diagonal"},
        {"distance after (root mean square)", 100 * distance(input, found) / size,
         "% of the diagonal"},
    };
    if (input.truth) {
      report.metrics.push_back(
          {"rotation error", degrees_between_rotations(found, *input.truth), "degrees"});
      report.metrics.push_back({"translation error",
                                100 * length(found.translation - input.truth->translation) / size,
                                "% of the diagonal"});
    }
    Mesh targets = known_targets(input);
    Mesh aligned = moved(input.source, found);
    if (!input.source.triangles.empty()) {
      report.images.push_back({"before_after",
                               "The points as given and aligned, some of the targets in blue",
                               [owner = instance.data, &data, aligned, targets] {
                                 return draw(data.input.source, aligned, targets, data.view);
                               }});
    }
    report.meshes.push_back({"before", "The points as given", input.source});
    report.meshes.push_back({"after", "The aligned points", std::move(aligned)});
    report.meshes.push_back({"target", "The known targets", std::move(targets)});
    return report;
  }
};

}  // namespace
}  // namespace thallo::procrustes_alignment

THALLO_PLUGIN("procrustes_alignment", "1.0.0", "",
              thallo::add_text_problem<thallo::procrustes_alignment::ProcrustesAlignment>);
