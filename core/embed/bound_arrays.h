// The arrays of a program as the inputs of an energy. Arrays stay the program's: they are read when
// read() is called, and solutions are written into them.
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
  // What a name had before is replaced. An empty shape is found, if it can be: see read().
  void bind(std::string_view name, ArrayView values, Shape shape);
  void bind(std::string_view name, double number);

  // Everything as it is now, valid for the energy. The extent of a dim is what its name was bound
  // to, or what the shapes say; where they say nothing, it follows from the size of an array of
  // which it is the only extent that is not known. All faults are reported, one a line.
  Expected<Binding> read(const Energy& energy) const;
  // Copies the unknowns into their arrays, which read() has found to be writable.
  void write(const Energy& energy, const Binding& solved) const;

  // Is any unknown an array of doubles?
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
