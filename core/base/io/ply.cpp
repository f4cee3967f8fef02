#include "core/base/io/ply.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/ply_types.h"
#include "core/base/io/text_cursor.h"
#include "core/base/io/text_lines.h"
#include "core/base/log.h"
#include "core/base/mesh_faces.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

// A longer list is a sign of a damaged file.
constexpr double MaxPlyCorners = 1e6;

struct Property {
  std::string name;
  PlyType type = PlyType::Float;
  std::optional<PlyType> list_length;  // the type of the length, for lists
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;

  // The position of the first property with one of these names.
  std::optional<std::size_t> find(std::initializer_list<std::string_view> names,
                                  bool is_list = false) const {
    for (std::size_t p = 0; p < properties.size(); ++p)
      if (std::ranges::find(names, properties[p].name) != names.end() &&
          properties[p].list_length.has_value() == is_list)
        return p;
    return std::nullopt;
  }
};

enum class Encoding { Ascii, LittleEndian, BigEndian };
constexpr std::pair<std::string_view, Encoding> Encodings[] = {
    {"ascii", Encoding::Ascii},
    {"binary_little_endian", Encoding::LittleEndian},
    {"binary_big_endian", Encoding::BigEndian}};

struct Header {
  std::optional<Encoding> encoding;
  std::vector<Element> elements;
  std::vector<MeshStatement> comments;

  std::int64_t num_vertices() const {
    const auto found = std::ranges::find(elements, "vertex", &Element::name);
    return found == elements.end() ? 0 : found->count;
  }
};

Expected<Property> parse_property(TextCursor& line) {
  Property property;
  const auto type_of = [&](std::string_view name) -> Expected<PlyType> {
    if (const auto type = find_ply_type(name)) return *type;
    return fail_at(line.where(), "unknown type '{}' of a property", name);
  };
  std::string_view word = line.word();
  if (word == "list") {
    THALLO_TRY(property.list_length, type_of(line.word()));
    word = line.word();
  }
  THALLO_TRY(property.type, type_of(word));
  property.name = line.word();
  return property;
}

Expected<Encoding> parse_encoding(TextCursor& cursor) {
  const SourceLocation where = cursor.where();
  const std::string_view format = cursor.word();
  for (const auto& [name, encoding] : Encodings)
    if (name == format) return encoding;
  return fail(Diagnostic{fmt::format("format '{}' cannot be read", format), where,
                         names_of(Encodings, &std::pair<std::string_view, Encoding>::first)});
}

Expected<Header> parse_header(TextCursor& cursor) {
  Header header;
  if (cursor.word() != "ply") {
    return fail_at({cursor.where().file}, "is not a PLY file (it does not start with 'ply')");
  }
  while (true) {
    if (cursor.at_end()) return fail(cursor.unexpected("'end_header'"));
    const SourceLocation where = cursor.where();
    const std::string_view keyword = cursor.word();
    if (keyword == "end_header") {
      cursor.line();
      break;
    }
    if (keyword == "comment" || keyword == "obj_info") {
      header.comments.push_back({0, fmt::format("{}{}", keyword, cursor.line())});
    } else if (keyword == "format") {
      THALLO_TRY(header.encoding, parse_encoding(cursor));
      cursor.line();
    } else if (keyword == "element") {
      Element element;
      element.name = cursor.word();
      if (!cursor.read_count(element.count))
        return fail(cursor.unexpected(fmt::format("the number of '{}' elements", element.name)));
      if (std::ranges::find(header.elements, element.name, &Element::name) != header.elements.end())
        return fail_at(where, "there are two elements '{}'", element.name);
      header.elements.push_back(std::move(element));
    } else if (keyword == "property" && !header.elements.empty()) {
      THALLO_TRY(auto property, parse_property(cursor));
      header.elements.back().properties.push_back(std::move(property));
    } else {
      return fail(Diagnostic{fmt::format("unexpected '{}' in the header", shown_start(keyword)),
                             where,
                             {"format", "comment", "element", "property", "end_header"}});
    }
  }
  if (!header.encoding) return fail_at({cursor.where().file}, "has no 'format' line in its header");
  return header;
}

