#include "core/energy/binding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/energy/loss.h"

namespace thallo {
namespace {

// Position of `name`, or a Diagnostic with the nearest name and all legal ones.
Expected<std::size_t> find_name(std::string_view kind, std::string_view name,
                                const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::vector<std::string> legal;
  std::ranges::copy_if(names, std::back_inserter(legal),
                       [](const std::string& n) { return !n.empty(); });
  return fail(unknown_name(fmt::format("the energy has no {}", kind), name, legal));
}

// One failure that lists all faults, a line each; success when there are none.
Expected<void> fail_with_all(const std::vector<Diagnostic>& faults) {
  if (faults.empty()) return {};
  Diagnostic all = faults.front();
  for (std::size_t i = 1; i < faults.size(); ++i) all.what += "\n" + faults[i].message();
  return fail(std::move(all));
}

}  // namespace

std::size_t HostArray::size() const {
  return std::visit([](const auto& values) { return values.size(); }, storage_);
}

double HostArray::value(std::size_t i) const {
  return std::visit([i](const auto& values) { return static_cast<double>(values[i]); }, storage_);
}

void HostArray::set_value(std::size_t i, double value) {
  std::visit(
      [i, value](auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        values[i] = static_cast<T>(std::is_integral_v<T> ? std::round(value) : value);
      },
      storage_);
}

std::vector<double> HostArray::to_doubles() const {
  return std::visit(
      [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
      storage_);
}

Binding::Binding(const Energy& energy) {
  // Intermediates have values of their own and are not bound: their names stay empty here.
  for (const Dim& dim : energy.dims()) dim_names_.push_back(dim.name);
  for (const Field& field : energy.fields()) {
    field_names_.push_back(field.kind == FieldKind::Intermediate ? "" : field.name);
    is_param_.push_back(field.kind == FieldKind::Param);
    is_float_.push_back(field.type == ScalarType::Float && field.kind != FieldKind::Unknown);
  }
  for (const SparseMap& map : energy.maps()) map_names_.push_back(map.name);
  extents_.assign(dim_names_.size(), -1);
  fields_.resize(field_names_.size());
  device_arrays_.resize(field_names_.size());
  maps_.assign(map_names_.size(), std::make_shared<const std::vector<std::int32_t>>());
  field_is_set_.resize(field_names_.size());
  map_is_set_.resize(map_names_.size());
}

Expected<void> Binding::set_extent(std::string_view dim, std::int64_t extent) {
  THALLO_TRY(const auto found, find_name("dim", dim, dim_names_));
  if (extent < 0) return fail("dim '{}' cannot have the extent {}", dim, extent);
  extents_[found] = extent;
  return {};
}

Expected<void> Binding::set_field(std::string_view field, HostArray values) {
  THALLO_TRY(const auto found, find_name("field", field, field_names_));
  const auto* doubles = std::get_if<std::vector<double>>(&values.storage());
  if (is_float_[found] && doubles != nullptr) {
    constexpr double Largest = std::numeric_limits<float>::max();
    const auto beyond = std::ranges::find_if(
        *doubles, [](double value) { return std::isfinite(value) && std::abs(value) > Largest; });
    if (beyond != doubles->end())
      return fail("{}: entry {} is {}, beyond the range of float (3.4e38)", field,
                  beyond - doubles->begin(), *beyond);
    values = std::vector<float>(doubles->begin(), doubles->end());
  }
  fields_[found] = std::move(values);
  device_arrays_[found].reset();
  field_is_set_[found] = true;
  return {};
}

Expected<void> Binding::set_device_field(std::string_view field, DeviceArray array) {
  THALLO_TRY(const auto found, find_name("field", field, field_names_));
  if (is_param_[found])
    return fail("param '{}' is a number of the host, and no array on a device", field);
  fields_[found] = {};
  device_arrays_[found] = std::move(array);
  field_is_set_[found] = true;
  return {};
}

Expected<void> Binding::set_param(std::string_view param, double value) {
  std::vector<std::string> params(field_names_.size());
  for (std::size_t i = 0; i < params.size(); ++i)
    if (is_param_[i]) params[i] = field_names_[i];
  THALLO_TRY(const auto found, find_name("param", param, params));
  fields_[found] = std::vector<double>{value};
  field_is_set_[found] = true;
  return {};
}

Expected<void> Binding::set_map(std::string_view map, std::vector<std::int32_t> values) {
  return share_map(map, std::make_shared<const std::vector<std::int32_t>>(std::move(values)));
}

Expected<void> Binding::share_map(std::string_view map, MapValues values) {
  THALLO_TRY(const auto found, find_name("sparse map", map, map_names_));
  maps_[found] = std::move(values);
  map_is_set_[found] = true;
  return {};
}

std::vector<FieldId> Binding::fields_on_device() const {
  std::vector<FieldId> fields;
  for (std::size_t i = 0; i < device_arrays_.size(); ++i)
    if (device_arrays_[i]) fields.emplace_back(i);
  return fields;
}

std::int64_t Binding::num_elements(const Energy& energy, FieldId field) const {
  std::int64_t count = 1;
  for (const DimId dim : energy.field(field).dims) count *= extent(dim);
  return count;
}

std::int64_t Binding::num_points(const Energy& energy, const std::vector<DomainId>& domains) const {
  std::int64_t count = 1;
  for (const DomainId domain : domains)
    count *= extent(energy.graph().indices().domain(domain).dim);
  return count;
}

std::int64_t Binding::num_unknowns(const Energy& energy) const {
  std::int64_t count = 0;
  for (const FieldId unknown : energy.unknowns())
    count += num_elements(energy, unknown) * energy.field(unknown).tangent_channels();
  return count;
}

std::int64_t Binding::num_residuals(const Energy& energy) const {
  std::int64_t count = 0;
  for (const ResidualGroup& group : energy.groups())
    count += num_points(energy, group.domains) * energy.num_residuals_per_point(group);
  return count;
}

Expected<void> Binding::validate(const Energy& energy) const {
  THALLO_CHECK(validate(energy.fields(), energy.maps()));
  return fail_with_all(check_losses(energy, *this, true));
}

Expected<void> Binding::validate(std::span<const Field> fields,
                                 std::span<const SparseMap> maps) const {
  THALLO_ASSERT(fields.size() >= fields_.size() && maps.size() == maps_.size(),
                "the binding was made for another energy");
  std::vector<Diagnostic> faults;
  for (std::size_t i = 0; i < extents_.size(); ++i)
    if (extents_[i] < 0)
      faults.push_back({fmt::format("dim '{}' has no extent", dim_names_[i]), {}, {}});
  if (faults.empty()) {
    for (std::size_t i = 0; i < fields_.size(); ++i) check_field(fields[i], FieldId(i), faults);
    for (std::size_t i = 0; i < maps_.size(); ++i) check_map(maps[i], MapId(i), faults);
  }
  return fail_with_all(faults);
}

void Binding::check_field(const Field& field, FieldId id, std::vector<Diagnostic>& faults) const {
  if (field.kind == FieldKind::Intermediate) return;
  const std::string who = fmt::format("{} '{}'", to_string(field.kind), field.name);
  if (!field_is_set_[id.index()]) {
    faults.push_back({who + " is not bound", field.where, {}});
    return;
  }
  const DeviceArray* on_device = device_array(id);
  const auto num_values = on_device != nullptr ? static_cast<std::size_t>(on_device->num_values())
                                               : fields_[id.index()].size();
  std::int64_t elements = 1;
  for (const DimId dim : field.dims) elements *= extent(dim);
  const auto wanted = static_cast<std::size_t>(elements * field.channels);
  if (num_values != wanted) {
    std::string shape;
    for (const DimId dim : field.dims)
      shape += fmt::format("{} = {}, ", dim_names_[dim.index()], extent(dim));
    faults.push_back(
        {fmt::format("{} is bound to {} values; it needs {} ({}{} channel{})", who, num_values,
                     wanted, shape, field.channels, field.channels == 1 ? "" : "s"),
         field.where});
    return;
  }
  if (on_device == nullptr) check_values(field, fields_[id.index()], faults);
}

// An array may mark by NaN what is missing; a residual that it reaches is found as it is computed.
void Binding::check_values(const Field& field, const HostArray& values,
                           std::vector<Diagnostic>& faults) const {
  if (field.kind == FieldKind::Array) return;
  const auto find_nan = [](const auto& data) -> std::size_t {
    using T = typename std::decay_t<decltype(data)>::value_type;
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<std::size_t>(
          std::ranges::find_if(data, [](T v) { return std::isnan(v); }) - data.begin());
    } else {
      return data.size();
    }
  };
  const std::size_t nan = std::visit(find_nan, values.storage());
  const auto channels = static_cast<std::size_t>(field.channels);
  if (nan == values.size()) {
    check_poses(field, values, faults);
    return;
  }
  faults.push_back(
      {fmt::format("{} '{}' is not a number (NaN) at {}, channel {}", to_string(field.kind),
                   field.name, point_text(field.dims, static_cast<std::int64_t>(nan / channels)),
                   nan % channels),
       field.where});
}

std::vector<std::int64_t> Binding::coordinates(std::span<const DimId> dims,
                                               std::int64_t position) const {
  std::vector<std::int64_t> result;
  for (const DimId dim : dims) {
    result.push_back(position % extent(dim));
    position /= extent(dim);
  }
  return result;
}

// "(3, 1)"
std::string Binding::point_text(std::span<const DimId> dims, std::int64_t position) const {
  return fmt::format("({})", fmt::join(coordinates(dims, position), ", "));
}

void Binding::check_poses(const Field& field, const HostArray& values,
                          std::vector<Diagnostic>& faults) const {
  if (field.manifold == Manifold::Euclidean) return;
  const auto channels = static_cast<std::size_t>(field.channels);
  std::vector<double> pose(channels);
  for (std::size_t first = 0; first < values.size(); first += channels) {
    for (std::size_t c = 0; c < channels; ++c) pose[c] = values.value(first + c);
    if (is_point(field.manifold, pose)) continue;
    const int unit = *first_of_unit(field.manifold);
    double square = 0;
    for (auto c = static_cast<std::size_t>(unit); c < channels; ++c) square += pose[c] * pose[c];
    faults.push_back(
        {fmt::format("{} '{}' is no {} at {}: its {} must have length 1, found {:.6g}",
                     to_string(field.kind), field.name, to_string(field.manifold),
                     point_text(field.dims, static_cast<std::int64_t>(first / channels)),
                     field.manifold == Manifold::S2
                         ? "direction"
                         : fmt::format("quaternion (channels {} to {}: x y z w)", unit, unit + 3),
                     std::sqrt(square)),
         field.where});
    return;
  }
}

void Binding::check_map(const SparseMap& map, MapId id, std::vector<Diagnostic>& faults) const {
  const std::string who = fmt::format("sparse map '{}'", map.name);
  if (!map_is_set_[id.index()]) {
    faults.push_back({who + " is not bound", map.where, {}});
    return;
  }
  const std::vector<std::int32_t>& values = *maps_[id.index()];
  std::int64_t points = 1;
  for (const DimId dim : map.in) points *= extent(dim);
  const std::size_t num_out = map.out.size();
  const std::size_t wanted = static_cast<std::size_t>(points) * num_out;
  if (values.size() != wanted) {
    faults.push_back(
        {fmt::format("{} is bound to {} values; it needs {} ({} points, {} coordinate{})", who,
                     values.size(), wanted, points, num_out, num_out == 1 ? "" : "s"),
         map.where});
    return;
  }
  for (std::size_t point = 0; point < static_cast<std::size_t>(points); ++point) {
    if (map.optional && values[point * num_out] == -1) continue;
    for (std::size_t k = 0; k < num_out; ++k) {
      const std::int32_t value = values[point * num_out + k];
      const std::int64_t size = extent(map.out[k]);
      if (value >= 0 && value < size) continue;
      faults.push_back(
          {fmt::format("{}: entry {}{} is {}, outside 0 <= value < {} = {}{}", who,
                       point_text(map.in, static_cast<std::int64_t>(point)),
                       num_out == 1 ? "" : fmt::format(" coordinate {}", k), value,
                       dim_names_[map.out[k].index()], size,
                       value == -1 && !map.optional
                           ? "; -1 means missing only in a map declared with {optional = true}"
                           : ""),
           map.where});
      return;
    }
  }
}

}  // namespace thallo
