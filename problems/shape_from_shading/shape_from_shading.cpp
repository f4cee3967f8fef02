// shape_from_shading, shape_and_shading: details of a depth map, found in its picture's brightness
// ================================================================================================
//
// Refines the depth of every pixel so that the surface reflects the light as the picture shows it,
// stays near the measured depth and does not bend more than it must. shape_from_shading.lua knows
// the light; shape_and_shading.lua finds it, too, by nine more unknowns. Without a file they refine
// a relief that is known.
//
// A solve has 60 steps of 10 PCG iterations, of shape_and_shading 27 of 18, the published counts,
// all of which run. Published was Gauss-Newton (--solver gn), whose full steps overshoot where the
// light is far from the picture: the cost of the published depth map swings, and speckles stay on
// its surface. The default is Levenberg-Marquardt, which ends a quarter lower.
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/picture.h"
#include "core/plugin/abi.h"
#include "core/problem/text_problem.h"
#include "problems/shape_from_shading/depth_input.h"
#include "problems/shape_from_shading/relief.h"
#include "problems/shape_from_shading/surface.h"

namespace thallo::shape_from_shading {
namespace {

enum class Lighting { Known, Unknown };

struct DepthInstance : InstanceData {
  DepthInput input;
  FieldId depth;
  FieldId light;  // where it is unknown
};

OptionSpec weight_option(std::string name, std::string doc) {
  return number_option(std::move(name), -1, std::move(doc), {-1});
}

class DepthRefinement : public TextProblem {
 public:
  DepthRefinement(Lighting lighting, std::filesystem::path energy_file)
      : TextProblem(std::move(energy_file)), lighting_(lighting) {}

  ProblemInfo info() const override {
    const std::string citation =
        "Wu, Zollhoefer, Niessner, Stamminger, Izadi, Theobalt: Real-time shading-based "
        "refinement for consumer depth cameras, SIGGRAPH Asia 2014; counts of ";
    if (lighting_ == Lighting::Known) {
      return {"shape_from_shading", "Shape from shading", citation + "DeVito et al., Opt, 2017",
              "stored intermediates, missing data, conditions that depend on the unknown",
              picture()};
    }
    return {"shape_and_shading", "Shape and shading", citation + "Mara et al., Thallo, 2021",
            "a few unknowns that every residual reads, beside one for each pixel", picture()};
  }

  std::vector<OptionSpec> options() const override {
    std::vector<OptionSpec> options = {
        file_option("file", "NAME.SFSSolverParameters, with the NAME_*.imagedump files beside it."),
        count_option("size", 128, "Made relief: pixels in width and height.", {16, 4096}),
        weight_option("fit_weight", "Weight of the measured depth; -1: the file's, or 100."),
        weight_option("smooth_weight", "Weight of an unbent surface; -1: the file's, or 100."),
        weight_option("shading_weight", "Weight of the light's changes; -1: the file's, or 1."),
    };
    if (lighting_ == Lighting::Unknown) {
      options.push_back(
          number_option("darkest", 0.1, "Pixels that are darker count as missing.", {0, 1}));
    }
    return options;
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"size", 16}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    THALLO_TRY(auto input, file.empty()
                               ? Expected<DepthInput>(make_relief(count_in(options, "size")))
                               : read_depth_input(file));
    const auto choose = [&options](const char* option, double& weight) {
      if (const double chosen = number_in(options, option); chosen >= 0) weight = chosen;
    };
    choose("fit_weight", input.weights.fit);
    choose("smooth_weight", input.weights.smooth);
    choose("shading_weight", input.weights.shading);
    if (lighting_ == Lighting::Unknown) {
      drop_dark_pixels(input, number_in(options, "darkest"));
      input.light = even_light(input);
    }

