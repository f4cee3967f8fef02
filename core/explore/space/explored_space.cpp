#include "core/explore/space/explored_space.h"

#include <utility>

#include "core/energy/unknown_spaces.h"
#include "core/explore/space/space_id.h"

namespace thallo {
namespace {

// Spaces of energies whose products can be gathered at some of the unknowns once had fewer
// schedules, with other numbers.
std::string rules_of(const Energy& energy, bool has_low_level) {
  std::string rules = has_low_level ? "full, stages all" : "full, stages default";
  if (unknown_spaces(energy).size() > 1) rules += ", gathers at some unknowns";
  return rules;
}

}  // namespace

Expected<std::unique_ptr<ExploredSpace>> ExploredSpace::make(
    const EnergyFile& file, const Binding& binding, Precision precision,
    const ConstructRegistry& constructs, const std::optional<PublishedProfile>& profile,
    const SpaceOptions& options) {
  std::unique_ptr<ExploredSpace> space(new ExploredSpace);
  if (profile) {
    THALLO_TRY(auto published,
               PublishedSpace::make(file, binding, *profile, precision, constructs));
    space->published_.emplace(std::move(published));
    if (!options.pins.empty()) {
      THALLO_TRY(auto pinned, PinnedSpace::make(*space->published_, profile->name, options.pins,
                                                file.energy, constructs, options.limits));
      space->pinned_.emplace(std::move(pinned));
    }
    space->id_ = space->indexed()->id();
    return space;
  }
  space->tree_.emplace(file.energy, constructs, precision, options.has_low_level, options.pins);
  space->id_ = pinned_space_id(space_id(file.energy, constructs, precision, options.memory_limit,
                                        rules_of(file.energy, options.has_low_level)),
                               options.pins, constructs);
  space->count_ = count_full_space(*space->tree_, space->id_, options.limits, options.seed);
  return space;
}

const IndexedSpace* ExploredSpace::indexed() const {
  if (pinned_) return &*pinned_;
  if (published_) return &*published_;
  return count_->space ? &*count_->space : nullptr;
}

}  // namespace thallo
