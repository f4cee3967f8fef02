// deconvolution, spatially_varying_deconvolution: take the blur out of a picture
// ===============================================================================
//
// Both problems are the image step of a splitting method: a linear least-squares problem with a
// large stencil, a Sum over the kernel. In deconvolution.lua one kernel blurs the whole image, in
// spatially_varying_deconvolution.lua each region has its own. Without a file they draw a town at
// night, blur it and go through the method, which finds sparse differences between the steps; with
// --file they take the data of one published step.
//
// A step is one Gauss-Newton step of 3 PCG iterations, the published counts and weights.
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/picture.h"
#include "core/plugin/abi.h"
#include "core/problem/text_problem.h"
#include "problems/deconvolution/step_input.h"

namespace thallo::deconvolution {
namespace {

struct DeconvolutionInstance : InstanceData {
  StepInput input;
  bool is_drawn = false;
  std::int64_t num_solves = 1;
  double sparsity = 0;
  double lambda2 = 0;  // of the last solve
  FieldId image, differences_x, differences_y;
};

// Sparse differences are held loosely at first, so that large ones form before small ones.
double lambda2_of(const DeconvolutionInstance& data, std::int64_t solve) {
  return data.lambda2 * std::exp2(static_cast<double>(solve + 1 - data.num_solves));
}

Image image_of(const Instance& instance, const DeconvolutionInstance& data) {
  Image image(data.input.width(), data.input.height(), 1);
  const HostArray& values = instance.binding.field(data.image);
  for (std::size_t i = 0; i < image.data.size(); ++i) {
    image.data[i] = static_cast<float>(values.value(i));
  }
  return image;
}

class Deconvolution : public TextProblem {
 public:
  Deconvolution(Blur blur, std::filesystem::path energy_file)
      : TextProblem(std::move(energy_file)), blur_(blur) {}

  ProblemInfo info() const override {
    constexpr const char* Citation =
        "Heide et al.: ProxImaL, SIGGRAPH 2016; weights and counts of Mara et al., Thallo, 2021";
    if (blur_ == Blur::Uniform) {
      return {"deconvolution", "Deconvolution with one kernel", Citation,
              "a Sum over two dims: a stencil as large as the kernel", picture()};
    }
    return {"spatially_varying_deconvolution", "Deconvolution with a kernel for each region",
            Citation, "a Sum whose coefficients come through a sparse map", picture()};
  }

  std::vector<OptionSpec> options() const override {
    return {
        file_option("file", "b1.tif of a published step, with its other files beside it."),
        blur_ == Blur::Uniform
            ? count_option("kernel_size", 15,
                           "Pixels of the kernel, odd; that of a file is cropped.", {1, 255})
            : count_option("kernel_size", 17, "Pixels of each kernel, odd.", {1, 255}),
        count_option("size", 192, "Drawn: pixels in height.", {2, 16384}),
        number_option("noise", 0.004, "Drawn: standard deviation of a pixel, which are 0 to 1.",
                      {0}),
        count_option("seed", 1, "Drawn: seed of the noise.", {0}),
        count_option("solves", 16,
                     "Drawn: image steps, between which sparse differences are found.", {1, 1000}),
        number_option("sparsity", 2e-4, "Drawn: weight of the sum of absolute differences.", {0}),
        number_option("lambda1", 0.5, "Weight of the blurred image.", {0}),
        number_option(
            "lambda2", 0.5,
            "Weight of the differences; drawn: in the last step, half as much in each before.",
            {1e-12}),
    };
  }

  Options small_options(const Options& options) const override {
    const auto size = kernel_size(options);  // which the energy depends on
    if (!size) return {};
    // Hardly larger than the kernel: every point reads all that it covers.
    return {{"file", ""}, {"size", std::max(*size + 1, 12)}, {"kernel_size", *size}};
  }

  Expected<EnergyFile> energy(const Options& options) const override {
    THALLO_TRY(const auto size, kernel_size(options));
    // Which pixels a residual reads, and so how far the kernel reaches, is fixed by the text.
    return load_energy(energy_file(),
                       std::array{TextSetting{"center", std::to_string((size - 1) / 2)}});
  }

  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override {
    const auto file = text_in(options, "file");
    THALLO_TRY(auto input, make_input(options));
    auto data = std::make_shared<DeconvolutionInstance>();
    data->input = std::move(input);
    data->is_drawn = file.empty();
    data->num_solves = data->is_drawn ? count_in<std::int64_t>(options, "solves") : 1;
    data->sparsity = number_in(options, "sparsity");
    data->lambda2 = number_in(options, "lambda2");
    data->image = energy.find_field("X");
    data->differences_x = energy.find_field("b2");
    data->differences_y = energy.find_field("b3");

    Instance instance(energy);
    THALLO_CHECK(bind(instance.binding, *data, number_in(options, "lambda1")));
    instance.solver.num_iterations = 1;
    instance.solver.num_linear_iterations = 3;
    instance.title = data->is_drawn ? "drawn town"
                                    : std::filesystem::path(file).parent_path().filename().string();
    const Kernels& kernels = data->input.kernels;
    instance.labels = {
        {"pixels", fmt::format("{} x {}", data->input.width(), data->input.height())},
        {"kernels", std::to_string(kernels.count())},
        {"kernel size", fmt::format("{} x {}", kernels.size, kernels.size)}};
    instance.data = std::move(data);
    return instance;
  }