    auto data = std::make_shared<DepthInstance>();
    data->input = std::move(input);
    data->depth = energy.find_field("X");
    Instance instance(energy);
    THALLO_CHECK(bind(data->input, instance.binding));
    THALLO_CHECK(bind_light(data->input.light, instance.binding));
    if (lighting_ == Lighting::Unknown) data->light = energy.find_field("Light");
    instance.solver.solver = SolverKind::LevenbergMarquardt;
    instance.solver.q_tolerance = 0;
    instance.solver.function_tolerance = 0;
    // Shorter steps to begin with: 60 of them end lower than with the usual radius, and precisions
    // agree where they end.
    instance.solver.trust_region_radius = 100;
    const bool is_known = lighting_ == Lighting::Known;
    instance.solver.num_iterations = is_known ? 60 : 27;
    instance.solver.num_linear_iterations = is_known ? 10 : 18;
    instance.title = file.empty() ? "made relief" : std::filesystem::path(file).stem().string();
    instance.labels = {
        {"pixels", fmt::format("{} x {}", data->input.width(), data->input.height())},
        {"measured depths", std::to_string(data->input.num_measured())}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const DepthInstance&>(*instance.data);
    const DepthInput& input = data.input;
    Image depth(input.width(), input.height(), 1);
    const HostArray& solved = instance.binding.field(data.depth);
    for (std::size_t i = 0; i < depth.data.size(); ++i) {
      depth.data[i] = static_cast<float>(solved.value(i));
    }

    DepthInput found = input;  // with the light that was found
    if (lighting_ == Lighting::Unknown) {
      const HostArray& light = instance.binding.field(data.light);
      for (std::size_t k = 0; k < found.light.size(); ++k) found.light[k] = light.value(k);
    }

    Report report;
    constexpr double Levels = 255;
    report.metrics = {{"difference between light and brightness at the start",
                       Levels * shading_error(input, input.start), "levels of 255"},
                      {"difference between light and brightness",
                       Levels * shading_error(found, depth), "levels of 255"}};
    if (input.truth) {
      const SurfaceError before = compare_surfaces(input, input.start, *input.truth);
      const SurfaceError after = compare_surfaces(input, depth, *input.truth);
      report.metrics.push_back({"depth error at the start", before.depth_mm, "mm"});
      report.metrics.push_back({"depth error", after.depth_mm, "mm"});
      report.metrics.push_back({"error of normals at the start", before.normals_degrees, "°"});
      report.metrics.push_back({"error of normals", after.normals_degrees, "°"});
    }
    const Drawing before = [owner = instance.data, &input] {
      return render_surface(input, input.start);
    };
    const Drawing after = [owner = instance.data, &input, depth] {
      return render_surface(input, depth);
    };
    report.images = {{"brightness", "The picture", input.brightness},
                     {"measured", "The measured surface, lit from the upper left", before},
                     {"refined", "The refined surface, lit from the upper left", after},
                     {"before_after", "The picture, the measured and the refined surface",
                      [owner = instance.data, &input, before, after] {
                        return side_by_side(std::array{input.brightness, before(), after()});
                      }}};
    if (lighting_ == Lighting::Unknown)
      report.images.push_back(
          {"light", "A ball in the light that was found", render_ball(found.light)});
    report.meshes = {{"measured", "The measured surface", make_mesh(input, input.start)},
                     {"refined", "The refined surface", make_mesh(input, depth)}};
    return report;
  }

 private:
  static Expected<void> bind(const DepthInput& input, Binding& binding) {
    THALLO_CHECK(binding.set_extent("W", input.width()));
    THALLO_CHECK(binding.set_extent("H", input.height()));
    THALLO_CHECK(binding.set_field("X", input.start.data));
    THALLO_CHECK(binding.set_field("D", input.depth.data));
    THALLO_CHECK(binding.set_field("Im", input.brightness.data));
    THALLO_CHECK(binding.set_field("edgeMaskR", input.compares_right));
    THALLO_CHECK(binding.set_field("edgeMaskC", input.compares_down));
    for (const auto& [param, value] : {std::pair("w_p", input.weights.fit),
                                       {"w_s", input.weights.smooth},
                                       {"w_g", input.weights.shading},
                                       {"f_x", input.camera.focal_length[0]},
                                       {"f_y", input.camera.focal_length[1]},
                                       {"u_x", input.camera.principal_point[0]},
                                       {"u_y", input.camera.principal_point[1]}}) {
      THALLO_CHECK(binding.set_param(param, value));
    }
    return {};
  }

  Expected<void> bind_light(const Light& light, Binding& binding) const {
    if (lighting_ == Lighting::Unknown) {
      THALLO_CHECK(binding.set_extent("U", 1));
      return binding.set_field("Light", std::vector<double>(light.begin(), light.end()));
    }
    for (std::size_t k = 0; k < light.size(); ++k) {
      THALLO_CHECK(binding.set_param(fmt::format("L{}", k + 1), light[k]));
    }
    return {};
  }

  Lighting lighting_;
};

Expected<void> register_into(Registrar& registrar) {
  const std::filesystem::path folder = registrar.folder();
  THALLO_CHECK(registrar.add<Problem>(
      "shape_from_shading",
      std::make_unique<DepthRefinement>(Lighting::Known, folder / "shape_from_shading.lua")));
  return registrar.add<Problem>(
      "shape_and_shading",
      std::make_unique<DepthRefinement>(Lighting::Unknown, folder / "shape_and_shading.lua"));
}

}  // namespace
}  // namespace thallo::shape_from_shading

THALLO_PLUGIN("shape_from_shading", "1.0.0", "", thallo::shape_from_shading::register_into);
