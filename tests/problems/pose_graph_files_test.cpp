// Pose graphs from files: what is in them counts as it should, and the result is written back.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "core/base/io/file.h"
#include "core/base/io/g2o.h"
#include "core/base/log.h"
#include "core/problem/report/report.h"
#include "tests/problems/runs.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::DoubleNear, testing::Pointwise;

constexpr double Pi = 3.14159265358979323846;

class PoseGraphFile : public testing::Test {
 protected:
  thallo::Run solve(const std::string& text, const std::string& loss = "") {
    const auto file = folder_.write("a.g2o", text);
    return run("pose_graph", {{"file", file.string()}, {"loss", loss}});
  }

  // What is written of the result.
  PoseGraph written(const thallo::Run& run) {
    const auto files = write_report(run.report, folder_.path() / "out");
    EXPECT_TRUE(files) << files.error().message();
    auto graph = read_as<parse_g2o>(folder_.path() / "out" / run.report.files.front().path);
    EXPECT_TRUE(graph) << graph.error().message();
    return *graph;
  }

  TempDir folder_;
};

// The pose (1, 2) looks along y, so that it sees (0.5, 4) at (2, 0.5): the error is (-0.5, 0.25).
TEST_F(PoseGraphFile, APointIsWhereItsPoseSeesIt) {
  const thallo::Run run = solve(
      "VERTEX_SE2 7000000000 1 2 1.5707963267948966\nVERTEX_XY 8 0.5 4\nFIX 7000000000\n"
      "EDGE_SE2_XY 7000000000 8 2.5 0.25  4 0 1\n");
  EXPECT_NEAR(run.solution.initial_cost(), 0.5 * (4 * 0.25 + 0.0625), 1e-12);
  EXPECT_LT(run.solution.final_cost(), 1e-12);
  const PoseGraph graph = written(run);
  EXPECT_EQ(graph.ids.front(), 7000000000);
  EXPECT_THAT(graph.landmarks.positions, Pointwise(DoubleNear(1e-7), {0.75, 4.5}));
  EXPECT_THAT(graph.poses, testing::ElementsAre(1, 2, 1.5707963267948966));
}

TEST_F(PoseGraphFile, OfToroIsWrittenAsToroAndMayBeMillimeters) {
  thallo::Run run = solve("VERTEX2 3 0 0 0\nVERTEX2 4 9 9 0\nEDGE2 3 4 1 2 0.5  1 0 2 3 0 0\n");
  EXPECT_EQ(run.report.files.front().path, "graph.graph");
  const PoseGraph graph = written(run);
  EXPECT_THAT(graph.poses, Pointwise(DoubleNear(1e-6), {0.0, 0.0, 0.0, 1.0, 2.0, 0.5}));
  EXPECT_THAT(graph.toro_edges, testing::ElementsAre(1, 2, 0.5, 1, 0, 2, 3, 0, 0));
  // Two measurements in mm, sure to 10 m and 1 mrad: the pose is between them, wherever it starts.
  run = solve(
      "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 10000 5000 0\nFIX 0\n"
      "EDGE_SE2 0 1 10000 0 0 1e-8 0 0 1e-8 0 1e6\n"
      "EDGE_SE2 0 1 30000 0 0 1e-8 0 0 1e-8 0 1e6\n");
  EXPECT_NEAR(run.solution.initial_cost(), 0.5e-8 * (2 * 25e6 + 4e8), 1e-9);
  EXPECT_NEAR(run.solution.final_cost(), 1, 1e-9);
  EXPECT_THAT(written(run).poses, Pointwise(DoubleNear(1e-2), {0.0, 0.0, 0.0, 20000.0, 0.0, 0.0}));
}

// The sensor is 1 before its pose along x and looks back. From the pose (1, 2, 3) it is at
// (2, 2, 3) and sees (4, 5, 6) at (-2, -3, 3).
TEST_F(PoseGraphFile, APointIsSeenFromTheSensorOfAPoseAndHoldsTheGraphIfItIsFixed) {
  const std::string head =
      "PARAMS_SE3OFFSET 3 1 0 0 0 0 1 0\nVERTEX_SE3:QUAT 1 1 2 3 0 0 0 1\n"
      "VERTEX_TRACKXYZ 8 4 5 6\nFIX 1\n";
  thallo::Run run = solve(head + "EDGE_SE3_TRACKXYZ 1 8 3 -2 -3 3.5  4 0 0  4 0  4\n");
  EXPECT_NEAR(run.solution.initial_cost(), 0.5 * 4 * 0.25, 1e-12);
  EXPECT_THAT(written(run).landmarks.positions, Pointwise(DoubleNear(1e-7), {4.0, 5.0, 6.5}));
  // Two points that are known say where the pose is that sees them: at (0.1, 0) it was thought to
  // be.
  run = solve(
      "VERTEX_SE2 0 0.1 0 0\nVERTEX_XY 5 1 1\nVERTEX_XY 6 2 -1\nFIX 5 6\n"
      "EDGE_SE2_XY 0 5 1 1  1 0 1\nEDGE_SE2_XY 0 6 2 -1  1 0 1\n");
  EXPECT_NEAR(run.solution.initial_cost(), 0.5 * (0.01 + 0.01), 1e-12);
  const PoseGraph graph = written(run);
  EXPECT_THAT(graph.poses, Pointwise(DoubleNear(1e-6), {0.0, 0.0, 0.0}));
  EXPECT_THAT(graph.landmarks.positions, testing::ElementsAre(1, 1, 2, -1));
}

