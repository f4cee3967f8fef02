// Channels of unknowns that keep their start, X:Exclude(condition, channel).

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/embed/energy_solver.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::HasSubstr, testing::Pointwise;
using Values = std::vector<double>;

EnergySolver solver_of_text(const std::string& text) {
  auto solver = EnergySolver::load_text(text, "held.lua", {.backend = "interpreter"});
  if (!solver) throw InternalError(solver.error().message(), __FILE__, __LINE__);
  return *std::move(solver);
}

std::string refusal(const std::string& statement) {
  const auto solver = EnergySolver::load_text(
      "local N = Dims('N') Inputs { P = Unknown(double3, {N}), Q = Unknown(SE3, {N}) }\n"
      "local n = N() local first = eq(n:asvalue(), 0)\n" +
          statement + "\nResiduals { p = P(n), q = Q(n) }",
      "held.lua", {.backend = "interpreter"});
  return solver ? "" : solver.error().message();
}

TEST(HeldChannels, KeepTheirStart) {
  const std::string text = R"(
    local N = Dims("N")
    Inputs { P = Unknown(double3, {N}), S = Array(double3, {N}), Fixed = Array(int, {N}) }
    local n = N()
    P:Exclude(eq(n:asvalue(), 0), 1)
    Slice(P, 1, 3):Exclude(eq(Fixed(n), 1))
    local moved = P(n) - S(n)
    Residuals { r = moved, near = 0.001 * (P(n) - P(n + 1)) }
    moved:materialize())";
  for (const char* linear_solver : {"pcg", "dense", "sparse_cholesky"}) {
    EnergySolver solver = solver_of_text(text);
    Values p(9, 0.5);
    const Values s = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    const std::vector<std::int32_t> fixed = {0, 1, 0};
    SolverOptions options = SolverOptions::until_converged();
    options.linear_solver = linear_solver;
    const auto summary = solver.bind("P", p).bind("S", s).bind("Fixed", fixed).solve(options);
    ASSERT_TRUE(summary) << summary.error().message();
    EXPECT_THAT(p, Pointwise(DoubleNear(1e-3), Values{1, 0.5, 3, 1, 0.5, 0.5, 1, 2, 3}))
        << linear_solver;
    EXPECT_EQ(p[1], 0.5);
    EXPECT_EQ(p[5], 0.5);
  }
}

// Of nine numbers four are free, since what is held may be excluded, too.
TEST(HeldChannels, AreNotFreeAndHaveNoCovariance) {
  EnergySolver solver = solver_of_text(R"(
    local N = Dims("N")
    Inputs { P = Unknown(double3, {N}), S = Array(double3, {N}) }
    local n = N()
    P:Exclude(lesseq(n:asvalue(), 1), 0, 2)
    P:Exclude(eq(n:asvalue(), 1))
    Residuals { r = 2 * (P(n) - S(n)) })");
  Values p(9, 0.5);
  const Values s(9, 1);
  const auto summary = solver.bind("P", p).bind("S", s).solve();
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->num_unknowns, 9);
  EXPECT_EQ(summary->num_free_unknowns, 4);
  const UnknownElement first[] = {{"P", {0}}};
  const auto covariance = solver.covariance(first);
  ASSERT_TRUE(covariance) << covariance.error().message();
  EXPECT_THAT(covariance->values,
              Pointwise(DoubleNear(1e-15), Values{0, 0, 0, 0, 0.25, 0, 0, 0, 0}));
}

// The rotation of a pose has four values, of which a step has three.
TEST(HeldChannels, OfAPoseInSpaceAreThree) {
  EnergySolver solver = solver_of_text(R"(
    local N = Dims("N")
    Inputs { Pose = Unknown(SE3, {N}), Seen = Array(double3, {N}) }
    local n = N()
    Slice(Pose, 3, 7):Exclude(greatereq(n:asvalue(), 0))
    Residuals { r = Pose(n):slice(0, 3) - Seen(n) })");
  Values poses = {0, 0, 0, 0, 0, 0, 1};
  const Values seen = {1, 2, 3};
  const auto summary = solver.bind("Pose", poses).bind("Seen", seen).solve();
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->num_free_unknowns, 3);
  const UnknownElement first[] = {{"Pose", {0}}};
  const auto covariance = solver.covariance(first);
  ASSERT_TRUE(covariance) << covariance.error().message();
  EXPECT_NEAR(covariance->at(0, 0), 1, 1e-12);
  EXPECT_EQ(covariance->at(5, 5), 0);
}

TEST(HeldChannels, OfPosesAreTheirPositionOrTheirRotation) {
  const std::string text = R"(
    local N = Dims("N")
    Inputs { Pose = Unknown(SE2, {N}), Seen = Array(double3, {N}) }
    local n = N()
    Slice(Pose, 2, 3):Exclude(eq(n:asvalue(), 0))
    Slice(Pose, 0, 2):Exclude(eq(n:asvalue(), 1))
    Residuals { r = Pose(n) - Seen(n) })";
  EnergySolver solver = solver_of_text(text);
  Values poses = {0, 0, 0.5, 0, 0, 0.5, 0, 0, 0.5};
  const Values seen = {1, 2, 1, 1, 2, 1, 1, 2, 1};
  const auto summary = solver.bind("Pose", poses).bind("Seen", seen).solve();
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_THAT(poses, Pointwise(DoubleNear(1e-7), Values{1, 2, 0.5, 0, 0, 1, 1, 2, 1}));
}

TEST(HeldChannels, AreThoseThatThereAre) {
  EXPECT_EQ(
      refusal("P:Exclude(first, 0, 2) Q:Exclude(first, 0, 1, 2) Slice(Q, 0, 7):Exclude(first)"),
      "");
  EXPECT_THAT(refusal("P:Exclude(first, 3)"),
              HasSubstr("held.lua:3: 'P': there is no channel 3; channels count from 0"));
  EXPECT_THAT(refusal("Slice(Q, 3, 6):Exclude(first)"),
              HasSubstr("held.lua:3: 'Q': the channels of a pose are held together, 0 to 2 (its "
                        "position) or 3 to 6 (its rotation)"));
  EXPECT_THAT(refusal("P:Exclude(less(P(n, 0), 1), 1)"),
              HasSubstr("held.lua:3: 'P': the condition under which channels are held reads"));
}

}  // namespace
}  // namespace thallo
