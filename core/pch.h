// The precompiled header of core: the standard library, fmt and tl::expected, which almost every
// file uses. It saves compile time and nothing else: each file still includes what it uses, and
// -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON must build.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>
