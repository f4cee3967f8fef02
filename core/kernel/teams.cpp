#include "core/kernel/teams.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace thallo {
namespace {

bool adds_to_memory(const CodeBlock& block) {
  return std::ranges::any_of(block, [](const CodeItem& item) {
    if (const auto* loop = std::get_if<LoopItem>(&item.node)) return adds_to_memory(loop->body);
    if (const auto* branch = std::get_if<IfItem>(&item.node)) return adds_to_memory(branch->body);
    return std::holds_alternative<AddItem>(item.node) ||
           std::holds_alternative<MatrixAddItem>(item.node);
  });
}

void divide(bool has_members, CodeBlock& block) {
  for (CodeItem& item : block) {
    if (auto* loop = std::get_if<LoopItem>(&item.node)) {
      loop->is_divided = loop->begin.valid() || (has_members && !adds_to_memory(loop->body));
      if (!loop->is_divided) divide(has_members, loop->body);
    } else if (auto* branch = std::get_if<IfItem>(&item.node)) {
      divide(has_members, branch->body);
    }
  }
}

// Those of a block, except those inside of other loops.
void collect_divided(const CodeBlock& block, std::vector<const LoopItem*>& found) {
  for (const CodeItem& item : block) {
    if (const auto* loop = std::get_if<LoopItem>(&item.node)) {
      if (loop->is_divided) found.push_back(loop);
    } else if (const auto* branch = std::get_if<IfItem>(&item.node)) {
      collect_divided(branch->body, found);
    }
  }
}

}  // namespace

void divide_loops(const KernelProgram& program, CodeBody& section) {
  divide(program.has_members(), section.block);
}

std::vector<const LoopItem*> divided_loops(const CodeBody& section) {
  std::vector<const LoopItem*> found;
  collect_divided(section.block, found);
  return found;
}

bool can_have_team(const CodeBody& section) { return !divided_loops(section).empty(); }

double mean_visits(const KernelProgram& program, const CodeBody& section,
                   const ProgramSizes& sizes) {
  double most = 0;
  for (const LoopItem* loop : divided_loops(section)) {
    if (!loop->begin.valid()) {
      most = std::max(most, static_cast<double>(sizes.extent(loop->extents.front())));
      continue;
    }
    const SparseMap& offsets = program.maps[section[loop->begin].map.index()];
    const auto elements = static_cast<double>(sizes.num_points(offsets.in));
    if (elements > 0)
      most = std::max(most, static_cast<double>(sizes.num_points(loop->extents)) / elements);
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