// Without FIX a prior holds the graph: the first pose moves, too.
TEST_F(PoseGraphFile, APriorHoldsItsFrameAlsoInSpaceOrInOneThing) {
  thallo::Run run = solve(
      "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1 0 0\nEDGE_SE2 0 1 1 0 0  1 0 0 1 0 1\n"
      "EDGE_PRIOR_SE2 1 0 3 1.5707963267948966  2 0 0 2 0 8\n");
  // The prior sees the pose at (-3, -1) in its frame, turned by a quarter turn.
  EXPECT_NEAR(run.solution.initial_cost(), 0.5 * (2 * 9 + 2 * 1 + 8 * Pi * Pi / 4), 1e-9);
  EXPECT_LT(run.solution.final_cost(), 1e-9);
  EXPECT_THAT(written(run).poses,
              Pointwise(DoubleNear(1e-5), {0.0, 2.0, Pi / 2, 0.0, 3.0, Pi / 2}));
  std::string prior = "EDGE_SE3_PRIOR 0 3 2 2 4 0 0 1 0";
  for (int row = 0; row < 6; ++row)
    for (int column = row; column < 6; ++column) prior += row == column ? " 2" : " 0";
  run = solve("PARAMS_SE3OFFSET 3 1 0 0 0 0 1 0\nVERTEX_SE3:QUAT 0 1 2 3 0 0 0 1\n" + prior + "\n");
  EXPECT_NEAR(run.solution.initial_cost(), 0.5 * 2, 1e-12);
  EXPECT_THAT(written(run).poses, Pointwise(DoubleNear(1e-6), {1.0, 2.0, 4.0, 0.0, 0.0, 0.0, 1.0}));
  // The prior nearly fixes the position and says little about the angle, which it alone measures.
  run = solve("VERTEX_SE2 0 0.5 0 0.25\nEDGE_PRIOR_SE2 0 0 0 1  1e12 0 0 1e12 0 1\n");
  EXPECT_NEAR(run.solution.final_cost(), 0, 1e-9);
  EXPECT_THAT(written(run).poses, Pointwise(DoubleNear(1e-5), {0.0, 0.0, 1.0}));
}

// Of the error (3, 4, 0), whose length is 5.
TEST_F(PoseGraphFile, ALossIsOfTheErrorOfAnEdge) {
  const std::string text =
      "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 4 4 0\nFIX 0 1\nEDGE_SE2 0 1 1 0 0  1 0 0 1 0 1\n";
  EXPECT_NEAR(solve(text).solution.initial_cost(), 12.5, 1e-12);
  EXPECT_NEAR(solve(text, "huber:2").solution.initial_cost(), 0.5 * (2 * 2 * 5 - 4), 1e-12);
  EXPECT_NEAR(solve(text, "cauchy").solution.initial_cost(), 0.5 * std::log(26.0), 1e-12);
  for (const auto& [loss, fault] : {std::pair("hubert:1", "there is no loss 'hubert'"),
                                    {"huber:-1", "found '-1' where the scale of the loss"},
                                    {"huber:x", "found 'x' where the scale of the loss"}}) {
    try {
      solve(text, loss);
      FAIL() << loss;
    } catch (const std::exception& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(fault));
    }
  }
}

// A warning names a vertex without a line once, though the file is read for the energy, too.
TEST_F(PoseGraphFile, WarnsOnce) {
  LogCapture log;
  solve(
      "VERTEX_SE2 0 0 0 0\nEDGE_SE2 0 1 1 0 0  1 0 0 1 0 1\n"
      "EDGE_SE2 1 0 -1 0 0  1 0 0 1 0 1\n");
  const auto count = std::ranges::count_if(log.records(), [](const LogRecord& record) {
    return record.text.find("names vertex 1") != std::string::npos;
  });
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace thallo::test
