// A space of schedules to explore: all schedules of an energy, or those that the published system
// enumerates. Schedules have numbers in it where it can be counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/explore/full_count.h"
#include "core/explore/published_profile.h"
#include "core/explore/published_space.h"

namespace thallo {

// What the space of all schedules is called beside those of published profiles.
inline constexpr std::string_view FullSpaceName = "full";

struct SpaceOptions {
  // Of the full space:
  bool has_low_level = false;     // with launch shapes and other low-level decisions
  std::int64_t memory_limit = 0;  // bytes; part of its id
  CountLimits limits = {};
  std::uint64_t seed = 1;  // of the estimate where it cannot be counted
};

class ExploredSpace {
 public:
  // Without a profile the full space, whose schedules are counted now. File and constructs must
  // outlive the result; the binding is read for its extents alone. Fails as PublishedSpace::make().
  static Expected<std::unique_ptr<ExploredSpace>> make(
      const EnergyFile& file, const Binding& binding, Precision precision,
      const ConstructRegistry& constructs, const std::optional<PublishedProfile>& profile,
      const SpaceOptions& options);
  ExploredSpace(const ExploredSpace&) = delete;
  ExploredSpace& operator=(const ExploredSpace&) = delete;

  const std::string& id() const { return id_; }
  // Null where schedules have no numbers.
  const IndexedSpace* indexed() const;
  // Of the full space; null for another.
  const FullCount* full_count() const { return count_ ? &*count_ : nullptr; }

 private:
  ExploredSpace() = default;

  std::string id_;
  std::optional<PublishedSpace> published_;
  std::optional<FactoredTree> tree_;
  std::optional<FullCount> count_;  // uses the tree
};

}  // namespace thallo
