#include "core/base/io/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Csv, ReadsNamesAndNumbersWithAnySeparator) {
  for (const char* text : {"x,y\n1,2\n3,4\n", "# a table\n\"x\";\"y\"\n1; 2\n\n3; 4",
                           "x\ty\r\n1\t2\r\n3\t4\r\n", "x  y\n 1   2\n3 4\n"}) {
    const auto table = parse_csv("a.csv", text);
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_THAT(table->columns, ElementsAre("x", "y"));
    EXPECT_THAT(table->values, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(table->num_rows(), 2u);
  }
}

TEST(Csv, NumbersColumnsWithoutNames) {
  const auto table = parse_csv("a.csv", "1 -2e3 +.5\n");
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_THAT(table->columns, ElementsAre("0", "1", "2"));
  EXPECT_THAT(table->values, ElementsAre(1, -2000, 0.5));
}

TEST(Csv, RoundTrips) {
  const test::TempDir dir;
  const CsvTable table{{"a", "b"}, {0.1, 1e-300, -7, 1.0 / 3}};
  ASSERT_TRUE(write_csv(dir.path() / "a.csv.bz2", table));
  EXPECT_EQ(*read_csv(dir.path() / "a.csv.bz2"), table);
}

TEST(Csv, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto table = parse_csv("a.csv", text);
    return table ? "no error" : table.error().message();
  };
  EXPECT_EQ(message("x,y\n1,two\n"), "a.csv:2: found 'two' in column y where a number should be");
  EXPECT_EQ(message("x,y\n1,2\n\n3\n"),
            "a.csv:4: the line has 1 fields, but the table has 2 columns (x, y)");
  EXPECT_EQ(message("1,\n"), "a.csv:1: found '' in column 1 where a number should be");
  EXPECT_EQ(message("x,y\n"), "a.csv: has no line of numbers");
  EXPECT_THAT(message("\x01\x02\n"), HasSubstr("no line of numbers"));
}

}  // namespace
}  // namespace thallo
