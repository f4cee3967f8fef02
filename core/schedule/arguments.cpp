#include "core/schedule/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/energy/found/intermediates.h"
#include "core/schedule/plan_names.h"

namespace thallo {

tl::unexpected<Diagnostic> fault_in(const ScheduleStatement& statement, std::string_view what,
                                    std::vector<std::string> alternatives) {
  std::string text = statement.text();
  if (!statement.assumed_of.empty()) text += fmt::format(", as said of r.{}", statement.assumed_of);
  return fail(
      Diagnostic{fmt::format("{}: {}", text, what), statement.where, std::move(alternatives)});
}

Expected<void> no_argument(const ScheduleStatement& statement) {
  if (statement.arguments.empty()) return {};
  return fault_in(statement, "takes nothing",
                  {fmt::format("{}:{}()", statement.on.text(), statement.method)});
}

Expected<bool> flag_argument(const ScheduleStatement& statement, bool absent) {
  if (statement.arguments.empty()) return absent;
  const bool* flag = std::get_if<bool>(&statement.arguments.front().value);
  if (statement.arguments.size() > 1 || !statement.is_by_position() || flag == nullptr) {
    return fault_in(statement, "takes true or false", {"true", "false"});
  }
  return *flag;
}

Expected<std::string> text_argument(const ScheduleStatement& statement, std::string_view wanted) {
  const bool is_one = statement.arguments.size() == 1 && statement.is_by_position();
  const std::string* text =
      is_one ? std::get_if<std::string>(&statement.arguments.front().value) : nullptr;
  if (text == nullptr) return fault_in(statement, fmt::format("takes one text, {}", wanted));
  return *text;
}

Expected<Properties> named_arguments(const ScheduleStatement& statement,
                                     std::span<const NamedArgument> known,
                                     std::string_view example) {
  std::vector<std::string> names;
  for (const NamedArgument& argument : known) names.push_back(argument.name);
  Properties found;
  for (const auto& [key, position, value] : statement.arguments) {
    if (key.empty()) {
      return fault_in(statement, fmt::format("takes its arguments by name, as in {}", example),
                      names);
    }
    const auto wanted = std::ranges::find(known, key, &NamedArgument::name);
    if (wanted == known.end()) return fault_in(statement, fmt::format("has no '{}'", key), names);
    if (wanted->values.empty()) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) return fault_in(statement, fmt::format("{} must be a text", key));
      found.set(key, std::string_view(*text));
      continue;
    }
    const std::string written = value_text(value);
    std::vector<std::string> legal;
    for (const PropertyValue& choice : wanted->values)
      legal.push_back(
          std::visit([](const auto& v) { return value_text(ScheduleValue(v)); }, choice));
    const auto chosen = std::ranges::find(legal, written);
    if (chosen == legal.end())
      return fault_in(statement, fmt::format("{} cannot be {}", key, written), std::move(legal));
    found.set(key, wanted->values[static_cast<std::size_t>(chosen - legal.begin())]);
  }
  return found;
}

Expected<Role> role_argument(const ScheduleStatement& statement, const Properties& arguments,
                             std::span<const Role> roles, std::string_view others_are) {
  std::vector<std::string> legal;
  for (const Role role : roles) legal.emplace_back(to_string(role));
  const auto name = arguments.find<std::string>("role");
  if (!name) return fault_in(statement, "needs the role of a kernel", std::move(legal));
  if (std::ranges::find(legal, *name) != legal.end()) return *parse_role(*name);
  return fault_in(statement,
                  fmt::format("'{}' {}{}", *name, others_are, did_you_mean(*name, legal)), legal);
}

Expected<std::vector<std::string>> domain_arguments(const Energy& energy, const Part& part,
                                                    const ScheduleStatement& statement) {
  constexpr std::string_view Wanted = "takes a list of domains, {h, w}";
  if (statement.arguments.empty() || !statement.is_by_position())
    return fault_in(statement, Wanted);
  std::vector<std::string> names;
  for (const ScheduleArgument& argument : statement.arguments) {
    if (const auto* domain = std::get_if<ScheduleDomain>(&argument.value)) {
      names.push_back(domain_name(energy, part, domain->id));
    } else if (const auto* name = std::get_if<ScheduleName>(&argument.value);
               name != nullptr && name->kind == ScheduleName::Kind::Bare) {
      names.push_back(name->name);
    } else {
      return fault_in(statement, Wanted);
    }
  }
  return names;
}

Expected<const Part*> part_in(const ScheduleStatement& statement, const Plan& plan,
                              const PartNames& names) {
  auto part = names.find(plan, statement.on.name);
  if (!part) return fault_in(statement, part.error().what, part.error().alternatives);
  return part;
}

std::size_t position_of_intermediate(const Energy& energy, std::string_view name) {
  std::size_t position = 0;
  while (energy.field(energy.intermediates()[position].field).name != name) ++position;
  return position;
}

Expected<Site> intermediate_in(const ScheduleStatement& statement, const Energy& energy) {
  const std::string& name = statement.on.name;
  std::vector<std::string> known;
  for (const Intermediate& intermediate : energy.intermediates())
    known.push_back(energy.field(intermediate.field).name);
  if (std::ranges::find(known, name) != known.end()) return Site{SiteKind::Intermediate, name};
  std::string why =
      energy.found() ? energy.found()->why_no_site(name, energy.found_sites()) : std::string();
  why = why.empty()
            ? fmt::format("there is no intermediate '{}'{}", name, did_you_mean(name, known))
            : fmt::format("the found intermediate '{}' is no site: {}", name, why);
  return fault_in(statement, why, known);
}

tl::unexpected<Diagnostic> refuse_unstored(const ScheduleStatement& statement, const Part& part,
                                           std::string_view product, bool (*stores)(Strategy)) {
  std::vector<std::string> strategies;
  for (const Strategy strategy : AllStrategies) {
    if (stores(strategy))
      strategies.push_back(fmt::format("r.{}:strategy(\"{}\")", part.name, to_string(strategy)));
  }
  return fault_in(statement,
                  fmt::format("the strategy {} stores no {}", to_string(part.strategy), product),
                  std::move(strategies));
}

Expected<void> check_on_vectors(const ScheduleStatement& statement) {
  const Site vectors = vectors_site();
  if (statement.on.name == vectors.name) return {};
  const std::string legal = "r." + vectors.name;
  return fault_in(statement,
                  fmt::format("is decided for all vectors of the solver at once, not for {}",
                              statement.on.text()),
                  {legal});
}

}  // namespace thallo
