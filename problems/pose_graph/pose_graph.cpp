// pose_graph: where was the robot?
// ================================
//
// Finds poses from measurements of one relative to another, each with its information matrix: the
// back end of simultaneous localization and mapping. In the plane a pose moves on SE(2), in space
// on SE(3); the energies are pose_graph_2d.lua and pose_graph_3d.lua. Without a file a robot walks
// on a sphere or over a field; with --file it takes any g2o file:
//
//   thallo solve pose_graph
//   thallo solve pose_graph --dimension 2
//   thallo solve pose_graph --file sphere2500.g2o.xz --out result
//
//   option          default  what
//   file            ""       a pose graph (.g2o)
//   repair_information false  of a file: information matrices that are no such become the nearest
//   initialize      none     spanning-tree or chordal: starts from what the measurements alone say
//   dimension       3        generated: 2 or 3
//   rounds          16       generated: rounds of the spiral, rows of the field
//   poses_a_round   32       generated: poses of a round or row
//   position_noise  0.04     generated: standard deviation of measured positions, a step is 1
//   angle_noise     0.01     generated: standard deviation of measured angles, in radians
//   seed            1        generated: seed of the noise
//
// The first pose stays, unless the file says which ones do. The solver is Levenberg-Marquardt in
// double.
//
// The report has the root mean square of the weighted errors and chi-squared, the walk before and
// after, and for generated walks how far the positions are from the truth. It warns of a
// chi-squared that no noise explains.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/g2o.h"
#include "core/base/log.h"
#include "core/base/option_text.h"
#include "core/language/load_energy.h"
#include "core/plugin/abi.h"
#include "core/problem/problem.h"
#include "problems/pose_graph/graph_view.h"
#include "problems/pose_graph/information.h"
#include "problems/pose_graph/initialize.h"
#include "problems/pose_graph/walk.h"

namespace thallo::pose_graph {
namespace {

struct GraphInstance : InstanceData {
  PoseGraph graph;                 // its poses are the start
  std::vector<double> true_poses;  // of generated walks
  std::string initialized;         // how the start was made
  FieldId pose;
};

// Root mean square of the distances between positions.
double position_error(const PoseGraph& graph, const std::vector<double>& a,
                      const std::vector<double>& b) {
  const auto size = static_cast<std::size_t>(graph.pose_size());
  const std::size_t num_shifts = graph.dimension == 2 ? 2 : 3;
  double sum = 0;
  for (std::size_t i = 0; i < graph.num_vertices(); ++i) {
    for (std::size_t c = 0; c < num_shifts; ++c) {
      sum += std::pow(a[size * i + c] - b[size * i + c], 2);
    }
  }
  return std::sqrt(sum / static_cast<double>(graph.num_vertices()));
}

constexpr std::string_view SpanningTree = "spanning-tree", Chordal = "chordal";

Expected<void> initialize(const std::string& file, const std::string& how, PoseGraph& graph) {
  if (how == SpanningTree) initialize_along_tree(graph);
  if (how != Chordal || initialize_by_chords(graph)) return {};
  return fail_at(
      {file, 0, 0},
      "{} finds no finite poses: the measurements or their information are too different in size",
      option_text("initialize", Chordal));
}

struct ChiSquared {
  double by_freedom = 0;
  double freedom = 0;
};

// The sum of the squares of m weighted errors, of which n unknowns are free, has the expectation
// m - n where the errors are as the information matrices say and the minimum is the global one.
// Absent where nothing is measured twice.
std::optional<ChiSquared> chi_squared_of(const SolverSummary& summary) {
  const auto freedom = static_cast<double>(summary.num_residuals - summary.num_free_unknowns);
  if (freedom <= 0) return std::nullopt;
  return ChiSquared{2 * summary.final_cost / freedom, freedom};
}

// It has the standard deviation √(2 / freedom), which is large for few loops. Standard deviations
// of measurements are rarely known better than to a tenth.
bool is_suspicious(const ChiSquared& chi_squared) {
  return chi_squared.by_freedom > 1 + std::max(0.25, 5 * std::sqrt(2 / chi_squared.freedom));
}

std::string warning_of(const ChiSquared& chi_squared, const std::string& initialized) {
  return fmt::format(
      "chi-squared is {:.3g} per degree of freedom, of which 1 is expected: either this is a local "
      "minimum{}, or measurements are wrong, or information matrices say more than is known",
      chi_squared.by_freedom,
      initialized == Chordal
          ? ""
          : fmt::format(" ({} starts nearer to the best one)", option_text("initialize", Chordal)));
}

Expected<Walk> read_or_make(const Options& options) {
  const auto file = options.value_or<std::string>("file", "");
  if (file.empty()) {
    return make_walk(
        {.dimension = static_cast<int>(options.value_or<std::int64_t>("dimension", 3)),
         .rounds = static_cast<int>(options.value_or<std::int64_t>("rounds", 16)),
         .poses_a_round = static_cast<int>(options.value_or<std::int64_t>("poses_a_round", 32)),
         .position_noise = options.value_or<double>("position_noise", 0.04),
         .angle_noise = options.value_or<double>("angle_noise", 0.01),
         .seed = static_cast<std::uint64_t>(options.value_or<std::int64_t>("seed", 1))});
  }
  auto graph = read_g2o(file);
  if (!graph) return fail(graph.error());
  if (graph->num_edges() == 0) return fail_at({file, 0, 0}, "has no edges; nothing was measured");
  return Walk{.graph = *std::move(graph), .true_poses = {}};
}

// Nothing holds the parts of a graph that have no fixed pose: damping alone keeps them in place.
void warn_of_components(const PoseGraph& graph, Instance& instance) {
  const std::size_t count = num_components(graph);
  if (count == 1) return;
  instance.labels.emplace_back("parts that no measurement connects", std::to_string(count));
  logger("pose_graph")
      .warn(
          "{} parts of the graph are connected by no measurement; a part without a fixed pose "
          "stays where it starts but for its own shape",
          count);
}

class PoseGraphProblem : public Problem {
 public:
  explicit PoseGraphProblem(std::filesystem::path folder) : folder_(std::move(folder)) {}

