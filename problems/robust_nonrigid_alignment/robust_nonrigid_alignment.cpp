// robust_nonrigid_alignment: bend a mesh onto scans of the same body in other poses
// ==================================================================================
//
// Every vertex is pulled to the plane on the point of the scan that corresponds to it, and edges
// through the body keep its shape. Some correspondences are wrong, so each has a confidence that is
// solved for, too. The energy is robust_nonrigid_alignment.lua. Solves alternate with searches for
// correspondences, while the body becomes softer. Without a file it bends a caterpillar onto scans
// of how it arches its back; with --file it takes a mesh and a sequence of scans.
//
// The solver is Levenberg-Marquardt with 10 steps of 250 PCG iterations a solve, the published
// counts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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
#include "problems/robust_nonrigid_alignment/alignment_input.h"
#include "problems/robust_nonrigid_alignment/caterpillar.h"
#include "problems/robust_nonrigid_alignment/correspondences.h"

namespace thallo::robust_nonrigid_alignment {
namespace {

// What one solve worked on.
struct SolveRecord {
  std::size_t scan = 0;
  std::int64_t num_matches = 0;  // of vertices that are not spurious
  std::int64_t num_new = 0;      // those that the solve before had not
  double reg_weight = 0;
};

struct AlignmentInstance : InstanceData {
  AlignmentInput input;
  std::vector<std::unique_ptr<const Scan>> scans;
  FieldId offset, confidence;
  MatchRules rules;
  std::int64_t max_solves = 1, few = 0;
  double spurious_share = 0;
  std::uint64_t seed = 0;
  double reg_weight = 0, reg_weight_end = 0, softening = 1;

  // Of the current solve.
  std::size_t scan = 0;
  std::int64_t solve_of_scan = 0;
  std::vector<std::int32_t> matches, spurious;  // points of the scan, -1: none
  std::vector<SolveRecord> records;
};

// Clay where a vertex's correspondence is trusted or there is none, red where it is not.
std::array<std::uint8_t, 3> color_of(double confidence) {
  const double trust = std::clamp(confidence * confidence, 0.0, 1.0);
  const auto mix = [trust](double red, double clay) {
    return static_cast<std::uint8_t>(std::lround(std::lerp(red, clay, trust)));
  };
  return {mix(200, 206), mix(40, 188), mix(40, 164)};
}

class RobustNonrigidAlignment : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"robust_nonrigid_alignment", "Robust non-rigid alignment",
            "Zollhoefer et al.: Real-time non-rigid reconstruction using an RGB-D camera, SIGGRAPH "
            "2014; energy and counts of DeVito et al., Opt, 2017",
            "correspondences and weights that change between solves, confidences as unknowns",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    constexpr double Most = 100000;
    return {
        file_option("file", "The mesh (ply, off, obj, stl)."),
        file_option("target",
                    "The first scan, a mesh; others follow it in its folder, by their names."),
        file_option("tetrahedra",
                    "Tetrahedra (.ele of TetGen), whose edges keep the mesh's shape; without it "
                    "those of the triangles do."),
        count_option("targets", 6, "Scans, at most; each starts where the one before ended.",
                     {1, Most}),
        count_option("around", 16, "Caterpillar: vertices on each ring.", {4, Most}),
        count_option("solves", 15, "Most solves for each scan.", {1, Most}),
        count_option("few", 5, "A scan is done when no more correspondences than this change.",
                     {0, Most}),
        count_option("neighbors", 20,
                     "Nearest points of the scan that are looked at for each vertex.", {1, Most}),
        number_option("reach", 5, "A correspondence is at most this many mean edges away.", {0}),
        number_option("cosine", 0.7, "Least cosine between the normals of a correspondence.",
                      {-1, 1}),
        number_option("spurious", 0.05, "Share of the vertices that get a wrong correspondence.",
                      {0, 1}),
        count_option("seed", 1, "Seed of the wrong correspondences.", {0}),
        number_option("fit_weight", 10, "Weight of the correspondences.", {0}),
        number_option("reg_weight", 64, "Weight of the rigidity in the first solve of a scan.",
                      {0}),
        number_option("reg_weight_end", 4, "The weight of the rigidity goes no lower than this.",
                      {0}),
        number_option("softening", 0.9,
                      "The weight of the rigidity is multiplied by this from solve to solve.",
                      {0, 1})};
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"around", 6}, {"targets", 1}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    const auto num_scans = count_in<std::size_t>(options, "targets");
    auto input =
        file.empty()
            ? Expected<AlignmentInput>(make_caterpillar(count_in(options, "around"), num_scans))
            : read_alignment_input({.source = file,
                                    .scan = text_in(options, "target"),
                                    .tetrahedra = text_in(options, "tetrahedra"),
                                    .num_scans = num_scans});
    if (!input) return fail(input.error());