// AsciiSource and BinarySource give one number after another; the type matters to the second only.
// In a text a row is a line.
class AsciiSource {
 public:
  explicit AsciiSource(TextLines lines) : lines_(std::move(lines)) {}

  void begin_row() { lines_.next(); }
  // Reads nothing that the type cannot hold.
  bool read(PlyType type, double& value) {
    return lines_.words().read_if(value, [&](double number) { return holds(type, number); });
  }
  bool read_length(PlyType, double& length) { return lines_.words().read(length); }
  template <class Text>
  Expected<void> end_row(const Text& row_text) {
    if (lines_.words().at_end()) return {};
    return fail(longer(fmt::format("the end of {}", row_text()), "properties"));
  }
  Expected<void> end() {
    if (!lines_.next()) return {};
    return fail(longer("the end of the file", "elements"));
  }
  SourceLocation where() const { return lines_.where(); }
  Diagnostic failure(std::string_view wanted) { return lines_.unexpected(wanted); }

 private:
  Diagnostic longer(std::string_view wanted, std::string_view what) {
    Diagnostic diagnostic = lines_.unexpected(wanted);
    diagnostic.what += fmt::format(": the header lists no more {}", what);
    return diagnostic;
  }

  TextLines lines_;
};

class BinarySource {
 public:
  BinarySource(std::string file, std::string_view content, std::size_t offset, bool is_big)
      : file_(file), cursor_(std::move(file), content, offset), is_big_(is_big) {}

  void begin_row() {}
  bool read(PlyType type, double& value) {
    return with_ply_type(type, [&](auto raw) {
      wanted_bytes_ = sizeof(raw);
      if (!cursor_.read(raw)) return false;
      if (is_big_) std::ranges::reverse(std::as_writable_bytes(std::span(&raw, 1)));
      value = static_cast<double>(raw);
      return true;
    });
  }
  bool read_length(PlyType type, double& length) { return read(type, length); }
  template <class Text>
  Expected<void> end_row(const Text& /*row_text*/) {
    return {};
  }
  // Some programs end a file with a line break.
  Expected<void> end() {
    if (cursor_.remaining() <= 2) return {};
    return fail_at({file_}, "has {} bytes behind offset {}, where its last element ends",
                   cursor_.remaining(), cursor_.offset());
  }
  SourceLocation where() const { return {file_, 0, 0}; }
  Diagnostic failure(std::string_view wanted) { return cursor_.truncated(wanted, wanted_bytes_); }

 private:
  std::string file_;
  ByteCursor cursor_;
  std::size_t wanted_bytes_ = 0;  // of the last number
  bool is_big_;
};

// What a row has for each property: a value, or a list.
struct Row {
  std::vector<double> values;
  std::vector<std::vector<double>> lists;

  std::array<double, 3> three(const std::array<std::size_t, 3>& at) const {
    return {values[at[0]], values[at[1]], values[at[2]]};
  }
};

