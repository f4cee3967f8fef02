#include "core/base/io/off.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/io/text_lines.h"
#include "core/base/log.h"
#include "core/base/mesh_faces.h"

namespace thallo {
namespace {

// What a vertex has beside its position.
struct OffKind {
  bool has_texture = false, has_colors = false, has_normals = false;
};

struct KindLetters {
  std::string_view letters;
  bool OffKind::*member;
};
constexpr KindLetters OffKinds[] = {
    {"ST", &OffKind::has_texture}, {"C", &OffKind::has_colors}, {"N", &OffKind::has_normals}};

// "COFF", "STNOFF": the letters stand in any order.
std::optional<OffKind> find_kind(std::string_view word) {
  if (!word.ends_with("OFF")) return std::nullopt;
  word.remove_suffix(3);
  OffKind kind;
  while (!word.empty()) {
    const auto* found = std::ranges::find_if(
        OffKinds, [&](const KindLetters& known) { return word.starts_with(known.letters); });
    if (found == std::end(OffKinds)) return std::nullopt;
    kind.*found->member = true;
    word.remove_prefix(found->letters.size());
  }
  return kind;
}

struct Color {
  std::array<double, 4> rgba = {0, 0, 0, -1};  // as it is written; a is -1 if it is not
  bool is_share = false;                       // true if 1 is the most, not 255
};
constexpr std::string_view ChannelNames[] = {"red", "green", "blue", "alpha"};

// Returns the channels of colors, without alpha if it says nothing. In a file that has no number
// above 1, those without a point are shares, too.
std::vector<MeshAttribute> to_channels(const std::vector<Color>& colors) {
  const bool has_shares = std::ranges::any_of(colors, &Color::is_share) &&
                          std::ranges::all_of(colors, [](const Color& color) {
                            return std::ranges::max(color.rgba) <= 1;
                          });
  const double white = has_shares ? 1 : 255;
  std::vector<MeshAttribute> channels;
  for (std::size_t c = 0; c < 4; ++c) {
    MeshAttribute& channel = channels.emplace_back();
    channel.name = ChannelNames[c];
    channel.type = has_shares ? "float" : "uchar";
    for (const auto& [rgba, is_share] : colors) {
      const double sample = is_share && !has_shares ? 255 * rgba[c] : rgba[c];
      channel.values.push_back(rgba[c] < 0 ? white : has_shares ? sample : std::round(sample));
    }
  }
  if (std::ranges::count(channels[3].values, white) == std::ssize(colors)) channels.pop_back();
  return channels;
}

class OffParser {
 public:
  OffParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), content_(content), lines_(path, content, {.comment = '#'}) {}

  Expected<Mesh> parse() {
    THALLO_CHECK(parse_header());
    for (std::int64_t i = 0; i < num_vertices_; ++i) THALLO_CHECK(parse_vertex(i));
    for (std::int64_t i = 0; i < num_faces_; ++i) THALLO_CHECK(parse_face(i));
    if (lines_.next()) return fail(lines_.unexpected("the end of the file"));
    finish();
    return std::move(mesh_);
  }

 private:
  Expected<void> parse_header() {
    lines_.next();
    const auto kind = find_kind(words().word());
    if (!kind) {
      return fail(Diagnostic{"is not an OFF file that can be read (its first word is another)",
                             {path_, 0, 0},
                             {"OFF", "COFF", "NOFF", "STOFF", "CNOFF", "STCNOFF"}});
    }
    kind_ = *kind;
    if (words().at_end()) lines_.next();
    std::int64_t num_edges = 0;  // often 0, always unused
    THALLO_CHECK(parse_count(num_vertices_, "vertices"));
    THALLO_CHECK(parse_count(num_faces_, "faces"));
    words().read(num_edges);
    return expect_end([] { return "the counts"; });
  }

  // A vertex or a face takes more than two characters: a damaged count must not make us loop over
  // more than the file can hold.
  Expected<void> parse_count(std::int64_t& count, std::string_view what) {
    if (!words().read_count(count))
      return fail(lines_.unexpected(fmt::format("the number of {}", what)));
    if (count > static_cast<std::int64_t>(content_.size()) / 2) {
      return fail_at(lines_.where(),
                     "the file is truncated: it promises {} {}, for which its {} bytes are too few",
                     count, what, content_.size());
    }
    return {};
  }

