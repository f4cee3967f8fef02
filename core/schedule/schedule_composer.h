#pragma once

// Puts a schedule together construct by construct, for code that knows what it wants and leaves
// sites, legality and spelling to the constructs.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/schedule.h"

namespace thallo {

class ScheduleComposer {
 public:
  // Both arguments must outlive the composer.
  ScheduleComposer(const Energy& energy, const ConstructRegistry& constructs);

  // Returns the label of the choice that is wanted at a site.
  using Wanted = std::function<std::string(const Site&)>;
  // Walks the sites of a construct and takes, at each, the choice that is wanted, if it is legal
  // and not the default. Constructs must be passed in stage order. Fails for a construct that is
  // not loaded.
  Expected<void> choose(std::string_view construct, const Wanted& wanted);
  // Lets each group over dims that `is_wanted` join the first part over equal dims that takes it.
  using WantedDims = std::function<bool(const std::vector<DimId>&)>;
  Expected<void> merge(const WantedDims& is_wanted);

  // Gathers the products of all parts wherever they can be gathered.
  Expected<void> gather_most();

  // The plan of the decisions so far.
  const Plan& plan() const { return plan_; }
  Schedule take() && { return Schedule(std::move(directives_)); }

 private:
  // Returns false if the choice is not offered or not legal.
  bool take(const Construct& construct, const Site& site, std::string label);

  const Energy* energy_;
  const ConstructRegistry* constructs_;
  Plan plan_;
  std::vector<Directive> directives_;
};

}  // namespace thallo
