// A space of schedules that is counted exactly, so that its schedules have numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/explore/schedule_index.h"
#include "core/schedule/schedule.h"

namespace thallo {

// A decision and the number of ways to take it: "fit", 10.
struct SiteCount {
  std::string name;
  BigCount count;
};

// Decisions that are taken whatever the other stages decide: their counts multiply to the total.
struct StageCount {
  std::string name;
  BigCount count;
  // What is decided in it. Its count is less than their product if not all of them go together.
  std::vector<SiteCount> sites;
};

class IndexedSpace {
 public:
  virtual ~IndexedSpace() = default;

  // Equal for spaces in which a number means the same schedule, "s3f09ab771c24".
  virtual std::string id() const = 0;
  virtual const BigCount& size() const = 0;
  // Empty for a space that is no product.
  virtual std::vector<StageCount> stages() const = 0;
  // How many schedules differ from each other; nothing when that takes more than `max_compared`
  // comparisons to find out.
  virtual std::optional<BigCount> num_distinct(const BigCount& max_compared) const = 0;

  // The schedule in normal form; index < size(). Takes no longer for a large index.
  virtual Schedule schedule(const BigCount& index) const = 0;
  // The number of a schedule, which need not be in normal form; nothing when it is illegal or not
  // in the space.
  virtual std::optional<BigCount> index_of(const Schedule& schedule) const = 0;
};

}  // namespace thallo
