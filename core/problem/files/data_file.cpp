#include "core/problem/files/data_file.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/exr.h"
#include "core/base/io/file.h"
#include "core/base/io/flo.h"
#include "core/base/io/g2o.h"
#include "core/base/io/imagedump.h"
#include "core/base/io/jpeg.h"
#include "core/base/io/obj.h"
#include "core/base/io/off.h"
#include "core/base/io/pfm.h"
#include "core/base/io/ply.h"
#include "core/base/io/png.h"
#include "core/base/io/pnm.h"
#include "core/base/io/stl.h"
#include "core/base/io/text_cursor.h"
#include "core/base/io/tiff.h"

namespace thallo {
namespace {

// A BAL file begins with a line of three counts, followed by a line with an observation (four
// numbers).
bool looks_like_bal(std::string_view content) {
  TextCursor lines("", content);
  std::size_t wanted = 3;
  for (int i = 0; i < 2; ++i) {
    TextCursor words("", lines.line());
    std::size_t count = 0;
    for (double number = 0; words.read(number); ++count) {
    }
    if (count != std::exchange(wanted, 4) || !words.at_end()) return false;
  }
  return true;
}

// Any text may be a table. If it is not one, the reader of tables reports the line.
bool looks_like_text(std::string_view content) {
  const std::string_view head = content.substr(0, 512);
  return !head.empty() && std::ranges::none_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

template <auto Parse>
Expected<DataFile::Content> parse_as(const std::filesystem::path& name, std::string_view content) {
  auto parsed = Parse(name, content);
  if (!parsed) return fail(std::move(parsed.error()));
  if constexpr (std::is_same_v<decltype(parsed), Expected<Image>>) {
    return DataFile::Content(to_raster(*std::move(parsed)));
  } else {
    return DataFile::Content(*std::move(parsed));
  }
}

Expected<DataFile::Content> parse_flow(const std::filesystem::path& name,
                                       std::string_view content) {
  auto parsed = parse_as<parse_flo>(name, content);
  if (parsed) std::get<Raster>(*parsed).layers.front().channels = {"u", "v"};
  return parsed;
}

struct Format {
  std::string_view suffix;
  std::string_view kind;
  bool (*matches)(std::string_view content);
  Expected<DataFile::Content> (*parse)(const std::filesystem::path& name, std::string_view content);
};

// The formats in the order in which they are tried; those with a signature come first.
constexpr Format Formats[] = {
    {".png", "an image", is_png, parse_as<parse_png>},
    {".jpg", "an image", is_jpeg, parse_as<parse_jpeg>},
    {".tif", "an image", is_tiff, parse_as<parse_tiff>},
    {".exr", "an image", is_exr, parse_as<parse_exr>},
    {".flo", "an image", is_flo, parse_flow},
    {".pfm", "an image", is_pfm, parse_as<parse_pfm>},
    {".ppm", "an image", is_pnm, parse_as<parse_pnm>},
    {".npy", "an array", is_npy, parse_as<parse_npy>},
    {".npz", "an archive of arrays", is_npz, parse_as<parse_npz>},
    {".ply", "a mesh", is_ply, parse_as<parse_ply>},
    {".off", "a mesh", is_off, parse_as<parse_off>},
    {".stl", "a mesh", is_stl, parse_as<parse_stl>},
    {".graph", "a pose graph", is_toro, parse_as<parse_g2o>},
    {".g2o", "a pose graph", is_g2o, parse_as<parse_g2o>},
    {".obj", "a mesh", is_obj, parse_as<parse_obj>},
    {".imagedump", "an image", is_imagedump, parse_as<parse_imagedump>},
    {".bal", "a bundle adjustment scene", looks_like_bal, parse_as<parse_bal>},
    {".csv", "a table", looks_like_text, parse_as<parse_csv>},
};

std::string_view canonical(std::string_view suffix) {
  constexpr std::pair<std::string_view, std::string_view> Synonyms[] = {
      {".jpeg", ".jpg"}, {".tiff", ".tif"}, {".pgm", ".ppm"}, {".pnm", ".ppm"}, {".txt", ".csv"}};
  for (const auto& [synonym, name] : Synonyms)
    if (suffix == synonym) return name;
  return suffix;
}

std::string_view kind_of(const DataFile::Content& content) {
  constexpr std::string_view Kinds[] = {
      "an image", "a mesh",  "a pose graph",        "a bundle adjustment scene",
      "an array", "a table", "an archive of arrays"};
  return Kinds[content.index()];
}

Expected<void> write_content(const std::filesystem::path& path, const Raster& raster) {
  std::vector<Image> pages;
  for (const Layer& layer : raster.layers) pages.push_back(to_image(layer));
  if (pages.size() > 1) return write_tiff(path, pages);
  return write_image(path, pages.front(), static_cast<int>(raster.layers.front().full_scale));
}
Expected<void> write_content(const std::filesystem::path& path, const Mesh& mesh) {
  return write_mesh(path, mesh);
}
Expected<void> write_content(const std::filesystem::path& path, const PoseGraph& graph) {
  return write_g2o(path, graph);
}
Expected<void> write_content(const std::filesystem::path& path, const BalProblem& scene) {
  return write_bal(path, scene);
}
Expected<void> write_content(const std::filesystem::path& path, const NpyArray& array) {
  return write_npy(path, array);
}
Expected<void> write_content(const std::filesystem::path& path, const CsvTable& table) {
  return write_csv(path, table);
}
Expected<void> write_content(const std::filesystem::path& path, const NpzArchive&) {
  return fail_at({path},
                 "cannot be written: archives of arrays are read only; an array alone goes "
                 "into a .npy file");
}

}  // namespace

std::string_view kind_of_suffix(std::string_view suffix) {
  const auto* found = std::ranges::find(Formats, canonical(suffix), &Format::suffix);
  return found == std::end(Formats) ? std::string_view() : found->kind;
}

bool holds_samples(std::string_view suffix) {
  suffix = canonical(suffix);
  return suffix == ".png" || suffix == ".jpg" || suffix == ".ppm";
}

Expected<DataFile> read_data_file(const std::filesystem::path& path) {
  THALLO_TRY(const auto content, read_file(path));
  const auto* named = std::ranges::find(Formats, canonical(suffix_of(path)), &Format::suffix);
  for (const Format& matching : Formats) {
    // What is of no format, or a text, is a damaged file of the format that it is named like.
    const bool is_last = &matching == std::end(Formats) - 1 && named != std::end(Formats);
    if (!matching.matches(content) && !(is_last && !content.empty())) continue;
    const bool is_text = matching.matches == looks_like_text;
    const Format& format = is_text && named != std::end(Formats) ? *named : matching;
    auto parsed = format.parse(path, content);
    if (!parsed) {
      Diagnostic fault = std::move(parsed.error());
      if (is_text && named == std::end(Formats))
        fault.what += " (it was read as a table, for a text of no other format may be one)";
      return fail(std::move(fault));
    }
    return DataFile{path, std::string(format.suffix), *std::move(parsed)};
  }
  std::vector<std::string> legal;
  for (const Format& format : Formats) legal.emplace_back(format.suffix.substr(1));
  return fail(Diagnostic{content.empty() ? "the file is empty" : "is of no format that can be read",
                         {path, 0, 0},
                         std::move(legal)});
}

Expected<void> write_data_file(const std::filesystem::path& path, const DataFile& file) {
  const std::string_view kind = kind_of(file.content);
  // BAL files are usually named .txt.
  const std::string suffix = suffix_of(path);
  const bool is_scene = std::holds_alternative<BalProblem>(file.content);
  if (kind_of_suffix(suffix) != kind && !(is_scene && suffix == ".txt")) {
    std::vector<std::string> legal;
    for (const Format& format : Formats)
      if (format.kind == kind) legal.emplace_back(format.suffix);
    return fail(Diagnostic{
        fmt::format("cannot be written: {} does not go into a file named '{}'", kind, suffix),
        {path, 0, 0},
        std::move(legal)});
  }
  return std::visit([&](const auto& content) { return write_content(path, content); },
                    file.content);
}

}  // namespace thallo
