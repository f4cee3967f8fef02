#include "core/schedule/plan_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"

namespace thallo {

std::string part_name(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  std::string name;
  const auto append = [&](const std::string& piece) {
    if (!name.empty()) name += '_';
    name += piece;
  };
  for (auto it = residuals.begin(); it != residuals.end();) {
    const ResidualGroup& group = energy.groups()[it->group];
    const auto end = std::find_if(it, residuals.end(),
                                  [&](ResidualRef other) { return other.group != it->group; });
    if (end - it == static_cast<std::ptrdiff_t>(group.residuals.size())) {
      append(group.name);
      it = end;
      continue;
    }
    append(group.name);
    while (it != end) {
      auto last = it;
      while (last + 1 != end && (last + 1)->residual == last->residual + 1) ++last;
      append(std::to_string(it->residual + 1));
      if (last != it) append(std::to_string(last->residual + 1));
      it = last + 1;
    }
  }
  return name;
}

std::string residual_name(const Energy& energy, ResidualRef residual) {
  return fmt::format("{}[{}]", energy.groups()[residual.group].name, residual.residual + 1);
}

Expected<ResidualRef> find_residual(const Energy& energy, std::string_view name) {
  const std::size_t bracket = name.find('[');
  const std::string_view group_name = name.substr(0, bracket);
  const auto& groups = energy.groups();
  const auto group = std::ranges::find(groups, group_name, &ResidualGroup::name);
  if (group == groups.end()) {
    std::vector<std::string> known;
    for (const ResidualGroup& other : groups) known.push_back(other.name);
    return fail(Diagnostic{fmt::format("there is no residual group '{}'{}", group_name,
                                       did_you_mean(group_name, known)),
                           {},
                           known});
  }
  ResidualRef found{static_cast<std::size_t>(group - groups.begin()), 0};
  if (bracket == std::string_view::npos) return found;
  std::size_t number = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + bracket + 1, end, number);
  if (error != std::errc() || std::string_view(rest, end) != "]" || number < 1 ||
      number > group->residuals.size()) {
    return fail("'{}' is no residual: {} has {} to {}", name, group->name,
                residual_name(energy, found),
                residual_name(energy, {found.group, group->residuals.size() - 1}));
  }
  found.residual = number - 1;
  return found;
}

std::vector<DimId> dims_of(const Energy& energy, std::size_t group) {
  std::vector<DimId> dims;
  for (const DomainId domain : energy.groups()[group].domains)
    dims.push_back(energy.graph().indices().domain(domain).dim);
  return dims;
}

std::string domains_text(const Energy& energy, const std::vector<DomainId>& domains) {
  std::vector<std::string> names;
  for (const DomainId domain : domains) names.push_back(domain_name(energy, domain));
  return fmt::format("({})", fmt::join(names, ", "));
}

const std::string& domain_name(const Energy& energy, DomainId domain) {
  return energy.graph().indices().domain(domain).name;
}

const std::vector<DomainId>& declared_domains(const Energy& energy, const Part& part) {
  return energy.groups()[part.residuals.front().group].domains;
}

std::string domain_name(const Energy& energy, const Part& part, DomainId domain) {
  const std::vector<DomainId>& declared = declared_domains(energy, part);
  const auto is_called = [&](const std::string& name) {
    return std::ranges::any_of(declared,
                               [&](DomainId other) { return domain_name(energy, other) == name; });
  };
  std::vector<std::string> taken;
  for (const DomainId other : declared) {
    const std::string& own = domain_name(energy, other);
    std::string name = own;
    const auto is_taken = [&] {
      return std::ranges::find(taken, name) != taken.end() || (name != own && is_called(name));
    };
    for (int number = 2; is_taken(); ++number) name = fmt::format("{}{}", own, number);
    if (other == domain) return name;
    taken.push_back(std::move(name));
  }
  return domain_name(energy, domain);
}

}  // namespace thallo
