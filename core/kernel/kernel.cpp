#include "core/kernel/kernel.h"

#include <algorithm>

namespace thallo {
namespace {

bool adds_to_memory(const Block& block) {
  return std::ranges::any_of(block, [](const Statement& statement) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) return adds_to_memory(loop->body);
    if (const auto* guard = std::get_if<Guard>(&statement.node)) return adds_to_memory(guard->body);
    return std::holds_alternative<ScatterAdd>(statement.node) ||
           std::holds_alternative<MatrixAdd>(statement.node);
  });
}

}  // namespace

bool adds_to_memory(const Kernel& kernel) {
  return std::ranges::any_of(kernel.sections,
                             [](const Section& section) { return adds_to_memory(section.body); });
}

}  // namespace thallo
