// Reads the arrays and numbers of a program into a binding, and collects what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/backend/device_arrays.h"
#include "core/base/diagnostic.h"
#include "core/embed/array_views.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

class InputReader {
 public:
  explicit InputReader(const Energy& energy);

  void read_number(const std::string& name, double number);
  // Reads the extents that a shape says. `num_values` is absent for an array on a device.
  void read_shape(const std::string& name, const Shape& shape,
                  std::optional<std::int64_t> num_values);
  // Finds the extent that follows from the size of an array, if all of its others are known.
  // Returns true if it has been found.
  bool find_extent(const std::string& name, std::int64_t num_values);
  // Says which dims have no extent; called when nothing more can be found.
  void find_open_dims();
  // Reads an array on the host. `map` keeps the values of a sparse map, and has those that were
  // read last: equal ones stay at their address.
  void read_values(const std::string& name, const ArrayView& values, Binding::MapValues& map);

  // Returns what is to be asked about an array on a device; nothing if it has a fault.
  std::optional<DeviceArrayQuery> query(const std::string& name, const DeviceView& view,
                                        const Shape& shape);
  // Reads an array on a device of which `facts` are known. Unless `map` is null, it has the values
  // of a sparse map.
  void read_device_array(const std::string& name, const DeviceArray& array,
                         const DeviceArrayFacts& facts, const Binding::MapValues& map,
                         DeviceArrays& devices);
  bool is_map(const std::string& name) const { return energy_.find_map(name).valid(); }
  // Says why an input cannot be read.
  void fault_of(const std::string& name, const std::string& why);

  // Returns the number of values of an array with a shape.
  Expected<std::size_t> num_values(const std::string& name, const Shape& shape) const;

  bool has_faults() const { return !faults_.empty(); }
  Expected<void> result() const;
  Expected<Binding> finish();

 private:
  // What an array can be bound to.
  struct Input {
    std::string text;  // "unknown 'X' over (W, H)"
    const std::vector<DimId>& dims;
    std::int64_t channels = 1;  // values of an element
  };

  void fault(std::string what) { faults_.push_back(std::move(what)); }
  void keep(const Expected<void>& done);
  void set_extent(DimId dim, std::int64_t extent, const std::string& who);
  bool is_unknown(const std::string& name) const;
  void fault_of_constant(const std::string& name);
  void fault_of_integers(const std::string& name);
  // Binds values unless the type of the field cannot hold them.
  void set_values(const std::string& name, HostArray values);
  std::string dims_text(const std::vector<DimId>& dims) const;
  std::optional<Input> find_input(const std::string& name) const;
  static std::string other_rank(const Input& input, const Shape& shape);
  std::string no_input(const std::string& name) const;
  std::string unknown_name(const std::string& name) const;

  const Energy& energy_;
  Binding binding_;
  std::vector<std::string> said_by_;  // by dim
  std::vector<std::string> faults_;
};

}  // namespace thallo
