// bundle_adjustment: cameras and points from observations
// =======================================================
//
// Given where points are seen in pictures, finds the cameras (rotation, translation, focal length,
// two distortion coefficients) and the points that minimize the reprojection error in pixels. The
// energy is bundle_adjustment.lua: one residual of two components for every observation. Without a
// file it reconstructs a generated walk around a building; with --file it reads a problem of
// "Bundle adjustment in the large" (.txt, .txt.bz2, .txt.gz).
//
//   thallo solve bundle_adjustment
//   thallo solve bundle_adjustment --file problem-49-7776-pre.txt.bz2 --double
//   thallo solve bundle_adjustment --cameras 1778 --points 994000 --track-length 5.03
//
//   option        default  what
//   file          ""       a BAL problem
//   cameras       24       generated scene: number of cameras
//   points        1500     generated scene: number of points
//   track_length  4.5      generated scene: mean number of observations a point
//   pixel_noise   0.5      generated scene: standard deviation of the observations
//   seed          1        generated scene
//
// Observations are sorted by camera, then by point, so that neighboring threads read neighboring
// cameras. The solver is Levenberg-Marquardt; points are eliminated, and PCG has one dense
// preconditioner block a camera (9 x 9), or with linear_solver pcg also a point (3 x 3); scalar
// Jacobi stays far from the optimum here however long it runs. Few PCG steps of low accuracy
// (q_tolerance 1e-2) and many nonlinear ones are the fastest way down.
//
// The report has the reprojection error before and after, both reconstructions as colored meshes,
// and a picture of them.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/camera_model.h"
#include "core/base/error.h"
#include "core/base/io/bal.h"
#include "core/language/load_energy.h"
#include "core/plugin/abi.h"
#include "core/problem/problem.h"
#include "problems/bundle_adjustment/scene.h"
#include "problems/bundle_adjustment/scene_view.h"

namespace thallo::bundle_adjustment {
namespace {

struct SceneInstance : InstanceData {
  FieldId cameras, points, observations;
  MapId camera_of, point_of;
  std::vector<double> start_cameras;
  std::vector<double> start_points;
};

Expected<BalProblem> make_problem(const Options& options) {
  if (const auto file = options.value_or<std::string>("file", ""); !file.empty()) {
    auto problem = read_bal(file);
    if (problem) sort_observations(*problem);
    return problem;
  }
  SceneOptions scene;
  scene.num_cameras =
      static_cast<int>(options.value_or<std::int64_t>("cameras", scene.num_cameras));
  scene.num_points = static_cast<int>(options.value_or<std::int64_t>("points", scene.num_points));
  scene.mean_track_length = options.value_or<double>("track_length", scene.mean_track_length);
  scene.pixel_noise = options.value_or<double>("pixel_noise", scene.pixel_noise);
  scene.seed = static_cast<std::uint64_t>(options.value_or<std::int64_t>("seed", 1));
  auto generated = generate_scene(scene);
  if (!generated) return fail(generated.error());
  return std::move(generated->problem);
}

template <std::size_t N>
std::vector<double> flatten(const std::vector<std::array<double, N>>& blocks) {
  std::vector<double> values;
  values.reserve(N * blocks.size());
  for (const auto& block : blocks) values.insert(values.end(), block.begin(), block.end());
  return values;
}

template <std::size_t N>
std::vector<std::array<double, N>> unflatten(const std::vector<double>& values) {
  std::vector<std::array<double, N>> blocks(values.size() / N);
  for (std::size_t i = 0; i < values.size(); ++i) blocks[i / N][i % N] = values[i];
  return blocks;
}

// Points are eliminated if no linear solver is named. Otherwise PCG wants blocks of cameras and
// points.
SolverOptions solver_options() {
  SolverOptions solver = SolverOptions::until_converged();
  solver.preconditioner = PreconditionerKind::BlockJacobi;
  return solver;
}

// The bound observations with these cameras and points.
BalProblem problem_of(const Instance& instance, const std::vector<double>& cameras,
                      const std::vector<double>& points) {
  const auto& ids = dynamic_cast<const SceneInstance&>(*instance.data);
  BalProblem problem{unflatten<9>(cameras), unflatten<3>(points), {}};
  const HostArray& pixels = instance.binding.field(ids.observations);
  const auto& camera_of = instance.binding.map(ids.camera_of);
  const auto& point_of = instance.binding.map(ids.point_of);
  problem.observations.reserve(camera_of.size());
  for (std::size_t i = 0; i < camera_of.size(); ++i) {
    problem.observations.push_back(
        {camera_of[i], point_of[i], pixels.value(2 * i), pixels.value(2 * i + 1)});
  }
  return problem;
}

double rms_error(const BalProblem& problem) {
  if (problem.observations.empty()) return 0;
  return std::sqrt(2.0 * bundler::reprojection_cost(problem) /
                   static_cast<double>(problem.observations.size()));
}

class BundleAdjustment : public Problem {
 public:
  explicit BundleAdjustment(std::filesystem::path energy_file)
      : energy_file_(std::move(energy_file)) {}

