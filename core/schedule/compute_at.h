#pragma once

// Where a product with J transposed is added up, for each space of unknowns
// (core/energy/unknown_spaces.h). At a space that is scattered to, one thread for each residual
// point adds to the elements that the point reads, with atomic additions. At a space that is
// gathered at, one thread for each element visits the points that read the element.

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thallo {

class Energy;

class ComputeAt {
 public:
  static const ComputeAt Residual;  // scatters to all spaces
  static const ComputeAt Output;    // gathers at all spaces

  // Gathers at these spaces and scatters to all others. Each must be below NumAlone.
  static ComputeAt output_of(const std::vector<std::size_t>& spaces);
  // The spaces that can be gathered at without others; those behind them have one bit together.
  static constexpr std::size_t NumAlone = 63;

  constexpr ComputeAt() = default;  // Residual

  bool gathers_at(std::size_t space) const {
    return ((bits_ >> std::min(space, NumAlone)) & 1) != 0;
  }
  bool gathers() const { return *this != Residual; }  // at some space
  bool scatters() const { return *this != Output; }   // to some space

  friend auto operator<=>(const ComputeAt&, const ComputeAt&) = default;

 private:
  explicit constexpr ComputeAt(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits_ = 0;  // of each space, whether it is gathered at
};

inline constexpr ComputeAt ComputeAt::Residual{};
inline constexpr ComputeAt ComputeAt::Output{~std::uint64_t{0}};

// Labels of the choices of the construct compute_at_output. At the output of some spaces only:
// "output of cameras, points", with the unknown of each space that is declared first.
inline constexpr std::string_view AtResidual = "residual";
inline constexpr std::string_view AtOutput = "output";
inline constexpr std::string_view OutputOf = "output of ";
std::string label_of(const Energy& energy, ComputeAt where);
// Returns what the construct's statement takes: `true`, `"points"` or `{"cameras", "points"}`.
std::string arguments_of(const Energy& energy, ComputeAt where);
// Returns "scattered at the residual", "gathered at the output" or "gathered at points, else
// scattered".
std::string to_string(const Energy& energy, ComputeAt where);

}  // namespace thallo