  Expected<void> parse_vertex(std::int64_t i) {
    lines_.next();
    const auto vertex = [&] { return fmt::format("vertex {} (of {})", i, num_vertices_); };
    constexpr std::string_view Names[] = {"x", "y", "z", "nx", "ny", "nz"};
    std::array<double, 6> values{};
    for (std::size_t k = 0; k < (kind_.has_normals ? 6u : 3u); ++k) {
      if (!words().read(values[k]))
        return fail(lines_.unexpected(fmt::format("{} of {}", Names[k], vertex())));
    }
    mesh_.positions.push_back({values[0], values[1], values[2]});
    if (kind_.has_normals) mesh_.normals.push_back({values[3], values[4], values[5]});
    const std::size_t num_texture = kind_.has_texture ? 2 : 0;
    if (kind_.has_colors) {
      THALLO_TRY(const auto color, parse_color(num_texture, vertex));
      colors_.push_back(color);
    }
    std::array<double, 3> uvw{};
    for (std::size_t k = 0; k < num_texture; ++k) {
      if (!words().read(uvw[k]))
        return fail(lines_.unexpected(fmt::format("a texture coordinate of {}", vertex())));
    }
    if (kind_.has_texture) mesh_.texture.values.push_back(uvw);
    return expect_end(vertex);
  }

  // Reads three numbers or four, but leaves `num_behind`.
  template <class Text>
  Expected<Color> parse_color(std::size_t num_behind, const Text& owner) {
    const std::string_view rest = words().rest();
    std::size_t count = 0;
    for (TextCursor ahead("", rest); !ahead.at_end(); ahead.word()) ++count;
    Color color;
    for (std::size_t k = 0; k < std::clamp<std::size_t>(count - num_behind, 3, 4); ++k) {
      color.is_share |= words().peek().find('.') != std::string_view::npos;
      if (!words().read_if(color.rgba[k], [](double c) { return c >= 0 && c <= 255; }))
        return fail(lines_.unexpected(fmt::format("a color of {} (0 ... 255)", owner())));
    }
    color.is_share &= std::ranges::max(color.rgba) <= 1;
    return color;
  }

  Expected<void> parse_face(std::int64_t i) {
    lines_.next();
    const auto face = [&] { return fmt::format("face {} (of {})", i, num_faces_); };
    int count = 0;
    if (!words().read(count) || count < 1)
      return fail(lines_.unexpected(fmt::format("the number of corners of {}", face())));
    corners_.clear();
    for (int k = 0; k < count; ++k) {
      std::int32_t corner = 0;
      if (!words().read(corner))
        return fail(lines_.unexpected(fmt::format("corner {} (of {}) of {}", k, count, face())));
      if (corner < 0 || corner >= num_vertices_) {
        return fail_at(lines_.where(), "face {} names vertex {}, but there are {} vertices", i,
                       corner, num_vertices_);
      }
      corners_.push_back(corner);
    }
    // A single number would be one of a table of colors.
    double table_index = 0;
    TextCursor ahead = words();
    std::optional<Color> color;
    if (!ahead.at_end() && ahead.read(table_index) && ahead.at_end()) {
      words().word();
    } else if (!words().at_end()) {
      THALLO_TRY(color, parse_color(0, face));
    }
    if (add_face(corners_, mesh_) && color) face_colors_.push_back(*color);
    return expect_end(face);
  }

  // Fails if the line has words that were not read.
  template <class Text>
  Expected<void> expect_end(const Text& owner) {
    if (words().at_end()) return {};
    return fail(lines_.unexpected(fmt::format("the end of {}", owner())));
  }

  void finish() {
    if (!colors_.empty()) {
      const auto channels = to_channels(colors_);
      mesh_.color_type = channels.front().type;
      for (std::size_t i = 0; i < colors_.size(); ++i)
        mesh_.colors.push_back(
            {channels[0].values[i], channels[1].values[i], channels[2].values[i]});
      mesh_.vertex_attributes.assign(channels.begin() + 3, channels.end());
    }
    if (face_colors_.size() == mesh_.fans.size()) {
      if (!face_colors_.empty()) mesh_.face_attributes = to_channels(face_colors_);
    } else if (!face_colors_.empty()) {
      logger("io").warn("{}: {} of {} faces have colors, which are left out", path_.string(),
                        face_colors_.size(), mesh_.fans.size());
    }
    if (kind_.has_texture) mesh_.texture.of = mesh_.triangles;
    finish_faces(path_.string(), static_cast<std::size_t>(num_faces_), mesh_);
  }

