#include "core/schedule/construct.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/overloaded.h"
#include "core/base/suggest.h"

namespace thallo {

tl::unexpected<Diagnostic> no_part(std::string_view name, const std::vector<std::string>& parts) {
  std::string what = fmt::format("there is no part 'r.{}'", name);
  if (const auto similar = find_similar(name, parts))
    what += fmt::format("; did you mean 'r.{}'?", *similar);
  std::vector<std::string> legal;
  for (const std::string& part : parts) legal.push_back("r." + part);
  return fail(Diagnostic{std::move(what), {}, std::move(legal)});
}

Expected<const Part*> PartNames::find(const Plan& plan, std::string_view name) const {
  if (const auto given = given_.find(name); given != given_.end()) {
    return &part_of(plan, given->second);
  }
  if (const Part* part = find_part(plan, name)) return part;
  std::vector<std::string> known;
  for (const Part& part : plan.parts) known.push_back(part.name);
  auto missing = no_part(name, known);
  if (const auto retired = retired_.find(name); retired != retired_.end()) {
    const ScheduleStatement& by = retired->second;
    missing.value().what = fmt::format(
        "there is no part 'r.{}' after {} ({}); say it below that, of a part that is there then",
        name, by.text(), by.where.text());
  }
  return missing;
}

std::vector<Alternative>::const_iterator find_alternative(
    const std::vector<Alternative>& alternatives, std::string_view label) {
  return std::ranges::find(alternatives, label,
                           [](const Alternative& a) -> std::string_view { return a.choice.label; });
}

Expected<void> check_editor(const Editor& editor, const std::vector<Alternative>& alternatives) {
  if (std::holds_alternative<Toggle>(editor) && alternatives.size() != 2)
    return fail("a toggle of {} alternatives", alternatives.size());
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const Choice& choice = alternatives[i].choice;
    const bool is_shown = std::visit(
        Overloaded{[](const OneOf&) { return true; }, [](const Toggle&) { return true; },
                   [&](const Ordering& ordering) { return ordering.order(choice).has_value(); },
                   [&](const Numbers& numbers) { return numbers.choice(choice.args) == choice; },
                   [&](const Placement& placement) {
                     return i < placement.places.size() && placement.places[i].choice == choice;
                   }},
        editor);
    if (!is_shown)
      return fail("its editor, of kind {}, does not show '{}'", kind_of(editor), choice.label);
  }
  return {};
}

std::optional<Alternative> Construct::find(const Energy& energy, const Plan& plan, const Site& site,
                                           const Choice& choice) const {
  const std::vector<Alternative> known = alternatives(energy, plan, site);
  const auto found = find_alternative(known, choice.label);
  return found == known.end() ? std::nullopt : std::optional(*found);
}

Choice Construct::default_choice(const Energy& energy, const Plan& plan, const Site& site) const {
  return alternatives(energy, plan, site).front().choice;
}

Editor Construct::editor(const Energy& /*energy*/, const Plan& /*plan*/,
                         const Site& /*site*/) const {
  return OneOf{};
}

Expected<std::vector<Directive>> Construct::parse(
    const Energy& energy, const Plan& plan, PartNames& names,
    std::span<const ScheduleStatement> statements) const {
  std::vector<Directive> directives;
  for (const ScheduleStatement& statement : statements) {
    THALLO_TRY(auto directive, read(energy, plan, names, statement));
    directives.push_back(std::move(directive));
  }
  return directives;
}

Expected<Directive> Construct::read(const Energy& /*energy*/, const Plan& /*plan*/,
                                    const PartNames& /*names*/,
                                    const ScheduleStatement& /*statement*/) const {
  THALLO_UNREACHABLE();
}

std::vector<Choice> Construct::choices(const Energy& energy, const Plan& plan,
                                       const Site& site) const {
  std::vector<Choice> result;
  for (Alternative& alternative : alternatives(energy, plan, site)) {
    if (alternative.legal && !alternative.is_repeated)
      result.push_back(std::move(alternative.choice));
  }
  return result;
}

Expected<void> Construct::check(const Energy& energy, const Plan& plan, const Site& site,
                                const Choice& choice) const {
  const std::optional<Alternative> meant = find(energy, plan, site, choice);
  if (meant && meant->legal) return {};
  std::vector<Choice> legal;
  std::vector<std::string> labels;
  for (const Alternative& other : alternatives(energy, plan, site)) {
    labels.push_back(other.choice.label);
    if (other.legal) legal.push_back(other.choice);
  }
  const std::string reason =
      meant ? ": " + meant->legal.error().what : did_you_mean(choice.label, labels);
  return fail(Diagnostic{refusal(site, choice) + reason, {}, written(site, legal)});
}

std::vector<std::string> Construct::written(const Site& site,
                                            const std::vector<Choice>& choices) const {
  std::vector<std::string> texts;
  for (const Choice& choice : choices) texts.push_back(print({std::string(name()), site, choice}));
  return texts;
}

}  // namespace thallo
