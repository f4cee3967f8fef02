// image_warping: as-rigid-as-possible deformation of a picture
// ============================================================
//
// Drags pixels of a picture by handles; the rest follows as rigidly as it can. Every pixel has an
// offset (2 numbers) and an angle (1), the energy is image_warping.lua. Handles do not jump to
// their goals: 19 solves blend them there, each starting from the one before. Without a file it
// bends a drawn fish; with --file it takes a picture, its mask and its handles.
//
// A solve has 8 steps of 100 PCG iterations, the published counts, all of which run; all pixels of
// the picture's border are constrained to their places. Published was Gauss-Newton (--solver gn),
// which does not settle here: its full steps overshoot, and where a run of them ends depends on the
// last digit of every sum. Levenberg-Marquardt with block_jacobi ends lower, and in the same place.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/picture.h"
#include "core/plugin/abi.h"
#include "core/problem/blended_constraints.h"
#include "core/problem/text_problem.h"
#include "problems/image_warping/drawing.h"
#include "problems/image_warping/render.h"
#include "problems/image_warping/warp_input.h"

namespace thallo::image_warping {
namespace {

struct WarpInstance : BlendedConstraints {
  std::vector<double> blended(double fraction) const override {
    return blend_constraints(input, fraction);
  }

  WarpInput input;
  FieldId offset;
};

// Distances of the handles' pixels from their goals, in pixels.
std::vector<double> handle_errors(const WarpInput& input, const std::vector<double>& offsets) {
  std::vector<double> errors;
  for (const Handle& handle : input.handles) {
    const std::size_t at = input.picture.index(handle.pixel[0], handle.pixel[1]) / 3 * 2;
    errors.push_back(
        std::hypot(offsets[at] - handle.target[0], offsets[at + 1] - handle.target[1]));
  }
  return errors;
}

class ImageWarping : public BlendedProblem {
 public:
  using BlendedProblem::BlendedProblem;

  ProblemInfo info() const override {
    return {"image_warping", "Image warping",
            "Dvorozhnak: Interactive as-rigid-as-possible image deformation and registration, "
            "CESCG 2014; energy and counts of DeVito et al., Opt, 2017",
            "a stencil over images with a mask, two unknowns of one space, a sequence of solves",
            picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "A picture with NAME_mask.png and NAME.constraints beside it."),
        count_option("size", 128, "Drawn fish: pixels in width and height.", {16, 16384}),
        {.name = "whole",
         .default_value = false,
         .doc = "Drawn fish: every pixel of the picture may move, not only the fish's."},
        count_option("solves", 19, "Steps in which the handles are blended to their goals.",
                     {1, 10000}),
        number_option("fit_weight", 100, "Weight of the constraints.", {0}),
        number_option("reg_weight", 0.01, "Weight of the rigidity.", {0}),
    };
  }

  Options small_options(const Options& /*options*/) const override {
    return {{"file", ""}, {"size", 16}};
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    THALLO_TRY(auto input, file.empty() ? Expected<WarpInput>(draw_fish(count_in(options, "size")))
                                        : read_warp_input(file));

    auto data = std::make_shared<WarpInstance>();
    data->input = std::move(input);
    if (file.empty() && is_set(options, "whole")) {
      std::ranges::fill(data->input.mask, std::uint8_t{0});
    }
    data->offset = energy.find_field("Offset");
    data->constraints = energy.find_field("Constraints");
    data->num_solves = count_in(options, "solves");

    const int width = data->input.width();
    const int height = data->input.height();
    std::vector<double> places;
    places.reserve(2 * data->input.mask.size());
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) places.insert(places.end(), {double(x), double(y)});
    }

    Instance instance(energy);
    Binding& binding = instance.binding;
    THALLO_CHECK(binding.set_extent("W", width));
    THALLO_CHECK(binding.set_extent("H", height));
    THALLO_CHECK(binding.set_field("Offset", places));
    THALLO_CHECK(binding.set_field("Angle", std::vector<double>(data->input.mask.size())));
    THALLO_CHECK(binding.set_field("UrShape", places));
    THALLO_CHECK(binding.set_field("Constraints", data->at_solve(0)));
    THALLO_CHECK(binding.set_field("Mask", data->input.mask));
    THALLO_CHECK(
        set_weights(binding, options, {{"w_fitSqrt", "fit_weight"}, {"w_regSqrt", "reg_weight"}}));

    instance.solver.solver = SolverKind::LevenbergMarquardt;
    instance.solver.preconditioner = "block_jacobi";
    instance.solver.q_tolerance = 0;
    instance.solver.function_tolerance = 0;
    instance.solver.num_iterations = 8;
    instance.solver.num_linear_iterations = 100;
    instance.title = input_title(options, "drawn fish");
    instance.labels = {{"pixels", fmt::format("{} x {}", width, height)},
                       {"active pixels", std::to_string(data->input.num_active())},
                       {"handles", std::to_string(data->input.handles.size())}};
    instance.data = std::move(data);
    return instance;
  }

  Report report(const Instance& instance, const Solution& solution) const override {
    const auto& data = dynamic_cast<const WarpInstance&>(*instance.data);
    const std::vector<double> offsets = instance.binding.field(data.offset).to_doubles();
    Report report;
    const std::vector<double> errors = handle_errors(data.input, offsets);
    if (!errors.empty()) {
      double sum = 0;
      for (const double error : errors) sum += error;
      report.metrics = {
          {"mean distance of handles from their goals", sum / static_cast<double>(errors.size()),
           "px"},
          {"largest distance of a handle from its goal", *std::ranges::max_element(errors), "px"}};
    }
    report.tables.push_back(blended_solves(data, solution));

    const Drawing before = [owner = instance.data, &data] {
      return draw_handles(data.input.picture, data.input.handles);
    };
    const Drawing after = [owner = instance.data, &data, offsets] {
      return render_warp(data.input, offsets);
    };
    report.images.push_back({"before", "The picture and where its handles pull", before});
    report.images.push_back({"after", "The warped picture", after});
    report.images.push_back({"before_after", "Before with its handles, after", [before, after] {
                               return side_by_side(std::array{before(), after()});
                             }});
    return report;
  }
};

}  // namespace
}  // namespace thallo::image_warping

THALLO_PLUGIN("image_warping", "1.0.0", "",
              thallo::add_text_problem<thallo::image_warping::ImageWarping>);
