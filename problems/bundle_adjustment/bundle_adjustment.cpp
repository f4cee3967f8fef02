// bundle_adjustment: cameras and points from observations
// =======================================================
//
// Given where points are seen in pictures, finds the cameras (rotation, translation, focal length,
// two distortion coefficients) and the points that minimize the reprojection error in pixels. The
// energy is bundle_adjustment.lua: one residual of two components for every observation. Without a
// file it reconstructs a generated walk around a building; with --file it reads a problem of
// "Bundle adjustment in the large" (.txt, .txt.bz2, .txt.gz).
//
// Observations are sorted by camera, then by point, so that neighboring threads read neighboring
// cameras. The solver is Levenberg-Marquardt; points are eliminated, and PCG has one dense
// preconditioner block a camera (9 x 9), or with linear_solver pcg also a point (3 x 3); scalar
// Jacobi stays far from the optimum here however long it runs. Few PCG steps of low accuracy
// (q_tolerance 1e-2) and many nonlinear ones are the fastest way down.
//
// A scene whose points are far from the origin for their spread (georeferenced ones) is solved
// about their middle, and moved back when it is written.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plugin/abi.h"
#include "core/problem/loss_option.h"
#include "core/problem/text_problem.h"
#include "problems/bundle_adjustment/reconstruction.h"
#include "problems/bundle_adjustment/scene.h"
#include "problems/bundle_adjustment/scene_checks.h"
#include "problems/bundle_adjustment/scene_view.h"

namespace thallo::bundle_adjustment {
namespace {

struct SceneInstance : InstanceData {
  explicit SceneInstance(Energy of) : energy(std::move(of)) {}

  Energy energy;
  Reconstruction start;          // without observations, which are in the binding
  Reconstruction::Point origin;  // of the start, in the world of the file
  SceneSource source;
  SceneNames names;
  std::string file;  // empty if the scene is generated
  std::vector<std::string> doubts;
};

// The values of the option `scene`, in the order of SceneKind.
constexpr std::array<std::string_view, 5> Kinds = {"walk", "street", "dome", "aerial", "venice"};

SceneKind scene_kind(const Options& options) {
  const auto found = std::ranges::find(Kinds, text_in(options, "scene"));
  return static_cast<SceneKind>(found - Kinds.begin());
}

// A generated scene is known to have outliers, and a file is taken as it is.
Expected<std::string> loss_of(const Options& options) {
  const bool has_outliers = text_in(options, "file").empty() &&
                            scene_kind(options) != SceneKind::Walk &&
                            number_in(options, "outliers") > 0;
  return has_outliers && text_in(options, "loss").empty() ? "cauchy(1)" : loss_text(options);
}

// Says which loss is in the energy, because it may not be the one of the options.
std::string generated_title(const Options& options) {
  if (scene_kind(options) == SceneKind::Walk) return "generated scene";
  const std::string loss = loss_of(options).value();
  return fmt::format("generated {}{}", text_in(options, "scene"),
                     loss == "nil" ? "" : fmt::format(", loss {}", loss));
}

Expected<SceneFile> make_scene(const Options& options) {
  if (const auto file = text_in(options, "file"); !file.empty()) return read_scene(file);
  SceneOptions scene;
  scene.kind = scene_kind(options);
  scene.num_cameras = count_in(options, "cameras");
  scene.num_points = count_in(options, "points");
  scene.mean_track_length = number_in(options, "track_length");
  scene.pixel_noise = number_in(options, "pixel_noise");
  scene.outliers = number_in(options, "outliers");
  scene.seed = count_in<std::uint64_t>(options, "seed");
  THALLO_TRY(auto generated, generate_scene(scene));
  return SceneFile{reconstruction_of(generated.problem), {}};
}

// What stays as it is: the values of the option `fix`.
constexpr std::string_view None = "none", Poses = "poses", Intrinsics = "intrinsics", Both = "both";

bool is_free(const Options& options, std::string_view what) {
  const auto fixed = text_in(options, "fix");
  return fixed != what && fixed != Both;
}
bool shares_lenses(const Options& options) { return text_in(options, "share") == Intrinsics; }

// The inputs of cameras.lua by the model of their lens, or those of bundle_adjustment.lua, in which
// an image and its lens are one camera.
struct InputNames {
  InputNames(const Energy& energy, LensModel model)
      : has_lenses(energy.name() == "cameras"),
        suffix(has_lenses ? fmt::format("_{}", info_of(model).name) : "") {}

