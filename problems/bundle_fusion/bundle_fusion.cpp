// bundle_fusion: the camera poses of a depth video
// ================================================
//
// Aligns the frames of a depth camera with each other, by matches between single points, and by
// the distance from every pixel to the surface that another frame sees where it projects to. The
// energies are bundle_fusion.lua and, without dense alignment, sparse_bundle_fusion.lua. Without
// a folder it takes a room that it makes; with one, a recording in the layout of 7-Scenes.
//
// The start is the reference, every frame but the first turned and shifted by as much as the
// options say, in random directions. The counts are published: 5 solves of 3 Gauss-Newton steps of
// up to 3 PCG iterations a frame.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/problem/text_problem.h"
#include "problems/bundle_fusion/depth_video.h"
#include "problems/bundle_fusion/fusion_input.h"
#include "problems/bundle_fusion/fusion_view.h"
#include "problems/bundle_fusion/matching.h"
#include "problems/bundle_fusion/rigid.h"

namespace thallo::bundle_fusion {
namespace {

struct FusionInstance : InstanceData {
  FusionInput input;
  FieldId rotation, translation;
  std::int64_t solves = 0;
};

bool is_dense(const Options& options) { return is_set(options, "dense"); }

InputOptions input_options(const Options& options) {
  const auto count = [&options](const char* name) { return count_in(options, name); };
  return {.folder = text_in(options, "folder"),
          .frames = count("frames"),
          .width = count("width"),
          .span = count("span"),
          .matches = count("matches"),
          .rotation_error = number_in(options, "rotation_error"),
          .translation_error = number_in(options, "translation_error"),
          .seed = count_in<std::uint64_t>(options, "seed")};
}

Expected<void> bind_poses(const std::vector<RigidMotion>& poses, Binding& binding) {
  std::vector<double> rotations;
  std::vector<double> translations;
  for (const RigidMotion& pose : poses) {
    const Twist twist = logarithm(pose);
    rotations.insert(rotations.end(), twist.rotation.begin(), twist.rotation.end());
    translations.insert(translations.end(), twist.translation.begin(), twist.translation.end());
  }
  THALLO_CHECK(binding.set_extent("T", static_cast<std::int64_t>(poses.size())));
  THALLO_CHECK(binding.set_field("Rotation", std::move(rotations)));
  return binding.set_field("Translation", std::move(translations));
}

std::vector<RigidMotion> solved_poses(const FusionInstance& data, const Binding& binding) {
  const HostArray& rotations = binding.field(data.rotation);
  const HostArray& translations = binding.field(data.translation);
  std::vector<RigidMotion> poses;
  for (std::size_t f = 0; f < data.input.truth.size(); ++f) {
    Twist twist{};
    for (std::size_t k = 0; k < 3; ++k) {
      twist.rotation[k] = rotations.value(3 * f + k);
      twist.translation[k] = translations.value(3 * f + k);
    }
    poses.push_back(exponential(twist));
  }
  return poses;
}

Expected<void> bind_matches(const std::vector<Match>& matches, Binding& binding) {
  std::array<std::vector<std::int32_t>, 2> frames;
  std::array<std::vector<double>, 2> points;
  for (const Match& match : matches) {
    for (std::size_t k = 0; k < 2; ++k) {
      frames[k].push_back(match.frames[k]);
      points[k].insert(points[k].end(), match.points[k].begin(), match.points[k].end());
    }
  }
  THALLO_CHECK(binding.set_extent("C", static_cast<std::int64_t>(matches.size())));
  THALLO_CHECK(binding.set_map("frame_i", std::move(frames[0])));
  THALLO_CHECK(binding.set_map("frame_j", std::move(frames[1])));
  THALLO_CHECK(binding.set_field("point_i", std::move(points[0])));
  return binding.set_field("point_j", std::move(points[1]));
}

Expected<void> bind_surfaces(const FusionInput& input, double weight, Binding& binding) {
  const auto in_one = [](const std::vector<Image>& images) {
    std::vector<float> values;
    for (const Image& image : images) {
      values.insert(values.end(), image.data.begin(), image.data.end());
    }
    return values;
  };
  std::array<std::vector<std::int32_t>, 2> frames;
  for (const FramePair& pair : input.pairs) {
    for (std::size_t k = 0; k < 2; ++k) frames[k].push_back(pair[k]);
  }
  THALLO_CHECK(binding.set_extent("W", input.video.width()));
  THALLO_CHECK(binding.set_extent("H", input.video.height()));
  THALLO_CHECK(binding.set_extent("P", static_cast<std::int64_t>(input.pairs.size())));
  THALLO_CHECK(binding.set_field("Points", in_one(input.surfaces.points)));
  THALLO_CHECK(binding.set_field("Normals", in_one(input.surfaces.normals)));
  THALLO_CHECK(binding.set_map("target", std::move(frames[0])));
  THALLO_CHECK(binding.set_map("source", std::move(frames[1])));
  const DenseRules rules;
  const Intrinsics& camera = input.video.camera;
  for (const auto& [param, value] : {std::pair("fx", camera.focal_length[0]),
                                     {"fy", camera.focal_length[1]},
                                     {"cx", camera.principal_point[0]},
                                     {"cy", camera.principal_point[1]},
                                     {"width", static_cast<double>(input.video.width())},
                                     {"height", static_cast<double>(input.video.height())},
                                     {"min_depth", rules.min_depth},
                                     {"max_depth", rules.max_depth},
                                     {"min_cosine", rules.min_cosine},
                                     {"max_distance", rules.max_distance},
                                     {"weight_dense", weight}}) {
    THALLO_CHECK(binding.set_param(param, value));
  }
  return {};
}

class BundleFusion : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"bundle_fusion", "Camera poses of a depth video",
            "Dai, Niessner, Zollhoefer, Izadi, Theobalt: BundleFusion, ACM TOG 2017; schedule and "
            "counts of Mara et al., Thallo, 2021; data of 7-Scenes, Shotton et al., CVPR 2013",
            "dense residuals of few unknowns, stored poses read at pairs of frames, stored JtJ",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option(
            "folder",
            "Frames, poses and intrinsics as in 7-Scenes: frame-000000.depth.png, .pose.txt, "
            "camera-intrinsics.txt."),
        count_option("frames", 11, "The first so many, in the order of their numbers.", {2, 10000}),
        count_option("width", 40, "Of the depth maps that are aligned, in pixels.", {8, 4096}),
        count_option("span", 0, "Frames further apart than this are no pair; 0: all are.",
                     {0, 10000}),
        {.name = "dense", .default_value = true, .doc = "Whether depth maps are aligned."},
        count_option("matches", 2000, "Sparse ones, made from the depths and the reference poses.",
                     {1, 1e8}),
        number_option("rotation_error", 2, "Of the start, in degrees a frame.", {0}),
        number_option("translation_error", 50, "Of the start, in millimeters a frame.", {0}),
        number_option("dense_weight", 1, "Weight of the dense term.", {0}),
        number_option("sparse_weight", 1, "Weight of the sparse term.", {0}),
        count_option("solves", 5, "One after the other.", {1, 10000}),
        count_option("seed", 1, "Of matches, start and the room's noise.", {0, 1e9}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"folder", ""}, {"frames", 3}, {"width", 16}, {"matches", 20}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    return load_energy(is_dense(options) ? energy_file() : energy_file("sparse_bundle_fusion.lua"));
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto input, make_input(input_options(options)));
    auto data = std::make_shared<FusionInstance>();
    data->input = std::move(input);
    data->rotation = energy.find_field("Rotation");
    data->translation = energy.find_field("Translation");
    data->solves = count_in<std::int64_t>(options, "solves");
    const DepthVideo& video = data->input.video;

