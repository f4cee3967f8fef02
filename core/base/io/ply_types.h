// The types of numbers in PLY files.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/error.h"

namespace thallo {

enum class PlyType { Int8, Uint8, Int16, Uint16, Int32, Uint32, Float, Double };

struct PlyTypeNames {
  PlyType type;
  std::array<std::string_view, 2> names;  // the first one is written
};
inline constexpr PlyTypeNames PlyTypes[] = {
    {PlyType::Int8, {"char", "int8"}},      {PlyType::Uint8, {"uchar", "uint8"}},
    {PlyType::Int16, {"short", "int16"}},   {PlyType::Uint16, {"ushort", "uint16"}},
    {PlyType::Int32, {"int", "int32"}},     {PlyType::Uint32, {"uint", "uint32"}},
    {PlyType::Float, {"float", "float32"}}, {PlyType::Double, {"double", "float64"}}};

inline std::optional<PlyType> find_ply_type(std::string_view name) {
  for (const auto& [type, names] : PlyTypes)
    if (std::ranges::find(names, name) != names.end()) return type;
  return std::nullopt;
}

inline std::string_view to_string(PlyType type) {
  return std::ranges::find(PlyTypes, type, &PlyTypeNames::type)->names[0];
}

// Calls use(T{}) with the type in C++.
template <class Use>
decltype(auto) with_ply_type(PlyType type, const Use& use) {
  switch (type) {
    case PlyType::Int8: return use(std::int8_t{});
    case PlyType::Uint8: return use(std::uint8_t{});
    case PlyType::Int16: return use(std::int16_t{});
    case PlyType::Uint16: return use(std::uint16_t{});
    case PlyType::Int32: return use(std::int32_t{});
    case PlyType::Uint32: return use(std::uint32_t{});
    case PlyType::Float: return use(float{});
    case PlyType::Double: return use(double{});
  }
  THALLO_UNREACHABLE();
}

// True if numbers of this type can have the value; floats have any.
inline bool holds(PlyType type, double value) {
  return with_ply_type(type, [&](auto typed) {
    using Limits = std::numeric_limits<decltype(typed)>;
    return !Limits::is_integer ||
           (value >= static_cast<double>(Limits::lowest()) &&
            value <= static_cast<double>(Limits::max()) && value == std::floor(value));
  });
}

}  // namespace thallo