  TextCursor& words() { return lines_.words(); }

  std::filesystem::path path_;
  std::string_view content_;
  TextLines lines_;
  OffKind kind_;
  std::int64_t num_vertices_ = 0;
  std::int64_t num_faces_ = 0;
  std::vector<std::int32_t> corners_;
  std::vector<Color> colors_, face_colors_;
  Mesh mesh_;
};

// Returns red, green and blue of one type, and alpha if it is there, too; fewer without colors.
std::vector<const MeshAttribute*> find_channels(const std::vector<MeshAttribute>& attributes) {
  std::vector<const MeshAttribute*> found;
  for (const std::string_view name : ChannelNames)
    for (const MeshAttribute& attribute : attributes)
      if (attribute.name == name && !attribute.is_list() &&
          (found.empty() || found.front()->type == attribute.type))
        found.push_back(&attribute);
  return found;
}

// Writes a color whose most is `white`. Shares have a point, since 1 would be one of 255.
void write_color(const std::array<double, 3>& rgb, double alpha, double white, std::string& text) {
  for (const double sample : {rgb[0], rgb[1], rgb[2], alpha})
    text += white == 255 ? fmt::format(" {}", sample) : fmt::format(" {:#}", sample / white);
}

}  // namespace

bool is_off(std::string_view content) {
  TextCursor cursor("", content);
  cursor.skip_comments('#');
  const std::string_view word = cursor.word();
  return word.ends_with("OFF") && word.find_first_not_of("STCNOF4n") == std::string_view::npos;
}

Expected<Mesh> parse_off(const std::filesystem::path& name, std::string_view content) {
  return OffParser(name, content).parse();
}

Expected<void> write_off(const std::filesystem::path& path, const Mesh& mesh) {
  THALLO_CHECK(check_writable(path, mesh));
  // Texture coordinates belong to vertices here.
  const bool has_texture =
      mesh.texture.of == mesh.triangles && mesh.texture.values.size() == mesh.positions.size();
  std::string text =
      fmt::format("{}{}{}OFF\n{} {} 0\n", has_texture ? "ST" : "", mesh.colors.empty() ? "" : "C",
                  mesh.normals.empty() ? "" : "N", mesh.positions.size(), mesh.num_faces());
  auto out = std::back_inserter(text);
  const double white = mesh.white();
  const auto alpha =
      std::ranges::find(mesh.vertex_attributes, ChannelNames[3], &MeshAttribute::name);
  const bool has_alpha =
      alpha != mesh.vertex_attributes.end() && !alpha->is_list() && alpha->type == mesh.color_type;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    fmt::format_to(out, "{}", fmt::join(mesh.positions[i], " "));
    if (!mesh.normals.empty()) fmt::format_to(out, " {}", fmt::join(mesh.normals[i], " "));
    if (!mesh.colors.empty())
      write_color(mesh.colors[i], has_alpha ? alpha->values[i] : white, white, text);
    if (has_texture)
      fmt::format_to(out, " {} {}", mesh.texture.values[i][0], mesh.texture.values[i][1]);
    text += '\n';
  }
  const auto channels = find_channels(mesh.face_attributes);
  for_each_face(mesh, [&](std::size_t face, std::span<const FaceCorner> corners) {
    fmt::format_to(out, "{}", corners.size());
    for (const auto& [triangle, at] : corners)
      fmt::format_to(out, " {}", mesh.triangles[triangle][at]);
    if (channels.size() >= 3) {
      const auto sample = [&](std::size_t c) { return channels[c]->values[face]; };
      const double most = white_of(channels.front()->type);
      write_color({sample(0), sample(1), sample(2)}, channels.size() > 3 ? sample(3) : most, most,
                  text);
    }
    text += '\n';
  });
  return write_file(path, text);
}

}  // namespace thallo
