#include "core/schedule/construct.h"

#include <fmt/format.h>

#include "core/base/suggest.h"

namespace thallo {

Expected<const Part*> PartNames::find(const Plan& plan, std::string_view name) const {
  if (const auto given = given_.find(name); given != given_.end()) {
    return &part_of(plan, given->second);
  }
  if (const Part* part = find_part(plan, name)) return part;
  std::vector<std::string> known;
  for (const Part& part : plan.parts) known.push_back(part.name);
  return fail(Diagnostic{
      fmt::format("there is no part 'r.{}'{}", name, did_you_mean(name, known)), {}, known});
}

}  // namespace thallo
