// thallo print jacobian, gradient and jtj.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "core/base/io/file.h"
#include "core/base/io/npy.h"
#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// Residuals x(i) - 2 of two unknowns at 0.
TEST(CliPrintNumbers, TheJacobianNamesItsRowsAndColumnsAndTheGradientIsAVector) {
  EXPECT_EQ(succeeded(thallo({"print", "jacobian", "tiny", "--entries", "2"})).out,
            "%%MatrixMarket matrix coordinate real general\n"
            "% jacobian of 'tiny'\n"
            "% row 1: fit[0] at (0) = -2\n"
            "% row 2: fit[0] at (1) = -2\n"
            "% column 1: x(0) channel 0\n"
            "% column 2: x(1) channel 0\n"
            "2 2 2\n"
            "1 1 1\n"
            "2 2 1\n");
  auto json = json_of(thallo({"print", "jacobian", "tiny", "--entries", "2", "--json"}));
  EXPECT_EQ(json["what"], "jacobian");
  EXPECT_EQ(json["entries"], nlohmann::json::parse("[[0, 0, 1.0], [1, 1, 1.0]]"));
  EXPECT_EQ(json["rows"][1],
            nlohmann::json::parse(
                R"({"group": "fit", "residual": 0, "point": [1], "value": -2.0, "weight": 1.0})"));
  EXPECT_EQ(json["columns"][1],
            nlohmann::json::parse(
                R"({"unknown": "x", "element": [1], "channel": 0, "is_excluded": false})"));
  json = json_of(thallo({"print", "gradient", "tiny", "--entries", "2", "--json"}));
  EXPECT_THAT(json["values"], ElementsAre(-2, -2));
  EXPECT_EQ(json["rows"][1]["unknown"], "x");
  EXPECT_THAT(thallo({"print", "gradient", "tiny", "--entries", "2"}).out,
              HasSubstr("% row 2: x(1) channel 0\n2 1\n-2\n-2\n"));
}

// What is written is J, the same in every form, and JtJ is made of it.
TEST(CliPrintNumbers, AreWrittenSparseAndDense) {
  const TempDir folder;
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  const auto print = [&](const char* what, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"print", what, "image_warping", "--size", "16"});
    return succeeded(thallo(flags)).out;
  };
  const std::string limit = "--limit=2000000";
  EXPECT_EQ(print("jacobian", {"--npy", file("j.npy"), "--mtx", file("j.mtx"), limit}), "");
  print("jtj", {"--npy", file("jtj.npy")});
  const auto j = read_as<parse_npy>(file("j.npy"));
  const auto jtj = read_as<parse_npy>(file("jtj.npy"));
  ASSERT_TRUE(j && jtj);
  constexpr std::size_t Rows = 2560, Columns = 768;
  EXPECT_THAT(j->shape, ElementsAre(Rows, Columns));
  EXPECT_THAT(jtj->shape, ElementsAre(Columns, Columns));
  EXPECT_EQ(read_file(file("j.mtx")).value(), print("jacobian", {}));

  const std::vector<double>& dense = std::get<std::vector<double>>(j->values);
  std::vector<double> listed(Rows * Columns), product(Columns * Columns);
  std::vector<std::vector<std::size_t>> columns(Rows);
  const auto json = nlohmann::json::parse(print("jacobian", {"--json"}));
  for (const auto& entry : json["entries"]) {
    const auto row = entry[0].get<std::size_t>(), column = entry[1].get<std::size_t>();
    columns[row].push_back(column);
    listed[row * Columns + column] = entry[2];
  }
  EXPECT_EQ(listed, dense);
  for (std::size_t row = 0; row < Rows; ++row) {
    for (const std::size_t a : columns[row]) {
      for (const std::size_t b : columns[row])
        product[a * Columns + b] += dense[row * Columns + a] * dense[row * Columns + b];
    }
  }
  EXPECT_THAT(std::get<std::vector<double>>(jtj->values),
              testing::Pointwise(testing::DoubleNear(1e-9), product));
}

TEST(CliPrintNumbers, MoreThanTheLimitAreRefused) {
  const auto why = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "print");
    const auto result = refused(thallo(arguments));
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  const TempDir folder;
  const std::string file = (folder.path() / "j.npy").string();
  EXPECT_THAT(
      why({"gradient", "tiny", "--limit", "2"}),
      HasSubstr("gradient of 'tiny': it has 3 residuals, and the limit is 2; take a smaller "
                "instance, or raise --limit"));
  EXPECT_THAT(
      why({"jacobian", "tiny", "--limit", "8", "--npy", file}),
      HasSubstr("it has 3 x 3 numbers in a .npy file, and the limit is 8; write its entries "
                "alone (--mtx), or raise --limit"));
  EXPECT_EQ(thallo({"print", "jacobian", "tiny", "--limit", "9", "--npy", file}).exit_code, Ok);
  EXPECT_THAT(why({"jacobian", "image_warping", "--size", "16", "--limit", "2600"}),
              HasSubstr("entries, and the limit is 2600"));
  EXPECT_THAT(why({"jtj", "image_warping", "--size", "16", "--limit", "2600"}),
              HasSubstr("it has more entries, and the limit is 2600"));
  EXPECT_THAT(why({"plan", "tiny", "--mtx", file}),
              HasSubstr("--mtx, --npy and --limit are of `thallo print jacobian`"));
}

}  // namespace
}  // namespace thallo::test
