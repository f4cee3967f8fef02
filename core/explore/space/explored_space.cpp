#include "core/explore/space/explored_space.h"

#include <utility>

#include "core/explore/space/space_id.h"

namespace thallo {

Expected<std::unique_ptr<ExploredSpace>> ExploredSpace::make(
    const EnergyFile& file, const Binding& binding, Precision precision,
    const ConstructRegistry& constructs, const std::optional<PublishedProfile>& profile,
    const SpaceOptions& options) {
  std::unique_ptr<ExploredSpace> space(new ExploredSpace);
  if (profile) {
    auto published = PublishedSpace::make(file, binding, *profile, precision, constructs);
    if (!published) return fail(published.error());
    space->published_.emplace(*std::move(published));
    space->id_ = space->published_->id();
    return space;
  }
  space->tree_.emplace(file.energy, constructs, precision, options.has_low_level);
  space->id_ = space_id(file.energy, constructs, precision, options.memory_limit,
                        options.has_low_level ? "full, stages all" : "full, stages default");
  space->count_ = count_full_space(*space->tree_, space->id_, options.limits, options.seed);
  return space;
}

const IndexedSpace* ExploredSpace::indexed() const {
  if (published_) return &*published_;
  return count_->space ? &*count_->space : nullptr;
}

}  // namespace thallo
