#include "core/problem/files/outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/suggest.h"
#include "core/problem/files/data_part.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

const FedBy* find_feeder(const BoundInputs& inputs, const std::string& field) {
  const auto found = inputs.files.find(field);
  return found == inputs.files.end() ? nullptr : &found->second;
}

bool is_image_suffix(std::string_view suffix) { return kind_of_suffix(suffix) == "an image"; }

bool is_image(const FedBy* feeder) {
  return feeder != nullptr && std::holds_alternative<Raster>(feeder->file->content);
}

bool is_tiff_suffix(std::string_view suffix) { return suffix == ".tif" || suffix == ".tiff"; }

bool holds_channels(std::string_view suffix, int channels) {
  if (suffix == ".flo") return channels == 2;
  if (suffix == ".png") return channels <= 4;
  if (suffix == ".exr" || is_tiff_suffix(suffix) || suffix == ".imagedump") return true;
  return channels == 1 || channels == 3;
}

// A third dim is the pages of a TIFF.
bool holds_dims(std::string_view suffix, std::size_t rank) {
  return rank == 2 || (rank == 3 && is_tiff_suffix(suffix));
}

// Returns the format of an unknown over two dims whose start came from no file: .flo for two
// channels, else the format of an image over the same dims that can hold the unknown, else .npy.
std::string image_suffix(const Energy& energy, const BoundInputs& inputs, const Field& unknown) {
  if (unknown.channels == 2) return ".flo";
  for (const Field& field : energy.fields()) {
    const FedBy* feeder = find_feeder(inputs, field.name);
    if (field.dims == unknown.dims && is_image(feeder) &&
        holds_channels(feeder->file->suffix, unknown.channels)) {
      return feeder->file->suffix;
    }
  }
  return ".npy";
}

bool is_writable(const FedBy& feeder, int rank, const std::vector<double>& values) {
  DataFile copy = *feeder.file;
  return put(copy, feeder.selection, rank, values).has_value();
}

fs::path default_path(const Energy& energy, const BoundInputs& inputs, const Field& unknown,
                      const std::vector<double>& values) {
  const FedBy* feeder = find_feeder(inputs, unknown.name);
  if (is_image(feeder) && holds_channels(feeder->file->suffix, unknown.channels) &&
      holds_dims(feeder->file->suffix, unknown.dims.size()))
    return unknown.name + feeder->file->suffix;
  if (feeder != nullptr && !is_image(feeder) &&
      is_writable(*feeder, static_cast<int>(unknown.dims.size()), values)) {
    fs::path stem = feeder->file->path.filename();
    if (compression_of_name(stem) != Compression::None) stem = stem.stem();
    return stem.stem().string() + feeder->file->suffix;
  }
  if (unknown.dims.size() == 2) return unknown.name + image_suffix(energy, inputs, unknown);
  return unknown.name + ".npy";
}

// Returns the largest sample of a picture of the unknown: that of the picture which the unknown
// came from, or else the largest one of the pictures over the same dims; 255 to 65535.
double full_scale_of(const Energy& energy, const BoundInputs& inputs, const Field& unknown) {
  double full_scale = 255;
  const bool has_picture = is_image(find_feeder(inputs, unknown.name));
  for (const Field& field : energy.fields()) {
    const FedBy* feeder = find_feeder(inputs, field.name);
    if (!is_image(feeder) || field.dims != unknown.dims) continue;
    if (has_picture && field.name != unknown.name) continue;
    const Raster& raster = std::get<Raster>(feeder->file->content);
    full_scale = std::max(full_scale, raster.layers.front().full_scale);
  }
  return std::min(full_scale, 65535.0);
}

