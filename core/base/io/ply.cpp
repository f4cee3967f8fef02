#include "core/base/io/ply.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

// A longer list is a sign of a damaged file.
constexpr double MaxPlyCorners = 1e6;

enum class Type { Int8, Uint8, Int16, Uint16, Int32, Uint32, Float, Double };

struct TypeName {
  std::string_view name;
  Type type;
};
constexpr TypeName TypeNames[] = {
    {"char", Type::Int8},     {"int8", Type::Int8},     {"uchar", Type::Uint8},
    {"uint8", Type::Uint8},   {"short", Type::Int16},   {"int16", Type::Int16},
    {"ushort", Type::Uint16}, {"uint16", Type::Uint16}, {"int", Type::Int32},
    {"int32", Type::Int32},   {"uint", Type::Uint32},   {"uint32", Type::Uint32},
    {"float", Type::Float},   {"float32", Type::Float}, {"double", Type::Double},
    {"float64", Type::Double}};

std::optional<Type> find_type(std::string_view name) {
  const auto* it = std::find_if(std::begin(TypeNames), std::end(TypeNames),
                                [&](const TypeName& entry) { return entry.name == name; });
  return it == std::end(TypeNames) ? std::nullopt : std::optional(it->type);
}

struct Property {
  std::string name;
  Type type = Type::Float;
  std::optional<Type> list_length;  // the type of the length, for lists
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;

  // Position of the property, or -1.
  int find(std::string_view property) const {
    const auto it = std::find_if(properties.begin(), properties.end(),
                                 [&](const Property& p) { return p.name == property; });
    return it == properties.end() ? -1 : static_cast<int>(it - properties.begin());
  }
};

struct Header {
  PlyFormat format = PlyFormat::Ascii;
  std::vector<Element> elements;
};

Expected<Property> parse_property(TextCursor& line) {
  Property property;
  const auto type_of = [&](std::string_view name) -> Expected<Type> {
    if (const auto type = find_type(name)) return *type;
    return fail_at(line.where(), "unknown type '{}' of a property", name);
  };
  std::string_view word = line.word();
  if (word == "list") {
    const auto length = type_of(line.word());
    if (!length) return fail(length.error());
    property.list_length = *length;
    word = line.word();
  }
  const auto type = type_of(word);
  if (!type) return fail(type.error());
  property.type = *type;
  property.name = line.word();
  return property;
}

Expected<Header> parse_header(TextCursor& cursor) {
  Header header;
  bool has_format = false;
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
      cursor.line();
    } else if (keyword == "format") {
      const std::string_view format = cursor.word();
      if (format != "ascii" && format != "binary_little_endian") {
        return fail(Diagnostic{fmt::format("format '{}' cannot be read", format),
                               where,
                               {"ascii", "binary_little_endian"}});
      }
      header.format = format == "ascii" ? PlyFormat::Ascii : PlyFormat::Binary;
      has_format = true;
      cursor.line();
    } else if (keyword == "element") {
      Element element;
      element.name = cursor.word();
      if (!cursor.read(element.count) || element.count < 0)
        return fail(cursor.unexpected(fmt::format("the number of '{}' elements", element.name)));
      header.elements.push_back(std::move(element));
    } else if (keyword == "property" && !header.elements.empty()) {
      auto property = parse_property(cursor);
      if (!property) return fail(property.error());
      header.elements.back().properties.push_back(*std::move(property));
    } else {
      return fail(Diagnostic{fmt::format("unexpected '{}' in the header", keyword),
                             where,
                             {"format", "comment", "element", "property", "end_header"}});
    }
  }
  if (!has_format) return fail_at({cursor.where().file}, "has no 'format' line in its header");
  return header;
}

// AsciiSource and BinarySource give one number after another; the type matters to the second only.
class AsciiSource {
 public:
  explicit AsciiSource(TextCursor& cursor) : cursor_(cursor) {}
  bool read(Type, double& value) { return cursor_.read(value); }
  Diagnostic failure(std::string_view wanted) { return cursor_.unexpected(wanted); }

 private:
  TextCursor& cursor_;
};