    Instance instance(energy);
    THALLO_CHECK(bind_poses(data->input.start, instance.binding));
    THALLO_CHECK(bind_matches(data->input.matches, instance.binding));
    THALLO_CHECK(instance.binding.set_param("weight_sparse", number_in(options, "sparse_weight")));
    if (is_dense(options))
      THALLO_CHECK(
          bind_surfaces(data->input, number_in(options, "dense_weight"), instance.binding));
    instance.solver.num_iterations = 3;
    instance.solver.num_linear_iterations = 3 * video.num_frames();
    // The title is "7scenes" for "data/7scenes" and for "data/7scenes/".
    const auto source = std::filesystem::path(text_in(options, "folder"));
    const auto folder = source.has_filename() ? source : source.parent_path();
    instance.title = folder.empty() ? "made room" : folder.filename().string();
    instance.labels = {{"frames", std::to_string(video.num_frames())},
                       {"pairs", std::to_string(data->input.pairs.size())},
                       {"pixels", fmt::format("{} x {}", video.width(), video.height())},
                       {"matches", std::to_string(data->input.matches.size())}};
    instance.data = std::move(data);
    return instance;
  }

  // Nothing changes: a solve begins where the last one ended.
  Expected<bool> advance(Instance& instance, int solve,
                         const Solution& /*solution*/) const override {
    return solve + 1 < dynamic_cast<const FusionInstance&>(*instance.data).solves;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const FusionInstance&>(*instance.data);
    const FusionInput& input = data.input;
    const std::vector<RigidMotion> poses = solved_poses(data, instance.binding);
    const PoseError before = compare_poses(input.start, input.truth);
    const PoseError after = compare_poses(poses, input.truth);
    const auto num_matching = [&input](const std::vector<RigidMotion>& at) {
      return static_cast<double>(count_matching(input.surfaces, input.pairs, at, {}));
    };
    Report report;
    report.metrics = {{"rotation error before", before.degrees, "°"},
                      {"rotation error", after.degrees, "°"},
                      {"translation error before", before.millimeters, "mm"},
                      {"translation error", after.millimeters, "mm"},
                      {"matching pixels before", num_matching(input.start), ""},
                      {"matching pixels", num_matching(poses), ""},
                      {"matching pixels of the reference", num_matching(input.truth), ""}};
    report.images = {{"before_after",
                      "All frames put together before and after: from behind the first camera, and "
                      "a slice from above, a color a frame",
                      [owner = instance.data, &input, poses] {
                        return draw_fusion(input.video, input.start, poses);
                      }}};
    report.meshes = {
        {"before", "All frames put together as they start", fuse(input.video, input.start)},
        {"after", "All frames put together, aligned", fuse(input.video, poses)}};
    return report;
  }

 private:
};

}  // namespace
}  // namespace thallo::bundle_fusion

THALLO_PLUGIN("bundle_fusion", "1.0.0", "",
              thallo::add_text_problem<thallo::bundle_fusion::BundleFusion>);
