// Reads and writes files of any format that Thallo knows. The content is a picture, mesh, graph,
// scene or table, which inputs of an energy are bound to and unknowns are written back into.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/base/io/bal.h"
#include "core/base/io/csv.h"
#include "core/base/io/mesh.h"
#include "core/base/io/npy.h"
#include "core/base/io/npz.h"
#include "core/base/io/raster.h"
#include "core/base/pose_graph.h"

namespace thallo {

struct DataFile {
  using Content = std::variant<Raster, Mesh, PoseGraph, BalProblem, NpyArray, CsvTable, NpzArchive>;

  std::filesystem::path path;
  std::string suffix;  // of the format found: ".png", ".ply", ".g2o" ...
  Content content;
};

// Returns the kind of content of files with this suffix: "an image", "a mesh", "a pose graph" ...;
// "" if the suffix is unknown.
std::string_view kind_of_suffix(std::string_view suffix);

// True if files with this suffix are written with integer samples, clamped to 0 ... 1.
bool holds_samples(std::string_view suffix);

// Detects the format from the content, which may be compressed. The error lists the formats that
// can be read.
Expected<DataFile> read_data_file(const std::filesystem::path& path);

// Chooses the format by the suffix of `path`, which must fit the content. `file.path` is not used.
Expected<void> write_data_file(const std::filesystem::path& path, const DataFile& file);

}  // namespace thallo
