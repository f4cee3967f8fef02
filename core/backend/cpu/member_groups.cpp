#include "core/backend/cpu/member_groups.h"

namespace thallo {
namespace {

// What a member reads and writes is about a kilobyte; so many are in the cache of a core.
constexpr std::size_t MostOfGroup = 64;
// Another range costs a call of each kernel; a member that is left out, a test in each.
constexpr std::int64_t LongestGap = 4;

}  // namespace

std::vector<MemberGroup> member_groups(std::span<const std::size_t> members) {
  std::vector<MemberGroup> groups;
  for (std::size_t n = 0; n < members.size(); ++n) {
    const auto member = static_cast<std::int64_t>(members[n]);
    if (n % MostOfGroup == 0) groups.emplace_back();
    auto& ranges = groups.back().ranges;
    if (!ranges.empty() && member - ranges.back().second <= LongestGap) {
      ranges.back().second = member + 1;
    } else {
      ranges.emplace_back(member, member + 1);
    }
  }
  return groups;
}

}  // namespace thallo
