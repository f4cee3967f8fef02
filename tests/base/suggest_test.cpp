#include "core/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace thallo {
namespace {

const std::vector<std::string> Names = {"curve_fit", "image_warping", "bundle_adjustment"};

TEST(EditDistance, CountsSingleEdits) {
  EXPECT_EQ(edit_distance("kitten", "kitten"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u) << "a swap of neighbors is one edit";
}

TEST(DidYouMean, NamesWhatIsNearAndNothingElse) {
  EXPECT_EQ(did_you_mean("bundle_ajustment", Names), "; did you mean 'bundle_adjustment'?");
  EXPECT_EQ(did_you_mean("Image_Warping", Names), "; did you mean 'image_warping'?");
  EXPECT_EQ(did_you_mean("poisson", Names), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace thallo
