#include "core/schedule/arguments.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/suggest.h"

namespace thallo {

tl::unexpected<Diagnostic> fault_in(const ScheduleStatement& statement, std::string_view what,
                                    std::vector<std::string> alternatives) {
  return fail(Diagnostic{fmt::format("{}: {}", statement.text(), what), statement.where,
                         std::move(alternatives)});
}

Expected<bool> flag_argument(const ScheduleStatement& statement, bool absent) {
  if (statement.arguments.empty()) return absent;
  const bool* flag = std::get_if<bool>(&statement.arguments.front().value);
  if (statement.arguments.size() > 1 || flag == nullptr) {
    return fault_in(statement, "takes true or false", {"true", "false"});
  }
  return *flag;
}

Expected<std::string> text_argument(const ScheduleStatement& statement, std::string_view wanted) {
  const std::string* text = statement.arguments.size() == 1
                                ? std::get_if<std::string>(&statement.arguments.front().value)
                                : nullptr;
  if (text == nullptr) return fault_in(statement, fmt::format("takes one text, {}", wanted));
  return *text;
}

Expected<std::vector<std::string>> domain_arguments(const Energy& energy, const Part& part,
                                                    const ScheduleStatement& statement) {
  std::vector<std::string> names;
  for (const ScheduleArgument& argument : statement.arguments) {
    if (const auto* domain = std::get_if<ScheduleDomain>(&argument.value)) {
      names.push_back(domain_name(energy, part, domain->id));
    } else if (const auto* name = std::get_if<ScheduleName>(&argument.value);
               name != nullptr && name->kind == ScheduleName::Kind::Bare) {
      names.push_back(name->name);
    } else {
      return fault_in(statement, "takes a list of domains, {h, w}");
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

Expected<void> check_on_vectors(const ScheduleStatement& statement) {
  const Site vectors = vectors_site();
  if (statement.on.name == vectors.name) return {};
  const std::string legal = "r." + vectors.name;
  return fault_in(statement,
                  fmt::format("is decided for all vectors of the solver at once, not for {}",
                              statement.on.text()),
                  {legal});
}

Expected<void> check_offered(const std::vector<Choice>& choices, const Choice& choice,
                             std::string_view subject) {
  std::vector<std::string> labels;
  for (const Choice& offered : choices) labels.push_back(offered.label);
  if (std::ranges::find(labels, choice.label) != labels.end()) return {};
  return fail(Diagnostic{
      fmt::format("{} cannot be '{}'{}", subject, choice.label, did_you_mean(choice.label, labels)),
      {},
      labels});
}

}  // namespace thallo
