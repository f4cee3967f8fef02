// Any file that Thallo reads, by what is in it: the picture, mesh, graph, scene or table that
// inputs of an energy are bound to and that its unknowns are written back into.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/base/io/bal.h"
#include "core/base/io/csv.h"
#include "core/base/io/g2o.h"
#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "core/base/io/npy.h"
#include "core/base/io/npz.h"

namespace thallo {

struct DataFile {
  using Content = std::variant<Image, Mesh, PoseGraph, BalProblem, NpyArray, CsvTable, NpzArchive>;

  std::filesystem::path path;
  std::string suffix;  // of its format, by content: ".png", ".ply", ".g2o" ...
  Content content;
  double full_scale = 1;  // what 1 becomes in a field of integers: 255 if samples are integers
};

// The kind of content that files of this suffix hold: "an image", "a mesh", "a pose graph" ...; ""
// if files of this suffix are not known.
std::string_view kind_of_suffix(std::string_view suffix);

// Files of this suffix are written with integer samples, clamped to 0 ... 1.
bool holds_samples(std::string_view suffix);

// The format is told by the content, which may be compressed. The error lists the formats that can
// be read.
Expected<DataFile> read_data_file(const std::filesystem::path& path);

// The format is told by the name's suffix, which must be one for this content. `file.path` is not
// used.
Expected<void> write_data_file(const std::filesystem::path& path, const DataFile& file);

}  // namespace thallo