  ProblemInfo info() const override {
    return {"pose_graph", "Pose graph optimization in the plane and in space",
            "Grisetti et al.: A tutorial on graph-based SLAM, ITSM 2010; data of the g2o and "
            "SE-Sync collections",
            "unknowns on a manifold, SE(2) and SE(3), whose update is a motion",
            folder_ / "pose_graph.png"};
  }

  std::vector<OptionSpec> options() const override {
    return {
        {.name = "file",
         .default_value = std::string(),
         .doc = "A pose graph (.g2o, also .g2o.xz).",
         .is_file = true},
        {.name = "repair_information",
         .default_value = false,
         .doc = "Of a file: replace information matrices that are not positive semidefinite by the "
                "nearest that are."},
        {.name = "initialize",
         .default_value = std::string("none"),
         .doc = "Start from poses that the measurements alone say: along a breadth-first tree, or "
                "by chordal relaxation of the rotations, which is near to the best minimum.",
         .choices = {"none", std::string(SpanningTree), std::string(Chordal)}},
        {.name = "dimension",
         .default_value = std::int64_t{3},
         .doc = "Generated: 2 for a field, 3 for a sphere.",
         .minimum = 2,
         .maximum = 3},
        {.name = "rounds",
         .default_value = std::int64_t{16},
         .doc = "Generated: rounds around the sphere, rows of the field.",
         .minimum = 1,
         .maximum = 10000},
        {.name = "poses_a_round",
         .default_value = std::int64_t{32},
         .doc = "Generated: poses of a round or row.",
         .minimum = 3,
         .maximum = 10000},
        {.name = "position_noise",
         .default_value = 0.04,
         .doc = "Generated: standard deviation of measured positions; a step is 1.",
         .minimum = 1e-9},
        {.name = "angle_noise",
         .default_value = 0.01,
         .doc = "Generated: standard deviation of measured angles, in radians.",
         .minimum = 1e-9},
        {.name = "seed",
         .default_value = std::int64_t{1},
         .doc = "Generated: seed of the noise.",
         .minimum = 0},
    };
  }