class BinarySource {
 public:
  explicit BinarySource(ByteCursor& cursor) : cursor_(cursor) {}
  bool read(Type type, double& value) {
    switch (type) {
      case Type::Int8: return read_as<std::int8_t>(value);
      case Type::Uint8: return read_as<std::uint8_t>(value);
      case Type::Int16: return read_as<std::int16_t>(value);
      case Type::Uint16: return read_as<std::uint16_t>(value);
      case Type::Int32: return read_as<std::int32_t>(value);
      case Type::Uint32: return read_as<std::uint32_t>(value);
      case Type::Float: return read_as<float>(value);
      case Type::Double: return read_as<double>(value);
    }
    THALLO_UNREACHABLE();
  }
  Diagnostic failure(std::string_view wanted) { return cursor_.truncated(wanted, 1); }

 private:
  template <class T>
  bool read_as(double& value) {
    T raw{};
    if (!cursor_.read(raw)) return false;
    value = static_cast<double>(raw);
    return true;
  }
  ByteCursor& cursor_;
};

// Reads the rows of one element: `use(values, lists)` gets the scalar properties (0 for lists) and
// the list at position `list` of the properties.
template <class Source, class Use>
Expected<void> read_rows(Source& source, const Element& element, int list, const Use& use) {
  // The rows of an element without properties take no room in the file, whatever their count is.
  if (element.properties.empty()) return {};
  std::vector<double> values(element.properties.size());
  std::vector<double> entries;
  for (std::int64_t row = 0; row < element.count; ++row) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      const auto failure = [&] {
        return source.failure(
            fmt::format("{} of {} {} (of {})", property.name, element.name, row, element.count));
      };
      if (!property.list_length) {
        if (!source.read(property.type, values[p])) return fail(failure());
        continue;
      }
      double length = 0.0;
      if (!source.read(*property.list_length, length) ||
          !(length >= 0.0 && length <= MaxPlyCorners))
        return fail(failure());
      const bool wanted = static_cast<int>(p) == list;
      if (wanted) entries.clear();
      for (int i = 0; i < static_cast<int>(length); ++i) {
        double entry = 0.0;
        if (!source.read(property.type, entry)) return fail(failure());
        if (wanted) entries.push_back(entry);
      }
    }
    if (auto used = use(row, values, entries); !used) return used;
  }
  return {};
}

// The positions of three properties; absent unless all three are there.
std::optional<std::array<std::size_t, 3>> find_three(const Element& element,
                                                     std::array<std::string_view, 3> names) {
  std::array<std::size_t, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const int at = element.find(names[i]);
    if (at < 0) return std::nullopt;
    result[i] = static_cast<std::size_t>(at);
  }
  return result;
}

template <class Source>
Expected<void> read_vertices(Source& source, const Element& element, const std::string& file,
                             Mesh& mesh) {
  const auto position = find_three(element, {"x", "y", "z"});
  if (!position) return fail_at({file}, "its vertices have no properties x, y, z");
  const auto normal = find_three(element, {"nx", "ny", "nz"});
  const auto color = find_three(element, {"red", "green", "blue"});
  // Colors are 0 ... 1 if they are floats and 0 ... 255 if they are integers.
  const auto scale = [&](std::size_t at) {
    const Type type = element.properties[at].type;
    return type == Type::Float || type == Type::Double ? 255.0 : 1.0;
  };
  return read_rows(
      source, element, -1,
      [&](std::int64_t, const std::vector<double>& values, const auto&) -> Expected<void> {
        const auto three = [&](const std::array<std::size_t, 3>& at) {
          return std::array{values[at[0]], values[at[1]], values[at[2]]};
        };
        mesh.positions.push_back(three(*position));
        if (normal) mesh.normals.push_back(three(*normal));
        if (color) {
          std::array<std::uint8_t, 3> rgb{};
          for (std::size_t i = 0; i < 3; ++i) {
            const double value = values[(*color)[i]] * scale((*color)[i]);
            rgb[i] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
          }
          mesh.colors.push_back(rgb);
        }
        return {};
      });
}