    auto data = std::make_shared<AlignmentInstance>();
    data->input = *std::move(input);
    for (Mesh& scan : data->input.scans)
      data->scans.push_back(std::make_unique<const Scan>(std::move(scan)));
    data->input.scans.clear();
    data->offset = energy.find_field("Offset");
    data->confidence = energy.find_field("RobustWeights");
    read_rules(options, *data);

    const Mesh& source = data->input.source;
    const std::size_t num_vertices = source.positions.size();
    const std::vector<double> places = coordinates(source.positions);
    std::vector<std::int32_t> v0, v1;
    for (const auto& [v, u] : data->input.edges) {
      v0.push_back(v);
      v1.push_back(u);
    }
    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("N", static_cast<std::int64_t>(num_vertices)));
    THALLO_CHECK(binding.set_extent("E", static_cast<std::int64_t>(v0.size())));
    THALLO_CHECK(binding.set_field("Offset", places));
    THALLO_CHECK(binding.set_field("Angle", std::vector<double>(3 * num_vertices)));
    THALLO_CHECK(binding.set_field("UrShape", places));
    THALLO_CHECK(binding.set_map("V0", v0));
    THALLO_CHECK(binding.set_map("V1", v1));
    THALLO_CHECK(set_weights(binding, options, {{"w_fitSqrt", "fit_weight"}}));
    THALLO_CHECK(begin_scan(*data, binding, 0));

    instance.solver.solver = SolverKind::LevenbergMarquardt;
    instance.solver.function_tolerance = 1e-7;
    instance.solver.num_iterations = 10;
    instance.solver.num_linear_iterations = 250;
    instance.title = input_title(options, "caterpillar");
    instance.labels = {
        {"vertices", std::to_string(num_vertices)},
        {"directed edges", std::to_string(v0.size())},
        {"scans", std::to_string(data->scans.size())},
        {"correspondences in the first solve", std::to_string(data->records.front().num_matches)}};
    instance.data = std::move(data);
    return instance;
  }

  Expected<bool> advance(Instance& instance, int /*solve*/,
                         const Solution& /*solution*/) const override {
    auto& data = dynamic_cast<AlignmentInstance&>(*instance.data);
    const std::vector<std::int32_t> matches = match_now(data, instance.binding);
    const std::int64_t num_new = count_new(data.matches, matches);
    if (data.solve_of_scan + 1 < data.max_solves && num_new > data.few) {
      ++data.solve_of_scan;
      data.matches = matches;
      THALLO_CHECK(bind_solve(data, instance.binding, num_new));
    } else if (data.scan + 1 < data.scans.size()) {
      THALLO_CHECK(begin_scan(data, instance.binding, data.scan + 1));
    } else {
      return false;
    }
    return true;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const AlignmentInstance&>(*instance.data);
    const Scan& scan = *data.scans[data.scan];
    const Mesh& before = data.input.source;
    const std::vector<double> confidence = instance.binding.field(data.confidence).to_doubles();
    Mesh after =
        with_positions(before, positions_from(instance.binding.field(data.offset).to_doubles()));
    Mesh colored = after;
    colored.colors.clear();
    colored.color_type = "uchar";
    for (std::size_t v = 0; v < confidence.size(); ++v) {
      const bool has_match = data.matches[v] >= 0 || data.spurious[v] >= 0;
      colored.add_color(color_of(has_match ? confidence[v] : 1));
    }

    Report report;
    const double size = diagonal(scan.mesh.positions);
    report.metrics = {{"distance from the scan before (root mean square)",
                       100 * distance_to_scan(scan, before.positions) / size, "% of the diagonal"},
                      {"distance from the scan after (root mean square)",
                       100 * distance_to_scan(scan, after.positions) / size, "% of the diagonal"}};
    if (!data.input.truth.empty()) {
      report.metrics.push_back({"distance from the truth before (root mean square)",
                                100 * distance_between(before.positions, data.input.truth) / size,
                                "% of the diagonal"});
      report.metrics.push_back({"distance from the truth after (root mean square)",
                                100 * distance_between(after.positions, data.input.truth) / size,
                                "% of the diagonal"});
    }
    add_trust(data, confidence, report);
    report.tables.push_back(solves_of(data, solution));
    std::vector<MeshPanel> panels = {{before, {}}, {scan.mesh, {}}, {colored, {}}};
    report.images.push_back(
        {"before_after",
         "The mesh, the last scan, and the mesh bent onto it; red: what "
         "corresponds to it is not trusted",
         [panels = std::move(panels)] { return draw_meshes(panels, {.show_edges = false}); }});
    report.meshes = {{"before", "The mesh as given", before},
                     {"scan", "The last scan", scan.mesh},
                     {"after", "The mesh bent onto the last scan", std::move(after)}};
    return report;
  }

 private:
  static void read_rules(const Options& options, AlignmentInstance& data) {
    const Mesh& source = data.input.source;
    data.rules = {.num_neighbors = count_in<std::size_t>(options, "neighbors"),
                  .max_distance = number_in(options, "reach") *
                                  mean_length(surface_edges(source), source.positions),
                  .min_cosine = number_in(options, "cosine")};
    data.max_solves = count_in<std::int64_t>(options, "solves");
    data.few = count_in<std::int64_t>(options, "few");
    data.spurious_share = number_in(options, "spurious");
    data.seed = count_in<std::uint64_t>(options, "seed");
    data.reg_weight = number_in(options, "reg_weight");
    data.reg_weight_end = number_in(options, "reg_weight_end");
    data.softening = number_in(options, "softening");
  }

  static std::vector<std::int32_t> match_now(const AlignmentInstance& data,
                                             const Binding& binding) {
    Mesh mesh;
    mesh.triangles = data.input.source.triangles;
    mesh.positions = positions_from(binding.field(data.offset).to_doubles());
    return match(*data.scans[data.scan], mesh, data.rules);
  }

  static std::int64_t count_new(const std::vector<std::int32_t>& before,
                                const std::vector<std::int32_t>& after) {
    std::int64_t count = 0;
    for (std::size_t v = 0; v < after.size(); ++v) count += after[v] >= 0 && after[v] != before[v];
    return count;
  }

  // Every correspondence of a new scan is trusted.
  static Expected<void> begin_scan(AlignmentInstance& data, Binding& binding, std::size_t scan) {
    const std::size_t num_vertices = data.input.source.positions.size();
    data.scan = scan;
    data.solve_of_scan = 0;
    data.spurious = draw_spurious(num_vertices, data.scans[scan]->mesh.positions.size(),
                                  data.spurious_share, data.seed + scan);
    data.matches = match_now(data, binding);
    THALLO_CHECK(binding.set_field("RobustWeights", std::vector<double>(num_vertices, 1.0)));
    return bind_solve(data, binding,
                      count_new(std::vector<std::int32_t>(num_vertices, -1), data.matches));
  }

  static Expected<void> bind_solve(AlignmentInstance& data, Binding& binding,
                                   std::int64_t num_new) {
    const Mesh& scan = data.scans[data.scan]->mesh;
    const std::size_t num_vertices = data.matches.size();
    constexpr double NoMatch = -std::numeric_limits<double>::infinity();
    std::vector<double> places(3 * num_vertices, NoMatch);
    std::vector<double> normals(3 * num_vertices);
    std::int64_t num_matches = 0;
    for (std::size_t v = 0; v < num_vertices; ++v) {
      const std::int32_t point = data.spurious[v] >= 0 ? data.spurious[v] : data.matches[v];
      if (point < 0) continue;
      num_matches += data.spurious[v] < 0;
      for (std::size_t c = 0; c < 3; ++c) {
        places[3 * v + c] = scan.positions[static_cast<std::size_t>(point)][c];
        normals[3 * v + c] = scan.normals[static_cast<std::size_t>(point)][c];
      }
    }
    const double reg_weight = std::max(
        data.reg_weight_end,
        data.reg_weight * std::pow(data.softening, static_cast<double>(data.solve_of_scan)));
    data.records.push_back({data.scan, num_matches, num_new, reg_weight});
    THALLO_CHECK(binding.set_field("Constraints", places));
    THALLO_CHECK(binding.set_field("ConstraintNormals", normals));
    return binding.set_param("w_regSqrt", std::sqrt(reg_weight));
  }

  static double distance_between(const std::vector<std::array<double, 3>>& a,
                                 const std::vector<std::array<double, 3>>& b) {
    double sum = 0;
    for (std::size_t v = 0; v < a.size(); ++v) sum += std::pow(distance(a[v], b[v]), 2);
    return std::sqrt(sum / static_cast<double>(a.size()));
  }

  // A correspondence is trusted if its residual counts at least half.
  static void add_trust(const AlignmentInstance& data, const std::vector<double>& confidence,
                        Report& report) {
    std::int64_t num_right = 0, num_right_trusted = 0, num_wrong = 0, num_wrong_trusted = 0;
    for (std::size_t v = 0; v < confidence.size(); ++v) {
      const bool is_trusted = confidence[v] * confidence[v] > 0.5;
      if (data.spurious[v] >= 0) {
        ++num_wrong;
        num_wrong_trusted += is_trusted;
      } else if (data.matches[v] >= 0) {
        ++num_right;
        num_right_trusted += is_trusted;
      }
    }
    const auto percent = [](std::int64_t part, std::int64_t all) {
      return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
    };
    report.metrics.push_back(
        {"correspondences that are trusted", percent(num_right_trusted, num_right), "%"});
    report.metrics.push_back(
        {"wrong correspondences that are trusted", percent(num_wrong_trusted, num_wrong), "%"});
  }

  static ReportTable solves_of(const AlignmentInstance& data, const Solution& solution) {
    ReportTable table{
        "solves",
        "The solves: the scan, correspondences, those that are new, the weight of the "
        "rigidity, the cost before and after",
        {"solve", "scan", "correspondences", "new", "rigidity", "initial cost", "final cost"},
        {}};
    for (std::size_t i = 0; i < solution.solves.size(); ++i) {
      const SolveRecord& record = data.records[i];
      const SolverSummary& solve = solution.solves[i];
      table.rows.push_back({std::to_string(i + 1), std::to_string(record.scan + 1),
                            std::to_string(record.num_matches), std::to_string(record.num_new),
                            fmt::format("{:.3f}", record.reg_weight),
                            fmt::format("{:.6e}", solve.initial_cost),
                            fmt::format("{:.6e}", solve.final_cost)});
    }
    return table;
  }
};

}  // namespace
}  // namespace thallo::robust_nonrigid_alignment

THALLO_PLUGIN("robust_nonrigid_alignment", "1.0.0", "",
              thallo::add_text_problem<thallo::robust_nonrigid_alignment::RobustNonrigidAlignment>);
