#include "core/schedule/shown_names.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/energy/found/shown_names.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

constexpr std::size_t MaxListLength = 24;

// The groups that the part has as a whole, and the single residuals of others.
std::vector<std::string> members_of(const Energy& energy, const Part& part) {
  std::map<std::size_t, std::vector<ResidualRef>> by_group;
  for (const ResidualRef residual : part.residuals) by_group[residual.group].push_back(residual);
  std::vector<std::string> members;
  for (const auto& [number, residuals] : by_group) {
    const ResidualGroup& group = energy.groups()[number];
    if (residuals.size() == group.residuals.size()) {
      members.push_back(group.name);
    } else {
      for (const ResidualRef residual : residuals)
        members.push_back(residual_name(energy, residual));
    }
  }
  return members;
}

bool has_all(const Energy& energy, const Part& part) {
  std::size_t count = 0;
  for (const ResidualGroup& group : energy.groups()) count += group.residuals.size();
  return part.residuals.size() == count;
}

// "reg_" for reg_up and reg_left: ends with the last _ that all have in common.
std::string common_prefix(const std::vector<std::string>& names) {
  std::string prefix = names.front();
  for (const std::string& name : names) {
    const auto end = std::ranges::mismatch(prefix, name).in1;
    prefix.erase(end, prefix.end());
  }
  prefix.erase(prefix.find_last_of('_') + 1);
  return prefix;
}

std::string title_of(const Energy& energy, const Part& part) {
  const std::vector<std::string> members = members_of(energy, part);
  if (members.size() < 2) return part.name;
  if (has_all(energy, part) && energy.groups().size() == members.size())
    return fmt::format("all {} residuals", members.size());
  if (const std::string prefix = common_prefix(members); prefix.size() > 1)
    return fmt::format("{}* ×{}", prefix, members.size());
  std::string list = fmt::format("{}", fmt::join(members, ", "));
  if (list.size() <= MaxListLength) return list;
  return fmt::format("{} + {} more", members.front(), members.size() - 1);
}

}  // namespace

ShownNames::ShownNames(const Energy& energy, const Plan& plan) {
  for (auto& [name, shown] : shown_names(energy)) shown_.emplace(name, shown);
  std::map<std::string, std::vector<std::string>> parts_by_title;
  for (const Part& part : plan.parts) parts_by_title[title_of(energy, part)].push_back(part.name);
  for (const auto& [title, parts] : parts_by_title) {
    if (parts.size() == 1) shown_.emplace(parts.front(), title);
  }
}

std::string ShownNames::of(std::string_view name) const {
  if (const auto found = shown_.find(name); found != shown_.end()) return found->second;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::string(name);
  const auto part = shown_.find(name.substr(0, dot));
  if (part == shown_.end() || part->second == part->first) return std::string(name);
  return fmt::format("{} of {}", name.substr(dot + 1), part->second);
}

std::string ShownNames::label(std::string_view label) const {
  const std::size_t begin = label.find('[');
  if (begin == std::string_view::npos || !label.ends_with(']')) return std::string(label);
  const std::string_view inside = label.substr(begin + 1, label.size() - begin - 2);
  std::string result(label.substr(0, begin + 1));
  constexpr std::string_view Separator = ", ";
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t end = std::min(inside.find(Separator, at), inside.size());
    if (at > 0) result += Separator;
    result += of(inside.substr(at, end - at));
    at = end + Separator.size();
  }
  return result + "]";
}

}  // namespace thallo
