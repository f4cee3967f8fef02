// A numbered space without the schedules that do not keep the pins. They are found by looking at
// all schedules of the space, so it is for spaces that are given by rules, as the published ones
// are; the full space goes around pins by itself.
#pragma once

#include <string>
#include <vector>

#include "core/explore/space/full_space.h"
#include "core/schedule/pins.h"
#include "core/search/indexed_space.h"

namespace thallo {

class PinnedSpace final : public IndexedSpace {
 public:
  // Fails if the space `all`, called `name`, has more schedules than can be looked at, or if no
  // schedule of it keeps the pins; then it says which pin is not offered there, and what is.
  // Everything passed must outlive the result.
  static Expected<PinnedSpace> make(const IndexedSpace& all, const std::string& name,
                                    const Pins& pins, const Energy& energy,
                                    const ConstructRegistry& constructs, const CountLimits& limits);

  // Returns nothing: which ways there are depends on all decisions together.
  std::vector<StageCount> stages() const override { return {}; }
  Schedule schedule(const BigCount& index) const override;
  std::optional<BigCount> index_of(const Schedule& schedule) const override;

 private:
  PinnedSpace(const IndexedSpace& all, const ConstructRegistry& constructs)
      : IndexedSpace(constructs), all_(&all) {}

  const IndexedSpace* all_;
  std::vector<BigCount> numbers_;  // in the whole space, ascending
};

}  // namespace thallo
