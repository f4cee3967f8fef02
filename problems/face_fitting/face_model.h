// Faces as an average and blendshapes, which are directions in which all vertices move together,
// each with a weight; and how a camera sees such faces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/camera_model.h"
#include "core/base/io/mesh.h"

namespace thallo::face_fitting {

struct FaceModel {
  Mesh average;  // about 2 in diagonal, around the origin; y is up, the face looks along z
  // One displacement (x, y, z) a vertex for each shape: vertex fastest, shape slowest.
  std::vector<float> displacements;
  std::vector<bool> is_expression;  // one a shape; the others make one person's face another's

  std::size_t num_vertices() const { return average.positions.size(); }
  std::size_t num_shapes() const { return is_expression.size(); }
};

// Moves and scales the model so that the bounding box of the average has its center at the origin
// and a diagonal of 2.
void normalize(FaceModel& model);

// The average plus the weighted displacements.
std::vector<bundler::Point3> deform(const FaceModel& model, std::span<const double> weights);

// The published camera, but in front of the face: 5 away, nodding by 0.1 radians.
inline constexpr BalProblem::Camera Camera = {0.1, 0, 0, 0, 0, -5, 5903.7, 0.109306, -1.43375};

// The weights of a random face: identities between -1 and 1, about a third of the expressions on.
std::vector<double> draw_weights(const FaceModel& model, std::uint64_t seed);

struct Sight {
  double noise = 0;    // standard deviation of each coordinate, pixels
  double missing = 0;  // the fraction of vertices that are not seen
  std::uint64_t seed = 1;
};

// Where the camera sees the vertices: x y each, -infinity where it does not.
std::vector<double> observe(const FaceModel& model, std::span<const double> weights,
                            const Sight& sight);

// Root mean square, in pixels, over the vertices that are seen; 0 where none is.
double reprojection_error(const FaceModel& model, std::span<const double> weights,
                          std::span<const double> seen);

// Root mean square distance between the vertices of two faces.
double distance(const FaceModel& model, std::span<const double> a, std::span<const double> b);

}  // namespace thallo::face_fitting