// `values` times `full_scale` are the samples.
Raster to_picture(const Binding& solved, const Field& field, const std::vector<double>& values,
                  double full_scale) {
  Raster raster;
  const auto num_pages = field.dims.size() > 2 ? solved.extent(field.dims[2]) : 1;
  const auto page_size = static_cast<std::ptrdiff_t>(values.size()) / num_pages;
  for (auto page = values.begin(); page != values.end(); page += page_size) {
    Layer& layer = raster.layers.emplace_back();
    layer.width = static_cast<int>(solved.extent(field.dims[0]));
    layer.height = static_cast<int>(solved.extent(field.dims[1]));
    layer.channels = color_channels(field.channels);
    layer.full_scale = full_scale;
    auto& samples = layer.samples.emplace<std::vector<double>>(page, page + page_size);
    for (double& sample : samples) sample *= full_scale;
  }
  return raster;
}

NpyArray to_array(const Binding& solved, const Field& field, std::vector<double> values) {
  NpyArray array;
  for (const DimId dim : field.dims) array.shape.insert(array.shape.begin(), solved.extent(dim));
  if (field.channels > 1) array.shape.push_back(field.channels);
  array.values = std::move(values);
  return array;
}

CsvTable to_table(const Field& field, std::vector<double> values) {
  CsvTable table;
  for (int c = 0; c < field.channels; ++c)
    table.columns.push_back(field.channels == 1 ? field.name : fmt::format("{}{}", field.name, c));
  table.values = std::move(values);
  return table;
}

// Returns the file that the unknown came from; null if there is none, if it is of another kind than
// the wanted file, or if it is an image.
const FedBy* find_container(const BoundInputs& inputs, const Field& unknown,
                            std::string_view suffix) {
  const FedBy* feeder = find_feeder(inputs, unknown.name);
  if (feeder == nullptr || is_image(feeder)) return nullptr;
  const std::string_view wanted = kind_of_suffix(suffix);
  const bool is_scene = std::holds_alternative<BalProblem>(feeder->file->content);
  if (is_scene && suffix == ".txt") return feeder;
  return wanted == kind_of_suffix(feeder->file->suffix) ? feeder : nullptr;
}

// Returns the reason why there can be no file of this path; empty if there can.
std::string find_obstacle(const fs::path& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return fmt::format("'{}' is a folder", path.string());
  // A device or a pipe is written in its place, and a link leads to another folder.
  const fs::file_status status = fs::symlink_status(path, code);
  if (fs::exists(status) && !fs::is_regular_file(status)) return {};
  // The nearest folder that is there; those below it are made.
  fs::path above = path.parent_path();
  while (!above.empty() && !fs::exists(above, code)) above = above.parent_path();
  if (above.empty()) return {};
  if (!fs::is_directory(above, code)) return fmt::format("'{}' is no folder", above.string());
  if (access(above.c_str(), W_OK | X_OK) == 0) return {};
  return fmt::format("'{}' cannot be written: {}", above.string(), std::strerror(errno));
}

// True if both unknowns came from one file, which is what is written.
bool shares_file(const Energy& energy, const BoundInputs& inputs, const OutputRequest& a,
                 const OutputRequest& b) {
  const std::string suffix = suffix_of(a.path);
  const FedBy* from = find_container(inputs, energy.field(a.unknown), suffix);
  const FedBy* other = find_container(inputs, energy.field(b.unknown), suffix);
  return a.unknown != b.unknown && from != nullptr && other != nullptr && from->file == other->file;
}

// Returns the reason why the unknown cannot be written to this path; empty if it can.
std::string find_obstacle(const BoundInputs& inputs, const Field& unknown, const fs::path& path,
                          const std::vector<double>& values) {
  // Other paths are within a folder that is made when it is written.
  if (path.is_absolute())
    if (std::string obstacle = find_obstacle(path); !obstacle.empty()) return obstacle;
  const std::string suffix = suffix_of(path);
  const auto rank = unknown.dims.size();
  if (is_image_suffix(suffix)) {
    if (!holds_dims(suffix, rank))
      return fmt::format("an image is over 2 dims, '{}' over {}; a .tif may be over 3",
                         unknown.name, rank);
    if (holds_channels(suffix, unknown.channels)) return {};
    return fmt::format("a {} file does not hold {} channels; .tif, .exr and .npy do", suffix,
                       unknown.channels);
  }
  if (const FedBy* feeder = find_container(inputs, unknown, suffix)) {
    if (is_writable(*feeder, static_cast<int>(rank), values)) return {};
  }
  if (suffix == ".npy" || (suffix == ".csv" && rank == 1)) return {};
  return fmt::format(
      "'{}' does not go into a file named '{}'; legal are .npy, .csv (for one dim), an image (for "
      "two: .png, .jpg, .ppm, .pfm, .tif, .exr ...), and the format of the file that it was bound "
      "to",
      unknown.name, suffix);
}

}  // namespace

