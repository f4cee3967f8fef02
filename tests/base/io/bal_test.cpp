#include "core/base/io/bal.h"

#include <gmock/gmock.h>

#include <chrono>

#include "core/base/io/file.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr;

// 2 cameras, 1 point, 2 observations.
const std::string Observations = "2 1 2\n0 0 -1.5 2.5e1\n1 0 3 4\n";
const std::string Values =
    "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    "-1\n-2\n-3\n-4\n-5\n-6\n-7\n-8\n-9\n"
    "0.1\n0.2\n0.3\n";

std::string error_of(const std::string& content) {
  const test::TempDir dir;
  const auto problem = read_as<parse_bal>(dir.write("a.txt", content));
  return problem ? "no error" : problem.error().message();
}

TEST(Bal, ReadsCamerasPointsAndObservationsToTheLastDigit) {
  const test::TempDir dir;
  const auto problem = read_as<parse_bal>(dir.write("a.txt", Observations + Values));
  ASSERT_TRUE(problem) << problem.error().message();
  ASSERT_EQ(problem->cameras.size(), 2u);
  EXPECT_EQ(problem->cameras[1][8], -9.0);
  EXPECT_THAT(problem->points, testing::ElementsAre(BalProblem::Point{0.1, 0.2, 0.3}));
  EXPECT_THAT(problem->observations, testing::ElementsAre(BalObservation{0, 0, -1.5, 25.0},
                                                          BalObservation{1, 0, 3.0, 4.0}));
  BalProblem whole;
  whole.cameras.push_back({1.0 / 3.0, 1e-300, -2e17, 4, 5, 6, 700.25, -1e-8, 1e-12});
  whole.points = {{0.1, -0.2, 1.0 / 7.0}, {1, 2, 3}};
  whole.observations = {{0, 1, 1.0 / 9.0, -2.5}, {0, 0, 12, 13}};
  for (const char* name : {"a.txt", "a.txt.bz2"}) {
    ASSERT_TRUE(write_bal(dir.path() / name, whole));
    EXPECT_EQ(*read_as<parse_bal>(dir.path() / name), whole);
  }
}

TEST(Bal, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("2 1 2\n0 0 1 2\n2 0 3 4\n" + Values),
              HasSubstr("a.txt:3: observation 1 names camera 2, but there are 2 cameras (from 0)"));
  EXPECT_THAT(error_of("2 1 2\n0 -1 1 2\n1 0 3 4\n" + Values),
              HasSubstr("a.txt:2: observation 0 names point -1, but there are 1 points (from 0)"));
  EXPECT_THAT(error_of(Observations + Values.substr(0, Values.size() - 4)),
              HasSubstr("the file ends where number 2 of point 0 (a finite number) should be"));
  EXPECT_THAT(error_of("2 1 2\n0 0 1 2\n1 0 3" + std::string(80, '\n')),
              HasSubstr("the file ends where y of observation 1 (a finite number) should be"));
  EXPECT_THAT(error_of("1 22106 83718\n0 0 1 2\n"),
              HasSubstr("a.txt:1: the file is truncated: it promises 22106 points"));
  EXPECT_THAT(error_of("ply\nformat ascii 1.0\n"),
              HasSubstr("a.txt:1: found 'ply' where the number of cameras should be; a BAL file "
                        "starts with three counts"));
  EXPECT_THAT(error_of("2 -1 2\n0 0 1 2\n"),
              HasSubstr("a.txt:1: found '-1' where the number of points should be; a BAL file"));
  EXPECT_THAT(error_of(""), HasSubstr("the file ends where the number of cameras should be"));
  EXPECT_THAT(error_of(Observations + Values + "1.0\n"),
              HasSubstr("found '1.0' where the end of the file should be"));
  EXPECT_THAT(error_of("2 1 2\n0 0 nan 2\n1 0 3 4\n" + Values),
              HasSubstr("a.txt:2: found 'nan' where x of observation 0 (a finite number) should"));
  EXPECT_THAT(error_of(Observations + "inf" + Values.substr(1)),
              HasSubstr("a.txt:4: found 'inf' where number 0 of camera 0"));
  EXPECT_THAT(read_as<parse_bal>("/no/such/bal.txt").error().message(),
              HasSubstr("/no/such/bal.txt: cannot be opened"));
}

TEST(Bal, ReadsDubrovnik16Quickly) {
  THALLO_REQUIRE_DATA(path, "bal/dubrovnik-problem-16-22106-pre.txt.bz2");
  const test::TempDir dir;
  const auto plain = dir.write("dubrovnik.txt", *read_file(path));
  const auto begin = std::chrono::steady_clock::now();
  const auto problem = read_as<parse_bal>(plain);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(problem) << problem.error().message();
  EXPECT_EQ(problem->cameras.size(), 16u);
  EXPECT_EQ(problem->points.size(), 22106u);
  EXPECT_EQ(problem->observations.size(), 83718u);
  EXPECT_LT(seconds.count(), 2.0) << "0.1 s without optimization on an idle machine";
  RecordProperty("seconds", std::to_string(seconds.count()));
}

TEST(Bal, ReadsOtherPublishedFiles) {
  for (const char* name :
       {"bal/ladybug-problem-49-7776-pre.txt.bz2", "bal/trafalgar-problem-21-11315-pre.txt.bz2",
        "bal/dubrovnik-3-7-pre.txt"}) {
    THALLO_REQUIRE_DATA(path, name);
    const auto problem = read_as<parse_bal>(path);
    EXPECT_TRUE(problem) << problem.error().message();
  }
}

}  // namespace
}  // namespace thallo
