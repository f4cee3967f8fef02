#include "core/base/io/g2o.h"
#include "core/base/io/file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "core/base/log.h"
#include "tests/support/data.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::ElementsAre, testing::HasSubstr;

constexpr const char* Planar =
    "# two poses\n"
    "VERTEX_SE2 10 0 0 0\nVERTEX_SE2 20 1 0 0.5\nFIX 10\n\n"
    "EDGE_SE2 10 20 1 0 0.5  1 2 3  4 5  6\n";

// Two poses, a point that both see, one that nothing sees, and a prior.
constexpr const char* Seen =
    "VERTEX_SE2 1 1 2 1.5707963267948966\nVERTEX_SE2 2 0 0 0\nVERTEX_XY 8 0.5 4\nVERTEX_XY 9 7 7\n"
    "FIX 1 1 9\n"
    "EDGE_SE2_XY 1 8 2.5 0.25  4 1 2\nEDGE_SE2_XY 2 8 0.5 4  1 0 1\n"
    "EDGE_PRIOR_SE2 2 0.125 0 0  1 2 3  4 5  6\n";

// The same with a sensor that is off its pose, and turned by half a turn.
std::string spatial_sightings() {
  std::string text =
      "PARAMS_CAMERACALIB 0 1 2 3\nPARAMS_SE3OFFSET 3 1 0 0 0 0 1 0\n"
      "VERTEX_SE3:QUAT 1 1 2 3 0 0 0 1\nVERTEX_TRACKXYZ 8 4 5 6\nFIX 1\n"
      "EDGE_SE3_TRACKXYZ 1 8 3 -2 -3 3  4 1 0  5 2  6\n"
      "EDGE_SE3_TRACKXYZ 1 9 3 -1 0 2  1 0 0  1 0  1\n"
      "EDGE_SE3_PRIOR 1 3 2 2 3 0 0 1 0";
  for (int i = 1; i <= 21; ++i) text += fmt::format(" {}", 0.1 * i);
  return text + "\n";
}

TEST(G2o, ReadsPlanarGraphsAndSaysWhatIsInAFile) {
  const auto graph = parse_g2o("a.g2o", Planar);
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_EQ(graph->dimension, 2);
  EXPECT_THAT(graph->ids, ElementsAre(10, 20));
  EXPECT_THAT(graph->poses, ElementsAre(0, 0, 0, 1, 0, 0.5));
  EXPECT_THAT(graph->edges, ElementsAre(std::array{0, 1}));
  EXPECT_THAT(graph->information, ElementsAre(1, 2, 3, 2, 4, 5, 3, 5, 6));
  EXPECT_THAT(graph->fixed, ElementsAre(0));
  EXPECT_EQ(kind_of_g2o(Planar).dimension, 2);
  EXPECT_FALSE(kind_of_g2o(Planar).has_landmarks);
  EXPECT_TRUE(kind_of_g2o(Seen).has_landmarks);
  EXPECT_TRUE(kind_of_g2o(Seen).has_priors);
  EXPECT_EQ(kind_of_g2o("# nothing\n").dimension, 0);
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
  for (const std::string& text :
       {std::string(Planar), spatial, std::string(Seen), spatial_sightings()}) {
    const auto graph = parse_g2o("a.g2o", text);
    ASSERT_TRUE(graph) << graph.error().message();
    ASSERT_TRUE(write_g2o(dir.path() / "b.g2o.gz", *graph));
    EXPECT_EQ(*read_as<parse_g2o>(dir.path() / "b.g2o.gz"), *graph);
  }
}

TEST(G2o, PlacesVerticesThatOnlyEdgesNameWithAWarning) {
  // A square walked counter-clockwise; the third edge is written backwards.
  const std::string tail = " 1 0 0 1 0 1\n";
  auto graph = parse_g2o("a.g2o", "EDGE_SE2 0 1 1 0 1.5707963267948966" + tail +
                                      "EDGE_SE2 1 2 1 0 1.5707963267948966" + tail +
                                      "EDGE_SE2 3 2 0 1 -1.5707963267948966" + tail);
  ASSERT_TRUE(graph) << graph.error().message();
  constexpr double Pi = std::numbers::pi;
  const std::vector<double> wanted = {0, 0, 0, 1, 0, Pi / 2, 1, 1, Pi, 0, 1, 3 * Pi / 2};
  EXPECT_THAT(graph->poses, testing::Pointwise(testing::DoubleNear(1e-12), wanted));
  LogCapture log;
  const std::string edge = "EDGE_SE2 10 30 1 0 0  1 0 0 1 0 1\n";
  graph = parse_g2o("a.g2o", Planar + edge);
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_THAT(graph->ids, ElementsAre(10, 20, 30));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_THAT(log.records()[0].text, HasSubstr("a.g2o:7: names vertex 30, which has no line"));
  // Where no vertex has a line this is what is meant.
  EXPECT_TRUE(parse_g2o("a.g2o", edge));
  EXPECT_EQ(log.records().size(), 1u);
}

