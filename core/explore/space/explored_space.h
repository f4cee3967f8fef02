// The space of schedules that is explored: all schedules of an energy, or the schedules that the
// published system enumerates; with pins, those of them that keep the pins. If the space can be
// counted, its schedules have numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/explore/space/full_count.h"
#include "core/explore/space/pinned_space.h"
#include "core/explore/space/published_profile.h"
#include "core/explore/space/published_space.h"

namespace thallo {

// The name of the space of all schedules; other spaces are named after published profiles.
inline constexpr std::string_view FullSpaceName = "full";

struct SpaceOptions {
  // These options apply to the full space only:
  bool has_low_level = false;     // with launch shapes and other low-level decisions
  std::int64_t memory_limit = 0;  // bytes; part of its id
  CountLimits limits = {};        // also of another space with pins
  std::uint64_t seed = 1;         // for the estimate, if the space cannot be counted
  // This one to all spaces:
  Pins pins = {};
};

class ExploredSpace {
 public:
  // Without a profile, makes the full space and counts its schedules. `file` and `constructs` must
  // outlive the result; only the extents of the binding are read. Fails if PublishedSpace::make()
  // or PinnedSpace::make() fails.
  static Expected<std::unique_ptr<ExploredSpace>> make(
      const EnergyFile& file, const Binding& binding, Precision precision,
      const ConstructRegistry& constructs, const std::optional<PublishedProfile>& profile,
      const SpaceOptions& options);
  ExploredSpace(const ExploredSpace&) = delete;
  ExploredSpace& operator=(const ExploredSpace&) = delete;

  const std::string& id() const { return id_; }
  // Null if the schedules have no numbers.
  const IndexedSpace* indexed() const;
  // The count of the full space; null for another space.
  const FullCount* full_count() const { return count_ ? &*count_ : nullptr; }

 private:
  ExploredSpace() = default;

  std::string id_;
  std::optional<PublishedSpace> published_;
  std::optional<PinnedSpace> pinned_;  // refers to published_
  std::optional<FactoredTree> tree_;
  std::optional<FullCount> count_;  // refers to tree_
};

}  // namespace thallo