template <class Source>
Expected<void> read_faces(Source& source, const Element& element, const std::string& file,
                          Mesh& mesh) {
  const int list = std::max(element.find("vertex_indices"), element.find("vertex_index"));
  const auto num_vertices = static_cast<double>(mesh.positions.size());
  return read_rows(
      source, element, list,
      [&](std::int64_t row, const auto&, const std::vector<double>& corners) -> Expected<void> {
        for (const double corner : corners) {
          if (!(corner >= 0.0 && corner < num_vertices)) {
            return fail_at({file}, "face {} names vertex {}, but there are {} vertices", row,
                           corner, mesh.positions.size());
          }
        }
        const auto index = [&](std::size_t i) { return static_cast<std::int32_t>(corners[i]); };
        for (std::size_t i = 2; i < corners.size(); ++i)
          mesh.triangles.push_back({index(0), index(i - 1), index(i)});
        return {};
      });
}

template <class Source>
Expected<Mesh> read_elements(Source source, const Header& header, const std::string& file) {
  Mesh mesh;
  bool has_vertices = false;
  for (const Element& element : header.elements) {
    Expected<void> read;
    if (element.name == "vertex") {
      has_vertices = true;
      read = read_vertices(source, element, file, mesh);
    } else if (element.name == "face") {
      read = read_faces(source, element, file, mesh);
    } else {
      read = read_rows(source, element, -1, [](auto&&...) -> Expected<void> { return {}; });
    }
    if (!read) return fail(read.error());
  }
  if (!has_vertices) return fail_at({file}, "has no 'vertex' element");
  return mesh;
}

std::string make_header(const Mesh& mesh, PlyFormat format) {
  std::string text = fmt::format("ply\nformat {} 1.0\nelement vertex {}\n",
                                 format == PlyFormat::Ascii ? "ascii" : "binary_little_endian",
                                 mesh.positions.size());
  text += "property double x\nproperty double y\nproperty double z\n";
  if (!mesh.normals.empty()) text += "property double nx\nproperty double ny\nproperty double nz\n";
  if (!mesh.colors.empty())
    text += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (!mesh.triangles.empty()) {
    text += fmt::format("element face {}\nproperty list uchar int vertex_indices\n",
                        mesh.triangles.size());
  }
  return text + "end_header\n";
}

std::string make_ascii_body(const Mesh& mesh) {
  std::string text;
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    fmt::format_to(out, "{}", fmt::join(mesh.positions[i], " "));
    if (!mesh.normals.empty()) fmt::format_to(out, " {}", fmt::join(mesh.normals[i], " "));
    if (!mesh.colors.empty()) fmt::format_to(out, " {}", fmt::join(mesh.colors[i], " "));
    text += '\n';
  }
  for (const auto& triangle : mesh.triangles)
    fmt::format_to(out, "3 {}\n", fmt::join(triangle, " "));
  return text;
}

std::string make_binary_body(const Mesh& mesh) {
  std::string bytes;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    append_bytes(bytes, std::span<const double>(mesh.positions[i]));
    if (!mesh.normals.empty()) append_bytes(bytes, std::span<const double>(mesh.normals[i]));
    if (!mesh.colors.empty()) append_bytes(bytes, std::span<const std::uint8_t>(mesh.colors[i]));
  }
  for (const auto& triangle : mesh.triangles) {
    bytes += '\3';
    append_bytes(bytes, std::span<const std::int32_t>(triangle));
  }
  return bytes;
}

}  // namespace

bool is_ply(std::string_view content) {
  return content.starts_with("ply\n") || content.starts_with("ply\r");
}

Expected<Mesh> parse_ply(const std::filesystem::path& name, std::string_view content) {
  TextCursor text(name, content);
  const auto header = parse_header(text);
  if (!header) return fail(header.error());
  if (header->format == PlyFormat::Ascii) return read_elements(AsciiSource(text), *header, name);
  ByteCursor bytes(name, content, text.offset());
  return read_elements(BinarySource(bytes), *header, name);
}

Expected<Mesh> read_ply(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_ply(path, *content);
}

Expected<void> write_ply(const std::filesystem::path& path, const Mesh& mesh, PlyFormat format) {
  if (auto writable = check_writable(path, mesh); !writable) return writable;
  return write_file(
      path, make_header(mesh, format) +
                (format == PlyFormat::Ascii ? make_ascii_body(mesh) : make_binary_body(mesh)));
}

}  // namespace thallo
