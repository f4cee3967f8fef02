// Reader of the ICT face model: deltas of its blendshapes over the first vertices of its neutral
// mesh. The file is a text header and binary data,
//
//   ICTBLEND 1
//   ...                   lines that say what it is
//   vertices 11248 ...
//   shapes 157
//   shape browDown_L      a line each; those called identity... are no expressions
//   data
//
// then for each shape x y z of every vertex, little-endian 32-bit integers in units of 1e-6.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"
#include "problems/face_fitting/face_model.h"

namespace thallo::face_fitting {

// The published model consists of the first 70 identities, 57 expressions and 13 more identities,
// or fewer if the file has fewer.
inline constexpr int PublishedShapes = 140;

// The first `num_shapes` of these shapes. `neutral` has at least the vertices of the file;
// triangles with other vertices are left out. Errors name the file and what is wrong with it: a
// text that is no such header, data that end early, a mesh with too few vertices.
Expected<FaceModel> parse_ict_model(const std::filesystem::path& name, std::string_view content,
                                    const Mesh& neutral, int num_shapes);

// `deltas` may be compressed. Beside it is ict_generic_neutral_mesh.obj, compressed or not.
Expected<FaceModel> read_ict_model(const std::filesystem::path& deltas, int num_shapes);

}  // namespace thallo::face_fitting
