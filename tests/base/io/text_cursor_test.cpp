#include "core/base/io/text_cursor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace thallo {
namespace {

TEST(TextCursor, ReadsNumbersAndWholeWordsAndLooksAhead) {
  TextCursor cursor("a.txt", "3 -0.5e1\n+7 name");
  int a = 0, c = 0;
  double b = 0.0;
  EXPECT_TRUE(cursor.read(a) && cursor.read(b) && cursor.read(c));
  EXPECT_EQ(a, 3);
  EXPECT_EQ(b, -5.0);
  EXPECT_EQ(c, 7);
  EXPECT_EQ(cursor.word(), "name");
  EXPECT_TRUE(cursor.at_end());
  cursor = TextCursor("a.txt", "3x");
  int value = 1;
  EXPECT_FALSE(cursor.read(value));
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cursor.word(), "3x");
  cursor = TextCursor("a.txt", "\n  abc\n inf 2");
  EXPECT_EQ(cursor.peek(), "abc");
  EXPECT_EQ(cursor.line_number(), 2);
  EXPECT_EQ(cursor.word(), "abc");
  b = 1;
  EXPECT_FALSE(cursor.read_finite(b));
  EXPECT_EQ(b, 1);
  EXPECT_EQ(cursor.word(), "inf");
  EXPECT_TRUE(cursor.read_finite(b));
  EXPECT_EQ(b, 2);
  EXPECT_EQ(cursor.where_at(4).line, 2);
}

TEST(TextCursor, SaysWhatItFoundAndWhatDoesNotFit) {
  TextCursor cursor("a.txt", "3000000000");
  std::int32_t narrow = 0;
  std::int64_t wide = 0;
  EXPECT_FALSE(cursor.read(narrow));
  EXPECT_TRUE(cursor.read(wide));
  EXPECT_EQ(wide, 3000000000);
  cursor = TextCursor("a.txt", "1\n\n  abc");
  int value = 0;
  cursor.read(value);
  EXPECT_EQ(cursor.unexpected("the height").message(),
            "a.txt:3: found 'abc' where the height should be");
  cursor.word();
  EXPECT_EQ(cursor.unexpected("the depth").message(),
            "a.txt:3: the file ends where the depth should be");
}

// Counting from the beginning each time would pass over 10^12 characters, which takes minutes.
TEST(TextCursor, CountsEveryLineOnceAndSkipsComments) {
  constexpr int NumLines = 400'000;
  std::string text;
  for (int line = 1; line <= NumLines; ++line) text += std::to_string(line) + "\n";
  TextCursor cursor("a.txt", text);
  int num_wrong = 0;
  for (int line = 0; !cursor.at_end();) {
    num_wrong += cursor.where().line != cursor.line_number() ? 1 : 0;
    if (const int before = cursor.line_number(); cursor.read(line)) num_wrong += before != line;
  }
  EXPECT_EQ(num_wrong, 0);
  EXPECT_EQ(cursor.line_number(), NumLines);
  cursor = TextCursor("a.txt", "# one\n  # two\n5 rest of it\r\nnext");
  int value = 0;
  cursor.skip_comments('#');
  EXPECT_TRUE(cursor.read(value));
  EXPECT_EQ(cursor.line(), " rest of it");
  EXPECT_EQ(cursor.line(), "next");
  EXPECT_EQ(cursor.line(), "");
}

}  // namespace
}  // namespace thallo
