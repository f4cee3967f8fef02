#include "core/base/io/npy.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"

namespace thallo {
namespace {

using namespace std::literals;

constexpr std::string_view Magic = "\x93NUMPY"sv;
constexpr std::size_t PreambleBytes = 10;  // magic 6, version 2, header length 2

// The text after `'key':` of the header's dictionary, absent when the key is missing.
std::optional<std::string_view> find_entry(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(colon + 1);
  const std::size_t begin = rest.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : rest.substr(begin);
}

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  if (!text.starts_with('(')) return std::nullopt;
  const std::size_t close = text.find(')');
  if (close == std::string_view::npos) return std::nullopt;
  text = text.substr(1, close - 1);
  std::vector<std::int64_t> shape;
  while (true) {
    const std::size_t begin = text.find_first_not_of(", ");
    if (begin == std::string_view::npos) return shape;
    text.remove_prefix(begin);
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
}

// The number of entries; absent when it does not fit.
std::optional<std::size_t> count_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count))
      return std::nullopt;
  }
  return count;
}

template <class T>
constexpr std::string_view DescriptorOf = "<i4";
template <>
constexpr std::string_view DescriptorOf<float> = "<f4";
template <>
constexpr std::string_view DescriptorOf<double> = "<f8";

template <class T>
Expected<NpyArray> read_values(ByteCursor& cursor, std::vector<std::int64_t> shape,
                               std::size_t count) {
  if (cursor.remaining() / sizeof(T) < count)
    return fail(cursor.truncated(fmt::format("{} values", count), count * sizeof(T)));
  std::vector<T> values(count);
  cursor.read_values(values);
  return NpyArray{std::move(shape), std::move(values)};
}

}  // namespace

bool is_npy(std::string_view content) { return content.starts_with(Magic); }

Expected<NpyArray> parse_npy(const std::filesystem::path& name, std::string_view content) {
  if (!is_npy(content)) return fail_at({name}, "is not an npy file");
  ByteCursor cursor(name, content, Magic.size());
  std::uint8_t version[2] = {};
  std::uint16_t header_bytes = 0;
  if (!cursor.read(version[0]) || !cursor.read(version[1]) || !cursor.read(header_bytes))
    return fail(cursor.truncated("the preamble", PreambleBytes - Magic.size()));
  if (version[0] != 1) {
    return fail_at({name}, "is an npy file of version {}.{}, but only version 1.0 can be read",
                   version[0], version[1]);
  }
  if (cursor.remaining() < header_bytes) return fail(cursor.truncated("the header", header_bytes));
  const std::string_view header = content.substr(cursor.offset(), header_bytes);
  cursor = ByteCursor(name, content, cursor.offset() + header_bytes);

  const auto descriptor = find_entry(header, "descr");
  const auto order = find_entry(header, "fortran_order");
  const auto shape_text = find_entry(header, "shape");
  auto shape = shape_text ? parse_shape(*shape_text) : std::nullopt;
  const auto count = shape ? count_of(*shape) : std::nullopt;
  if (!descriptor || !order || !count) {
    return fail_at({name}, "has a damaged header: {}", header);
  }
  if (!order->starts_with("False")) {
    return fail_at({name},
                   "is in Fortran order, but only C order can be read "
                   "(numpy.ascontiguousarray makes it)");
  }
  const auto is = [&](std::string_view type) {
    return descriptor->starts_with(fmt::format("'{}'", type));
  };
  if (is(DescriptorOf<float>)) return read_values<float>(cursor, *std::move(shape), *count);
  if (is(DescriptorOf<double>)) return read_values<double>(cursor, *std::move(shape), *count);
  if (is(DescriptorOf<std::int32_t>))
    return read_values<std::int32_t>(cursor, *std::move(shape), *count);
  return fail(Diagnostic{fmt::format("has values of type {}, which cannot be read",
                                     descriptor->substr(0, descriptor->find(','))),
                         {name, 0, 0},
                         {"'<f4'", "'<f8'", "'<i4'"}});
}

Expected<NpyArray> read_npy(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_npy(path, *content);
}

Expected<void> write_npy(const std::filesystem::path& path, const NpyArray& array) {
  return std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        THALLO_ASSERT(count_of(array.shape) == values.size(), "{} values for shape ({})",
                      values.size(), fmt::join(array.shape, ", "));
        std::string shape;
        for (const std::int64_t extent : array.shape) shape += fmt::format("{},", extent);
        std::string header = fmt::format(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", DescriptorOf<T>, shape);
        // The values start at a multiple of 64 bytes, the header ends with a newline.
        header.append(63 - (PreambleBytes + header.size()) % 64, ' ');
        header += '\n';
        std::string content(Magic);
        content += "\1\0"sv;
        append_bytes(content, static_cast<std::uint16_t>(header.size()));
        content += header;
        append_bytes(content, std::span<const T>(values));
        return write_file(path, content);
      },
      array.values);
}

}  // namespace thallo
