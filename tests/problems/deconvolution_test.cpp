#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/base/io/image.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/deconvolution/kernels.h"
#include "problems/deconvolution/step_input.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::deconvolution {
namespace {

using testing::ElementsAre, testing::HasSubstr;

void expect_sums_of_one(const Kernels& kernels) {
  const auto taps = static_cast<std::ptrdiff_t>(kernels.size) * kernels.size;
  ASSERT_EQ(static_cast<std::ptrdiff_t>(kernels.values.size()), kernels.count() * taps);
  for (int i = 0; i < kernels.count(); ++i) {
    const auto begin = kernels.values.begin() + i * taps;
    EXPECT_NEAR(std::accumulate(begin, begin + taps, 0.0), 1, 1e-6) << "kernel " << i;
  }
}

TEST(BlurKernels, DrawnOnesSumToOne) {
  expect_sums_of_one(shaken_kernel(15));
  expect_sums_of_one(rolled_kernels(9, 6, 4));
  const Kernels still = rolled_kernels(9, 1, 1);
  EXPECT_EQ(*std::ranges::max_element(still.values), still.values[still.index(4, 4, 0)])
      << "the center of the image does not move";
}

TEST(BlurKernels, OfASheetAreItsTiles) {
  Image sheet(4, 2, 1);
  sheet.data = {1, 3, 2, 2,  //
                0, 4, 2, 2};
  const auto kernels = split_sheet(sheet, 2, "K.tif");
  ASSERT_TRUE(kernels) << kernels.error().message();
  EXPECT_EQ(kernels->columns, 2);
  EXPECT_EQ(kernels->rows, 1);
  EXPECT_THAT(kernels->values, ElementsAre(0.125f, 0.375f, 0, 0.5f, 0.25f, 0.25f, 0.25f, 0.25f));
  EXPECT_THAT(kernels->regions(4, 1), ElementsAre(0, 0, 1, 1));

  const auto wrong = split_sheet(sheet, 3, "K.tif");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), AllOf(HasSubstr("K.tif"), HasSubstr("found 4 x 2"),
                                             HasSubstr("3 x 3 (kernel_size)")));
  sheet.data[0] = -10;
  const auto negative = split_sheet(sheet, 2, "K.tif");
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().message(), HasSubstr("kernel 1 of 2"));
}

TEST(BlurKernels, AreCroppedToTheirMiddle) {
  Image kernel(3, 3, 1);
  kernel.data = {1, 1, 1, 1, 2, 1, 1, 1, 1};
  const auto middle = crop_kernel(kernel, 1, "K.tif");
  ASSERT_TRUE(middle) << middle.error().message();
  EXPECT_THAT(middle->values, ElementsAre(1));
  EXPECT_FLOAT_EQ(crop_kernel(kernel, 3, "K.tif")->values[4], 0.2f);

  const auto larger = crop_kernel(kernel, 5, "K.tif");
  ASSERT_FALSE(larger);
  EXPECT_THAT(larger.error().message(), AllOf(HasSubstr("found 3 x 3"), HasSubstr("at least 5")));
}

TEST(Blur, ConvolvesTowardTheTap) {
  Kernels right{3, 1, 1, {0, 0, 0, 0, 0, 1, 0, 0, 0}};  // all light goes one pixel to the right
  Image padded(5, 3, 1);
  padded.at(2, 1) = 1;
  EXPECT_THAT(blur(padded, right).data, ElementsAre(0, 0, 1));
}

TEST(ShrunkDifferences, AreThoseBeyondTheThreshold) {
  Image image(3, 1, 1);
  image.data = {0, 0.25f, -0.75f};
  const Differences differences = shrunk_differences(image, 0.5);
  EXPECT_THAT(differences.x.data, ElementsAre(0, 0, -0.5f));
  EXPECT_THAT(differences.y.data, ElementsAre(0, 0, 0)) << "nothing is above";
}

