// Pose graphs: poses in the plane or in space, points that are seen from them, and what was
// measured between them. core/base/io/g2o.h reads and writes them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace thallo {

struct PoseGraph {
  int dimension = 2;  // of the space: 2 or 3

  // Vertices, in the order of the file. A pose is x y θ, or x y z qx qy qz qw with |q| = 1.
  std::vector<std::int64_t> ids;
  std::vector<double> poses;  // pose_size() per vertex

  std::vector<std::array<std::int32_t, 2>> edges;  // positions of i and j among the vertices
  std::vector<double> measurements;                // pose_size() per edge
  std::vector<double> information;                 // tangent_size()² per edge, row-major
  // Of a file of TORO: the numbers of each edge as it has them, so that they are written unchanged.
  std::vector<double> toro_edges;

  std::vector<std::int32_t> fixed;  // positions of the vertices that are held

  // Points, `dimension` numbers each.
  struct Landmarks {
    std::vector<std::int64_t> ids;
    std::vector<double> positions;
    std::vector<std::int32_t> fixed;

    std::size_t size() const { return ids.size(); }
    friend bool operator==(const Landmarks&, const Landmarks&) = default;
  } landmarks;

  // Measurements of where a landmark is in the frame of a sensor of a vertex.
  struct Sightings {
    std::vector<std::array<std::int32_t, 2>> edges;  // positions of the vertex and the landmark
    std::vector<double> sensors;       // pose_size() per sighting: the sensor in the vertex's frame
    std::vector<double> measurements;  // `dimension` per sighting
    std::vector<double> information;   // dimension² per sighting, row-major

    std::size_t size() const { return edges.size(); }
    friend bool operator==(const Sightings&, const Sightings&) = default;
  } sightings;

  // Measurements of where a sensor of a vertex is in the world.
  struct Priors {
    std::vector<std::int32_t> vertices;
    std::vector<double> sensors, measurements;  // pose_size() per prior
    std::vector<double> information;            // tangent_size()² per prior, row-major

    std::size_t size() const { return vertices.size(); }
    friend bool operator==(const Priors&, const Priors&) = default;
  } priors;

  std::size_t pose_size() const { return dimension == 2 ? 3 : 7; }
  std::size_t tangent_size() const { return dimension == 2 ? 3 : 6; }
  std::size_t num_vertices() const { return ids.size(); }
  std::size_t num_edges() const { return edges.size(); }

  friend bool operator==(const PoseGraph&, const PoseGraph&) = default;
};

// Vertices and landmarks that measurements connect, directly or through others.
struct Component {
  std::size_t num_vertices = 0, num_fixed_vertices = 0;
  std::size_t num_landmarks = 0, num_fixed_landmarks = 0;
  std::size_t num_priors = 0;

  // True if something says where it is in the world.
  bool is_held() const { return num_fixed_vertices + num_fixed_landmarks + num_priors > 0; }
};
std::vector<Component> components(const PoseGraph& graph);
// Returns, for each vertex, the first vertex that edges alone connect it with.
std::vector<std::size_t> first_connected(const PoseGraph& graph);

// Places the vertices that are not `placed`, by composing measurements along a breadth-first tree.
// The tree starts from the placed vertices and follows the edges of a vertex in order. Among
// connected vertices of which none is placed, the first one is placed at the origin.
void place_along_edges(PoseGraph& graph, std::vector<bool> placed);
// Places the landmarks that are not `placed` where their first sighting says; those without one are
// placed at the origin.
void place_landmarks(PoseGraph& graph, std::vector<bool> placed);

}  // namespace thallo
