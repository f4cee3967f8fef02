// pose_graph: where was the robot?
// ================================
//
// Finds poses from measurements of one relative to another, each with its information matrix: the
// back end of simultaneous localization and mapping. In the plane a pose moves on SE(2), in space
// on SE(3); the energies are pose_graph_2d.lua and pose_graph_3d.lua. Without a file a robot walks
// on a sphere or over a field; with --file it takes any g2o file.
//
// The first pose stays, unless the file says which ones do or has a prior. The solver is
// Levenberg-Marquardt in double.
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/g2o.h"
#include "core/base/log.h"
#include "core/base/option_text.h"
#include "core/plugin/abi.h"
#include "core/problem/loss_option.h"
#include "core/problem/text_problem.h"
#include "problems/pose_graph/chi_squared.h"
#include "problems/pose_graph/graph_view.h"
#include "problems/pose_graph/information.h"
#include "problems/pose_graph/initialize.h"
#include "problems/pose_graph/walk.h"

namespace thallo::pose_graph {
namespace {

struct GraphInstance : InstanceData {
  PoseGraph graph;                 // as it starts, with what is held as `fixed`
  bool holds_first = false;        // the first pose, which the file does not fix
  std::vector<double> true_poses;  // of generated walks
  std::string initialized;         // how the start was made
  std::int64_t num_measured = 0;   // numbers
  bool has_loss = false;
  FieldId pose, landmark;
  std::string file;  // empty if the walk is generated
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

constexpr std::string_view AsItIs = "none", SpanningTree = "spanning-tree", Chordal = "chordal";

// A start with a higher chi-squared by degree of freedom is far off: errors add up along a walk.
// Chords are tried then, but for walks that are short, and as far as that takes about a second.
constexpr double FarOff = 2, MostFlops = 1e9;
constexpr std::size_t FewPoses = 64;

// Starts by chords where the start is far off and they have the lower cost. Returns whether it did.
// They know neither losses nor priors.
bool starts_nearer_by_chords(GraphInstance& data) {
  PoseGraph& graph = data.graph;
  if (data.file.empty() || data.has_loss || graph.priors.size() > 0) return false;
  if (graph.num_vertices() <= FewPoses) return false;
  const double cost = cost_of_edges(graph);
  const auto chi_squared = chi_squared_of(graph, data.num_measured, cost);
  if (!chi_squared || chi_squared->by_freedom < FarOff) return false;
  PoseGraph other = graph;
  if (!initialize_by_chords(other, MostFlops) || !(cost_of_edges(other) < cost)) return false;
  graph = std::move(other);
  return true;
}

// Returns how it started.
Expected<std::string> initialize(const std::string& how, GraphInstance& data) {
  PoseGraph& graph = data.graph;
  if (how == "auto") return std::string(starts_nearer_by_chords(data) ? Chordal : AsItIs);
  if (how == SpanningTree) initialize_along_tree(graph);
  if (how != Chordal || initialize_by_chords(graph)) return how;
  return fail_at(
      {data.file, 0, 0},
      "{} finds no finite poses: the measurements or their information are too different in size",
      option_text("initialize", Chordal));
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

void add_chi_squared(const GraphInstance& data, double cost, Report& report) {
  const auto chi_squared = chi_squared_of(data.graph, data.num_measured, cost);
  if (!chi_squared) return;
  report.metrics.push_back({"chi-squared per degree of freedom", chi_squared->by_freedom, ""});
  if (chi_squared->is_suspicious())
    report.warnings.push_back(warning_of(*chi_squared, data.initialized));
}

Expected<Walk> read_or_make(const Options& options) {
  const auto file = text_in(options, "file");
  if (file.empty()) {
    return make_walk({.dimension = count_in(options, "dimension"),
                      .rounds = count_in(options, "rounds"),
                      .poses_a_round = count_in(options, "poses_a_round"),
                      .position_noise = number_in(options, "position_noise"),
                      .angle_noise = number_in(options, "angle_noise"),
                      .seed = count_in<std::uint64_t>(options, "seed")});
  }
  THALLO_TRY(auto graph, read_as<parse_g2o>(file));
  if (graph.num_edges() + graph.sightings.size() + graph.priors.size() == 0)
    return fail_at({file, 0, 0}, "has no edges; nothing was measured");
  return Walk{.graph = std::move(graph)};
}

// Nothing holds the parts of a graph that have no fixed pose: damping alone keeps them in place.
void warn_of_components(const PoseGraph& graph, Instance& instance) {
  const std::size_t count = components(graph).size();
  if (count == 1) return;
  instance.labels.emplace_back("parts that no measurement connects", std::to_string(count));
  logger("pose_graph")
      .warn(
          "{} parts of the graph are connected by no measurement; a part without a fixed pose "
          "stays where it starts but for its own shape",
          count);
}

// What is in the graph: the energy has terms for it.
Expected<PoseGraphKind> kind_of(const Options& options) {
  const auto file = text_in(options, "file");
  if (file.empty()) return PoseGraphKind{count_in(options, "dimension")};
  THALLO_TRY(const auto content, read_file(file));
  const PoseGraphKind kind = kind_of_g2o(content);
  if (kind.dimension > 0) return kind;
  const auto graph = parse_g2o(file, content);
  return fail(graph ? Diagnostic{"has neither vertices nor edges", {file, 0, 0}, {}}
                    : graph.error());
}

template <std::size_t End>
std::vector<std::int32_t> ends_of(const std::vector<std::array<std::int32_t, 2>>& edges) {
  std::vector<std::int32_t> ends;
  for (const auto& edge : edges) ends.push_back(edge[End]);
  return ends;
}

std::vector<std::uint8_t> marks(const std::vector<std::int32_t>& positions, std::size_t count) {
  std::vector<std::uint8_t> marked(count, 0);
  for (const std::int32_t position : positions) marked[static_cast<std::size_t>(position)] = 1;
  return marked;
}

// Binds names of dims, fields and maps until one is refused.
class Binder {
 public:
  explicit Binder(Binding& binding) : binding_(binding) {}

  void extent(const char* name, std::size_t count) {
    if (done_) done_ = binding_.set_extent(name, static_cast<std::int64_t>(count));
  }
  template <class T>
  void field(const char* name, std::vector<T> values) {
    if (done_) done_ = binding_.set_field(name, std::move(values));
  }
  void map(const char* name, std::vector<std::int32_t> values) {
    if (done_) done_ = binding_.set_map(name, std::move(values));
  }
  const Expected<void>& done() const { return done_; }

 private:
  Binding& binding_;
  Expected<void> done_;
};

Expected<void> bind(const PoseGraph& graph, InformationRoots roots, Binding& binding) {
  Binder to(binding);
  to.extent("N", graph.num_vertices());
  to.extent("E", graph.num_edges());
  to.field("Pose", graph.poses);
  to.field("Measured", graph.measurements);
  to.field("Root", std::move(roots.edges));
  to.field("Fixed", marks(graph.fixed, graph.num_vertices()));
  to.map("From", ends_of<0>(graph.edges));
  to.map("To", ends_of<1>(graph.edges));
  if (graph.landmarks.size() > 0) {
    to.extent("L", graph.landmarks.size());
    to.extent("S", graph.sightings.size());
    to.field("Landmark", graph.landmarks.positions);
    to.field("LandmarkFixed", marks(graph.landmarks.fixed, graph.landmarks.size()));
    to.field("Seen", graph.sightings.measurements);
    to.field("SeenRoot", std::move(roots.sightings));
    if (graph.dimension == 3) to.field("SeenSensor", graph.sightings.sensors);
    to.map("SeenFrom", ends_of<0>(graph.sightings.edges));
    to.map("SeenLandmark", ends_of<1>(graph.sightings.edges));
  }
  if (graph.priors.size() > 0) {
    to.extent("K", graph.priors.size());
    to.field("Prior", graph.priors.measurements);
    to.field("PriorRoot", std::move(roots.priors));
    if (graph.dimension == 3) to.field("PriorSensor", graph.priors.sensors);
    to.map("PriorPose", graph.priors.vertices);
  }
  return to.done();
}

class PoseGraphProblem : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"pose_graph", "Pose graph optimization in the plane and in space",
            "Grisetti et al.: A tutorial on graph-based SLAM, ITSM 2010; data of the g2o and "
            "SE-Sync collections",
            "unknowns on a manifold, SE(2) and SE(3), whose update is a motion", picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "A pose graph (.g2o, also .g2o.xz, or of TORO)."),
        {.name = "repair_information",
         .default_value = true,
         .doc = "Of a file: replace information matrices that are not positive semidefinite by the "
                "nearest that are, with a warning; false refuses them."},
        loss_option("the weighted error of an edge"),
        choice_option(
            "initialize", {"auto", AsItIs, SpanningTree, Chordal},
            "Start from poses that the measurements alone say: along a breadth-first tree, or "
            "by chordal relaxation of the rotations, which is near to the best minimum. none "
            "starts as it is, auto by chords where the poses of a file are far off."),
        count_option("dimension", 3, "Generated: 2 for a field, 3 for a sphere.", {2, 3}),
        count_option("rounds", 16, "Generated: rounds around the sphere, rows of the field.",
                     {1, 10000}),
        count_option("poses_a_round", 32, "Generated: poses of a round or row.", {3, 10000}),
        number_option("position_noise", 0.04,
                      "Generated: standard deviation of measured positions; a step is 1.", {1e-9}),
        number_option("angle_noise", 0.01,
                      "Generated: standard deviation of measured angles, in radians.", {1e-9}),
        count_option("seed", 1, "Generated: seed of the noise.", {0}),
    };
  }

