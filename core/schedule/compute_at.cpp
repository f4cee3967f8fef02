#include "core/schedule/compute_at.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/energy/unknown_spaces.h"

namespace thallo {

namespace {

std::vector<std::string> names_of_gathered(const Energy& energy, ComputeAt where) {
  std::vector<std::string> names;
  const std::vector<std::vector<FieldId>> spaces = unknown_spaces(energy);
  for (std::size_t s = 0; s < spaces.size(); ++s)
    if (where.gathers_at(s)) names.push_back(energy.field(spaces[s].front()).name);
  return names;
}

std::string gathered_names(const Energy& energy, ComputeAt where) {
  return fmt::format("{}", fmt::join(names_of_gathered(energy, where), ", "));
}

}  // namespace

ComputeAt ComputeAt::output_of(const std::vector<std::size_t>& spaces) {
  std::uint64_t bits = 0;
  for (const std::size_t space : spaces) {
    THALLO_ASSERT(space < NumAlone, "space {} alone", space);
    bits |= std::uint64_t{1} << space;
  }
  return ComputeAt(bits);
}

std::string label_of(const Energy& energy, ComputeAt where) {
  if (!where.gathers()) return std::string(AtResidual);
  if (!where.scatters()) return std::string(AtOutput);
  return fmt::format("{}{}", OutputOf, gathered_names(energy, where));
}

std::string arguments_of(const Energy& energy, ComputeAt where) {
  if (!where.gathers()) return "false";
  if (!where.scatters()) return "true";
  const std::vector<std::string> names = names_of_gathered(energy, where);
  const std::string text = fmt::format("\"{}\"", fmt::join(names, "\", \""));
  return names.size() == 1 ? text : "{" + text + "}";
}

std::string to_string(const Energy& energy, ComputeAt where) {
  if (!where.gathers()) return "scattered at the residual";
  if (!where.scatters()) return "gathered at the output";
  return fmt::format("gathered at {}, else scattered", gathered_names(energy, where));
}

}  // namespace thallo
