#include "core/base/bytes_text.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(BytesText, HasThreeDigitsAndTheLargestUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(1023 * 1024.0), "1023 KiB");
  EXPECT_EQ(bytes_text(2.345 * 1024 * 1024), "2.35 MiB");
  EXPECT_EQ(bytes_text(8.0 * 1024 * 1024 * 1024), "8 GiB");
}

}  // namespace
}  // namespace thallo
