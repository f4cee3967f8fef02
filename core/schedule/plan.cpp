#include "core/schedule/plan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/energy/dependence.h"
#include "core/schedule/directive.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

// Is its JtJ the square of a dense J, which a library forms?
bool is_gram(const Part& part) {
  return stores_jtj(part.strategy) && stores_j(part.strategy) &&
         part.j_format == StorageFormat::Dense;
}

// The Sums behind a residual whose summand reads an unknown, in id order.
void collect_sums(const Energy& energy, ExprId residual, UnknownDependence& depends,
                  std::vector<ExprId>& sums) {
  const ExprGraph& graph = energy.graph();
  for (const ExprId node : nodes_behind(energy.data(), {residual})) {
    if (graph[node].op != Op::Sum || !depends.value(graph.operands(node).front())) continue;
    if (std::ranges::find(sums, node) == sums.end()) sums.push_back(node);
  }
}

}  // namespace

bool PlannedExtension::concerns(std::string_view part, std::string_view role) const {
  return site == part || site == MemberName{std::string(part), std::string(role)}.text();
}

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::JtJp: return "JtJp";
    case Strategy::StoredJp: return "Jt[Jp]";
    case Strategy::StoredJtJ: return "[JtJ]p";
    case Strategy::StoredJ: return "[Jt][[J]p]";
    case Strategy::StoredJtJOfStoredJ: return "[[Jt][J]]p";
  }
  THALLO_UNREACHABLE();
}

bool stores_j(Strategy strategy) {
  return strategy == Strategy::StoredJ || strategy == Strategy::StoredJtJOfStoredJ;
}
bool stores_jtj(Strategy strategy) {
  return strategy == Strategy::StoredJtJ || strategy == Strategy::StoredJtJOfStoredJ;
}
bool stores_jp(Strategy strategy) {
  return strategy == Strategy::StoredJp || strategy == Strategy::StoredJ;
}

bool multiplies_by_library(const Part& part) {
  const auto is_of_library = [](StorageFormat format) {
    return format == StorageFormat::Csr || format == StorageFormat::Dense;
  };
  if (stores_jtj(part.strategy)) return is_of_library(part.jtj_format);
  return stores_j(part.strategy) && is_of_library(part.j_format);
}

std::string_view to_string(StorageFormat format) {
  switch (format) {
    case StorageFormat::Structured: return "structured";
    case StorageFormat::Blocks: return "blocks";
    case StorageFormat::Csr: return "csr";
    case StorageFormat::Dense: return "dense";
  }
  THALLO_UNREACHABLE();
}

Plan default_plan(const Energy& energy) {
  Plan plan;
  UnknownDependence depends(energy.data());
  std::vector<ExprId> sums;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    const ResidualGroup& group = energy.groups()[g];
    Part part{.name = group.name, .residuals = {}, .order = group.domains};
    for (std::size_t r = 0; r < group.residuals.size(); ++r) {
      part.residuals.push_back({g, r});
      collect_sums(energy, group.residuals[r], depends, sums);
    }
    plan.parts.push_back(std::move(part));
  }
  for (const ExprId sum : sums) {
    const auto named = std::ranges::find(energy.sums(), sum, &NamedSum::sum);
    THALLO_ASSERT(named != energy.sums().end(), "a Sum has no name");
    plan.sums.push_back({sum, named->name, false});
  }
  plan.intermediates.resize(energy.intermediates().size());
  return plan;
}

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

std::string domains_text(const Energy& energy, const std::vector<DomainId>& domains) {
  std::vector<std::string> names;
  for (const DomainId domain : domains) names.push_back(domain_name(energy, domain));
  return fmt::format("({})", fmt::join(names, ", "));
}

const Part* find_part(const Plan& plan, std::string_view name) {
  const auto part = std::ranges::find(plan.parts, name, &Part::name);
  return part == plan.parts.end() ? nullptr : &*part;
}
Part* find_part(Plan& plan, std::string_view name) {
  return const_cast<Part*>(find_part(std::as_const(plan), name));
}

const Part& part_of(const Plan& plan, ResidualRef residual) {
  for (const Part& part : plan.parts) {
    if (std::ranges::find(part.residuals, residual) != part.residuals.end()) return part;
  }
  THALLO_UNREACHABLE();
}
Part& part_of(Plan& plan, ResidualRef residual) {
  return const_cast<Part&>(part_of(std::as_const(plan), residual));
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

std::vector<std::string> roles_of(const Energy& energy, const Part& part) {
  std::vector<std::string> roles = {"cost", "jtf"};
  if (stores_j(part.strategy)) roles.emplace_back("fill_j");
  if (stores_jtj(part.strategy) && !is_gram(part)) roles.emplace_back("fill_jtj");
  if (multiplies_by_library(part)) return roles;
  if (stores_jp(part.strategy)) {
    roles.emplace_back("jp");
    roles.emplace_back("jt");
  } else if (!stores_jtj(part.strategy) || jtj_form(energy, part) != JtJForm::Matrix) {
    roles.emplace_back("jtjp");
  }
  return roles;
}

std::vector<std::string> scattering_roles(const Energy& energy, const Part& part) {
  std::vector<std::string> roles = roles_of(energy, part);
  std::erase_if(roles, [&](const std::string& role) {
    if (role == "jtf") return part.jtf == ComputeAt::Output;
    if (role == "jt") return part.jt == ComputeAt::Output;
    if (role == "fill_j") return part.j_format != StorageFormat::Dense;
    if (role != "fill_jtj" && role != "jtjp") return true;
    return stores_jtj(part.strategy) ? jtj_form(energy, part) == JtJForm::Diagonals
                                     : part.jtjp == ComputeAt::Output;
  });
  return roles;
}

}  // namespace thallo
