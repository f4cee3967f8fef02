// The results that a finished run presents: numbers with units, pictures, point clouds and meshes.
// A problem makes the report; the command line prints and writes it.
#pragma once

#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "core/problem/files/data_file.h"

namespace thallo {

struct Metric {
  std::string name;  // "reprojection error"
  double value = 0;
  std::string unit;  // "px", "%", "" for a bare number
};

// A picture that is drawn when somebody asks for it, once, since drawing may take longer than a
// solve. What draws it has what it needs, or shares the instance's data with others.
class Drawing {
 public:
  Drawing(Image image) : work_(std::make_shared<Work>(Work{{}, std::move(image)})) {}
  template <std::invocable Draw>
  Drawing(Draw draw) : work_(std::make_shared<Work>(Work{std::move(draw), {}})) {}

  const Image& operator()() const {
    if (!work_->image) work_->image = work_->draw();
    return *work_->image;
  }

 private:
  struct Work {
    std::function<Image()> draw;
    std::optional<Image> image;
  };
  std::shared_ptr<Work> work_;
};

struct ReportImage {
  std::string name;     // file name without extension: "before"
  std::string caption;  // says what is seen
  Drawing image;
};

// A mesh without triangles is a point cloud.
struct ReportMesh {
  std::string name;
  std::string caption;
  Mesh mesh;
};

// A result in the format of an input: a mesh with new positions, a table, a picture.
struct ReportFile {
  std::filesystem::path path;  // within the report's folder, or absolute
  std::string caption;
  std::shared_ptr<const DataFile> data;
  // Writes what no DataFile holds, in place of `data`.
  std::function<Expected<void>(const std::filesystem::path& path)> write = {};
};

struct ReportTable {
  std::string name;  // file name without extension
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each has as many texts as there are columns
};

struct Report {
  std::vector<Metric> metrics;
  std::vector<ReportImage> images;
  std::vector<ReportMesh> meshes;
  std::vector<ReportTable> tables;
  std::vector<ReportFile> files;
  // The files that the problem has read. What takes the place of one is written with a warning.
  std::vector<std::filesystem::path> inputs;
  // What is suspicious about the result and what to try: one sentence each, beginning in lower
  // case.
  std::vector<std::string> warnings;
  // Empty if the run reached what the problem promises (e.g. certified digits). Otherwise a
  // sentence that says why not; the exit code is then 1.
  std::string shortfall;
  bool is_cut = false;  // true if the run was told to end before the rest was made

  std::size_t num_files() const {
    return images.size() + meshes.size() + tables.size() + files.size();
  }
};

// A part of a report that was written to disk.
struct WrittenFile {
  enum class Kind { Image, Mesh, Table, File };
  Kind kind = Kind::File;
  std::filesystem::path path;
  std::string caption;
};
std::string_view to_string(WrittenFile::Kind kind);  // "image", "mesh", "table", "file"
Expected<WrittenFile::Kind> parse_as(std::string_view text, WrittenFile::Kind);

// Writes NAME.png, NAME.ply, NAME.csv and the files into `folder`, which is made if absent. Returns
// what was written, in that order.
Expected<std::vector<WrittenFile>> write_report(const Report& report,
                                                const std::filesystem::path& folder);

}  // namespace thallo
