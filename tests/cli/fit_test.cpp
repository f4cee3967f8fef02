// thallo fit: models that are fitted to stores.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/assets.h"
#include "core/base/io/file.h"
#include "tests/cli/thallo_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

class CliFit : public testing::Test {
 protected:
  void SetUp() override {
    if (run_process({THALLO_PYTHON, "-c", "import numpy"}).exit_code != 0)
      GTEST_SKIP() << "no Python with numpy";
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  static std::string corpus() { return find_asset("models/h100.store.xz")->string(); }
  static std::string shipped(const std::string& model) {
    return read_file(*find_asset("models/" + model + ".json")).value();
  }
  static std::vector<double> coefficients_of(const std::string& model) {
    std::vector<double> all;
    for (const auto& family : nlohmann::json::parse(model)["families"])
      for (const double coefficient : family["coefficients"]) all.push_back(coefficient);
    return all;
  }
  // Of an array of numbers, or of such arrays.
  static std::vector<double> numbers_of(const nlohmann::json& array) {
    std::vector<double> all;
    const nlohmann::json flat = array.flatten();
    for (const auto& [path, number] : flat.items()) all.push_back(number);
    return all;
  }
  static double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      difference += (a[i] - b[i]) * (a[i] - b[i]);
      size += b[i] * b[i];
    }
    return std::sqrt(difference / size);
  }
  static void expect_fault(const std::vector<std::string>& arguments, const std::string& message) {
    const ProcessResult result = refused(thallo(arguments));
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  }

  TempDir folder_;
};

// Finds a shipped model that today's features do not give; it reads all shipped measurements.
TEST_F(CliFit, MakesTheShippedLinearModelAgain) {
  const ProcessResult fitted = succeeded(
      thallo({"fit", corpus(), "--model", "learned-linear", "--out", path("m.json"), "--json"}));
  EXPECT_THAT(
      coefficients_of(read_file(path("m.json")).value()),
      testing::Pointwise(testing::DoubleNear(1e-3), coefficients_of(shipped("learned-linear"))));
  const auto rows = nlohmann::json::parse(fitted.out)["rows"];
  EXPECT_EQ(rows.size(), 23u);  // 15 problems, 7 random energies and their median
  EXPECT_EQ(rows.back()["problem"], "median");
}

// Takes seconds: it alone finds that another network is fitted than the shipped one.
//
// Adam makes much of the last digits of sums, whose order libraries choose: measurements that
// differ by a millionth give weights that differ by a fifth.
TEST_F(CliFit, MakesTheShippedNetworkAgain) {
  succeeded(
      thallo({"fit", corpus(), "--leave-out", "curve_fit", "--out", path("m.json"), "--json"}));
  const auto made = nlohmann::json::parse(read_file(path("m.json")).value());
  const auto known = nlohmann::json::parse(shipped("learned"));
  EXPECT_EQ(made["fitted_to"], known["fitted_to"]);
  EXPECT_EQ(made["properties"], known["properties"]);
  for (std::size_t layer = 0; layer < 3; ++layer)
    for (const char* what : {"weights", "biases"})
      EXPECT_LT(relative_difference(numbers_of(made["layers"][layer][what]),
                                    numbers_of(known["layers"][layer][what])),
                0.25)
          << what << " of layer " << layer;
}

TEST_F(CliFit, PredictsByAModelOfAFile) {
  ASSERT_TRUE(write_file(path("mine.json"), shipped("learned-linear")));
  const auto predicted = [](const std::string& model) {
    return succeeded(thallo({"explain", "next", "image_warping", "--model", model, "--device-spec",
                             "h200"}))
        .out;
  };
  EXPECT_EQ(predicted(path("mine.json")), predicted("learned-linear"));
  EXPECT_NE(predicted("learned-linear"), predicted("analytic"));
}

// Finds faults of options that come only after the stores were read.
TEST_F(CliFit, SaysWhatIsWrong) {
  open_store(path("empty.store"));
  expect_fault({"fit", path("empty.store")}, "nothing was measured");
  expect_fault({"fit", path("nothing.store")}, "nothing.store");
  expect_fault({"fit", corpus(), "--model", "forest"},
               "'forest' is no model that is fitted: learned-linear, learned");
  expect_fault({"fit", corpus(), "--leave-out", "image_warp"},
               "nothing was measured of a problem 'image_warp'; did you mean 'image_warping'?");
  expect_fault({"fit", corpus(), "--device", "A100"},
               "no measured device is called A100: NVIDIA H100 80GB HBM3");
  expect_fault({"explain", "curve_fit", "--model", path("nothing.json")}, "nothing.json");
  ASSERT_TRUE(write_file(path("damaged.json"), shipped("learned").substr(0, 999)));
  expect_fault({"explain", "curve_fit", "--model", path("damaged.json")},
               "damaged.json: this is no cost model");
}

// Records of earlier versions say too little of their steps.
TEST_F(CliFit, SaysThatAnEarlierVersionMeasured) {
  MeasurementStore store = open_store(path("old.store"));
  ASSERT_TRUE(store.add(all_records(), Existing::Keep));
  expect_fault({"fit", path("old.store")}, "an earlier version measured on NVIDIA H200");
}

}  // namespace
}  // namespace thallo::test
