#include "core/problem/files/field_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/parse_number.h"
#include "core/base/random.h"

namespace thallo {
namespace {

// Parses "0.5" or "0,0,1".
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    const auto number = parse_number<double>(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (word.size() == text.size()) return numbers;
    text.remove_prefix(word.size() + 1);
  }
}

// Returns the requested coordinate: 1 for "ramp.1", and -1, which means all of them, for "ramp".
std::optional<int> parse_ramp(std::string_view text) {
  if (text == "ramp") return -1;
  if (!text.starts_with("ramp.")) return std::nullopt;
  const auto coordinate = parse_number<int>(text.substr(5));
  return coordinate && *coordinate >= 0 ? coordinate : std::nullopt;
}

template <class T>
HostArray to_integers(const std::vector<double>& values) {
  std::vector<T> integers(values.size());
  std::ranges::transform(values, integers.begin(),
                         [](double value) { return static_cast<T>(value); });
  return integers;
}

// "with W = 640, H = 480, 'X' (3 channels) needs 0.006866 GiB, which cannot be allocated"
std::string too_large_text(const Energy& energy, const Field& field,
                           const std::vector<std::int64_t>& extents) {
  std::vector<std::string> sizes;
  for (const DimId dim : field.dims)
    sizes.push_back(fmt::format("{} = {}", energy.dim(dim).name, extents[dim.index()]));
  return fmt::format("with {}, '{}' ({} channel{}) needs {:.4g} GiB, which cannot be allocated",
                     fmt::join(sizes, ", "), field.name, field.channels,
                     field.channels == 1 ? "" : "s", host_bytes(field, extents) / (1 << 30));
}

// Of all dims together; refuses a count that no memory can hold, so that products do not overflow.
std::size_t count_points(const std::vector<std::int64_t>& extents, std::size_t channels) {
  constexpr std::size_t Max = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
  std::size_t product = channels;
  for (const std::int64_t extent : extents) {
    if (extent > 0 && product > Max / static_cast<std::size_t>(extent)) throw std::bad_alloc();
    product *= static_cast<std::size_t>(std::max<std::int64_t>(extent, 0));
  }
  return product;
}

// The stream of an input. That of another input is independent of it.
Random random_of(std::string_view name) { return Random(hash_text(name).low); }

class FieldValues {
 public:
  FieldValues(const Energy& energy, const Field& field, const std::vector<std::int64_t>& extents)
      : energy_(energy), field_(field), channels_(static_cast<std::size_t>(field.channels)) {
    for (const DimId dim : field.dims) extents_.push_back(extents[dim.index()]);
  }

  // Throws bad_alloc if memory is short.
  Expected<HostArray> make(std::string_view source) const {
    if (source == "random") return to_host(field_, random(), 1);
    if (source == "nearby")
      return fail("{0}=nearby: '{0}' is no sparse map, which alone can lead to nearby points",
                  field_.name);
    THALLO_TRY(auto values, parse_ramp(source) ? ramp(*parse_ramp(source)) : numbers(source));
    if (const auto misfit = find_misfit(field_, values)) {
      return fail("{}={}: {} {}", field_.name, source, values[*misfit], misfit_text(field_));
    }
    return to_host(field_, std::move(values), 1);
  }

 private:
  Expected<std::vector<double>> numbers(std::string_view source) const {
    std::vector<double> each = {source == "ones" ? 1.0 : 0.0};
    if (const auto given = parse_numbers(source)) each = *given;
    if (each.size() != 1 && each.size() != channels_) {
      return fail("{0}={1}: '{0}' has {2} channel{3}, but {4} numbers are given; give one{5}",
                  field_.name, source, channels_, channels_ == 1 ? "" : "s", each.size(),
                  channels_ == 1 ? "" : ", or one each");
    }
    std::vector<double> values(count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = each[i % each.size()];
    return values;
  }

  Expected<std::vector<double>> ramp(int coordinate) const {
    const auto rank = static_cast<int>(extents_.size());
    if (coordinate >= rank || (coordinate < 0 && field_.channels > rank)) {
      return fail(
          "{0}: a ramp counts along dims, and '{0}' has {1} of them ({2}) for its {3} channels; "
          "legal are ramp.0 to ramp.{4}{5}",
          field_.name, rank, fmt::join(energy_.dim_names(field_.dims), ", "), field_.channels,
          rank - 1, field_.channels <= rank ? ", and ramp" : "");
    }
    std::vector<double> values(count());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t wanted =
          coordinate < 0 ? i % channels_ : static_cast<std::size_t>(coordinate);
      auto element = static_cast<std::int64_t>(i / channels_);
      for (std::size_t k = 0; k < wanted; ++k) element /= extents_[k];
      values[i] = static_cast<double>(element % extents_[wanted]);
    }
    return values;
  }

  // From -1 to 1; of an integer field 0 or 1, as in a mask.
  std::vector<double> random() const {
    Random stream = random_of(field_.name);
    const bool is_integer = integer_type(field_.type).has_value();
    std::vector<double> values(count());
    for (double& value : values)
      value = is_integer ? static_cast<double>(stream.below(2)) : stream.uniform(-1, 1);
    return values;
  }

