// optical_flow: where every pixel of a picture has gone in the next one
// =====================================================================
//
// Finds a motion, two numbers a pixel, along which two pictures agree and that changes little from
// pixel to pixel. Motions of many pixels are found coarse to fine, in a sequence of solves
// (stages.h). Without files it takes a drawn scene whose motion is known.
//
// The solver is Gauss-Newton: as published, 1 step of 50 PCG iterations in each of 6 solves; for
// robust, 3 steps of 30 in each of 3 solves a level of the pyramid.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/picture.h"
#include "core/plugin/abi.h"
#include "core/problem/text_problem.h"
#include "problems/optical_flow/flow_input.h"
#include "problems/optical_flow/flow_view.h"
#include "problems/optical_flow/moving_shapes.h"
#include "problems/optical_flow/stages.h"

namespace thallo::optical_flow {
namespace {

struct FlowInstance : InstanceData {
  FlowInput input;
  FieldId flow;
  Method method = Method::Published;
  std::vector<Stage> stages;
  double reg_weight = 0;
};

Method method_of(const Options& options) {
  return text_in(options, "method") == "robust" ? Method::Robust : Method::Published;
}

Expected<FlowInput> make_input(const Options& options) {
  const auto file = text_in(options, "file");
  const auto second = text_in(options, "second");
  const auto truth = text_in(options, "truth");
  if (file.empty() && second.empty() && truth.empty()) {
    return draw_moving_shapes(count_in(options, "size"));
  }
  for (const auto& [name, value] : {std::pair("file", file), {"second", second}}) {
    if (value.empty()) return fail("{} is missing; a motion needs two pictures", name);
  }
  return read_flow_input(file, second, truth);
}

// Binds the inputs of one stage, which starts from `flow`.
Expected<void> bind_stage(const FlowInstance& data, const Stage& stage, const Image& flow,
                          Binding& binding) {
  const Features features = make_features(data.method, data.input, stage);
  THALLO_CHECK(binding.set_extent("W", stage.width));
  THALLO_CHECK(binding.set_extent("H", stage.height));
  THALLO_CHECK(binding.set_field("X", flow.data));
  THALLO_CHECK(binding.set_field("I", features.first.data));
  THALLO_CHECK(binding.set_field("J_image", features.second.data));
  THALLO_CHECK(binding.set_field("J_dx", features.second_dx.data));
  THALLO_CHECK(binding.set_field("J_dy", features.second_dy.data));
  // The params multiply residuals, which are squared: hence the square roots of the weights.
  THALLO_CHECK(binding.set_param("w_fitSqrt", std::sqrt(stage.fit_weight)));
  THALLO_CHECK(binding.set_param("w_regSqrt", std::sqrt(data.reg_weight)));
  if (data.method == Method::Published) return {};
  THALLO_CHECK(binding.set_param("e_fit", 0.01));
  THALLO_CHECK(binding.set_param("e_reg", 0.01));
  THALLO_CHECK(binding.set_param("last_x", stage.width - 1));
  return binding.set_param("last_y", stage.height - 1);
}

// The flow as the last solve left it.
Image flow_of(const FlowInstance& data, const Binding& binding, const Stage& stage) {
  Image flow(stage.width, stage.height, 2);
  const HostArray& values = binding.field(data.flow);
  for (std::size_t i = 0; i < flow.data.size(); ++i) {
    flow.data[i] = static_cast<float>(values.value(i));
  }
  return flow;
}

class OpticalFlow : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"optical_flow", "Optical flow",
            "Horn, Schunck: Determining optical flow, 1981; counts of DeVito et al., Opt, 2017; "
            "robust after Brox, Bruhn, Papenberg, Weickert, ECCV 2004",
            "pictures read between pixels, a pyramid whose sizes change from solve to solve",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "The first picture."),
        file_option("second", "The second picture, of the same size."),
        file_option("truth", "A .flo, when the motion is known."),
        count_option("size", 160, "Drawn scene: pixels in width.", {32, 8192}),
        choice_option("method", {"published", "robust"},
                      "Squares of differences as published, or lengths, which bear occlusions."),
        number_option("fit_weight", 0,
                      "Weight of the pictures, in the last stage; 0: the method's, 50 or 100.",
                      {0}),
        number_option("reg_weight", 0, "Weight of the smoothness; 0: the method's, 0.1 or 4.", {0}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"second", ""}, {"truth", ""}, {"size", 32}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    const bool is_robust = method_of(options) == Method::Robust;
    return load_energy(is_robust ? energy_file("robust.lua") : energy_file());
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto input, make_input(options));
    auto data = std::make_shared<FlowInstance>();
    data->input = std::move(input);
    data->method = method_of(options);
    data->flow = energy.find_field("X");
    const bool is_robust = data->method == Method::Robust;
    const auto weight = [&options](const char* option, double of_method) {
      const auto given = number_in(options, option);
      return given > 0 ? given : of_method;
    };
    data->stages = plan_stages(data->method, data->input.width(), data->input.height(),
                               weight("fit_weight", is_robust ? 100.0 : 50.0));
    data->reg_weight = weight("reg_weight", is_robust ? 4.0 : 0.1);

    Instance instance(energy);
    const Stage& first = data->stages.front();
    const Image still(first.width, first.height, 2);
    THALLO_CHECK(bind_stage(*data, first, still, instance.binding));
    instance.solver.num_iterations = is_robust ? 3 : 1;
    // The published residuals are linear in a small motion; their cost, which reads the pictures at
    // the end of it, rises though the motion is right.
    if (!is_robust) instance.solver.max_step_halvings = 0;
    instance.solver.num_linear_iterations = is_robust ? 30 : 50;
    instance.title = input_title(options, "drawn scene");
    instance.labels = {
        {"pixels", fmt::format("{} x {}", data->input.width(), data->input.height())},
        {"solves", std::to_string(data->stages.size())}};
    instance.data = std::move(data);
    return instance;
  }

  Expected<bool> advance(Instance& instance, int solve,
                         const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const FlowInstance&>(*instance.data);
    const auto next = static_cast<std::size_t>(solve) + 1;
    if (next >= data.stages.size()) return false;
    const Image flow = flow_of(data, instance.binding, data.stages[next - 1]);
    const Stage& stage = data.stages[next];
    THALLO_CHECK(bind_stage(data, stage, start_of(stage, flow), instance.binding));
    return true;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const FlowInstance&>(*instance.data);
    const FlowInput& input = data.input;
    // A run that was cancelled ends in an early stage.
    const std::size_t last = solution.solves.empty() ? 0 : solution.solves.size() - 1;
    const Stage full = {input.width(), input.height(), 0, 0, false};
    const Image flow = start_of(full, flow_of(data, instance.binding, data.stages[last]));
    const double longest = longest_motion(input.truth ? *input.truth : flow);

    Report report;
    if (input.truth) {
      const FlowError still = compare_flows(Image(input.width(), input.height(), 2), *input.truth);
      const FlowError error = compare_flows(flow, *input.truth);
      report.metrics = {{"average endpoint error of no motion", still.endpoint, "px"},
                        {"average endpoint error", error.endpoint, "px"},
                        {"average angular error", error.angle, "°"},
                        {"pixels more than 1 px off", 100 * error.over_a_pixel, "%"}};
    }
    const Drawing coded = [flow, longest] { return color_coded(flow, longest); };
    report.images = {
        {"first", "The first picture", input.first},
        {"second", "The second picture", input.second},
        {"flow", "Where the pixels go: hue = direction, saturation = length", coded},
        {"brought_back", "The second picture, brought back along the flow",
         [owner = instance.data, &input, flow] { return brought_back(input.second, flow); }}};
    std::vector<Drawing> overview = {input.first, coded};
    if (input.truth) {
      const Drawing truth = [owner = instance.data, &input, longest] {
        return color_coded(*input.truth, longest);
      };
      report.images.push_back({"truth", "Where they do go; black: unknown", truth});
      report.images.push_back(
          {"error", "The endpoint error, white at 2 px",
           [owner = instance.data, &input, flow] { return error_picture(flow, *input.truth, 2); }});
      overview.push_back(truth);
    }
    report.images.push_back(
        {"overview", "The first picture, the flow, and the truth where known", [overview] {
           std::vector<Image> drawn;
           for (const Drawing& its : overview) drawn.push_back(its());
           return side_by_side(drawn);
         }});
    report.tables.push_back(table_of(data, solution));
    return report;
  }

 private:
  static ReportTable table_of(const FlowInstance& data, const Solution& solution) {
    ReportTable table{"solves",
                      "The solves: sizes, blur in pixels of the full size, costs",
                      {"solve", "width", "height", "blur", "initial cost", "final cost"},
                      {}};
    for (std::size_t i = 0; i < solution.solves.size(); ++i) {
      const Stage& stage = data.stages[i];
      table.rows.push_back({std::to_string(i + 1), std::to_string(stage.width),
                            std::to_string(stage.height), fmt::format("{:g}", stage.sigma),
                            fmt::format("{:.6e}", solution.solves[i].initial_cost),
                            fmt::format("{:.6e}", solution.solves[i].final_cost)});
    }
    return table;
  }
};

}  // namespace
}  // namespace thallo::optical_flow

THALLO_PLUGIN("optical_flow", "1.0.0", "",
              thallo::add_text_problem<thallo::optical_flow::OpticalFlow>);
