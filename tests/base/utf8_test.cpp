#include "core/base/utf8.h"

#include <gtest/gtest.h>

namespace thallo {
namespace {

TEST(Utf8, CharactersHaveOneToFourBytesAndControlNoTerminal) {
  EXPECT_EQ(utf8_length("ax"), 1u);
  EXPECT_EQ(utf8_length("éx"), 2u);
  EXPECT_EQ(utf8_length("€x"), 3u);
  EXPECT_EQ(utf8_length("𝒙x"), 4u);
  // Latin-1, a continuation alone, a character that is cut, a surrogate, one that is too long.
  for (const char* text : {"\xe9t\xe9", "\x80", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf"}) {
    EXPECT_EQ(utf8_length(text), 0u) << text;
    EXPECT_FALSE(is_utf8(std::string("fine ") + text)) << text;
  }
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("fine é€𝒙"));
  EXPECT_EQ(printable("two\n\tlines, é€𝒙"), "two\n\tlines, é€𝒙");
  EXPECT_EQ(printable("n\xe4me"), "n\\xe4me");
  EXPECT_EQ(printable("\x1b[31m\r\x7f"), "\\x1b[31m\\x0d\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of two bytes";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

}  // namespace
}  // namespace thallo
