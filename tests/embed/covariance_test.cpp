#include "core/embed/covariance.h"

#include <gmock/gmock.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

using ::testing::HasSubstr;

EnergySolver solver_of(std::string_view text) {
  auto solver = EnergySolver::load_text(text, "energy.lua", {.backend = "interpreter"});
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  return *std::move(solver);
}

std::string message_of(const Expected<Covariance>& result) {
  return result ? "" : result.error().message();
}

// A line through points: JtJ is (sum t^2, sum t; sum t, n).
TEST(CovarianceTest, OfALineIsTheInverseOfItsNormalMatrix) {
  EnergySolver solver = solver_of(R"(
local N, U = Dims("N", "U")
Inputs { line = Unknown(float2, {U}), t = Array(double, {N}), y = Array(double, {N}) }
local n = N()
Residuals { fit = line(0)(0) * t(n) + line(0)(1) - y(n) })");
  std::vector<double> line = {0, 0}, t = {0, 1, 2, 3}, y = {1, 3, 5, 7};
  solver.bind("line", line, {1}).bind("t", t).bind("y", y);
  const std::vector<UnknownElement> elements = {{"line", {0}}};
  const auto found = solver.covariance(elements);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->num_rows(), 2u);
  EXPECT_NEAR(found->at(0, 0), 4.0 / 20, 1e-14);
  EXPECT_NEAR(found->at(0, 1), -6.0 / 20, 1e-14);
  EXPECT_NEAR(found->at(1, 0), -6.0 / 20, 1e-14);
  EXPECT_NEAR(found->at(1, 1), 14.0 / 20, 1e-14);
}

constexpr std::string_view Chain = R"(
local W, H, E = Dims("W", "H", "E")
Inputs { X = Unknown(float2, {W, H}), A = Array(float2, {W, H}), held = Array(uint8, {W, H}),
         w = Param(float), from = Sparse({E}, {W, H}), to = Sparse({E}, {W, H}) }
local x, y, e = W(), H(), E()
X:Exclude(eq(held(x, y), 1))
local d = X(to(e)) - X(from(e))
Residuals { fit = w * (X(x, y) - A(x, y)), bend = Vector(d(0) * d(0) + d(1), d(0) - 3 * d(1)) }
)";

struct ChainData {
  std::vector<double> x, a;
  std::vector<std::uint8_t> held = std::vector<std::uint8_t>(6);
  std::vector<std::int32_t> from = {0, 0, 1, 0, 2, 0, 2, 1}, to = {1, 0, 2, 0, 2, 1, 0, 1};
  ChainData() {
    for (int i = 0; i < 12; ++i) {
      x.push_back(std::sin(i));
      a.push_back(std::cos(2 * i));
    }
  }
  EnergySolver solver(double weight) {
    EnergySolver made = solver_of(Chain);
    made.bind("X", x, {3, 2}).bind("A", a).bind("held", held).bind("w", weight);
    made.bind("from", from).bind("to", to);
    return made;
  }
};

TEST(CovarianceTest, IsThatOfTheWholeSystemForEveryElement) {
  ChainData data;
  data.held[4] = 1;  // (1, 1)
  const EnergySolver solver = data.solver(0.5);
  std::vector<UnknownElement> all;
  for (std::int64_t y = 0; y < 2; ++y)
    for (std::int64_t x = 0; x < 3; ++x) all.push_back({"X", {x, y}});
  const auto found = solver.covariance(all);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->num_rows(), 12u);

  const auto linearized = solver.linearize();
  ASSERT_TRUE(linearized);
  const std::vector<double> dense = linearized->jtj()->to_dense();
  Eigen::MatrixXd jtj =
      Eigen::Map<const Eigen::Matrix<double, 12, 12, Eigen::RowMajor>>(dense.data());
  for (Eigen::Index i : {8, 9}) {
    jtj.row(i).setZero();
    jtj.col(i).setZero();
    jtj(i, i) = 1;
  }
  const Eigen::MatrixXd inverse = jtj.inverse();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      const bool is_held = i / 2 == 4 || j / 2 == 4;
      const double wanted =
          is_held ? 0 : inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      EXPECT_NEAR(found->at(i, j), wanted, 1e-12 * (1 + std::abs(wanted))) << i << " " << j;
    }
  const std::vector<UnknownElement> two = {{"X", {2, 1}}, {"X", {0, 0}}};
  const auto part = solver.covariance(two);
  ASSERT_TRUE(part);
  EXPECT_NEAR(part->at(0, 3), found->at(10, 1), 1e-15);
}

