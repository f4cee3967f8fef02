// Input files of the real problems that are absent, cut off or something else: one line on stderr
// that names the file, exit code 2.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::IsEmpty, testing::StartsWith;

// Two cameras, one point, two observations.
constexpr const char* Bal =
    "2 1 2\n0 0 10.0 20.0\n1 0 -5.0 7.5\n"
    "0\n0\n0\n0\n0\n0\n500\n0\n0\n"
    "0\n0.1\n0\n0.5\n0\n0\n500\n0\n0\n"
    "0.25\n0.5\n-10\n";

class CliFile : public testing::Test {
 protected:
  // Solving with this file is refused in one line that has `fault` in it.
  void expect_refused(const std::string& problem, const std::string& file,
                      const std::string& fault) {
    const auto result =
        refused(thallo({"solve", problem, "--backend", "interpreter", "--file", file}));
    EXPECT_THAT(result.err, StartsWith("thallo: " + file));
    EXPECT_THAT(result.err, HasSubstr(fault));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
  }
  std::string write(const std::string& name, const std::string& content) {
    return folder_.write(name, content).string();
  }

  TempDir folder_;
};

TEST_F(CliFile, FilesThatAreNoneAreNamed) {
  const std::string file = (folder_.path() / "none.txt").string();
  for (const char* problem : {"bundle_adjustment", "curve_fit", "image_warping"}) {
    expect_refused(problem, file, "No such file or directory");
  }
  expect_refused("bundle_adjustment", folder_.path().string(), "");
  const std::string text = write("text.txt", "once upon a time\n");
  expect_refused("bundle_adjustment", text, "BAL");
  expect_refused("curve_fit", text, "NIST");
  expect_refused("image_warping", text, "");
  expect_refused("bundle_adjustment", write("damaged.txt.bz2", "BZh91AY&SY\x01\x02\x03"), "");
}

TEST_F(CliFile, AGoodBalFileIsSolvedAndAFaultyOneRefused) {
  const auto result =
      succeeded(thallo({"solve", "bundle_adjustment", "--backend", "interpreter", "-q", "--set",
                        "nIterations=2", "--file", write("good.txt", Bal)}));
  EXPECT_THAT(result.out, HasSubstr("21 unknowns, 4 residuals"));
  std::string bal = Bal;
  expect_refused("bundle_adjustment", write("cut.txt", bal.substr(0, bal.size() - 10)), "ends");
  bal = Bal;
  bal.replace(bal.find("1 0 -5.0"), 1, "7");
  expect_refused("bundle_adjustment", write("index.txt", bal), "camera");
  bal = Bal;
  bal.replace(bal.find("0.25"), 4, "nan");
  expect_refused("bundle_adjustment", write("nan.txt", bal), "finite");
}

TEST_F(CliFile, InformationThatIsNoneIsRefusedOrRepairedAndCounted) {
  const std::string file = write("two.g2o",
                                 "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0\n"
                                 "VERTEX_SE2 2 5 0 0\nVERTEX_SE2 3 6 0 0\n"
                                 "EDGE_SE2 0 1 1 0 0  1 2 0 1 0 1\n"
                                 "EDGE_SE2 2 3 1 0 0.1  1 0 0 1 0 1\n");
  EXPECT_THAT(refused(thallo({"solve", "pose_graph", "--backend", "interpreter", "--file", file,
                              "--repair-information=false"}))
                  .err,
              HasSubstr("edge 1 (0 to 1) is not positive semidefinite (--repair-information"));
  const auto result =
      succeeded(thallo({"solve", "pose_graph", "--backend", "interpreter", "--file", file, "-q"}));
  EXPECT_THAT(result.out, HasSubstr("1 repaired information matrices"));
  EXPECT_THAT(result.out, HasSubstr("2 parts that no measurement connects"));
  EXPECT_THAT(result.err, HasSubstr("2 parts of the graph are connected by no measurement"));
}

}  // namespace
}  // namespace thallo::test
