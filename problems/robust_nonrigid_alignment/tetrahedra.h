// Tetrahedra that fill a mesh, as TetGen writes them (.ele): the number of tetrahedra, of corners
// of each (4) and of attributes, then a line for each: its number, its corners, its attributes.
// Vertices are counted from 0 if the first tetrahedron has number 0, from 1 otherwise. A line that
// begins with # is a comment.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo::robust_nonrigid_alignment {

using Tetrahedron = std::array<std::int32_t, 4>;  // vertices, counted from 0

// The content of a .ele file for a mesh of `num_vertices`. Errors name the file and the line.
Expected<std::vector<Tetrahedron>> parse_tetrahedra(const std::filesystem::path& file,
                                                    std::string_view text,
                                                    std::int64_t num_vertices);

// Both directions of every edge, sorted.
std::vector<std::array<std::int32_t, 2>> edges_of(std::span<const Tetrahedron> tetrahedra);

}  // namespace thallo::robust_nonrigid_alignment