  ProblemInfo info() const override {
    return {"bundle_adjustment", "Bundle adjustment",
            "Agarwal, Snavely, Seitz, Szeliski: Bundle Adjustment in the Large, ECCV 2010",
            "sparse maps, two unknown spaces of different size, block preconditioning, real data "
            "up to millions of residuals",
            picture_beside(energy_file_)};
  }

  std::vector<OptionSpec> options() const override {
    return {
        {.name = "file",
         .default_value = std::string(),
         .doc = "A BAL problem (.txt, .txt.bz2, .txt.gz).",
         .is_file = true},
        {.name = "cameras",
         .default_value = std::int64_t{24},
         .doc = "Generated scene: number of cameras.",
         .minimum = 2,
         .maximum = 1e6},
        {.name = "points",
         .default_value = std::int64_t{1500},
         .doc = "Generated scene: number of points.",
         .minimum = 1,
         .maximum = 1e8},
        {.name = "track_length",
         .default_value = 4.5,
         .doc = "Generated scene: mean number of observations a point.",
         .minimum = 2},
        {.name = "pixel_noise",
         .default_value = 0.5,
         .doc = "Generated scene: standard deviation of the observations in pixels.",
         .minimum = 0},
        {.name = "seed", .default_value = std::int64_t{1}, .doc = "Generated scene: its seed."},
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"cameras", 4}, {"points", 20}, {"track_length", 3.0}};
  }

  Expected<EnergyFile> energy(const Options& /*options*/) const override {
    return load_energy(energy_file_);
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    auto problem = make_problem(options);
    if (!problem) return fail(problem.error());

    auto data = std::make_shared<SceneInstance>();
    data->start_cameras = flatten(problem->cameras);
    data->start_points = flatten(problem->points);
    data->cameras = energy.find_field("cameras");
    data->points = energy.find_field("points");
    data->observations = energy.find_field("observations");
    data->camera_of = energy.find_map("camera_of");
    data->point_of = energy.find_map("point_of");

    const auto num_observations = static_cast<std::int64_t>(problem->observations.size());
    std::vector<double> pixels;
    std::vector<std::int32_t> camera_of, point_of;
    pixels.reserve(2 * problem->observations.size());
    camera_of.reserve(problem->observations.size());
    point_of.reserve(problem->observations.size());
    for (const BalObservation& o : problem->observations) {
      pixels.insert(pixels.end(), {o.x, o.y});
      camera_of.push_back(o.camera);
      point_of.push_back(o.point);
    }
    const auto num_cameras = static_cast<std::int64_t>(problem->cameras.size());
    const auto num_points = static_cast<std::int64_t>(problem->points.size());
    *problem = {};  // a large scene is held once, in the binding

    Instance instance(energy);
    Binding& binding = instance.binding;
    Expected<void> bound = binding.set_extent("C", num_cameras);
    if (bound) bound = binding.set_extent("P", num_points);
    if (bound) bound = binding.set_extent("O", num_observations);
    if (bound) bound = binding.set_field("cameras", data->start_cameras);
    if (bound) bound = binding.set_field("points", data->start_points);
    if (bound) bound = binding.set_field("observations", std::move(pixels));
    if (bound) bound = binding.set_map("camera_of", std::move(camera_of));
    if (bound) bound = binding.set_map("point_of", std::move(point_of));
    if (!bound) return fail(bound.error());

    const auto file = options.value_or<std::string>("file", "");
    instance.title =
        file.empty() ? "generated scene" : std::filesystem::path(file).filename().string();
    instance.labels = {{"cameras", std::to_string(num_cameras)},
                       {"points", std::to_string(num_points)},
                       {"observations", std::to_string(num_observations)}};
    instance.solver = solver_options();
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const SceneInstance&>(*instance.data);
    const BalProblem before = problem_of(instance, data.start_cameras, data.start_points);
    BalProblem after = problem_of(instance, instance.binding.field(data.cameras).to_doubles(),
                                        instance.binding.field(data.points).to_doubles());
    Report report;
    report.metrics = {{"reprojection error before", rms_error(before), "px"},
                      {"reprojection error after", rms_error(after), "px"},
                      {"mean track length",
                       static_cast<double>(after.observations.size()) /
                           std::max<double>(1, static_cast<double>(after.points.size())),
                       "observations"}};
    report.images.push_back({"scene",
                             "Points colored by reprojection error (blue: half a pixel, red: five "
                             "or more) and cameras, "
                             "before (left) and after (right)",
                             draw_scenes(before, after)});
    report.meshes.push_back({"before", "Start: points and cameras", make_scene_mesh(before)});
    report.meshes.push_back({"after", "Solution: points and cameras", make_scene_mesh(after)});
    report.files.push_back({"scene.txt", "The scene with the solution",
                            std::make_shared<DataFile>(DataFile{{}, ".bal", std::move(after)})});
    return report;
  }

 private:
  std::filesystem::path energy_file_;
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Problem>(
      "bundle_adjustment",
      std::make_unique<BundleAdjustment>(registrar.folder() / "bundle_adjustment.lua"));
}

}  // namespace
}  // namespace thallo::bundle_adjustment

THALLO_PLUGIN("bundle_adjustment", "1.0.0", "", thallo::bundle_adjustment::register_into);
