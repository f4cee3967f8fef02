#include "core/kernel/teams.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <variant>
#include <vector>

namespace thallo {
namespace {

// The loops over lists of a block, except those inside of other loops.
void collect_lists(const CodeBlock& block, std::vector<const LoopItem*>& found) {
  for (const CodeItem& item : block) {
    if (const auto* loop = std::get_if<LoopItem>(&item.node)) {
      if (loop->begin.valid()) found.push_back(loop);
    } else if (const auto* branch = std::get_if<IfItem>(&item.node)) {
      collect_lists(branch->body, found);
    }
  }
}

std::vector<const LoopItem*> lists_of(const CodeBody& section) {
  std::vector<const LoopItem*> found;
  collect_lists(section.block, found);
  return found;
}

}  // namespace

bool can_have_team(const CodeBody& section) { return !lists_of(section).empty(); }

double mean_visits(const KernelProgram& program, const CodeBody& section,
                   const ProgramSizes& sizes) {
  double most = 0;
  for (const LoopItem* list : lists_of(section)) {
    const SparseMap& offsets = program.maps[section[list->begin].map.index()];
    const auto elements = static_cast<double>(sizes.num_points(offsets.in));
    if (elements > 0)
      most = std::max(most, static_cast<double>(sizes.num_points(list->extents)) / elements);
  }
  return most;
}

int usual_team(double num_points, double mean_visits, double num_multiprocessors) {
  constexpr double lanes_of_warp = 32;
  constexpr double busy_threads = 1024;  // of a multiprocessor
  const auto most =
      std::bit_ceil(static_cast<unsigned>(std::ceil(std::clamp(mean_visits, 1.0, lanes_of_warp))));
  const auto least =
      std::bit_floor(static_cast<unsigned>(std::clamp(mean_visits / 2, 1.0, lanes_of_warp)));
  unsigned team = most;
  while (team > least && num_points * team > busy_threads * num_multiprocessors) team /= 2;
  return static_cast<int>(team);
}

int team_of(const KernelProgram& program, const CodeBody& section, const ProgramSizes& sizes,
            int block_size, int num_multiprocessors) {
  if (section.team == WholeBlock) return block_size;
  if (section.team > 0) return section.team;
  return usual_team(static_cast<double>(sizes.num_points(section.extents)),
                    mean_visits(program, section, sizes), num_multiprocessors);
}

}  // namespace thallo
