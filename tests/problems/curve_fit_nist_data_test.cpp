#include "problems/curve_fit/nist_data.h"

#include <gmock/gmock.h>

#include <string>

#include "problems/curve_fit/models.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo::curve_fit {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// The shape of the real files, with prose where they have prose.
constexpr std::string_view Small = R"(NIST/ITL StRD
Dataset Name:  Tiny              (Tiny.dat)

Procedure:     Nonlinear Least Squares Regression

Data:          1 Response   (y = yield)
               2 Predictors (x1 = time; x2 = temperature)
               3 Observations
               Lower Level of Difficulty

Model:         Exponential Class
               2 Parameters (b1 and b2)

               y = b1 * x1**b2 * x2  +  e

        Start 1     Start 2           Parameter     Standard Deviation
  b1 =   500         -2.5e-3       2.3894212918E+02  2.7070075241E+00
  b2 =     .0001      0.0005      +5.5015643181E-04  7.2668688436E-06

Residual Sum of Squares:                    1.2455138894E-01
Number of Observations:                            3

Data:   y              x1    x2
      10.07E0      77.6E0    1
      14.73E0     114.9E0    2
     -17.94E0     141.1E0   .5
)";

std::string replaced(std::string_view what, std::string_view by) {
  std::string text(Small);
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string error_of(const std::string& text) {
  const auto data = parse_nist("tiny.dat", text);
  return data ? "no error" : data.error().message();
}

TEST(NistData, ReadsEverySectionWithAnyLineEnds) {
  auto data = parse_nist("tiny.dat", Small);
  ASSERT_TRUE(data) << data.error().message();
  EXPECT_EQ(data->name, "Tiny");
  EXPECT_THAT(data->starts[0], ElementsAre(500, 0.0001));
  EXPECT_THAT(data->starts[1], ElementsAre(-2.5e-3, 0.0005));
  EXPECT_THAT(data->certified, ElementsAre(2.3894212918E+02, 5.5015643181E-04));
  EXPECT_THAT(data->standard_deviations, ElementsAre(2.7070075241E+00, 7.2668688436E-06));
  EXPECT_EQ(data->residual_sum_of_squares, 1.2455138894E-01);
  EXPECT_THAT(data->response, ElementsAre(10.07, 14.73, -17.94));
  ASSERT_EQ(data->predictors.size(), 2u);
  EXPECT_THAT(data->predictors[0], ElementsAre(77.6, 114.9, 141.1));
  EXPECT_THAT(data->predictors[1], ElementsAre(1, 2, 0.5));
  std::string text;
  for (const char c : Small) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  data = parse_nist("tiny.dat", text);
  ASSERT_TRUE(data) << data.error().message();
  EXPECT_EQ(data->num_observations(), 3);
}

TEST(NistData, NamesWhatIsWrong) {
  EXPECT_THAT(error_of(""), HasSubstr("no NIST StRD data set"));
  EXPECT_THAT(error_of("ply\nformat ascii 1.0\n"),
              HasSubstr("tiny.dat:1: this is no NIST StRD data set"));
  EXPECT_THAT(error_of("NIST/ITL StRD\nnothing else\n"), HasSubstr("without 'Dataset Name:'"));
  EXPECT_THAT(error_of(replaced("114.9E0", "114.9EO")),
              HasSubstr("tiny.dat:25: '114.9EO' is not a finite number"));
  EXPECT_THAT(error_of(replaced("114.9E0", "inf")), HasSubstr("'inf' is not a finite number"));
  EXPECT_THAT(error_of(replaced("  7.2668688436E-06", "")),
              HasSubstr("tiny.dat:18: 4 numbers should stand here"));
  EXPECT_THAT(error_of(replaced("  b2 =", "  b3 =")), HasSubstr("the line of b2"));
  EXPECT_THAT(error_of(replaced("3 Observations", "0 Observations")),
              HasSubstr("tiny.dat:8: 0 Observations are too few"));
  EXPECT_THAT(error_of(replaced("2 Predictors", "two Predictors")),
              HasSubstr("the number of Predictors"));
  EXPECT_THAT(error_of(replaced("141.1E0   .5", "141.1E0")),
              HasSubstr("tiny.dat:26: 3 numbers should stand here"));
  EXPECT_THAT(error_of(replaced("3 Observations", "4 Observations")),
              HasSubstr("the file ends after 3 of the 4 observations"));
  EXPECT_THAT(error_of(replaced("3 Observations", "2 Observations")),
              HasSubstr("tiny.dat:26: there are more rows than the 2 observations"));
  // Cut anywhere before the last row's last number; a text cut inside a number may still be one.
  const std::size_t end = Small.rfind('.');
  for (std::size_t length = 0; length < end; ++length) {
    EXPECT_FALSE(parse_nist("tiny.dat", Small.substr(0, length))) << "cut at " << length;
  }
  const test::TempDir folder;
  const auto data = read_nist(folder.path() / "absent.dat");
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().message(), HasSubstr("absent.dat"));
}

TEST(NistData, ReadsAll27Sets) {
  THALLO_REQUIRE_DATA(folder, "nist");
  EXPECT_EQ(nist_sets().size(), 27u);
  for (const NistSet& set : nist_sets()) {
    const auto data = read_nist(folder / (std::string(set.name) + ".dat"));
    ASSERT_TRUE(data) << data.error().message();
    EXPECT_EQ(data->name, set.name);
  }
}

TEST(CorrectDigits, IsTheLogarithmOfTheRelativeError) {
  EXPECT_EQ(correct_digits(2.5, 2.5), 11);
  EXPECT_NEAR(correct_digits(1.001, 1.0), 3, 1e-9);
  EXPECT_NEAR(correct_digits(-2e-7, -2.0002e-7), 4, 1e-3);
  EXPECT_EQ(correct_digits(-1, 1), 0) << "never negative";
  EXPECT_EQ(correct_digits(std::numeric_limits<double>::quiet_NaN(), 1), 0);
}

}  // namespace
}  // namespace thallo::curve_fit
