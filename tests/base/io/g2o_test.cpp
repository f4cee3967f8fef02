#include "core/base/io/g2o.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "core/base/log.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* Planar =
    "# two poses\n"
    "VERTEX_SE2 10 0 0 0\nVERTEX_SE2 20 1 0 0.5\nFIX 10\n\n"
    "EDGE_SE2 10 20 1 0 0.5  1 2 3  4 5  6\n";

TEST(G2o, ReadsPlanarGraphs) {
  const auto graph = parse_g2o("a.g2o", Planar);
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_EQ(graph->dimension, 2);
  EXPECT_THAT(graph->ids, ElementsAre(10, 20));
  EXPECT_THAT(graph->poses, ElementsAre(0, 0, 0, 1, 0, 0.5));
  EXPECT_THAT(graph->edges, ElementsAre(std::array{0, 1}));
  EXPECT_THAT(graph->information, ElementsAre(1, 2, 3, 2, 4, 5, 3, 5, 6));
  EXPECT_THAT(graph->fixed, ElementsAre(0));
}

// A reader that counts lines from the beginning, or that searches all vertices for each edge, takes
// minutes for it.
TEST(G2o, ReadsAHundredThousandPoses) {
  constexpr int NumPoses = 100'000;
  std::string text;
  for (int i = 0; i < NumPoses; ++i)
    text += fmt::format("VERTEX_SE2 {} {} 0.5 0\nFIX {}\n", 3 * i, i, 3 * i);
  for (int i = 1; i < NumPoses; ++i)
    text += fmt::format("EDGE_SE2 {} {} 1 0 0 1 0 0 1 0 1\n", 3 * i - 3, 3 * i);
  const auto graph = parse_g2o("a.g2o", text);
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_EQ(graph->num_vertices(), std::size_t{NumPoses});
  EXPECT_EQ(graph->edges.back(), (std::array{NumPoses - 2, NumPoses - 1}));
  EXPECT_EQ(graph->fixed.back(), NumPoses - 1);
  text += "EDGE_SE2 0 1 x\n";
  EXPECT_EQ(parse_g2o("a.g2o", text).error().message(),
            "a.g2o:300000: found 'x' where x of edge 0 -> 1 (a finite number) should be");
}

TEST(G2o, RoundTripsBothDimensions) {
  const test::TempDir dir;
  std::string spatial =
      "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\nVERTEX_SE3:QUAT 1 1 2 3 0.6 0 0 0.8\n"
      "EDGE_SE3:QUAT 0 1 1 2 3 0 0 0 1";
  for (int i = 1; i <= 21; ++i) spatial += " " + std::to_string(0.1 * i);
  for (const std::string& text : {std::string(Planar), spatial}) {
    const auto graph = parse_g2o("a.g2o", text);
    ASSERT_TRUE(graph) << graph.error().message();
    ASSERT_TRUE(write_g2o(dir.path() / "b.g2o.gz", *graph));
    EXPECT_EQ(*read_g2o(dir.path() / "b.g2o.gz"), *graph);
  }
}

TEST(G2o, PlacesVerticesThatOnlyEdgesName) {
  // A square walked counter-clockwise; the third edge is written backwards.
  const std::string tail = " 1 0 0 1 0 1\n";
  const auto graph = parse_g2o("a.g2o", "EDGE_SE2 0 1 1 0 1.5707963267948966" + tail +
                                            "EDGE_SE2 1 2 1 0 1.5707963267948966" + tail +
                                            "EDGE_SE2 3 2 0 1 -1.5707963267948966" + tail);
  ASSERT_TRUE(graph) << graph.error().message();
  constexpr double Pi = std::numbers::pi;
  const std::vector<double> wanted = {0, 0, 0, 1, 0, Pi / 2, 1, 1, Pi, 0, 1, 3 * Pi / 2};
  EXPECT_THAT(graph->poses, testing::Pointwise(testing::DoubleNear(1e-12), wanted));
}

TEST(G2o, WarnsOfAVertexThatOnlyAnEdgeNames) {
  LogCapture log;
  const std::string edge = "EDGE_SE2 10 30 1 0 0  1 0 0 1 0 1\n";
  const auto graph = parse_g2o("a.g2o", Planar + edge);
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_THAT(graph->ids, ElementsAre(10, 20, 30));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text,
              HasSubstr("a.g2o:7: edge 10 -> 30 names vertex 30, which has no line"));
  // Where no vertex has a line this is what is meant.
  EXPECT_TRUE(parse_g2o("a.g2o", edge));
  EXPECT_EQ(log.records().size(), 1u);
}

TEST(G2o, CountsThePartsThatNoEdgeConnects) {
  EXPECT_EQ(num_components(*parse_g2o("a.g2o", Planar)), 1u);
  const std::string apart = "VERTEX_SE2 30 0 0 0\nVERTEX_SE2 40 0 0 0\n";
  EXPECT_EQ(num_components(*parse_g2o("a.g2o", Planar + apart)), 3u);
  EXPECT_EQ(
      num_components(*parse_g2o("a.g2o", Planar + apart + "EDGE_SE2 40 30 1 0 0  1 0 0 1 0 1\n")),
      2u);
}

