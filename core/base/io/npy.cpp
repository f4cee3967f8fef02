#include "core/base/io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/half.h"
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
template <>
constexpr std::string_view DescriptorOf<std::int64_t> = "<i8";
template <>
constexpr std::string_view DescriptorOf<std::uint64_t> = "<u8";

using Values = decltype(NpyArray::values);

template <class T>
T load(const char* bytes, bool is_big_endian) {
  std::array<char, sizeof(T)> copy;
  std::copy_n(bytes, copy.size(), copy.begin());
  if (is_big_endian) std::ranges::reverse(copy);
  return std::bit_cast<T>(copy);
}

// Values that the file has as T, and the array as `As`.
template <class T, class As = T>
Values load_all(std::string_view bytes, bool is_big_endian) {
  std::vector<As> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<As>(load<T>(&bytes[i * sizeof(T)], is_big_endian));
  return values;
}

struct NumberType {
  std::string_view code;  // behind the character of the byte order
  std::size_t bytes;
  Values (*load_all)(std::string_view bytes, bool is_big_endian);
};

constexpr NumberType NumberTypes[] = {
    {"b1", 1, load_all<std::uint8_t, std::int32_t>},
    {"i1", 1, load_all<std::int8_t, std::int32_t>},
    {"i2", 2, load_all<std::int16_t, std::int32_t>},
    {"i4", 4, load_all<std::int32_t>},
    {"i8", 8, load_all<std::int64_t>},
    {"u1", 1, load_all<std::uint8_t, std::int32_t>},
    {"u2", 2, load_all<std::uint16_t, std::int32_t>},
    {"u4", 4, load_all<std::uint32_t, std::int64_t>},
    {"u8", 8, load_all<std::uint64_t>},
    {"f2", 2, load_all<Half, float>},
    {"f4", 4, load_all<float>},
    {"f8", 8, load_all<double>},
};

// The type and whether it is big-endian, of "'<f4', ..."; null for any other.
std::pair<const NumberType*, bool> type_of(std::string_view descriptor) {
  if (descriptor.size() < 5 || descriptor[0] != '\'' || descriptor[4] != '\'') return {};
  if (std::string_view("<>=|").find(descriptor[1]) == std::string_view::npos) return {};
  const auto* found = std::ranges::find(NumberTypes, descriptor.substr(2, 2), &NumberType::code);
  if (found == std::end(NumberTypes)) return {};
  return {found, descriptor[1] == '>'};
}

// Of values whose first dimension varies fastest.
template <class T>
std::vector<T> in_c_order(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, 1), index(rank, 0);
  for (std::size_t k = 1; k < rank; ++k)
    strides[k] = strides[k - 1] * static_cast<std::size_t>(shape[k - 1]);
  std::vector<T> ordered(values.size());
  std::size_t from = 0;
  for (T& value : ordered) {
    value = values[from];
    for (std::size_t k = rank; k-- > 0;) {
      from += strides[k];
      if (++index[k] < static_cast<std::size_t>(shape[k])) break;
      from -= strides[k] * std::exchange(index[k], 0);
    }
  }
  return ordered;
}

}  // namespace

bool is_npy(std::string_view content) { return content.starts_with(Magic); }

Expected<NpyArray> parse_npy(const std::filesystem::path& name, std::string_view content) {
  if (!is_npy(content)) return fail_at({name}, "is not an npy file");
  ByteCursor cursor(name, content, Magic.size());
  std::uint8_t version[2] = {};
  if (!cursor.read(version[0]) || !cursor.read(version[1]))
    return fail(cursor.truncated("the version", sizeof(version)));
  if (version[0] < 1 || version[0] > 3) {
    return fail_at({name}, "is an npy file of version {}.{}, but only 1.0 to 3.0 can be read",
                   version[0], version[1]);
  }
  std::uint16_t short_bytes = 0;
  std::uint32_t header_bytes = 0;
  const bool is_short = version[0] == 1;
  if (!(is_short ? cursor.read(short_bytes) : cursor.read(header_bytes)))
    return fail(cursor.truncated("the length of the header", is_short ? 2 : 4));
  if (is_short) header_bytes = short_bytes;
  if (cursor.remaining() < header_bytes) return fail(cursor.truncated("the header", header_bytes));
  const std::string_view header = content.substr(cursor.offset(), header_bytes);
  cursor = ByteCursor(name, content, cursor.offset() + header_bytes);

  const auto descriptor = find_entry(header, "descr");
  const auto order = find_entry(header, "fortran_order");
  const auto shape_text = find_entry(header, "shape");
  auto shape = shape_text ? parse_shape(*shape_text) : std::nullopt;
  const auto count = shape ? count_of(*shape) : std::nullopt;
  const bool is_fortran = order && order->starts_with("True");
  if (!descriptor || !order || !(is_fortran || order->starts_with("False")) || !count) {
    return fail_at({name}, "has a damaged header: {}", header);
  }
  const auto [type, is_big_endian] = type_of(*descriptor);
  if (type == nullptr) {
    return fail(Diagnostic{fmt::format("has values of type {}, which cannot be read",
                                       descriptor->substr(0, descriptor->find(','))),
                           {name, 0, 0},
                           {"bool", "int8 to int64", "uint8 to uint64", "float16 to float64"}});
  }
  if (cursor.remaining() / type->bytes < *count)
    return fail(cursor.truncated(fmt::format("{} values", *count), *count * type->bytes));
  if (cursor.remaining() != *count * type->bytes) {
    return fail_at({name}, "has {} bytes behind its {} values",
                   cursor.remaining() - *count * type->bytes, *count);
  }
  const std::string_view bytes = content.substr(cursor.offset(), *count * type->bytes);
  NpyArray array{*std::move(shape), type->load_all(bytes, is_big_endian)};
  if (is_fortran && array.shape.size() > 1)
    std::visit([&](auto& values) { values = in_c_order(values, array.shape); }, array.values);
  return array;
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