  std::string of(std::string_view input) const { return fmt::format("{}{}", input, suffix); }
  std::string image_of() const { return has_lenses ? of("image_of") : "camera_of"; }

  bool has_lenses;
  std::string suffix;
};

// Points are eliminated if no linear solver is named. Otherwise PCG wants blocks of cameras and
// points.
SolverOptions solver_options() {
  SolverOptions solver = SolverOptions::until_converged();
  solver.preconditioner = "block_jacobi";
  return solver;
}

template <class Blocks>
std::vector<double> flatten(const Blocks& blocks) {
  std::vector<double> values;
  for (const auto& block : blocks) values.insert(values.end(), block.begin(), block.end());
  return values;
}

template <std::size_t N>
std::vector<std::array<double, N>> unflatten(const std::vector<double>& values) {
  std::vector<std::array<double, N>> blocks(values.size() / N);
  for (std::size_t i = 0; i < values.size(); ++i) blocks[i / N][i % N] = values[i];
  return blocks;
}

Expected<void> bind_group(const Energy& energy, const Reconstruction& scene, LensGroup group,
                          Binding& binding) {
  const InputNames names(energy, group.model);
  std::vector<double> pixels;
  std::vector<std::int32_t> images, points, lenses;
  pixels.reserve(2 * group.observations.size());
  for (const Observation& o : group.observations) {
    pixels.insert(pixels.end(), {o.x, o.y});
    images.push_back(o.image);
    points.push_back(o.point);
    if (names.has_lenses) lenses.push_back(scene.lens_of[static_cast<std::size_t>(o.image)].lens);
  }
  group.observations = {};
  THALLO_CHECK(binding.set_extent(names.of("O"), static_cast<std::int64_t>(images.size())));
  THALLO_CHECK(binding.set_field(names.of("observations"), std::move(pixels)));
  THALLO_CHECK(binding.set_map(names.image_of(), std::move(images)));
  THALLO_CHECK(binding.set_map(names.of("point_of"), std::move(points)));
  if (!names.has_lenses) return {};
  const std::size_t num_lenses = group.lenses.size() / info_of(group.model).size();
  THALLO_CHECK(binding.set_extent(names.of("L"), static_cast<std::int64_t>(num_lenses)));
  THALLO_CHECK(binding.set_field(names.of("lenses"), std::move(group.lenses)));
  return binding.set_map(names.of("lens_of"), std::move(lenses));
}

// Takes the observations out of the scene: a large scene is held once, in the binding.
Expected<void> bind(const Energy& energy, Reconstruction& scene, Binding& binding) {
  const auto num_images = static_cast<std::int64_t>(scene.poses.size());
  THALLO_CHECK(binding.set_extent("P", static_cast<std::int64_t>(scene.points.size())));
  THALLO_CHECK(binding.set_field("points", flatten(scene.points)));
  if (InputNames(energy, LensModel::Bundler).has_lenses) {
    THALLO_CHECK(binding.set_extent("I", num_images));
    THALLO_CHECK(binding.set_field("poses", flatten(scene.poses)));
  } else {
    THALLO_CHECK(binding.set_extent("C", num_images));
    THALLO_CHECK(binding.set_field("cameras", flatten(cameras_of(scene))));
  }
  for (LensGroup& group : scene.groups) {
    LensGroup whole{group.model, group.lenses, std::exchange(group.observations, {})};
    THALLO_CHECK(bind_group(energy, scene, std::move(whole), binding));
  }
  return {};
}

// The scene with the observations that are bound.
Reconstruction with_observations(Reconstruction scene, const Energy& energy,
                                 const Binding& binding) {
  for (LensGroup& group : scene.groups) {
    const InputNames names(energy, group.model);
    const HostArray& pixels = binding.field(energy.find_field(names.of("observations")));
    const auto& images = binding.map(energy.find_map(names.image_of()));
    const auto& points = binding.map(energy.find_map(names.of("point_of")));
    group.observations.reserve(images.size());
    for (std::size_t i = 0; i < images.size(); ++i)
      group.observations.push_back(
          {images[i], points[i], pixels.value(2 * i), pixels.value(2 * i + 1)});
  }
  return scene;
}

// The scene with the cameras and points that were solved for.
Reconstruction solved(Reconstruction scene, const Energy& energy, const Binding& binding) {
  const auto values = [&](std::string_view name) {
    return binding.field(energy.find_field(name)).to_doubles();
  };
  scene.points = unflatten<3>(values("points"));
  if (!InputNames(energy, LensModel::Bundler).has_lenses) {
    const Reconstruction cameras =
        reconstruction_of(BalProblem{unflatten<9>(values("cameras")), {}, {}});
    scene.poses = cameras.poses;
    scene.groups.front().lenses = cameras.groups.front().lenses;
    return scene;
  }
  scene.poses = unflatten<6>(values("poses"));
  for (LensGroup& group : scene.groups)
    group.lenses = values(InputNames(energy, group.model).of("lenses"));
  return scene;
}

// Few outliers do not change it.
double median_error(const Reconstruction& scene) {
  std::vector<double> errors;
  for (const LensGroup& group : scene.groups) {
    for (const Observation& o : group.observations) {
      const auto [x, y] = scene.error(o);
      errors.push_back(std::hypot(x, y));
    }
  }
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

double rms_error(const Reconstruction& scene) {
  const auto count = static_cast<double>(scene.num_observations());
  return count > 0 ? std::sqrt(2.0 * scene.cost() / count) : 0;
}

// The scene in the form of its source.
ReportFile file_of(Reconstruction scene, const SceneInstance& data) {
  move_origin(scene, -data.origin);
  const std::string caption = "The scene with the solution";
  const auto written = [&](const char* path, auto content, auto write) {
    return ReportFile{.path = path,
                      .caption = caption,
                      .write = [content = std::move(content), write](
                                   const std::filesystem::path& to) { return write(to, content); }};
  };
  if (const auto* bundler = std::get_if<BundlerFile>(&data.source))
    return written("bundle.out", with_scene(*bundler, scene), write_bundler);
  if (const auto* colmap = std::get_if<ColmapModel>(&data.source))
    return written("model", with_scene(*colmap, scene), write_colmap);
  return written("scene.txt", bal_of(scene), write_bal);
}

class BundleAdjustment : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"bundle_adjustment", "Bundle adjustment",
            "Agarwal, Snavely, Seitz, Szeliski: Bundle Adjustment in the Large, ECCV 2010",
            "sparse maps, two unknown spaces of different size, block preconditioning, real data "
            "up to millions of residuals",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option(
            "file",
            "A BAL problem (.txt, .txt.bz2, .txt.gz), a Bundler file (bundle.out), or the folder "
            "of a model of COLMAP."),
        loss_option("the error of an observation, in pixels"),
        choice_option("fix", {None, Poses, Intrinsics, Both},
                      "What stays as it is: poses, or focal lengths and distortions."),
        choice_option(
            "share", {None, Intrinsics},
            "intrinsics: one lens for all cameras of a model, which starts as their mean."),
        {.name = "scene",
         .default_value = std::string(Kinds.front()),
         .doc = "Generated scene: a walk along a wall, without outliers; or pictures as real "
                "collections have them, from a car, around a dome, from the air, or of Venice.",
         .choices = {Kinds.begin(), Kinds.end()}},
        count_option("cameras", 24, "Generated scene: number of cameras.", {2, 1e6}),
        count_option("points", 1500, "Generated scene: number of points.", {1, 1e8}),
        number_option("track_length", 4.5, "Generated scene: mean number of observations a point.",
                      {2}),
        number_option("pixel_noise", 0.5,
                      "Generated scene: standard deviation of the observations in pixels.", {0}),
        number_option("outliers", 0.05,
                      "Generated scene, but walk: share of the observations that are anywhere in "
                      "the picture. With any the loss is cauchy:1 by default.",
                      {0, 1}),
        count_option("seed", 1, "Generated scene: its seed."),
    };
  }

