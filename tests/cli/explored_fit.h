// An exploration of all 18 schedules of curve_fit and of published-default, on the cpu, which the
// cases of a suite share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tests/cli/explore_command.h"
#include "tests/explore/store_records.h"

namespace thallo::test {

class ExploredFit : public ExploreCommand {
 protected:
  static void SetUpTestSuite() {
    explored_ = std::make_unique<TempDir>();
    succeeded(thallo({"explore", "curve_fit", "--points", "50", "--best", "0", "--backend", "cpu",
                      "--store", explored_->path() / "fit.store"}));
  }
  static void TearDownTestSuite() { explored_.reset(); }

  std::string store() const { return path("fit.store"); }
  // Makes a copy of what was explored the store of the test.
  void copy_explored() const { std::filesystem::copy(explored_->path(), folder_.path()); }
  // Rewrites the store, without the records that `is_dropped`.
  template <class IsDropped>
  void drop(const IsDropped& is_dropped) const {
    auto records = open_store(store(), MeasurementStore::Access::Read).records().value();
    std::erase_if(records, is_dropped);
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(store() + end);
    ASSERT_TRUE(open_store(store()).add(records, Existing::Keep));
  }

  static inline std::unique_ptr<TempDir> explored_;
};

}  // namespace thallo::test
