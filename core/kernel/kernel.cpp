#include "core/kernel/kernel.h"

#include <algorithm>

namespace thallo {
namespace {

using IsWanted = std::function<bool(const Statement&)>;

bool has_statement(const Block& block, const IsWanted& is_wanted) {
  return std::ranges::any_of(block, [&](const Statement& statement) {
    if (const auto* loop = std::get_if<Loop>(&statement.node))
      return has_statement(loop->body, is_wanted);
    if (const auto* guard = std::get_if<Guard>(&statement.node))
      return has_statement(guard->body, is_wanted);
    return is_wanted(statement);
  });
}

}  // namespace

bool has_statement(const Kernel& kernel, const IsWanted& is_wanted) {
  return std::ranges::any_of(kernel.sections, [&](const Section& section) {
    return has_statement(section.body, is_wanted);
  });
}

bool adds_to_memory(const Kernel& kernel) {
  return has_statement(kernel, [](const Statement& statement) {
    return std::holds_alternative<ScatterAdd>(statement.node) ||
           std::holds_alternative<MatrixAdd>(statement.node);
  });
}

}  // namespace thallo
