#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

// Takes seconds: it solves a problem to convergence by default and with every linear solver,
// compiled for the cpu.
TEST(CliBenchAccuracy, SaysWhenEachLinearSolverIsNearTheOptimum) {
  const auto json = json_of(thallo({"bench", "accuracy", "--only", "10 cameras", "--runs", "2",
                                    "--every-solver", "--backend", "cpu", "--json"}));
  const auto& rows = json["accuracy"]["rows"];
  std::set<std::string> named;
  for (const auto& row : rows) {
    EXPECT_EQ(row["unknowns"], 990);
    EXPECT_EQ(row["runs"], 2);
    EXPECT_NEAR(row["above_optimum_percent"], 0, 0.01);
    EXPECT_GT(row["seconds_to_1"], 0);
    EXPECT_LE(row["seconds_to_1"], row["seconds_to_01"]);
    EXPECT_LE(row["seconds_to_01_least"], row["seconds_to_01"]);
    EXPECT_LE(row["seconds_to_01"], row["seconds_to_001"]);
    EXPECT_LE(row["seconds_to_001"], row["seconds"]);
    named.insert(row["named"]);
  }
  EXPECT_EQ(rows[0]["named"], "default");
  EXPECT_THAT(named, testing::IsSupersetOf({"default", "pcg, jacobi", "pcg, block_jacobi",
                                            "schur_cholesky", "sparse_cholesky"}));
  EXPECT_EQ(rows.size(), named.size());
}

TEST(CliBenchAccuracy, RunsOnlyWhereItIsNamed) {
  const auto none =
      refused(thallo({"bench", "published", "--only", "no such case", "--backend", "cpu"}));
  EXPECT_THAT(none.err, HasSubstr("no case has 'no such case' in its name (legal: image_warping"));
  const auto help = thallo({"bench", "--help"});
  EXPECT_THAT(help.out, HasSubstr("none named: all but accuracy"));
}

}  // namespace
}  // namespace thallo::test