// Reads the rows of an element, and gives each to use(row).
template <class Source, class Use>
Expected<void> read_rows(Source& source, const Element& element, const Use& use) {
  // The rows of an element without properties take no room in the file, whatever their count is.
  if (element.properties.empty()) return {};
  const std::size_t num_properties = element.properties.size();
  Row row{std::vector<double>(num_properties), std::vector<std::vector<double>>(num_properties)};
  for (std::int64_t i = 0; i < element.count; ++i) {
    const auto row_text = [&] {
      return fmt::format("{} {} (of {})", element.name, i, element.count);
    };
    source.begin_row();
    for (std::size_t p = 0; p < num_properties; ++p) {
      const Property& property = element.properties[p];
      const auto failure = [&] {
        return fail(source.failure(fmt::format("{} of {}", property.name, row_text())));
      };
      if (!property.list_length) {
        if (!source.read(property.type, row.values[p])) return failure();
        continue;
      }
      double length = 0.0;
      if (!source.read_length(*property.list_length, length)) return failure();
      if (!(length >= 0.0 && length <= MaxPlyCorners && length == std::floor(length))) {
        return fail_at(source.where(), "{} of {} has {} entries; legal is an integer up to {}",
                       property.name, row_text(), length, MaxPlyCorners);
      }
      row.lists[p].clear();
      for (double k = 0; k < length; ++k) {
        double entry = 0.0;
        if (!source.read(property.type, entry)) return failure();
        row.lists[p].push_back(entry);
      }
    }
    THALLO_CHECK(source.end_row(row_text));
    THALLO_CHECK(use(row));
  }
  return {};
}

// The positions of three properties; absent unless all three are there.
std::optional<std::array<std::size_t, 3>> find_three(const Element& element,
                                                     std::array<std::string_view, 3> names) {
  std::array<std::size_t, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = element.find({names[i]});
    if (!at) return std::nullopt;
    result[i] = *at;
  }
  return result;
}

// The properties that nothing else takes.
class Attributes {
 public:
  Attributes(const Element& element, const std::vector<std::size_t>& taken,
             std::vector<MeshAttribute>& to)
      : to_(to) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const auto& [name, type, list_length] = element.properties[p];
      if (std::ranges::find(taken, p) != taken.end()) continue;
      at_.push_back(p);
      MeshAttribute& attribute = to.emplace_back();
      attribute.name = name;
      attribute.type = to_string(type);
      if (!list_length) continue;
      attribute.length_type = to_string(*list_length);
      attribute.offsets = {0};
    }
  }
  void add(const Row& row) {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      auto& [name, type, values, length_type, offsets] = to_[i];
      if (offsets.empty()) {
        values.push_back(row.values[at_[i]]);
        continue;
      }
      const auto& list = row.lists[at_[i]];
      values.insert(values.end(), list.begin(), list.end());
      offsets.push_back(values.size());
      if (list.size() > 127) length_type = to_string(PlyType::Int32);
    }
  }

 private:
  std::vector<MeshAttribute>& to_;
  std::vector<std::size_t> at_;
};

template <class Source>
Expected<void> read_vertices(Source& source, const Element& element, Mesh& mesh) {
  const auto position = find_three(element, {"x", "y", "z"});
  if (!position) {
    return fail_at({source.where().file}, "its vertices have no properties x, y, z");
  }
  const auto normal = find_three(element, {"nx", "ny", "nz"});
  auto color = find_three(element, {"red", "green", "blue"});
  const auto type_of = [&](std::size_t at) { return element.properties[at].type; };
  if (color && std::ranges::adjacent_find(*color, std::not_equal_to(), type_of) != color->end())
    color.reset();
  if (color) mesh.color_type = to_string(type_of(color->front()));
  std::vector<std::size_t> taken;
  for (const auto& three : {position, normal, color})
    if (three) taken.insert(taken.end(), three->begin(), three->end());
  Attributes attributes(element, taken, mesh.vertex_attributes);
  return read_rows(source, element, [&](const Row& row) -> Expected<void> {
    mesh.positions.push_back(row.three(*position));
    if (normal) mesh.normals.push_back(row.three(*normal));
    if (color) mesh.colors.push_back(row.three(*color));
    attributes.add(row);
    return {};
  });
}

// Adds the texture coordinates of a face, u v each, or none. Returns false if they are as many as
// no corners are.
bool add_texture(const std::vector<double>& coordinates, std::size_t num_corners,
                 CornerValues& texture) {
  std::vector<std::int32_t> corners(num_corners, -1);
  if (coordinates.size() == 2 * num_corners) {
    for (std::size_t i = 0; i < num_corners; ++i) {
      corners[i] = static_cast<std::int32_t>(texture.values.size());
      texture.values.push_back({coordinates[2 * i], coordinates[2 * i + 1], 0});
    }
  }
  add_fan(corners, texture.of);
  return coordinates.empty() || coordinates.size() == 2 * num_corners;
}