Expected<std::vector<OutputRequest>> plan_outputs(const Energy& energy, const BoundInputs& inputs,
                                                  std::span<const SourceText> outputs,
                                                  bool write_all) {
  std::vector<OutputRequest> requests;
  std::vector<std::string> faults;
  const std::vector<std::string> names = energy.unknown_names();
  for (const SourceText& output : outputs) {
    const auto found = std::ranges::find(names, output.name);
    if (found == names.end()) {
      const std::string what =
          fmt::format("output {}={}: there is no unknown", output.name, output.source);
      faults.push_back(unknown_name(what, output.name, names).message());
      continue;
    }
    const FieldId id = energy.unknowns()[static_cast<std::size_t>(found - names.begin())];
    const OutputRequest request{id, output.source};
    std::string obstacle = find_obstacle(inputs, energy.field(id), output.source,
                                         inputs.binding.field(id).to_doubles());
    for (const OutputRequest& other : requests) {
      if (obstacle.empty() && other.path == request.path &&
          !shares_file(energy, inputs, other, request))
        obstacle = fmt::format("'{}' is written there already", energy.field(other.unknown).name);
    }
    if (!obstacle.empty())
      faults.push_back(fmt::format("output {}={}: {}", output.name, output.source, obstacle));
    requests.push_back(request);
  }
  if (!faults.empty()) return fail("{}", fmt::join(faults, "\n"));
  for (const FieldId id : energy.unknowns()) {
    if (write_all && std::ranges::find(requests, id, &OutputRequest::unknown) == requests.end())
      requests.push_back({id, {}});
  }
  return requests;
}

std::vector<ReportFile> make_outputs(const Energy& energy, const BoundInputs& inputs,
                                     const Binding& solved,
                                     std::span<const OutputRequest> requests) {
  std::vector<ReportFile> files;
  std::vector<std::shared_ptr<DataFile>> contents;
  for (const OutputRequest& request : requests) {
    const Field& unknown = energy.field(request.unknown);
    std::vector<double> values = solved.field(request.unknown).to_doubles();
    const fs::path path =
        request.path.empty() ? default_path(energy, inputs, unknown, values) : request.path;
    const std::string suffix = suffix_of(path);
    const FedBy* container = find_container(inputs, unknown, suffix);
    const auto rank = static_cast<int>(unknown.dims.size());
    if (container != nullptr && is_writable(*container, rank, values)) {
      const auto same = std::ranges::find(files, path, &ReportFile::path);
      const auto at = static_cast<std::size_t>(same - files.begin());
      if (same == files.end()) {
        contents.push_back(std::make_shared<DataFile>(*container->file));
        files.push_back({path, unknown.name, contents.back()});
      } else {
        same->caption += ", " + unknown.name;
      }
      const auto written = put(*contents[at], container->selection, rank, values);
      THALLO_ASSERT(written, "{}", written.error().message());
      continue;
    }
    DataFile file{path, suffix, {}};
    if (is_image_suffix(suffix)) {
      const double full_scale = holds_samples(suffix) ? full_scale_of(energy, inputs, unknown) : 1;
      file.content = to_picture(solved, unknown, values, full_scale);
    } else if (suffix == ".csv") {
      file.content = to_table(unknown, std::move(values));
    } else {
      file.content = to_array(solved, unknown, std::move(values));
    }
    contents.push_back(std::make_shared<DataFile>(std::move(file)));
    files.push_back({path, unknown.name, contents.back()});
  }
  return files;
}

}  // namespace thallo