  Options small_options(const Options& options) const override {
    // The lenses of a model of COLMAP are its own, and the energy depends on them.
    const auto models = lens_models_of(text_in(options, "file"));
    if (!models || *models != std::vector{LensModel::Bundler}) return {};
    // The energy has the loss of the whole scene.
    const auto kind =
        text_in(options, "file").empty() ? text_in(options, "scene") : std::string(Kinds.front());
    return {{"file", ""}, {"scene", kind}, {"cameras", 4}, {"points", 20}, {"track_length", 3.0}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    THALLO_TRY(const auto loss, loss_of(options));
    const auto file = text_in(options, "file");
    THALLO_TRY(const auto models, lens_models_of(file));
    const bool free_poses = is_free(options, Poses), free_lenses = is_free(options, Intrinsics);
    const bool has_cameras = free_poses && free_lenses && !shares_lenses(options) &&
                             models == std::vector{LensModel::Bundler};
    if (has_cameras) return load_energy(energy_file(), std::array{TextSetting{"loss", loss}});
    std::vector<std::string> names;
    for (const LensModel model : models)
      names.push_back(fmt::format("\"{}\"", info_of(model).name));
    const auto flag = [](bool is_set) { return std::string(is_set ? "true" : "false"); };
    return load_energy(
        energy_file("cameras.lua"),
        std::array{TextSetting{"models", fmt::format("{{ {} }}", fmt::join(names, ", "))},
                   TextSetting{"free_poses", flag(free_poses)},
                   TextSetting{"free_lenses", flag(free_lenses)}, TextSetting{"loss", loss}});
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    THALLO_TRY(auto read, make_scene(options));
    auto data = std::make_shared<SceneInstance>(energy);
    data->start = std::move(read.scene);
    data->source = std::move(read.source);
    data->names = names_of(data->source);
    Reconstruction& scene = data->start;
    THALLO_CHECK(check_scene(file, scene, data->names));
    data->doubts = doubts_of(scene, data->names);
    if (shares_lenses(options)) share_lenses(scene);
    data->origin = far_origin(scene);
    move_origin(scene, data->origin);

    Instance instance(energy);
    instance.labels = {{"cameras", std::to_string(scene.poses.size())},
                       {"points", std::to_string(scene.points.size())},
                       {"observations", std::to_string(scene.num_observations())}};
    THALLO_CHECK(bind(energy, scene, instance.binding));
    data->file = file;
    instance.title = input_title(options, generated_title(options));
    instance.solver = solver_options();
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const SceneInstance&>(*instance.data);
    const Energy& energy = data.energy;
    const Reconstruction before = with_observations(data.start, energy, instance.binding);
    Reconstruction after = solved(before, energy, instance.binding);
    Report report;
    report.metrics = {{"reprojection error before", rms_error(before), "px"},
                      {"reprojection error after", rms_error(after), "px"},
                      {"median error after", median_error(after), "px"},
                      {"mean track length",
                       static_cast<double>(after.num_observations()) /
                           std::max<double>(1, static_cast<double>(after.points.size())),
                       "observations"}};
    report.images.push_back({"scene",
                             "Points colored by reprojection error (blue: half a pixel, red: five "
                             "or more) and cameras, "
                             "before (left) and after (right)",
                             [before, after] { return draw_scenes(before, after); }});
    report.meshes.push_back({"before", "Start: points and cameras", make_scene_mesh(before)});
    report.meshes.push_back({"after", "Solution: points and cameras", make_scene_mesh(after)});
    report.inputs = {data.file};
    report.files.push_back(file_of(std::move(after), data));
    report.warnings = data.doubts;
    return report;
  }
};

}  // namespace
}  // namespace thallo::bundle_adjustment

THALLO_PLUGIN("bundle_adjustment", "1.0.0", "",
              thallo::add_text_problem<thallo::bundle_adjustment::BundleAdjustment>);