TEST(G2o, RepairsInformationThatIsNone) {
  // Eigenvalues 3, -1 and 1; the nearest semidefinite matrix has 3, 0 and 1.
  auto graph =
      parse_g2o("a.g2o", "EDGE_SE2 0 1 1 0 0  1 2 0 1 0 1\nEDGE_SE2 1 2 1 0 0  1 0 0 1 0 0\n");
  ASSERT_TRUE(graph) << graph.error().message();
  const std::vector<double> second(graph->information.begin() + 9, graph->information.end());
  EXPECT_EQ(repair_information(*graph), 1u);
  const std::vector<double> wanted = {1.5, 1.5, 0, 1.5, 1.5, 0, 0, 0, 1};
  EXPECT_THAT(std::vector(graph->information.begin(), graph->information.begin() + 9),
              testing::Pointwise(DoubleNear(1e-12), wanted));
  EXPECT_EQ(std::vector(graph->information.begin() + 9, graph->information.end()), second);
  EXPECT_EQ(repair_information(*graph), 0u);
}

TEST(G2o, PlacesSpatialVerticesAlongAndAgainstEdges) {
  // A quarter turn about z, then a step along x; and the same edge backwards.
  const double h = std::sqrt(0.5);
  const std::string pose = fmt::format("1 0 0 0 0 {} {}", h, h);
  std::string information;
  for (int i = 0; i < 21; ++i) information += " 1";
  const auto graph =
      parse_g2o("a.g2o", "EDGE_SE3:QUAT 1 2 " + pose + information + "\nEDGE_SE3:QUAT 2 3 " + pose +
                             information + "\nEDGE_SE3:QUAT 0 1 " + pose + information + "\n");
  ASSERT_TRUE(graph) << graph.error().message();
  const auto position = [&](std::size_t i) {
    return std::vector<double>(graph->poses.begin() + static_cast<std::ptrdiff_t>(7 * i),
                               graph->poses.begin() + static_cast<std::ptrdiff_t>(7 * i + 3));
  };
  const auto near = [](double x) { return DoubleNear(x, 1e-12); };
  EXPECT_THAT(graph->ids, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(position(1), ElementsAre(near(1), near(0), near(0)));
  EXPECT_THAT(position(2), ElementsAre(near(1), near(1), near(0)));
  EXPECT_THAT(position(3), ElementsAre(near(0), near(1), near(0)));
}

TEST(G2o, NamesWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto graph = parse_g2o("a.g2o", text);
    return graph ? "no error" : graph.error().message();
  };
  EXPECT_THAT(message("\nVERTEX_XY 0 1 2\n"),
              HasSubstr("a.g2o:2: found 'VERTEX_XY' where a vertex or an edge should be (legal: "
                        "VERTEX_SE2, VERTEX_SE3:QUAT, EDGE_SE2, EDGE_SE3:QUAT, FIX)"));
  EXPECT_THAT(message("VERTEX_SE2 0 1 nan 3"),
              HasSubstr("a.g2o:1: found 'nan' where y of vertex 0 (a finite number) should be"));
  EXPECT_THAT(message("EDGE_SE2 0 1 1 0 0 1 2\nEDGE_SE2"),
              HasSubstr("a.g2o:2: found 'EDGE_SE2' where I13 of edge 0 -> 1"));
  EXPECT_THAT(message("VERTEX_SE2 0 0 0 0\nVERTEX_SE2 0 0 0 0\n"),
              HasSubstr("vertex 0 is there a second time"));
  EXPECT_THAT(message("VERTEX_SE2 0 0 0 0\nVERTEX_SE3:QUAT 1 0 0 0 0 0 0 1\n"),
              HasSubstr("a.g2o:2: found VERTEX_SE3:QUAT in a graph of dimension 2"));
  EXPECT_THAT(message("VERTEX_SE3:QUAT 1 0 0 0 0 0 0 0\n"), HasSubstr("has the norm 0"));
  EXPECT_THAT(message("VERTEX_SE2 0 0 0 0\nFIX 7\n"), HasSubstr("a.g2o:2: FIX names vertex 7"));
  EXPECT_THAT(message("# nothing\n"), HasSubstr("has no vertex and no edge"));
}

TEST(G2o, ReadsPublishedGraphs) {
  THALLO_REQUIRE_DATA(manhattan, "pose_graphs/input_M3500_g2o.g2o.xz");
  const auto planar = read_g2o(manhattan);
  ASSERT_TRUE(planar) << planar.error().message();
  EXPECT_EQ(planar->num_vertices(), 3500u);
  EXPECT_EQ(planar->num_edges(), 5453u);
  THALLO_REQUIRE_DATA(grid, "pose_graphs/smallGrid3D.g2o.xz");
  const auto spatial = read_g2o(grid);
  ASSERT_TRUE(spatial) << spatial.error().message();
  EXPECT_EQ(spatial->dimension, 3);
  EXPECT_EQ(spatial->num_edges(), 297u);
}

}  // namespace
}  // namespace thallo
