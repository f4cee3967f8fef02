// intrinsic_image_decomposition: the colors of surfaces and the light on them
// ============================================================================
//
// Takes a picture apart into albedo times shading. Both are unknown at every pixel; they are told
// apart by colors being constant with jumps and light being gray and smooth. The energy is
// intrinsic_image_decomposition.lua. Without a file it takes apart a drawing whose colors and light
// are known.
//
// The solver is Gauss-Newton with 7 steps of 10 PCG iterations, the published counts, but with the
// jacobi preconditioner. Published is none, with which 70 iterations move little, since the weights
// of flat colors are so large.
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/picture.h"
#include "core/plugin/abi.h"
#include "core/problem/text_problem.h"
#include "problems/intrinsic_image_decomposition/decomposition.h"
#include "problems/intrinsic_image_decomposition/drawing.h"

namespace thallo::intrinsic_image_decomposition {
namespace {

struct DecompositionInstance : InstanceData {
  DecompositionInput input;
  LogDecomposition start;
  FieldId r, s;
};

Expected<DecompositionInput> make_input(const Options& options) {
  const auto file = text_in(options, "file");
  if (file.empty()) {
    return draw_papers(count_in(options, "size"));
  }
  THALLO_TRY(const auto picture, read_image(file));
  return DecompositionInput{to_rgb(picture), std::nullopt};
}

Decomposition decomposition_of(const std::vector<double>& r, const std::vector<double>& s,
                               const DecompositionInput& input) {
  return normalized({from_logarithms(r, input.width(), input.height(), 3),
                     from_logarithms(s, input.width(), input.height(), 1)});
}

class IntrinsicImageDecomposition : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"intrinsic_image_decomposition", "Intrinsic image decomposition",
            "Meka, Zollhoefer, Richardt, Theobalt: Live intrinsic video, SIGGRAPH 2016; energy and "
            "counts of DeVito et al., Opt, 2017",
            "a norm below 1 by reweighting, two unknowns of one space", picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "A picture."),
        count_option("size", 128, "Drawn papers: pixels in width and height.", {16, 16384}),
        number_option("fit_weight", 500, "Weight of the product being the picture.", {0}),
        number_option("albedo_weight", 1000, "Weight of colors without jumps.", {0}),
        number_option("shading_weight", 10000, "Weight of smooth light.", {0}),
        number_option("p", 0.8, "The power of a color's jump; 2 makes the energy linear.",
                      {0.1, 2}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"size", 16}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto input, make_input(options));
    auto data = std::make_shared<DecompositionInstance>();
    data->input = std::move(input);
    const std::vector<double> i = to_logarithms(data->input.picture);
    data->start = split_by_intensity(i);
    data->r = energy.find_field("r");
    data->s = energy.find_field("s");

    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("W", data->input.width()));
    THALLO_CHECK(binding.set_extent("H", data->input.height()));
    THALLO_CHECK(binding.set_field("r", data->start.r));
    THALLO_CHECK(binding.set_field("s", data->start.s));
    THALLO_CHECK(binding.set_field("i", i));
    THALLO_CHECK(set_weights(binding, options,
                             {{"w_fitSqrt", "fit_weight"},
                              {"w_albedoSqrt", "albedo_weight"},
                              {"w_shadingSqrt", "shading_weight"}}));
    THALLO_CHECK(binding.set_param("p_norm", number_in(options, "p")));

    instance.solver.num_iterations = 7;
    instance.solver.num_linear_iterations = 10;
    instance.title = input_title(options, "drawn papers");
    instance.labels = {
        {"pixels", fmt::format("{} x {}", data->input.width(), data->input.height())}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const DecompositionInstance&>(*instance.data);
    const DecompositionInput& input = data.input;
    const Decomposition parts =
        decomposition_of(instance.binding.field(data.r).to_doubles(),
                         instance.binding.field(data.s).to_doubles(), input);
    const Image rebuilt = product(parts);

    Report report;
    constexpr double Levels = 255;
    report.metrics.push_back({"root mean square of picture - product",
                              Levels * rms_difference(rebuilt, input.picture), "levels of 255"});
    if (input.truth) {
      const Decomposition start = decomposition_of(data.start.r, data.start.s, input);
      report.metrics.push_back({"light in the wrong factor at the start",
                                shading_error(start.shading, input.truth->shading), "stops"});
      report.metrics.push_back({"light in the wrong factor",
                                shading_error(parts.shading, input.truth->shading), "stops"});
    }
    report.images = {
        {"picture", "The picture", input.picture},
        {"albedo", "The colors of the surfaces", parts.albedo},
        {"shading", "The light on them", parts.shading},
        {"product", "Their product", rebuilt},
        {"decomposition", "The picture, its albedo, its shading",
         [owner = instance.data, &input, parts] {
           return side_by_side(std::array{input.picture, parts.albedo, to_rgb(parts.shading)});
         }}};
    return report;
  }
};

}  // namespace
}  // namespace thallo::intrinsic_image_decomposition

THALLO_PLUGIN(
    "intrinsic_image_decomposition", "1.0.0", "",
    thallo::add_text_problem<thallo::intrinsic_image_decomposition::IntrinsicImageDecomposition>);