TEST(SignalToNoise, CountsKnownPixels) {
  StepInput input;
  input.mask = Image(2, 1, 1);
  input.mask.at(1, 0) = 1;
  Image image(2, 1, 1);
  image.data = {5, 0.1f};
  EXPECT_NEAR(signal_to_noise(input, image, Image(2, 1, 1)), 20, 1e-5);
}

// Where the blurred picture is known it is that of the sharp one, so that the sharp picture with
// its own differences costs nothing: picture, kernels and energy agree about every index.
TEST(DeconvolutionEnergies, AreZeroAtTheSharpPicture) {
  for (const auto& [problem, kind] : {std::pair("deconvolution", Blur::Uniform),
                                      {"spatially_varying_deconvolution", Blur::Varying}}) {
    test::Made made =
        test::make(problem, {{"size", 24}, {"kernel_size", 7}, {"noise", 0.0}, {"solves", 1}});
    const auto input = draw_step(kind, {.height = 24, .kernel_size = 7, .noise = 0});
    ASSERT_TRUE(input) << input.error().message();
    EXPECT_GT(test::cost_of(made), 1e-3);
    const Differences differences = shrunk_differences(*input->wanted, 0);
    Binding& binding = made.instance.binding;
    ASSERT_TRUE(binding.set_field("X", input->wanted->data));
    ASSERT_TRUE(binding.set_field("b2", differences.x.data));
    ASSERT_TRUE(binding.set_field("b3", differences.y.data));
    EXPECT_LT(test::cost_of(made), 1e-10) << problem;
  }
}

TEST(DeconvolutionEnergies, ReadAsManyPixelsAsTheKernelHas) {
  for (const auto& [problem, taps] :
       {std::pair("deconvolution", 225u), {"spatially_varying_deconvolution", 289u}}) {
    const test::Made made = test::make(problem, {{"size", 18}});
    EnergyEvaluator evaluator(made.energy, made.instance.binding);
    std::size_t most = 0;
    for (std::int64_t p = 0; p < evaluator.num_points(0); ++p) {
      const auto rows = evaluator.linearize(0, p);
      most = std::max(most, rows.at(0).partials.size());
    }
    EXPECT_EQ(most, taps) << problem;
  }
}

TEST(StepInput, IsReadFromTheFilesOfAStep) {
  THALLO_REQUIRE_DATA(folder, "opt_thallo");
  const auto one = read_step(Blur::Uniform, folder / "simple_proximal/b1.tif.xz", 11);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->width(), 1168);
  EXPECT_EQ(one->height(), 783);
  EXPECT_TRUE(one->wanted);
  expect_sums_of_one(one->kernels);
  const auto varying = read_step(Blur::Varying, folder / "sv_deconv/b1.tif.xz", 17);
  ASSERT_TRUE(varying) << varying.error().message();
  EXPECT_EQ(varying->kernels.count(), 24);
  expect_sums_of_one(varying->kernels);
}

TEST(StepInput, SaysWhatIsWrongWithItsFiles) {
  const test::TempDir folder;
  const auto file = folder.path() / "b1.tif";
  ASSERT_TRUE(write_image(file, Image(4, 3, 1)));
  for (const char* name : {"b2.tif", "b3.tif"}) {
    ASSERT_TRUE(write_image(folder.path() / name, Image(4, 3, 1)));
  }
  const auto absent = read_step(Blur::Uniform, file, 3);
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("M.tif"));
  ASSERT_TRUE(write_image(folder.path() / "M.tif", Image(5, 3, 1)));
  const auto wrong = read_step(Blur::Uniform, file, 3);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(),
              AllOf(HasSubstr("M.tif"), HasSubstr("found 5 x 3"), HasSubstr("4 x 3")));

  EXPECT_THAT(test::error_of("deconvolution", {{"kernel_size", 4}}),
              AllOf(HasSubstr("kernel_size"), HasSubstr("odd"), HasSubstr("found 4")));
  EXPECT_THAT(test::error_of("deconvolution", {{"size", 8}}), HasSubstr("no larger"));
}

}  // namespace
}  // namespace thallo::deconvolution
