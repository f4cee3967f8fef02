#include "core/embed/input_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/problem/files/field_values.h"

namespace thallo {
namespace {

bool is_writable(const ArrayView& values) {
  return std::visit(
      [](auto span) { return !std::is_const_v<typename decltype(span)::element_type>; }, values);
}

HostArray to_host(const ArrayView& values) {
  return std::visit(
      [](auto span) {
        using T = typename decltype(span)::value_type;
        return HostArray(std::vector<T>(span.begin(), span.end()));
      },
      values);
}

// Absent when they are of another type.
std::optional<std::vector<std::int32_t>> to_indices(const ArrayView& values) {
  return std::visit(
      [](auto span) -> std::optional<std::vector<std::int32_t>> {
        if constexpr (std::is_same_v<typename decltype(span)::value_type, std::int32_t>)
          return std::vector<std::int32_t>(span.begin(), span.end());
        return std::nullopt;
      },
      values);
}

bool holds_integers(const ArrayView& values) {
  return std::visit(
      [](auto span) { return std::is_integral_v<typename decltype(span)::value_type>; }, values);
}

}  // namespace

InputReader::InputReader(const Energy& energy)
    : energy_(energy), binding_(energy), said_by_(energy.dims().size()) {}

void InputReader::read_number(const std::string& name, double number) {
  if (energy_.find_dim(name).valid()) {
    if (number != std::floor(number) || std::abs(number) > 1e15)
      return fault(fmt::format("dim '{}' cannot have the extent {}", name, number));
    return set_extent(energy_.find_dim(name), static_cast<std::int64_t>(number),
                      "the number bound to it");
  }
  const FieldId field = energy_.find_field(name);
  if (field.valid() && energy_.field(field).kind == FieldKind::Param)
    return keep(binding_.set_param(name, number));
  if (const auto input = find_input(name))
    return fault(fmt::format("{} is bound to a number; it needs an array", input->text));
  fault(unknown_name(name));
}

void InputReader::read_shape(const std::string& name, const Shape& shape,
                             std::optional<std::int64_t> num_values) {
  const auto input = find_input(name);
  if (!input) return fault(no_input(name));
  if (shape.empty() && num_values) return;
  if (shape.size() != input->dims.size()) return fault(other_rank(*input, shape));
  for (std::size_t i = 0; i < shape.size(); ++i)
    set_extent(input->dims[i], shape[i], fmt::format("the shape of '{}'", name));
  std::int64_t count = input->channels;
  for (const std::int64_t extent : shape) count *= extent;
  if (num_values && count != *num_values) {
    fault(fmt::format("{} is bound to {} values; the shape ({}) with {} {} of an element needs {}",
                      input->text, *num_values, fmt::join(shape, ", "), input->channels,
                      input->channels == 1 ? "value" : "values", count));
  }
}

Expected<std::size_t> InputReader::num_values(const std::string& name, const Shape& shape) const {
  const auto input = find_input(name);
  if (!input) return fail("{}", no_input(name));
  if (shape.size() != input->dims.size()) return fail("{}", other_rank(*input, shape));
  constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max() / 8;  // bytes
  std::int64_t count = input->channels;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || (extent > 0 && count > Most / extent)) {
      return fail(
          "{} is bound with the shape ({}); an extent is 0 or more, and their "
          "product the number of values",
          input->text, fmt::join(shape, ", "));
    }
    count *= extent;
  }
  return static_cast<std::size_t>(count);
}

bool InputReader::find_extent(const std::string& name, std::int64_t num_values) {
  const auto input = find_input(name);
  if (!input) return false;
  std::int64_t known = input->channels;
  DimId open;
  int num_open = 0;
  for (const DimId dim : input->dims) {
    if (binding_.extent(dim) >= 0) {
      known *= binding_.extent(dim);
    } else {
      open = dim;
      ++num_open;
    }
  }
  if (num_open != 1 || known == 0 || num_values % known != 0) return false;
  set_extent(open, num_values / known, fmt::format("the size of '{}'", name));
  return true;
}

void InputReader::find_open_dims() {
  for (std::size_t i = 0; i < energy_.dims().size(); ++i) {
    if (binding_.extent(DimId(i)) >= 0) continue;
    fault(
        fmt::format("dim '{}' has no extent: bind a number to it, or give an array over it a shape",
                    energy_.dims()[i].name));
  }
}

bool InputReader::is_unknown(const std::string& name) const {
  const FieldId field = energy_.find_field(name);
  return field.valid() && energy_.field(field).kind == FieldKind::Unknown;
}

void InputReader::fault_of_constant(const std::string& name) {
  fault(fmt::format(
      "unknown '{}' is bound to an array of constants, which no solution can be written into",
      name));
}

void InputReader::fault_of_integers(const std::string& name) {
  fault(fmt::format("unknown '{}' is bound to an array of integers, which cannot hold a solution",
                    name));
}

void InputReader::read_values(const std::string& name, const ArrayView& values,
                              Binding::MapValues& map) {
  if (is_map(name)) {
    auto indices = to_indices(values);
    if (!indices) return fault(fmt::format("sparse map '{}' needs an array of std::int32_t", name));
    if (map == nullptr || *map != *indices)
      map = std::make_shared<const std::vector<std::int32_t>>(*std::move(indices));
    return keep(binding_.share_map(name, map));
  }
  if (is_unknown(name) && !is_writable(values)) return fault_of_constant(name);
  if (is_unknown(name) && holds_integers(values)) return fault_of_integers(name);
  set_values(name, to_host(values));
}