TEST(G2o, ReadsLandmarksPriorsAndSensors) {
  auto graph = parse_g2o("a.g2o", Seen);
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_THAT(graph->landmarks.ids, ElementsAre(8, 9));
  EXPECT_THAT(graph->landmarks.positions, ElementsAre(0.5, 4, 7, 7));
  EXPECT_THAT(graph->fixed, ElementsAre(0));
  EXPECT_THAT(graph->landmarks.fixed, ElementsAre(1));
  EXPECT_THAT(graph->sightings.edges, ElementsAre(std::array{0, 0}, std::array{1, 0}));
  EXPECT_THAT(graph->sightings.measurements, ElementsAre(2.5, 0.25, 0.5, 4));
  EXPECT_THAT(graph->sightings.information, ElementsAre(4, 1, 1, 2, 1, 0, 0, 1));
  EXPECT_THAT(graph->priors.vertices, ElementsAre(1));
  EXPECT_THAT(graph->priors.information, ElementsAre(1, 2, 3, 2, 4, 5, 3, 5, 6));
  graph = parse_g2o("a.g2o", spatial_sightings());
  ASSERT_TRUE(graph) << graph.error().message();
  EXPECT_THAT(std::vector(graph->sightings.sensors.begin(), graph->sightings.sensors.begin() + 7),
              ElementsAre(1, 0, 0, 0, 0, 1, 0));
  EXPECT_EQ(graph->priors.sensors.size(), 7u);
  // Half a turn about z: (1, 2, 3) + (1, 0, 0) + (1, 0, 2).
  EXPECT_THAT(graph->landmarks.ids, ElementsAre(8, 9));
  EXPECT_THAT(graph->landmarks.positions, ElementsAre(4, 5, 6, 3, 2, 5));
}

TEST(G2o, ReadsToro) {
  const auto planar = parse_g2o("a.graph",
                                "VERTEX2 0 0 0 0\nVERTEX2 1 1 0 0.5\n"
                                "EDGE2 0 1 1 0 0.5  1 2 4 6 3 5\n");
  ASSERT_TRUE(planar) << planar.error().message();
  EXPECT_THAT(planar->information, ElementsAre(1, 2, 3, 2, 4, 5, 3, 5, 6));

  const auto without = parse_g2o("a.graph", "EQUIV 0 1\nEDGE2 0 1 1 0 0.5\nEDGE2 1 2 1 0 0\n");
  ASSERT_TRUE(without) << without.error().message();
  EXPECT_THAT(without->information,
              ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1));

  std::string edge = "EDGE3 0 1 1 2 3 0 0 1.5707963267948966";
  for (int row = 0; row < 6; ++row)
    for (int column = row; column < 6; ++column)
      edge += fmt::format(" {}", row == column ? row + 1 : 0);
  const auto spatial =
      parse_g2o("a.graph", "VERTEX3 0 0 0 0 0 0 0\nVERTEX3 1 1 2 3 0.1 0.2 0.3\n" + edge + "\n");
  ASSERT_TRUE(spatial) << spatial.error().message();
  const double h = std::sqrt(0.5);
  EXPECT_THAT(spatial->measurements,
              testing::Pointwise(DoubleNear(1e-15), {1.0, 2.0, 3.0, 0.0, 0.0, h, h}));
  // Without pitch, roll, pitch and yaw are small turns about the pose's own axes.
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(spatial->information[7 * i], static_cast<double>(i) + 1, 1e-12);
  // (roll, pitch, yaw) = (0.1, 0.2, 0.3), by the formula cr cp cy + sr sp sy for w.
  const auto half = [](double angle) {
    return std::pair(std::sin(angle / 2), std::cos(angle / 2));
  };
  const auto [sr, cr] = half(0.1);
  const auto [sp, cp] = half(0.2);
  const auto [sy, cy] = half(0.3);
  EXPECT_NEAR(spatial->poses[13], cr * cp * cy + sr * sp * sy, 1e-15);
  EXPECT_NEAR(spatial->poses[10], sr * cp * cy - cr * sp * sy, 1e-15);
}

