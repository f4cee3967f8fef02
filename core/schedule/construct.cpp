#include "core/schedule/construct.h"

#include <utility>

#include <fmt/format.h>

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

}  // namespace thallo
