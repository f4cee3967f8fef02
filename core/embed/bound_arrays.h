// The arrays of a program that are bound to the inputs of an energy. The program owns the arrays:
// read() reads them, and solutions are written into them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo {

using ArrayView =
    std::variant<std::span<double>, std::span<float>, std::span<std::int32_t>,
                 std::span<std::uint8_t>, std::span<const double>, std::span<const float>,
                 std::span<const std::int32_t>, std::span<const std::uint8_t>>;

// The extents of an array's dims, as the energy lists them: the first dimension varies fastest in
// memory. Channels are not among them.
using Shape = std::vector<std::int64_t>;

class BoundArrays {
 public:
  // Binds an array, replacing what was bound to the name. An empty shape is deduced if possible;
  // see read().
  void bind(std::string_view name, ArrayView values, Shape shape);
  void bind(std::string_view name, double number);

  // Returns the current values as a binding that is valid for the energy. The extent of a dim is
  // the value bound to its name, or comes from the shapes; if they do not contain it, it follows
  // from the size of an array in which it is the only unknown extent. Reports all faults, one per
  // line.
  Expected<Binding> read(const Energy& energy) const;
  // Copies the unknowns into their arrays, which read() has verified to be writable.
  void write(const Energy& energy, const Binding& solved) const;
  // True if the array of an unknown holds what write() has written into it.
  bool holds(const Energy& energy, FieldId unknown, const Binding& solved) const;

  // Check a name and what is to be bound to it before it is bound, for callers that want to say at
  // once what is wrong. num_values() returns the number of values that an array of this shape has;
  // it fails if the energy has no such array, or no array with such a shape.
  static Expected<void> check_number(const Energy& energy, const std::string& name, double number);
  static Expected<std::size_t> num_values(const Energy& energy, const std::string& name,
                                          const Shape& shape);

  // True if any unknown is bound to an array of doubles.
  bool has_double_unknowns(const Energy& energy) const;

 private:
  struct Array {
    ArrayView values;
    Shape shape;
  };
  using Source = std::variant<Array, double>;

  std::map<std::string, Source, std::less<>> sources_;
};

}  // namespace thallo
