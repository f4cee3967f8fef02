#pragma once

// Puts a schedule together construct by construct, for code that knows what it wants and leaves
// sites, legality and spelling to the constructs.

#include <functional>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

class ScheduleComposer {
 public:
  // Both arguments must outlive the composer.
  ScheduleComposer(const Energy& energy, const ConstructRegistry& constructs);

  using Wanted = std::function<bool(const Site&, const Choice&)>;
  // Walks the sites of a construct and takes, at each, the first legal choice that is wanted, if it
  // is not the default. Constructs must be passed in stage order. Fails for a construct that is not
  // loaded.
  Expected<void> choose(std::string_view construct, const Wanted& wanted);

  // The plan of the decisions so far.
  const Plan& plan() const { return plan_; }
  Schedule take() && { return Schedule(std::move(directives_)); }

 private:
  const Energy* energy_;
  const ConstructRegistry* constructs_;
  Plan plan_;
  std::vector<Directive> directives_;
};

}  // namespace thallo
