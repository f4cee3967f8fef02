#include "core/kernel/teams.h"

#include <algorithm>
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

}  // namespace

std::vector<const LoopItem*> visited_lists(const CodeBody& section) {
  std::vector<const LoopItem*> found;
  collect_lists(section.block, found);
  return found;
}

bool can_have_team(const CodeBody& section) { return !visited_lists(section).empty(); }

double mean_visits(const KernelProgram& program, const CodeBody& section,
                   const ProgramSizes& sizes) {
  double most = 0;
  for (const LoopItem* list : visited_lists(section)) {
    const SparseMap& offsets = program.maps[section[list->begin].map.index()];
    const auto elements = static_cast<double>(sizes.num_points(offsets.in));
    if (elements > 0)
      most = std::max(most, static_cast<double>(sizes.num_points(list->extents)) / elements);
  }
  return most;
}

int team_of(const KernelProgram& program, const CodeBody& section, const ProgramSizes& sizes,
            int block_size, int num_multiprocessors) {
  if (section.team == WholeBlock) return block_size;
  if (section.team > 0) return section.team;
  return usual_team(static_cast<double>(sizes.num_points(section.extents)),
                    mean_visits(program, section, sizes), num_multiprocessors);
}

}  // namespace thallo
