#include "core/base/io/csv.h"
#include "core/base/io/file.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

TEST(Csv, ReadsNamesAndNumbersWithAnySeparator) {
  for (const char* text : {"x,y\n1,2\n3,4\n", "# a table\n\"x\";\"y\"\n1; 2\n\n3; 4",
                           "x\ty\r\n1\t2\r\n3\t4\r\n", "x  y\n 1   2\n3 4\n"}) {
    const auto table = parse_csv("a.csv", text);
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_THAT(table->columns, ElementsAre("x", "y"));
    EXPECT_THAT(table->values, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(table->num_rows(), 2u);
  }
  auto table = parse_csv("a.csv", "day,2024-01,2e\n1,2,3\n");
  ASSERT_TRUE(table);
  EXPECT_THAT(table->columns, testing::ElementsAre("day", "2024-01", "2e"));
  table = parse_csv("a.csv", "1 -2e3 +.5\n");
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_THAT(table->columns, ElementsAre("0", "1", "2"));
  EXPECT_THAT(table->values, ElementsAre(1, -2000, 0.5));
  const test::TempDir dir;
  table = read_as<parse_csv>(dir.write("a.csv", "\xef\xbb\xbfx,y\n1,2\n"));
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_THAT(table->columns, ElementsAre("x", "y"));
  const auto numbers = read_as<parse_csv>(dir.write("b.csv", "\xef\xbb\xbf\x33,4\n1,2\n"));
  ASSERT_TRUE(numbers) << numbers.error().message();
  EXPECT_THAT(numbers->values, ElementsAre(3, 4, 1, 2));
}

TEST(Csv, ReadsQuotedFields) {
  const auto table = parse_csv("a.csv",
                               "\"x, in m\",\"the \"\"y\"\"\", z,\"of two\nlines\"\r\n"
                               "\"1\",2, \" +3 \" ,4\r\n5,6,7,\"8\"\n");
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_THAT(table->columns, ElementsAre("x, in m", "the \"y\"", "z", "of two\nlines"));
  EXPECT_THAT(table->values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  for (const char* text :
       {"\"a b\" \"c\"\n1 \"2\" \n", "\"a b\"\t\"c\"\n1\t\"2\"\t\n", "'';\"a b\";c\n\"0\";1;2\n"}) {
    const auto other = parse_csv("a.csv", text);
    ASSERT_TRUE(other) << other.error().message();
    EXPECT_EQ(other->columns[other->num_columns() - 2], "a b");
    EXPECT_EQ(other->values.back(), 2);
  }
}

TEST(Csv, RoundTrips) {
  const test::TempDir dir;
  const std::vector<double> values = {0.1, 1e-300, -7, 1.0 / 3};
  for (const std::vector<std::string>& columns :
       {std::vector<std::string>{"a", "b"}, {"0", "1"}, {"x, in m", "the \"y\""}}) {
    const CsvTable table{columns, values};
    ASSERT_TRUE(write_csv(dir.path() / "a.csv.bz2", table));
    EXPECT_EQ(*read_as<parse_csv>(dir.path() / "a.csv.bz2"), table);
  }
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
  EXPECT_EQ(message("x,\"y\nz\"\n1,2\n3,\"4\n5\"\n"),
            "a.csv:4: found '4.5' in column y.z where a number should be");
  EXPECT_EQ(message("\"x\ny\",z\n\n1\n"),
            "a.csv:4: the line has 1 fields, but the table has 2 columns (x\ny, z)");
  EXPECT_EQ(message("x,y\n1,\"2\n3,4\n"), "a.csv:2: the quote before '2' is never closed");
  EXPECT_EQ(
      message("x,y\n1,\"2\"b\n"),
      "a.csv:2: found 'b' behind the quoted field '2', where ',' or the end of the line should "
      "be");
  EXPECT_EQ(message("1.5.2\n2\n"), "a.csv:1: found '1.5.2' in column 0 where a number should be");
  for (const char* damaged : {"0x10", "1_000", "12a", "1.5f", "-.5u", "1>5", "1/2"}) {
    EXPECT_EQ(message(fmt::format("{},{}\n2,3\n", damaged, damaged)),
              fmt::format("a.csv:1: found '{}' in column 0 where a number should be", damaged));
  }
  EXPECT_EQ(message("1e999 -2-\n2 3\n"),
            "a.csv:1: found '1e999' in column 0 where a number should be");
  EXPECT_EQ(message("x,y\n"), "a.csv: has no line of numbers");
  EXPECT_THAT(message("\x01\x02\n"), HasSubstr("no line of numbers"));
}

}  // namespace
}  // namespace thallo
