// poisson_image_editing: put a part of one picture into another without a seam
// ============================================================================
//
// Inside a region, the result has the differences between neighbors of a second picture; around
// it, the values of the first. The energy is poisson_image_editing.lua: linear, so that one
// step with an exact linear solve is the answer. Without files it puts a drawn balloon
// into a drawn evening.
//
// It is solved until it converges. Published (--published) is one Gauss-Newton step of 100 PCG
// iterations without preconditioner, which ends early in a wide region.
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/picture.h"
#include "core/plugin/abi.h"
#include "core/problem/text_problem.h"
#include "problems/poisson_image_editing/drawing.h"
#include "problems/poisson_image_editing/edit_input.h"

namespace thallo::poisson_image_editing {
namespace {

constexpr double Levels = 255;  // of an 8-bit picture: the unit of the metrics

struct EditInstance : InstanceData {
  EditInput input;
  FieldId edited;
};

// Four channels, as published: the fields are read four floats at a time.
std::vector<float> to_rgba(const Image& rgb) {
  std::vector<float> rgba;
  rgba.reserve(rgb.data.size() / 3 * 4);
  for (std::size_t i = 0; i < rgb.data.size(); i += 3) {
    rgba.insert(rgba.end(), {rgb.data[i], rgb.data[i + 1], rgb.data[i + 2], 1.0f});
  }
  return rgba;
}

Image from_rgba(const HostArray& rgba, const Image& like) {
  Image rgb(like.width, like.height, 3);
  for (std::size_t i = 0; i < rgb.data.size(); ++i) {
    rgb.data[i] = static_cast<float>(rgba.value(i / 3 * 4 + i % 3));
  }
  return rgb;
}

Expected<EditInput> make_input(const Options& options) {
  const auto file = text_in(options, "file");
  const auto source = text_in(options, "source");
  const auto mask = text_in(options, "mask");
  if (file.empty() && source.empty() && mask.empty()) {
    return draw_evening(count_in(options, "size"));
  }
  for (const auto& [name, value] : {std::pair("file", file), {"source", source}, {"mask", mask}}) {
    if (value.empty()) {
      return fail("{} is missing; own pictures need all of file, source and mask", name);
    }
  }
  return read_edit_input(file, source, mask);
}

class PoissonImageEditing : public TextProblem {
 public:
  using TextProblem::TextProblem;

  ProblemInfo info() const override {
    return {"poisson_image_editing", "Poisson image editing",
            "Perez, Gangnet, Blake: Poisson image editing, SIGGRAPH 2003; counts of DeVito et al., "
            "Opt, 2017",
            "a linear stencil over images of four channels, with a mask", picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "The picture that is edited."),
        file_option("source", "The picture whose details are taken, of the same size."),
        file_option("mask", "The region that is edited, white in a picture of the same size."),
        count_option("size", 240, "Drawn input: pixels in height.", {16, 16384}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"source", ""}, {"mask", ""}, {"size", 24}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    THALLO_TRY(auto input, make_input(options));
    auto data = std::make_shared<EditInstance>();
    data->input = std::move(input);
    data->edited = energy.find_field("X");

    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("W", data->input.width()));
    THALLO_CHECK(binding.set_extent("H", data->input.height()));
    THALLO_CHECK(binding.set_field("X", to_rgba(data->input.target)));
    THALLO_CHECK(binding.set_field("T", to_rgba(data->input.source)));
    THALLO_CHECK(binding.set_field("M", data->input.mask));

    instance.solver = SolverOptions::until_converged();
    instance.published.emplace();
    instance.published->num_iterations = 1;
    instance.published->num_linear_iterations = 100;
    instance.title = input_title(options, "drawn evening");
    instance.labels = {
        {"pixels", fmt::format("{} x {}", data->input.width(), data->input.height())},
        {"edited pixels", std::to_string(data->input.num_edited())}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const EditInstance&>(*instance.data);
    const EditInput& input = data.input;
    const Image pasted = paste(input);
    const Image edited = from_rgba(instance.binding.field(data.edited), input.target);

    Report report;
    // Every edited pixel has four differences of three channels, but at the picture's border.
    const double num_differences = 12.0 * static_cast<double>(input.num_edited());
    report.metrics = {
        {"seam when pasted", Levels * seam(input, pasted), "levels of 255"},
        {"seam when edited", Levels * seam(input, edited), "levels of 255"},
        {"root mean square deviation from the wanted differences",
         num_differences == 0 ? 0 : Levels * std::sqrt(2 * solution.final_cost() / num_differences),
         "levels of 255"}};
    report.images = {{"target", "The picture", input.target},
                     {"source", "The picture whose details are taken", input.source},
                     {"pasted", "Pasted", pasted},
                     {"edited", "Edited", edited},
                     {"before_after", "The picture, the details, pasted, edited",
                      [owner = instance.data, &input, pasted, edited] {
                        return side_by_side(std::array{input.target, input.source, pasted, edited});
                      }}};
    return report;
  }
};

}  // namespace
}  // namespace thallo::poisson_image_editing

THALLO_PLUGIN("poisson_image_editing", "1.0.0", "",
              thallo::add_text_problem<thallo::poisson_image_editing::PoissonImageEditing>);