template <class Source>
Expected<void> read_faces(Source& source, const Element& element, std::int64_t num_vertices,
                          Mesh& mesh) {
  const auto list = element.find({"vertex_indices", "vertex_index"}, true);
  if (!list && element.count > 0) {
    return fail(Diagnostic{"its faces have no list of vertices",
                           {source.where().file, 0, 0},
                           {"vertex_indices", "vertex_index"}});
  }
  const auto texture = element.find({"texcoord"}, true);
  std::vector<std::size_t> taken;
  for (const auto& property : {list, texture})
    if (property) taken.push_back(*property);
  Attributes attributes(element, taken, mesh.face_attributes);
  // A damaged header may promise more vertices than can be numbered.
  const auto limit = static_cast<double>(
      std::min<std::int64_t>(num_vertices, std::numeric_limits<std::int32_t>::max()));
  std::vector<std::int32_t> corners;
  std::size_t num_without_texture = 0;
  auto read = read_rows(source, element, [&](const Row& row) -> Expected<void> {
    corners.clear();
    for (const double corner : row.lists[*list]) {
      if (!(corner >= 0.0 && corner < limit && corner == std::floor(corner))) {
        return fail_at(source.where(), "face {} names vertex {}, but there are {} vertices",
                       mesh.num_faces(), corner, num_vertices);
      }
      corners.push_back(static_cast<std::int32_t>(corner));
    }
    if (!add_face(corners, mesh)) return {};
    if (texture)
      num_without_texture += !add_texture(row.lists[*texture], corners.size(), mesh.texture);
    attributes.add(row);
    return {};
  });
  if (!read) return read;
  if (num_without_texture > 0) {
    logger("io").warn(
        "{}: the texture coordinates of {} faces are not two for each corner, and are left out",
        source.where().file, num_without_texture);
  }
  if (mesh.texture.values.empty()) mesh.texture.of.clear();
  finish_faces(source.where().file, static_cast<std::size_t>(element.count), mesh);
  return {};
}

template <class Source>
Expected<Mesh> read_elements(Source source, const Header& header) {
  Mesh mesh;
  mesh.statements = header.comments;
  for (const Element& element : header.elements) {
    Expected<void> read;
    if (element.name == "vertex") {
      read = read_vertices(source, element, mesh);
    } else if (element.name == "face") {
      read = read_faces(source, element, header.num_vertices(), mesh);
    } else {
      MeshElements& kept = mesh.elements.emplace_back();
      kept.name = element.name;
      kept.count = static_cast<std::size_t>(element.count);
      Attributes attributes(element, {}, kept.attributes);
      read = read_rows(source, element, [&](const Row& row) -> Expected<void> {
        attributes.add(row);
        return {};
      });
    }
    if (!read) return fail(read.error());
  }
  THALLO_CHECK(source.end());
  if (std::ranges::find(header.elements, "vertex", &Element::name) == header.elements.end())
    return fail_at({source.where().file}, "has no 'vertex' element");
  return mesh;
}

}  // namespace

bool is_ply(std::string_view content) {
  return content.starts_with("ply\n") || content.starts_with("ply\r");
}

Expected<Mesh> parse_ply(const std::filesystem::path& name, std::string_view content) {
  TextCursor text(name, content);
  THALLO_TRY(const auto header, parse_header(text));
  if (header.encoding == Encoding::Ascii) {
    const TextLines lines(name, text.rest(), {.first_line = text.line_number()});
    return read_elements(AsciiSource(lines), header);
  }
  const bool is_big = header.encoding == Encoding::BigEndian;
  return read_elements(BinarySource(name, content, text.offset(), is_big), header);
}

}  // namespace thallo
