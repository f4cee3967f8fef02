#include "core/schedule/contradictions.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>

namespace thallo {
namespace {

bool is_switch(const ScheduleStatement& statement) {
  return std::ranges::all_of(statement.arguments, [](const ScheduleArgument& argument) {
    return std::holds_alternative<bool>(argument.value);
  });
}

// The thing and the method; a part has one name here, whatever the text calls it.
using Subject = std::tuple<std::size_t, ScheduleName::Kind, std::string, std::string, std::string>;

Subject subject_of(const ScheduleStatement& statement, const Plan& plan, const PartNames& names,
                   std::size_t epoch) {
  const ScheduleName& on = statement.on;
  std::string name = on.name;
  if (on.kind == ScheduleName::Kind::Part || on.kind == ScheduleName::Kind::Product) {
    if (const auto part = names.find(plan, on.name)) name = (*part)->name;
  }
  return {epoch, on.kind, name, on.product, statement.method};
}

std::map<Site, Choice> decisions(const Construct& construct, const Energy& energy, const Plan& plan,
                                 PartNames names,
                                 const std::vector<ScheduleStatement>& statements) {
  std::map<Site, Choice> decided;
  const auto directives = construct.parse(energy, plan, names, statements);
  if (!directives) return decided;
  for (const Directive& directive : *directives) decided[directive.site] = directive.choice;
  return decided;
}

}  // namespace

std::vector<Diagnostic> find_contradictions(const Construct& construct, const Energy& energy,
                                            const Plan& plan, const PartNames& names,
                                            std::span<const ScheduleStatement> statements,
                                            std::span<const std::size_t> epochs,
                                            Repetition repetition) {
  const auto is_repeatable = [&](const ScheduleStatement& statement) {
    if (!statement.assumed_of.empty()) return true;
    // A merge or split is about the partition that the one before has left.
    if (construct.stage() == Stage::Partition && statement.on.kind == ScheduleName::Kind::Energy)
      return true;
    return repetition == Repetition::LastCounts && is_switch(statement);
  };
  const auto contradict = [&](const ScheduleStatement& a, const ScheduleStatement& b) {
    return decisions(construct, energy, plan, names, {a, b}) !=
           decisions(construct, energy, plan, names, {b, a});
  };
  std::vector<Diagnostic> faults;
  // The different statements about each thing so far.
  std::map<Subject, std::vector<const ScheduleStatement*>> said;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const ScheduleStatement& statement = statements[i];
    if (is_repeatable(statement)) continue;
    auto& before = said[subject_of(statement, plan, names, epochs[i])];
    const std::string text = statement.text();
    const bool is_known = std::ranges::any_of(
        before, [&](const ScheduleStatement* other) { return other->text() == text; });
    if (is_known) continue;
    const auto other = std::ranges::find_if(
        before, [&](const ScheduleStatement* earlier) { return contradict(*earlier, statement); });
    if (other == before.end()) {
      before.push_back(&statement);
      continue;
    }
    faults.push_back({fmt::format("{} contradicts {} ({}); drop one of them", text,
                                  (*other)->text(), (*other)->where.text()),
                      statement.where,
                      {}});
  }
  return faults;
}

}  // namespace thallo
