// Members of a batch that a thread runs phases for, one group after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/kernel/program.h"

namespace thallo {

struct MemberGroup {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  // begin and end
  std::array<double, NumPhases> seconds{};                    // that the phases took
};

// Returns groups of these members, which ascend. Where few are left out between two of them, these
// are in a range, too.
std::vector<MemberGroup> member_groups(std::span<const std::size_t> members);

}  // namespace thallo