  std::size_t count() const { return count_points(extents_, channels_); }

  const Energy& energy_;
  const Field& field_;
  std::size_t channels_;
  std::vector<std::int64_t> extents_;  // of the field's dims
};

}  // namespace

bool is_value(std::string_view source) {
  return source == "zeros" || source == "ones" || source == "random" || source == "nearby" ||
         parse_ramp(source) || parse_numbers(source);
}

std::optional<IntegerType> integer_type(ScalarType type) {
  switch (type) {
    case ScalarType::Int32: return IntegerType{"int", -2147483648.0, 2147483647.0};
    case ScalarType::UInt8: return IntegerType{"uint8", 0, 255};
    default: return std::nullopt;
  }
}

std::optional<std::size_t> find_misfit(const Field& field, std::span<const double> values) {
  const auto type = integer_type(field.type);
  if (!type) return std::nullopt;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!(value >= type->least && value <= type->largest && value == std::round(value))) return i;
  }
  return std::nullopt;
}

std::string misfit_text(const Field& field) {
  const auto type = integer_type(field.type);
  THALLO_ASSERT(type, "'{}' is of no integer type", field.name);
  return fmt::format("does not fit into '{}' ({}), which holds integers from {} to {}", field.name,
                     type->name, type->least, type->largest);
}

HostArray to_host(const Field& field, std::vector<double> values, double full_scale) {
  switch (field.type) {
    case ScalarType::Int32: return to_integers<std::int32_t>(values);
    case ScalarType::UInt8: return to_integers<std::uint8_t>(values);
    default: break;
  }
  if (full_scale == 1) return values;
  // An unknown of floats, which may be solved in double, begins equal to an array that is bound to
  // the same picture.
  const bool is_float = field.type != ScalarType::Double;
  for (double& value : values) {
    value /= full_scale;
    if (is_float) value = static_cast<float>(value);
  }
  return values;
}

double host_bytes(const Field& field, const std::vector<std::int64_t>& extents) {
  double bytes = sizeof(double) * static_cast<double>(field.channels);
  for (const DimId dim : field.dims)
    bytes *= static_cast<double>(std::max<std::int64_t>(extents[dim.index()], 0));
  return bytes;
}

Expected<HostArray> make_field_values(const Energy& energy, const Field& field,
                                      const std::vector<std::int64_t>& extents,
                                      std::string_view source) {
  try {
    return FieldValues(energy, field, extents).make(source);
  } catch (const std::bad_alloc&) {
    return fail("{}={}: {}", field.name, source, too_large_text(energy, field, extents));
  }
}

Expected<std::vector<std::int32_t>> make_map_values(const SparseMap& map,
                                                    const std::vector<std::int64_t>& extents,
                                                    std::string_view source) {
  if (source != "random" && source != "nearby")
    return fail(
        "{0}={1}: '{0}' is a sparse map; it is bound to a file with indices, or made by {0}=random "
        "or {0}=nearby",
        map.name, source);
  const auto of = [&](const std::vector<DimId>& dims) {
    std::vector<std::int64_t> sizes;
    for (const DimId dim : dims) sizes.push_back(extents[dim.index()]);
    return sizes;
  };
  try {
    const std::vector<std::int64_t> out = of(map.out);
    const auto num_in = static_cast<std::int64_t>(count_points(of(map.in), 1));
    const auto num_out = static_cast<std::int64_t>(count_points(out, 1));
    std::vector<std::int32_t> indices;
    if (num_out == 0) return indices;
    indices.reserve(count_points(of(map.in), out.size()));
    constexpr std::int64_t Reach = 8;
    Random stream = random_of(map.name);
    for (std::int64_t i = 0; i < num_in; ++i) {
      const auto shift = static_cast<std::int64_t>(stream.below(2 * Reach + 1)) - Reach;
      const auto near = static_cast<std::int64_t>(
          static_cast<double>(i) / static_cast<double>(num_in) * static_cast<double>(num_out));
      std::int64_t place =
          source == "nearby"
              ? std::clamp<std::int64_t>(near + shift, 0, num_out - 1)
              : static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(num_out)));
      for (const std::int64_t extent : out) {
        indices.push_back(static_cast<std::int32_t>(place % extent));
        place /= extent;
      }
    }
    return indices;
  } catch (const std::bad_alloc&) {
    return fail("{}={}: its indices cannot be allocated", map.name, source);
  }
}

std::string out_of_memory_text(const Energy& energy, const std::vector<std::int64_t>& extents) {
  const Field* largest = nullptr;
  for (const Field& field : energy.fields()) {
    if (field.kind == FieldKind::Intermediate) continue;
    if (largest == nullptr || host_bytes(field, extents) > host_bytes(*largest, extents))
      largest = &field;
  }
  if (largest == nullptr || host_bytes(*largest, extents) == 0) return "memory ran out";
  return "memory ran out: " + too_large_text(energy, *largest, extents);
}

}  // namespace thallo