  Expected<bool> advance(Instance& instance, int solve,
                         const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const DeconvolutionInstance&>(*instance.data);
    if (solve + 1 >= data.num_solves) return false;
    const double lambda2 = lambda2_of(data, solve + 1);
    Differences wanted = shrunk_differences(image_of(instance, data), data.sparsity / lambda2);
    instance.binding.field(data.differences_x) = std::move(wanted.x.data);
    instance.binding.field(data.differences_y) = std::move(wanted.y.data);
    THALLO_CHECK(instance.binding.set_param("sqrt_lambda2", std::sqrt(lambda2)));
    return true;
  }

  Report report(const Instance& instance, const Solution& /*solution*/) const override {
    const auto& data = dynamic_cast<const DeconvolutionInstance&>(*instance.data);
    const StepInput& input = data.input;
    Image after = image_of(instance, data);
    Report report;
    std::vector<Image> row = {input.start, after};
    if (input.wanted) {
      const double before_db = signal_to_noise(input, input.start, *input.wanted);
      const double after_db = signal_to_noise(input, after, *input.wanted);
      if (data.is_drawn) {
        report.metrics = {{"peak signal-to-noise ratio before", before_db, "dB"},
                          {"peak signal-to-noise ratio after", after_db, "dB"}};
      } else {
        const auto percent = [](double db) { return 100 * std::pow(10, -db / 20); };
        constexpr const char* Unit = "% of the value range, root mean square";
        report.metrics = {{"difference from the published result before", percent(before_db), Unit},
                          {"difference from the published result after", percent(after_db), Unit}};
      }
      row.push_back(*input.wanted);
      report.images.push_back(
          {"wanted", data.is_drawn ? "The sharp picture" : "The published result", *input.wanted});
    }
    report.images.push_back({"before", "The blurred picture", input.start});
    report.images.push_back({"after", "The picture without its blur", std::move(after)});
    report.images.push_back({"kernels", "The kernels, enlarged", draw_kernels(input.kernels)});
    report.images.push_back({"before_after", "Before, after and, if known, what is wanted",
                             [row = std::move(row)] { return side_by_side(row); }});
    return report;
  }

 private:
  static Expected<int> kernel_size(const Options& options) {
    const auto size = count_in(options, "kernel_size");
    if (size % 2 == 0) {
      return fail("option 'kernel_size' must be odd, so that a kernel has a middle; found {}",
                  size);
    }
    return size;
  }

  Expected<StepInput> make_input(const Options& options) const {
    THALLO_TRY(const auto size, kernel_size(options));
    const auto file = text_in(options, "file");
    if (!file.empty()) return read_step(blur_, file, size);
    return draw_step(blur_, {.height = count_in(options, "size"),
                             .kernel_size = size,
                             .noise = number_in(options, "noise"),
                             .seed = count_in<std::uint64_t>(options, "seed")});
  }

  Expected<void> bind(Binding& binding, const DeconvolutionInstance& data, double lambda1) const {
    const StepInput& input = data.input;
    // The params multiply residuals, which are squared: hence the square roots of the weights.
    const double lambda2 = data.is_drawn ? lambda2_of(data, 0) : data.lambda2;
    const Differences wanted = data.is_drawn
                                   ? shrunk_differences(input.start, data.sparsity / lambda2)
                                   : input.differences;
    THALLO_CHECK(binding.set_extent("W", input.width()));
    THALLO_CHECK(binding.set_extent("H", input.height()));
    THALLO_CHECK(binding.set_extent("K", input.kernels.size));
    THALLO_CHECK(binding.set_param("sqrt_lambda1", std::sqrt(lambda1)));
    THALLO_CHECK(binding.set_param("sqrt_lambda2", std::sqrt(lambda2)));
    THALLO_CHECK(binding.set_field("X", input.start.data));
    THALLO_CHECK(binding.set_field("M", input.mask.data));
    THALLO_CHECK(binding.set_field("b1", input.blurred.data));
    THALLO_CHECK(binding.set_field("b2", wanted.x.data));
    THALLO_CHECK(binding.set_field("b3", wanted.y.data));
    if (blur_ == Blur::Uniform) {
      return binding.set_field("kernel", input.kernels.values);
    }
    THALLO_CHECK(binding.set_extent("R", input.kernels.count()));
    THALLO_CHECK(binding.set_field("kernels", input.kernels.values));
    return binding.set_map("region", input.kernels.regions(input.width(), input.height()));
  }

  Blur blur_;
};

Expected<void> register_into(Registrar& registrar) {
  const std::filesystem::path folder = registrar.folder();
  THALLO_CHECK(registrar.add<Problem>(
      "deconvolution",
      std::make_unique<Deconvolution>(Blur::Uniform, folder / "deconvolution.lua")));
  return registrar.add<Problem>("spatially_varying_deconvolution",
                                std::make_unique<Deconvolution>(
                                    Blur::Varying, folder / "spatially_varying_deconvolution.lua"));
}

}  // namespace
}  // namespace thallo::deconvolution

THALLO_PLUGIN("deconvolution", "1.0.0", "", thallo::deconvolution::register_into);
