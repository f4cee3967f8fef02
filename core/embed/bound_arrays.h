// The arrays of a program that are bound to the inputs of an energy. The program owns the arrays:
// read() reads them, and solutions are written into them. Arrays in the memory of a device stay
// there; read() looks at their values on the device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "core/backend/device_arrays.h"
#include "core/base/diagnostic.h"
#include "core/embed/array_views.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

class InputReader;

class BoundArrays {
 public:
  // Binds an array, replacing what was bound to the name. An empty shape is deduced if possible;
  // see read().
  void bind(std::string_view name, ArrayView values, Shape shape);
  void bind(std::string_view name, double number);
  // Binds an array on a device. Its shape is always given.
  void bind(std::string_view name, DeviceView view, Shape shape);
  // Forgets what is bound to the name, if anything is.
  void unbind(const std::string& name) { sources_.erase(name); }

  // Returns the current values as a binding that is valid for the energy. The extent of a dim is
  // the value bound to its name, or comes from the shapes; if they do not contain it, it follows
  // from the size of an array in which it is the only unknown extent. Reports all faults, one per
  // line. Sparse maps on a device are copied to the host, unless their values are those of the last
  // call. `devices` is that of the backend; if it is null, arrays on a device are faults.
  Expected<Binding> read(const Energy& energy, DeviceArrays* devices);
  // For solves that write unknowns into their arrays before they end. Lets data in the memory of an
  // unknown keep what they were when that memory was bound to their name: `now`, which was just
  // read, takes them from `before`, which is null when the solve begins. Those on a device are
  // copied to the host at first.
  Expected<void> keep_shared_data(const Energy& energy, Binding& now, const Binding* before,
                                  DeviceArrays* devices);
  // True if any array is on a device.
  bool has_device_arrays() const;
  // Copies the unknowns into their arrays on the host, which read() has verified to be writable.
  void write(const Energy& energy, const Binding& solved) const;
  // Returns what read() found out about a field on a device, or the last look_at_unknowns() about
  // an unknown.
  std::uint64_t fingerprint(const Energy& energy, FieldId field) const;
  // Looks again at the unknowns on a device, since the backend has changed them.
  Expected<void> look_at_unknowns(const Energy& energy, const Binding& solved,
                                  DeviceArrays& devices);
  // True if the array of an unknown holds what write() has written into it.
  bool holds(const Energy& energy, FieldId unknown, const Binding& solved) const;

  // Check a name and what is to be bound to it before it is bound, for callers that want to say at
  // once what is wrong. num_values() returns the number of values that an array of this shape has;
  // it fails if the energy has no such array, or no array with such a shape.
  static Expected<void> check_number(const Energy& energy, const std::string& name, double number);
  static Expected<std::size_t> num_values(const Energy& energy, const std::string& name,
                                          const Shape& shape);

 private:
  // What was read last.
  struct Copy {
    Binding::MapValues map;         // if it is a sparse map
    std::uint64_t fingerprint = 0;  // if it is on a device
  };
  struct Array {
    ArrayView values;
    Shape shape;
    Copy copy = {};
  };
  struct OnDevice {
    DeviceView view;
    Shape shape;
    Copy copy = {};
  };
  using Source = std::variant<Array, double, OnDevice>;

  template <class Bound>
  void replace(std::string_view name, Bound bound);
  Expected<void> read_device_arrays(const Energy& energy, InputReader& reader,
                                    DeviceArrays* devices);
  static Expected<void> read_map(const std::string& name, OnDevice& source,
                                 const DeviceArray& array, const DeviceArrayFacts& facts,
                                 DeviceArrays& devices);

  std::map<std::string, Source, std::less<>> sources_;
  std::map<FieldId, MemoryRange> kept_;  // data that keep_shared_data() has seen, and where
};

}  // namespace thallo
