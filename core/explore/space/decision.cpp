#include "core/explore/space/decision.h"

namespace thallo {

std::vector<Decision> decisions_of(const Schedule& schedule) {
  std::vector<Decision> decisions;
  for (const Directive& directive : schedule.directives())
    decisions.push_back({directive.construct, directive.site.name, directive.choice.label});
  return decisions;
}

}  // namespace thallo