  Options small_options(const Options& options) const override {
    // A file has its own dimension, which the energy depends on.
    if (!options.require<std::string>("file")->empty()) return {};
    return {{"file", ""}, {"rounds", 3}, {"poses_a_round", 6}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    const auto walk = read_or_make(options);
    if (!walk) return fail(walk.error());
    return load_energy(folder_ /
                       (walk->graph.dimension == 2 ? "pose_graph_2d.lua" : "pose_graph_3d.lua"));
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = options.value_or<std::string>("file", "");
    auto walk = read_or_make(options);
    if (!walk) return fail(walk.error());
    auto data = std::make_shared<GraphInstance>();
    data->graph = std::move(walk->graph);
    data->true_poses = std::move(walk->true_poses);
    data->pose = energy.find_field("Pose");
    const bool repairs = options.value_or<bool>("repair_information", false);
    const std::size_t num_repaired = repairs ? repair_information(data->graph) : 0;
    auto roots = information_roots(file, data->graph);
    if (!roots) return fail(roots.error());
    data->initialized = *options.require<std::string>("initialize");
    if (auto done = initialize(file, data->initialized, data->graph); !done)
      return fail(done.error());
    const PoseGraph& graph = data->graph;

    std::vector<std::uint8_t> fixed(graph.num_vertices(), 0);
    for (const std::int32_t vertex : graph.fixed) fixed[static_cast<std::size_t>(vertex)] = 1;
    if (graph.fixed.empty()) fixed.front() = 1;
    std::vector<std::int32_t> from;
    std::vector<std::int32_t> to;
    for (const auto& [i, j] : graph.edges) {
      from.push_back(i);
      to.push_back(j);
    }

    Instance instance(energy);
    Binding& binding = instance.binding;
    Expected<void> bound = binding.set_extent("N", static_cast<std::int64_t>(graph.num_vertices()));
    if (bound) bound = binding.set_extent("E", static_cast<std::int64_t>(graph.num_edges()));
    if (bound) bound = binding.set_field("Pose", graph.poses);
    if (bound) bound = binding.set_field("Measured", graph.measurements);
    if (bound) bound = binding.set_field("Root", *std::move(roots));
    if (bound) bound = binding.set_field("Fixed", std::move(fixed));
    if (bound) bound = binding.set_map("From", std::move(from));
    if (bound) bound = binding.set_map("To", std::move(to));
    if (!bound) return fail(bound.error());

    // Errors travel the whole walk: few steps are needed when each is solved well, which a
    // factorization does. With pcg a step needs many linear iterations.
    instance.solver = SolverOptions::until_converged();
    instance.solver.preconditioner = PreconditionerKind::BlockJacobi;
    instance.solver.function_tolerance = 1e-7;
    instance.precision = Precision::Double;
    instance.title = file.empty()
                         ? (graph.dimension == 2 ? "walk over a field" : "walk on a sphere")
                         : std::filesystem::path(file).filename().string();
    instance.labels = {{"poses", std::to_string(graph.num_vertices())},
                       {"measurements", std::to_string(graph.num_edges())},
                       {"space", graph.dimension == 2 ? "SE(2)" : "SE(3)"}};
    if (repairs)
      instance.labels.emplace_back("repaired information matrices", std::to_string(num_repaired));
    if (data->initialized != "none") instance.labels.emplace_back("start", data->initialized);
    warn_of_components(graph, instance);
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const GraphInstance&>(*instance.data);
    const PoseGraph& graph = data.graph;
    const std::vector<double> poses = instance.binding.field(data.pose).to_doubles();
    const auto num_errors = static_cast<double>(graph.num_edges() * graph.tangent_size());

    Report report;
    report.metrics = {{"weighted error before (root mean square)",
                       std::sqrt(2 * solution.initial_cost() / num_errors), "standard deviations"},
                      {"weighted error after (root mean square)",
                       std::sqrt(2 * solution.final_cost() / num_errors), "standard deviations"},
                      {"poses moved by (root mean square)",
                       position_error(graph, poses, graph.poses), "units of the file"}};
    if (!data.true_poses.empty()) {
      report.metrics.back().unit = "steps";
      report.metrics.push_back({"distance from the truth before (root mean square)",
                                position_error(graph, graph.poses, data.true_poses), "steps"});
      report.metrics.push_back({"distance from the truth after (root mean square)",
                                position_error(graph, poses, data.true_poses), "steps"});
    }
    const auto chi_squared =
        solution.solves.empty() ? std::nullopt : chi_squared_of(solution.solves.back());
    if (chi_squared) {
      report.metrics.push_back({"chi-squared per degree of freedom", chi_squared->by_freedom, ""});
      if (is_suspicious(*chi_squared))
        report.warnings.push_back(warning_of(*chi_squared, data.initialized));
    }
    report.images.push_back({"before_after", "The walk as it starts, and optimized",
                             draw_graphs(graph, graph.poses, poses)});
    report.meshes.push_back(
        {"before", "The positions as they start", make_trajectory(graph, graph.poses)});
    report.meshes.push_back({"after", "The optimized positions", make_trajectory(graph, poses)});
    return report;
  }

 private:
  std::filesystem::path folder_;
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Problem>("pose_graph",
                                std::make_unique<PoseGraphProblem>(registrar.folder()));
}

}  // namespace
}  // namespace thallo::pose_graph

THALLO_PLUGIN("pose_graph", "1.0.0", "", thallo::pose_graph::register_into);
