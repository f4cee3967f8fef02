// A space of schedules that can be counted exactly, so that each schedule in it has a number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schedule/schedule.h"
#include "core/search/schedule_index.h"

namespace thallo {

// A decision and the number of ways to take it, for example "fit" and 10.
struct SiteCount {
  std::string name;
  BigCount count;
};

// A stage of decisions that does not depend on the other stages: the counts of all stages multiply
// to the total.
struct StageCount {
  std::string name;
  BigCount count;
  // The decisions of the stage. The stage's count is less than the product of theirs if some
  // combinations are illegal.
  std::vector<SiteCount> sites;
};

class IndexedSpace {
 public:
  virtual ~IndexedSpace() = default;

  // Returns an id such as "s3f09ab771c24". If two spaces have equal ids, a number means the same
  // schedule in both.
  const std::string& id() const { return id_; }
  const BigCount& size() const { return size_; }
  // Empty if the space is not a product.
  virtual std::vector<StageCount> stages() const = 0;
  // Returns the number of distinct schedules, or nothing if finding it takes more than
  // `max_compared` comparisons.
  virtual std::optional<BigCount> num_distinct(const BigCount& max_compared) const;

  // Returns the schedule with this number, in normal form; index < size(). The time does not grow
  // with the index.
  virtual Schedule schedule(const BigCount& index) const = 0;
  // Returns the number of a schedule, which need not be in normal form. Returns nothing if the
  // schedule is illegal or not in the space.
  virtual std::optional<BigCount> index_of(const Schedule& schedule) const = 0;

 protected:
  explicit IndexedSpace(const ConstructRegistry& constructs) : constructs_(&constructs) {}

  const ConstructRegistry* constructs_;
  std::string id_;
  BigCount size_;
};

}  // namespace thallo