void InputReader::set_values(const std::string& name, HostArray values) {
  const Field& field = energy_.field(energy_.find_field(name));
  if (integer_type(field.type)) {
    if (const auto at = find_misfit(field, values.to_doubles())) {
      return fault(fmt::format("{} '{}': entry {} is {:.6g}, which {}", to_string(field.kind), name,
                               *at, values.value(*at), misfit_text(field)));
    }
  }
  keep(binding_.set_field(name, std::move(values)));
}

std::optional<DeviceArrayQuery> InputReader::query(const std::string& name, const DeviceView& view,
                                                   const Shape& shape) {
  const auto input = find_input(name);
  if (!input || shape.size() != input->dims.size()) return {};  // read_shape() has said so
  if (is_unknown(name) && view.is_constant) fault_of_constant(name);
  if (is_unknown(name) && (view.type == ScalarType::Int32 || view.type == ScalarType::UInt8))
    fault_of_integers(name);
  if (is_map(name) && view.type != ScalarType::Int32)
    fault(fmt::format("sparse map '{}' needs an array of std::int32_t", name));
  DeviceArrayQuery query;
  std::vector<std::int64_t> extents = {input->channels};
  extents.insert(extents.end(), shape.begin(), shape.end());
  query.array = DeviceArray::dense(view.address, view.type, std::move(extents), view.stream);
  if (!view.strides.empty()) {
    const bool has_channels = view.strides.size() == shape.size() + 1;
    if (!has_channels && (view.strides.size() != shape.size() || input->channels > 1)) {
      fault(fmt::format("{} is bound with {} strides; it needs {}, of its dims{}", input->text,
                        view.strides.size(), shape.size() + (input->channels > 1 ? 1 : 0),
                        input->channels > 1 ? " and of the channels" : ""));
      return {};
    }
    std::copy_n(view.strides.begin(), shape.size(), query.array.strides.begin() + 1);
    if (has_channels) query.array.strides.front() = view.strides.back();
  }
  if (is_map(name)) return query;
  const Field& field = energy_.field(energy_.find_field(name));
  query.has_quaternions = field.manifold == Manifold::SE3;
  query.allows_nan = field.kind == FieldKind::Array;
  if (field.type == ScalarType::Float && field.kind != FieldKind::Unknown) {
    query.least = std::numeric_limits<float>::lowest();
    query.largest = std::numeric_limits<float>::max();
  }
  if (const auto type = integer_type(field.type)) {
    query.least = type->least;
    query.largest = type->largest;
    query.needs_integers = true;
  }
  return query;
}

void InputReader::read_device_array(const std::string& name, const DeviceArray& array,
                                    const DeviceArrayFacts& facts, const Binding::MapValues& map,
                                    DeviceArrays& devices) {
  if (map != nullptr) return keep(binding_.share_map(name, map));
  if (facts.is_usable) return keep(binding_.set_device_field(name, array));
  // What is wrong with it is found as if it were on the host.
  auto values = devices.download(array);
  if (!values) return fault_of(name, values.error().message());
  set_values(name, *std::move(values));
}

void InputReader::fault_of(const std::string& name, const std::string& why) {
  const auto input = find_input(name);
  fault(fmt::format("{}: {}", input ? input->text : name, why));
}

Expected<void> InputReader::result() const {
  return faults_.empty() ? Expected<void>{} : fail("{}", fmt::join(faults_, "\n"));
}

Expected<Binding> InputReader::finish() {
  THALLO_CHECK(result());
  THALLO_CHECK(binding_.validate(energy_));
  return std::move(binding_);
}

void InputReader::keep(const Expected<void>& done) {
  if (!done) fault(done.error().message());
}

// `who` says it.
void InputReader::set_extent(DimId dim, std::int64_t extent, const std::string& who) {
  const std::string& name = energy_.dim(dim).name;
  std::string& before = said_by_[dim.index()];
  if (before.empty()) {
    before = who;
    return keep(binding_.set_extent(name, extent));
  }
  if (binding_.extent(dim) == extent) return;
  fault(fmt::format("dim '{}' is {} by {} and {} by {}", name, binding_.extent(dim), before, extent,
                    who));
}

std::string InputReader::dims_text(const std::vector<DimId>& dims) const {
  return fmt::format("({})", fmt::join(energy_.dim_names(dims), ", "));
}

std::optional<InputReader::Input> InputReader::find_input(const std::string& name) const {
  if (const MapId id = energy_.find_map(name); id.valid()) {
    const SparseMap& map = energy_.map(id);
    return Input{fmt::format("sparse map '{}' over {}", name, dims_text(map.in)), map.in,
                 static_cast<std::int64_t>(map.out.size())};
  }
  const FieldId id = energy_.find_field(name);
  if (!id.valid()) return std::nullopt;
  const Field& field = energy_.field(id);
  if (field.kind != FieldKind::Unknown && field.kind != FieldKind::Array) return std::nullopt;
  return Input{fmt::format("{} '{}' over {}", to_string(field.kind), name, dims_text(field.dims)),
               field.dims, field.channels};
}

std::string InputReader::other_rank(const Input& input, const Shape& shape) {
  return fmt::format("{} is bound with a shape of {} extents, ({}); it needs {}", input.text,
                     shape.size(), fmt::join(shape, ", "), input.dims.size());
}

// Why no array can be bound to a name.
std::string InputReader::no_input(const std::string& name) const {
  const FieldId field = energy_.find_field(name);
  const bool is_param = field.valid() && energy_.field(field).kind == FieldKind::Param;
  if (!is_param && !energy_.find_dim(name).valid()) return unknown_name(name);
  return fmt::format("{} '{}' is bound to an array; it needs a number", is_param ? "param" : "dim",
                     name);
}

std::string InputReader::unknown_name(const std::string& name) const {
  return thallo::unknown_name(fmt::format("'{}' has no input", energy_.name()), name,
                              energy_.input_names())
      .message();
}

}  // namespace thallo
