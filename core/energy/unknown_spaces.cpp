#include "core/energy/unknown_spaces.h"

#include <algorithm>

#include "core/base/error.h"

namespace thallo {

std::vector<std::vector<FieldId>> unknown_spaces(const Energy& energy) {
  std::vector<std::vector<FieldId>> spaces;
  for (const FieldId unknown : energy.unknowns()) {
    const auto space = std::ranges::find_if(spaces, [&](const std::vector<FieldId>& other) {
      return energy.field(other.front()).dims == energy.field(unknown).dims;
    });
    if (space == spaces.end()) {
      spaces.push_back({unknown});
    } else {
      space->push_back(unknown);
    }
  }
  return spaces;
}

std::size_t space_of(const Energy& energy, FieldId unknown) {
  const std::vector<std::vector<FieldId>> spaces = unknown_spaces(energy);
  for (std::size_t s = 0; s < spaces.size(); ++s) {
    if (std::ranges::find(spaces[s], unknown) != spaces[s].end()) return s;
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
