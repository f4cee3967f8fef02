#include "plugins/split_merge/statements.h"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/schedule/arguments.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

const std::string& argument_name(const ScheduleStatement& statement, std::size_t position) {
  return std::get<ScheduleName>(statement.arguments[position].value).name;
}

std::optional<std::int64_t> number(const ScheduleStatement& statement, std::size_t position) {
  if (position >= statement.arguments.size()) return {};
  const auto* value = std::get_if<std::int64_t>(&statement.arguments[position].value);
  return value ? std::optional(*value) : std::nullopt;
}

// Returns the residuals of the part that an argument names, with parts as the text knows them at
// this point.
Expected<std::vector<ResidualRef>> members(const Energy& energy, const ScheduleStatement& statement,
                                           std::size_t position, const PartsByName& known,
                                           const Partition& partition) {
  const auto* name = position < statement.arguments.size()
                         ? std::get_if<ScheduleName>(&statement.arguments[position].value)
                         : nullptr;
  if (name == nullptr || name->kind != ScheduleName::Kind::Part) {
    return fault_in(statement,
                    fmt::format("argument {} is not a part, such as r.fit", position + 1));
  }
  if (const auto it = known.find(name->name); it != known.end())
    return partition.members_with(it->second);
  const auto residual = find_residual(energy, name->name);
  if (!residual) {
    std::vector<std::string> parts;
    for (const auto& [part, first] : known) parts.push_back(part);
    const Diagnostic missing = no_part(name->name, parts).value();
    return fault_in(statement, missing.what, missing.alternatives);
  }
  return partition.members_with(*residual);
}

// Lists the parts that this part can be merged with, by the names that the text uses.
std::vector<std::string> merges_with(const Energy& energy, const std::string& name,
                                     ResidualRef part, const PartsByName& known,
                                     const Partition& partition) {
  std::vector<std::string> merges;
  std::vector<std::vector<ResidualRef>> listed = {partition.members_with(part)};
  for (const auto& [other_name, other] : known) {
    const std::vector<ResidualRef> members = partition.members_with(other);
    if (std::ranges::find(listed, members) != listed.end()) continue;
    listed.push_back(members);
    if (dims_of(energy, other.group) == dims_of(energy, part.group))
      merges.push_back(fmt::format("r:merge(r.{}, r.{})", name, other_name));
  }
  return merges;
}

}  // namespace

std::string other_dims(const Energy& energy, ResidualRef residual, ResidualRef target) {
  return fmt::format("they run over different dims, {} and {}",
                     domains_text(energy, energy.groups()[residual.group].domains),
                     domains_text(energy, energy.groups()[target.group].domains));
}

Expected<void> read_merge(const Energy& energy, const ScheduleStatement& statement,
                          const PartsByName& known, Partition& partition, PartsByName& added) {
  if (statement.arguments.size() != 2 || !statement.is_by_position())
    return fault_in(statement, "takes two parts");
  THALLO_TRY(const auto a, members(energy, statement, 0, known, partition));
  THALLO_TRY(const auto b, members(energy, statement, 1, known, partition));
  if (a == b) return fault_in(statement, "merges a part with itself");
  const std::string& name = argument_name(statement, 0);
  if (dims_of(energy, a.front().group) != dims_of(energy, b.front().group)) {
    return fault_in(statement, other_dims(energy, a.front(), b.front()),
                    merges_with(energy, name, a.front(), known, partition));
  }
  partition.join(b, a.front());
  added.emplace(fmt::format("{}_{}", name, argument_name(statement, 1)), a.front());
  added.emplace(name, a.front());  // statements about a apply to both
  return {};
}

Expected<void> read_split(const Energy& energy, const ScheduleStatement& statement,
                          const PartsByName& known, Partition& partition, PartsByName& added) {
  THALLO_TRY(const auto part, members(energy, statement, 0, known, partition));
  const bool is_full = statement.method == "full_split";
  const std::size_t num_arguments = statement.arguments.size();
  if (!statement.is_by_position() || num_arguments > (is_full ? 1 : 3)) {
    return fault_in(statement, is_full ? "takes one part"
                                       : "takes a part and the numbers of its first and last "
                                         "residual that leave it, nothing more");
  }
  const std::string name = argument_name(statement, 0);
  const auto count = static_cast<std::int64_t>(part.size());
  if (is_full) {
    for (std::int64_t i = 1; i <= count; ++i) {
      const ResidualRef residual = part[static_cast<std::size_t>(i - 1)];
      if (i > 1) partition.separate(std::span(&residual, 1));
      added.emplace(fmt::format("{}_{}", name, i), residual);
    }
    return {};
  }
  const auto first = number(statement, 1);
  const auto last = num_arguments > 2 ? number(statement, 2) : first;
  if (!first || !last || *first < 1 || *last < *first || *last > count) {
    return fault_in(statement,
                    fmt::format("takes a part and the numbers of its first and last residual "
                                "that leave it, between 1 and {}",
                                count));
  }
  const std::span<const ResidualRef> movers = std::span(part).subspan(
      static_cast<std::size_t>(*first - 1), static_cast<std::size_t>(*last - *first + 1));
  added.emplace(*first == *last ? fmt::format("{}_{}", name, *first)
                                : fmt::format("{}_{}_{}", name, *first, *last),
                movers.front());
  if (movers.size() == part.size()) return {};
  partition.separate(movers);
  const ResidualRef left = *std::ranges::find_if(
      part, [&](ResidualRef r) { return r < movers.front() || r > movers.back(); });
  added.emplace(name, left);
  return {};
}

}  // namespace thallo
