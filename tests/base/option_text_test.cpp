#include "core/base/option_text.h"

#include <gtest/gtest.h>

namespace thallo::test {
namespace {

TEST(OptionText, IsPlainUntilAProgramHasASpelling) {
  EXPECT_EQ(option_text("sample"), "the option 'sample'");
  EXPECT_EQ(option_text("search", "greedy"), "the option 'search=greedy'");
}

}  // namespace
}  // namespace thallo::test