TEST(CovarianceTest, OfWhatIsNotDeterminedIsRefusedAlone) {
  EnergySolver solver = solver_of(R"(
local N, E = Dims("N", "E")
Inputs { X = Unknown(double2, {N}), A = Array(double2, {E}), to = Sparse({E}, {N}) }
local e = E()
Residuals { r = 2 * (X(to(e)) - A(e)) })");
  std::vector<double> x = {1, 1, 1, 1, 1, 1}, a = {0, 1, 2, 3, 4, 5};
  std::vector<std::int32_t> to = {0, 1, 0};
  solver.bind("X", x, {3}).bind("A", a, {3}).bind("to", to);
  const std::vector<UnknownElement> two = {{"X", {0}}, {"X", {1}}}, third = {{"X", {2}}};
  const auto found = solver.covariance(two);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_NEAR(found->at(0, 0), 1.0 / 8, 1e-14);
  EXPECT_NEAR(found->at(2, 2), 1.0 / 4, 1e-14);
  EXPECT_EQ(found->at(0, 2), 0);
  EXPECT_THAT(message_of(solver.covariance(third)),
              testing::AllOf(HasSubstr("J is rank-deficient: the residuals do not determine X(2)"),
                             HasSubstr("exclude unknowns that are to stay")));
}

// The sum of three unknowns is determined, and of them alone the first.
TEST(CovarianceTest, OfWhatIsDeterminedBesideConnectedUnknownsThatAreNot) {
  EnergySolver solver = solver_of(R"(
local N, U = Dims("N", "U")
Inputs { X = Unknown(double, {N}), A = Array(double, {U}) }
local u = U()
Residuals { one = 2 * X(0) - A(u), all = X(0) + X(1) + 5 * X(2) - A(u) })");
  std::vector<double> x = {1, 1, 1}, a = {0};
  solver.bind("X", x, {3}).bind("A", a, {1});
  const std::vector<UnknownElement> first = {{"X", {0}}};
  const auto found = solver.covariance(first);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_NEAR(found->at(0, 0), 1.0 / 4, 1e-14);
  for (const std::int64_t other : {1, 2}) {
    const std::vector<UnknownElement> one = {{"X", {other}}};
    EXPECT_THAT(message_of(solver.covariance(one)), HasSubstr("do not determine X("));
  }
}

TEST(CovarianceTest, WantsElementsThatThereAre) {
  ChainData data;
  const EnergySolver solver = data.solver(1);
  const auto message = [&](std::string name, std::vector<std::int64_t> at) {
    const std::vector<UnknownElement> one = {{std::move(name), std::move(at)}};
    return message_of(solver.covariance(one));
  };
  EXPECT_EQ(message("Y", {0, 0}), "'energy' has no unknown 'Y' (legal: X)");
  EXPECT_EQ(message("A", {0, 0}), "'energy' has no unknown 'A' (legal: X)");
  EXPECT_EQ(message("X", {0}), "unknown 'X' has 2 dims, and (0) has 1 coordinates");
  EXPECT_EQ(message("X", {0, 2}),
            "unknown 'X' has no element (0, 2): coordinate 1 is outside 0 <= value < 2");
  EXPECT_EQ(solver.covariance({})->num_rows(), 0u);
}

}  // namespace
}  // namespace thallo