// A graph comes back as it was read, but for rounding of roll, pitch and yaw.
TEST(G2o, WritesToroAsToro) {
  const test::TempDir dir;
  const std::string planar =
      "VERTEX2 7 0 0 0\nVERTEX2 9 1 0.1 0.5\nFIX 7\nEDGE2 7 9 1 0 0.5 1 2 4 6 3 5\n";
  ASSERT_TRUE(write_g2o(dir.path() / "a.graph", *parse_g2o("a.graph", planar)));
  EXPECT_EQ(*read_file(dir.path() / "a.graph"), planar);
  std::string information;
  for (int row = 0; row < 6; ++row)
    for (int column = row; column < 6; ++column)
      information += fmt::format(" {}", row == column ? row + 1.1 : 0.1 * column);
  const std::string edge = "EDGE3 0 1 1 2 3 0.1 -0.7 2.5" + information + "\n";
  const auto spatial = parse_g2o(
      "a.graph", "VERTEX3 0 0 0 0 0.3 1.5707963267948966 0\nVERTEX3 1 1 2 3 0.1 0.2 3\n" + edge);
  ASSERT_TRUE(spatial) << spatial.error().message();
  ASSERT_TRUE(write_g2o(dir.path() / "b.graph", *spatial));
  const auto landmark =
      parse_g2o("a.g2o", "VERTEX_SE2 0 0 0 0\nVERTEX_XY 1 1 1\nEDGE_SE2_XY 0 1 1 1 1 0 1\n");
  ASSERT_TRUE(landmark);
  EXPECT_FALSE(write_g2o(dir.path() / "c.graph", *landmark)) << "TORO has no landmarks";
  EXPECT_THAT(*read_file(dir.path() / "b.graph"), HasSubstr(edge));
  const auto again = read_as<parse_g2o>(dir.path() / "b.graph");
  EXPECT_THAT(again->poses, testing::Pointwise(DoubleNear(1e-15), spatial->poses));
  EXPECT_EQ(again->information, spatial->information);
  // Other graphs, and other names.
  ASSERT_TRUE(write_g2o(dir.path() / "b.g2o", *spatial));
  EXPECT_THAT(*read_file(dir.path() / "b.g2o"), HasSubstr("VERTEX_SE3:QUAT 1 1 2 3 "));
  EXPECT_THAT(write_g2o(dir.path() / "c.graph", *parse_g2o("a.g2o", Planar)).error().message(),
              HasSubstr("only a graph that was read from TORO goes into a .graph (legal: .g2o)"));
}

TEST(PoseGraph, HasPartsThatMeasurementsConnect) {
  EXPECT_EQ(components(*parse_g2o("a.g2o", Planar)).size(), 1u);
  const std::string apart = "VERTEX_SE2 30 0 0 0\nVERTEX_SE2 40 0 0 0\n";
  EXPECT_EQ(components(*parse_g2o("a.g2o", Planar + apart)).size(), 3u);
  EXPECT_EQ(components(*parse_g2o("a.g2o", Planar + apart + "EDGE_SE2 40 30 1 0 0  1 0 0 1 0 1\n"))
                .size(),
            2u);

  // The point connects the poses; the other one is alone.
  const auto parts = components(*parse_g2o("a.g2o", Seen));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].num_vertices, 2u);
  EXPECT_EQ(parts[0].num_fixed_vertices, 1u);
  EXPECT_EQ(parts[0].num_priors, 1u);
  EXPECT_EQ(parts[1].num_fixed_landmarks, 1u);
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
  EXPECT_THAT(message("\nVERTEX_SE4 0 1 2\n"),
              HasSubstr("a.g2o:2: found 'VERTEX_SE4' where a vertex or an edge should be (legal: "
                        "VERTEX_SE2, VERTEX_SE3:QUAT, EDGE_SE2, EDGE_SE3:QUAT, VERTEX_XY, "));
  EXPECT_THAT(message("VERTEX_SE2 0 1 nan 3"),
              HasSubstr("a.g2o:1: found 'nan' where y of vertex 0 (a finite number) should be"));
  EXPECT_THAT(message("EDGE_SE2 0 1 1 0 0 1 2\nEDGE_SE2"),
              HasSubstr("a.g2o:1: the line ends where I13 of edge 0 -> 1 (a finite number) should "
                        "be; an edge ends with the 6 numbers of the upper triangle"));
  EXPECT_THAT(message("VERTEX_XY 8 0 0\nVERTEX_SE2 0 0 0 0\nEDGE_SE2 0 8 1 0 0  1 0 0 1 0 1\n"),
              HasSubstr("a.g2o:3: vertex 8 is a point, and the edge is to a pose"));
  EXPECT_THAT(message("EDGE_SE3_TRACKXYZ 0 8 5 1 2 3  1 0 0 1 0 1\n"),
              HasSubstr("a.g2o:1: edge 0 -> 8 names sensor 5, which no line PARAMS_SE3OFFSET"));
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
  const auto planar = read_as<parse_g2o>(manhattan);
  ASSERT_TRUE(planar) << planar.error().message();
  EXPECT_EQ(planar->num_vertices(), 3500u);
  EXPECT_EQ(planar->num_edges(), 5453u);
  THALLO_REQUIRE_DATA(grid, "pose_graphs/smallGrid3D.g2o.xz");
  const auto spatial = read_as<parse_g2o>(grid);
  ASSERT_TRUE(spatial) << spatial.error().message();
  EXPECT_EQ(spatial->dimension, 3);
  EXPECT_EQ(spatial->num_edges(), 297u);
}

}  // namespace
}  // namespace thallo
