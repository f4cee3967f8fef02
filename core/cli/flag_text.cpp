#include "core/cli/flag_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/solve/options.h"

namespace thallo::cli {
namespace {

// True for a solver option that has no flag of its own.
bool is_set_by_name(std::string_view id) {
  return id != "solver" &&
         std::ranges::any_of(solver_option_infos(),
                             [id](const SolverOptionInfo& info) { return info.name == id; });
}

}  // namespace

std::string flag_text(std::string_view id, std::string_view value) {
  if (is_set_by_name(id)) return fmt::format("--set {}={}", id, value.empty() ? "..." : value);
  std::string flag = fmt::format("--{}", id);
  std::ranges::replace(flag, '_', '-');
  return value.empty() ? flag : fmt::format("{} {}", flag, value);
}

}  // namespace thallo::cli