  Options small_options(const Options& options) const override {
    // A file has its own dimension, which the energy depends on.
    if (!options.require<std::string>("file")->empty()) return {};
    return {{"file", ""}, {"rounds", 3}, {"poses_a_round", 6}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    THALLO_TRY(const auto kind, kind_of(options));
    THALLO_TRY(const auto loss, loss_text(options));
    const auto flag = [](bool is_there) { return std::string(is_there ? "true" : "false"); };
    return load_energy(
        energy_file(kind.dimension == 2 ? "pose_graph_2d.lua" : "pose_graph_3d.lua"),
        std::array{TextSetting{"has_landmarks", flag(kind.has_landmarks)},
                   TextSetting{"has_priors", flag(kind.has_priors)}, TextSetting{"loss", loss}});
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    THALLO_TRY(auto walk, read_or_make(options));
    auto data = std::make_shared<GraphInstance>();
    data->graph = std::move(walk.graph);
    data->true_poses = std::move(walk.true_poses);
    data->has_loss = has_loss(options);
    data->file = file;
    PoseGraph& graph = data->graph;
    data->holds_first =
        graph.fixed.empty() && graph.landmarks.fixed.empty() && graph.priors.size() == 0;
    if (data->holds_first) graph.fixed.push_back(0);
    data->pose = energy.find_field("Pose");
    if (graph.landmarks.size() > 0) data->landmark = energy.find_field("Landmark");
    THALLO_TRY(auto roots,
               information_roots(file, graph,
                                 is_set(options, "repair_information") ? Indefinite::Repair
                                                                       : Indefinite::Refuse));
    const std::size_t num_repaired = roots.num_repaired;
    data->num_measured = roots.num_measured(graph);
    THALLO_TRY(auto initialized, initialize(text_in(options, "initialize"), *data));
    data->initialized = std::move(initialized);

    Instance instance(energy);
    THALLO_CHECK(bind(graph, std::move(roots), instance.binding));

    // Errors travel the whole walk: few steps are needed when each is solved well, which a
    // factorization does. With pcg a step needs many linear iterations.
    instance.solver = SolverOptions::until_converged();
    instance.solver.preconditioner = "block_jacobi";
    // Where long chains bend, the damping of the usual radius holds back the last percent for ten
    // steps; graphs take 4 to 9 steps in all with this one.
    instance.solver.trust_region_radius = 1e8;
    instance.solver.function_tolerance = 1e-7;
    instance.precision = Precision::Double;
    instance.title = file.empty()
                         ? (graph.dimension == 2 ? "walk over a field" : "walk on a sphere")
                         : std::filesystem::path(file).filename().string();
    instance.labels = {{"poses", std::to_string(graph.num_vertices())},
                       {"measurements", std::to_string(graph.num_edges())},
                       {"space", graph.dimension == 2 ? "SE(2)" : "SE(3)"}};
    if (graph.landmarks.size() > 0) {
      instance.labels.emplace_back("landmarks", std::to_string(graph.landmarks.size()));
      instance.labels.emplace_back("sightings", std::to_string(graph.sightings.size()));
    }
    if (graph.priors.size() > 0)
      instance.labels.emplace_back("priors", std::to_string(graph.priors.size()));
    if (num_repaired > 0)
      instance.labels.emplace_back("repaired information matrices", std::to_string(num_repaired));
    if (data->initialized != AsItIs) instance.labels.emplace_back("start", data->initialized);
    warn_of_components(graph, instance);
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const GraphInstance&>(*instance.data);
    const PoseGraph& before = data.graph;
    PoseGraph after = before;
    after.poses = instance.binding.field(data.pose).to_doubles();
    if (before.landmarks.size() > 0)
      after.landmarks.positions = instance.binding.field(data.landmark).to_doubles();
    if (data.holds_first) after.fixed.clear();

    Report report;
    // A loss changes what the cost means.
    if (!data.has_loss) {
      const auto root_mean_square = [&](double cost) {
        return std::sqrt(2 * cost / static_cast<double>(data.num_measured));
      };
      report.metrics = {{"weighted error before (root mean square)",
                         root_mean_square(solution.initial_cost()), "standard deviations"},
                        {"weighted error after (root mean square)",
                         root_mean_square(solution.final_cost()), "standard deviations"}};
    }
    report.metrics.push_back({"poses moved by (root mean square)",
                              position_error(before, after.poses, before.poses),
                              data.true_poses.empty() ? "units of the file" : "steps"});
    if (!data.true_poses.empty()) {
      report.metrics.push_back({"distance from the truth before (root mean square)",
                                position_error(before, before.poses, data.true_poses), "steps"});
      report.metrics.push_back({"distance from the truth after (root mean square)",
                                position_error(before, after.poses, data.true_poses), "steps"});
    }
    if (!data.has_loss) add_chi_squared(data, solution.final_cost(), report);
    report.images.push_back(
        {"before_after", "The walk as it starts, and optimized",
         [owner = instance.data, &before, after] { return draw_graphs(before, after); }});
    report.meshes.push_back({"before", "The positions as they start", make_trajectory(before)});
    report.meshes.push_back({"after", "The optimized positions", make_trajectory(after)});
    report.inputs = {data.file};
    const std::string suffix = after.toro_edges.empty() ? ".g2o" : ".graph";
    report.files.push_back({"graph" + suffix, "The optimized graph",
                            std::make_shared<DataFile>(DataFile{{}, suffix, std::move(after)})});
    return report;
  }

 private:
};

}  // namespace
}  // namespace thallo::pose_graph

THALLO_PLUGIN("pose_graph", "1.0.0", "",
              thallo::add_text_problem<thallo::pose_graph::PoseGraphProblem>);
