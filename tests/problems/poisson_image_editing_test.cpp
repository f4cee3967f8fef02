#include <gmock/gmock.h>

#include <vector>

#include "core/base/io/png.h"
#include "core/energy/evaluate/evaluator.h"
#include "problems/poisson_image_editing/drawing.h"
#include "problems/poisson_image_editing/edit_input.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::poisson_image_editing {
namespace {

using ::testing::HasSubstr;

// Black and 4 x 3; one white pixel is edited, and where it is the source has its only 1.
EditInput one_pixel() {
  EditInput input{Image(4, 3, 3), Image(4, 3, 3), std::vector<std::uint8_t>(12, 255)};
  input.mask[6] = 0;
  for (int c = 0; c < 3; ++c) input.source.at(2, 1, c) = 1;
  return input;
}

TEST(EditInput, ReadsThreePictures) {
  const test::TempDir folder;
  const auto file = [&](const char* name, const Image& image) {
    EXPECT_TRUE(write_png(folder.path() / name, image));
    return folder.path() / name;
  };
  const auto target = file("target.png", Image(4, 3, 3));
  const auto source = file("source.png", Image(4, 3, 1));
  Image white(4, 3, 3);
  for (int c = 0; c < 3; ++c) white.at(2, 1, c) = 1;
  const auto mask = file("mask.png", white);

  const auto input = read_edit_input(target, source, mask);
  ASSERT_TRUE(input) << input.error().message();
  EXPECT_EQ(input->num_edited(), 1);
  EXPECT_TRUE(input->edited(2, 1));
  EXPECT_EQ(input->source.channels, 3);

  const auto wide = file("wide.png", Image(5, 3, 3));
  for (const auto& wrong :
       {read_edit_input(target, wide, mask), read_edit_input(target, source, wide)}) {
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message(),
                AllOf(HasSubstr("wide.png"), HasSubstr("found 5 x 3 pixels"), HasSubstr("4 x 3")));
  }
}

TEST(EditInput, PastesWhereItEditsWithASeamThatTheSourceDoesNotHave) {
  const EditInput input = one_pixel();
  const Image pasted = paste(input);
  EXPECT_EQ(pasted, input.source) << "elsewhere both are black";
  EXPECT_EQ(seam(input, paste(input)), 0);
  EXPECT_EQ(seam(input, input.target), 1) << "all four jumps of 1 are missing";
}

TEST(Evening, IsDeterministicAtEverySize) {
  for (const int size : {16, 45}) {
    const auto a = draw_evening(size);
    const auto b = draw_evening(size);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.mask, b.mask);
    const double part = static_cast<double>(a.num_edited()) / static_cast<double>(a.mask.size());
    EXPECT_NEAR(part, 0.12, 0.03);
  }
}

TEST(PoissonImageEditing, HasThirtyTwoEntriesAPixel) {
  const test::Made made = test::make("poisson_image_editing", {{"size", 16}});
  EnergyEvaluator evaluator(made.energy, made.instance.binding);
  ASSERT_EQ(made.energy.groups().size(), 4u);
  const auto mask = test::field_of(made, "M");
  std::size_t edited = mask.size() / 2;
  while (mask[edited] != 0) ++edited;
  std::size_t entries = 0;
  for (std::size_t group = 0; group < 4; ++group) {
    const auto rows = evaluator.linearize(group, static_cast<std::int64_t>(edited));
    for (const ResidualRow& row : rows) entries += row.partials.size();
  }
  EXPECT_EQ(entries, 32u);
}

TEST(PoissonImageEditing, ReadsThePublishedFaces) {
  THALLO_REQUIRE_DATA(file, "opt_thallo/poisson0.png");
  const auto folder = file.parent_path();
  const test::Made made =
      test::make("poisson_image_editing", {{"file", file.string()},
                                           {"source", (folder / "poisson1.png").string()},
                                           {"mask", (folder / "poisson_mask.png").string()}});
  EXPECT_EQ(made.instance.binding.num_unknowns(made.energy), 448 * 320 * 4);
  EXPECT_EQ(made.instance.labels.at(1).second, "22828");
  ASSERT_TRUE(made.instance.published);
  EXPECT_EQ(made.instance.published->num_iterations, 1);
  EXPECT_EQ(made.instance.published->num_linear_iterations, 100);
}

TEST(PoissonImageEditing, SaysWhatIsWrongWithItsInput) {
  EXPECT_THAT(test::error_of("poisson_image_editing", {{"file", "a.png"}, {"mask", "b.png"}}),
              HasSubstr("source is missing"));
  EXPECT_THAT(test::error_of("poisson_image_editing",
                             {{"file", "absent.png"}, {"source", "a"}, {"mask", "b"}}),
              HasSubstr("absent.png"));
}

}  // namespace
}  // namespace thallo::poisson_image_editing
