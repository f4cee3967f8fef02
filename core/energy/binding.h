#pragma once

// The data of one instance of an energy: extents of its dims, contents of its fields and sparse
// maps. They live on the host, and a backend copies what it needs; a field may also be an array in
// the memory of a device (device_array.h), which only a backend reads. Arrays keep the scalar type
// the user gave; values are converted at upload. One conversion comes earlier: set_field() rounds
// the doubles of a field that the energy declares as float to float, so that everything that
// computes in double, a backend or the evaluator, has the same data. Values assigned through
// field() are kept as they are: assign floats there.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/device_array.h"
#include "core/energy/energy.h"

namespace thallo {

// A typed host array.
class HostArray {
 public:
  using Storage = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>,
                               std::vector<std::uint8_t>>;
  HostArray() = default;
  template <class T>
  HostArray(std::vector<T> values)
      : storage_(std::move(values)) {}  // NOLINT: a vector is a HostArray

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  double value(std::size_t i) const;            // converted to double
  void set_value(std::size_t i, double value);  // converted from double
  std::vector<double> to_doubles() const;
  Storage& storage() { return storage_; }
  const Storage& storage() const { return storage_; }

 private:
  Storage storage_;
};

class Binding {
 public:
  explicit Binding(const Energy& energy);

  // Inputs are set by name; an unknown name is a Diagnostic with the legal names. Sizes are checked
  // by validate().
  Expected<void> set_extent(std::string_view dim, std::int64_t extent);
  Expected<void> set_field(std::string_view field, HostArray values);
  Expected<void> set_param(std::string_view param, double value);
  // `values` is linear over the map's `in` space, first dimension fastest; the |out| coordinates of
  // a point are adjacent.
  Expected<void> set_map(std::string_view map, std::vector<std::int32_t> values);
  // The same, with values that may belong to several bindings. A backend takes two maps for equal
  // if they have the same address.
  using MapValues = std::shared_ptr<const std::vector<std::int32_t>>;
  Expected<void> share_map(std::string_view map, MapValues values);
  // Binds a field to an array on a device, and its HostArray is empty then.
  Expected<void> set_device_field(std::string_view field, DeviceArray array);

  std::int64_t extent(DimId dim) const { return extents_[dim.value()]; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  // Returns the coordinates of the element of `dims` at a linear position, the first dim of which
  // varies fastest.
  std::vector<std::int64_t> coordinates(std::span<const DimId> dims, std::int64_t position) const;
  const HostArray& field(FieldId field) const { return fields_[field.value()]; }
  HostArray& field(FieldId field) { return fields_[field.value()]; }
  double param(FieldId field) const { return fields_[field.value()].value(0); }
  const std::vector<std::int32_t>& map(MapId map) const { return *maps_[map.value()]; }
  const MapValues& shared_map(MapId map) const { return maps_[map.value()]; }
  // Null if the field is on the host.
  const DeviceArray* device_array(FieldId field) const {
    const std::optional<DeviceArray>& array = device_arrays_[field.value()];
    return array ? &*array : nullptr;
  }
  std::vector<FieldId> fields_on_device() const;

  std::int64_t num_elements(const Energy& energy, FieldId field) const;  // product of extents
  std::int64_t num_points(const Energy& energy, const std::vector<DomainId>& domains) const;
  std::int64_t num_unknowns(const Energy& energy) const;   // scalars of the unknown vector
  std::int64_t num_residuals(const Energy& energy) const;  // scalars

  // Checks that
  // - every dim has an extent >= 0
  // - every field and map is bound with the right number of values
  // - map entries are in range (the message names map and entry)
  // - unknowns and params are no NaN (the message names field and entry); infinities are allowed,
  //   and NaN in arrays, because data mark by them what is missing
  // - unknown poses are points of their manifold
  // (except for arrays on a device, of which only the number of values is checked)
  // - losses that read params are ones (check_losses)
  Expected<void> validate(const Energy& energy) const;
  // Like the above, without the losses, for a program that does not have its energy. Its first
  // fields are the energy's; the fields after them are the program's own and not bound.
  Expected<void> validate(std::span<const Field> fields, std::span<const SparseMap> maps) const;

 private:
  void check_field(const Field& field, FieldId id, std::vector<Diagnostic>& faults) const;
  void check_values(const Field& field, const HostArray& values,
                    std::vector<Diagnostic>& faults) const;
  std::string point_text(std::span<const DimId> dims, std::int64_t position) const;
  void check_poses(const Field& field, const HostArray& values,
                   std::vector<Diagnostic>& faults) const;
  void check_map(const SparseMap& map, MapId id, std::vector<Diagnostic>& faults) const;

  std::vector<std::string> dim_names_, field_names_, map_names_;
  std::vector<bool> is_param_;
  std::vector<bool> is_float_;
  std::vector<std::int64_t> extents_;  // -1 = not set
  std::vector<HostArray> fields_;
  std::vector<std::optional<DeviceArray>> device_arrays_;  // by FieldId
  std::vector<MapValues> maps_;
  std::vector<bool> field_is_set_, map_is_set_;
};

}  // namespace thallo
