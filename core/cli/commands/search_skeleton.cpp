#include "core/cli/commands/search_skeleton.h"

namespace thallo::cli {
namespace {

// After SkeletonCMakeHead.
constexpr const char* SearchCMake =
    R"(# Schedules are numbered with integers of any size, which are Boost's.
find_package(Boost REQUIRED)

# Makes build/lib/thallo/plugins/@NAME@.thallo.so.
thallo_add_plugin(@NAME@ SOURCES @NAME@.cpp)
target_link_libraries(plugin_@NAME@ PRIVATE Boost::headers)

# It comes to an end, and what it proposes is legal. Nothing is run: times are predicted.
enable_testing()
add_test(
  NAME explore
  COMMAND thallo::thallo --plugin-path $<TARGET_FILE_DIR:plugin_@NAME@> explore curve_fit
          --search @NAME@ --measure none --backend interpreter)
)";

constexpr const char* SearchSource =
    R"text(// The search @NAME@: draws schedules at random, and gives up when many in a row
// were no faster than the fastest before them.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/search/search.h"

namespace {

using namespace thallo;

// So many are proposed at once, to be compiled side by side.
constexpr int BatchSize = 32;
// After so many batches without a faster schedule it gives up.
constexpr int Patience = 2;
// Draws of a batch, of which some may not fit into memory.
constexpr int MostDraws = 100 * BatchSize;

class @CLASS@Run final : public SearchRun {
 public:
  explicit @CLASS@Run(const SearchSpace& space) : space_(space) {}

  // Is called when all that was proposed before has been looked at. Nothing: the search is done.
  std::vector<Proposal> next() override {
    if (!has_started_) {
      has_started_ = true;
      return last_ = space_.start;  // those with names: "default", "opt", "auto" ...
    }
    const double seconds = fastest();
    failures_ = seconds < seconds_ ? 0 : failures_ + 1;
    seconds_ = std::min(seconds_, seconds);
    return last_ = failures_ < Patience ? draw() : std::vector<Proposal>();
  }

 private:
  // Returns the least time of the schedules that were proposed last. One that failed takes
  // infinitely long; of one that was not looked at nothing is known.
  double fastest() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Proposal& proposal : last_)
      least = std::min(least, space_.seconds(proposal.hash).value_or(least));
    return least;
  }

  std::vector<Proposal> draw() {
    std::vector<Proposal> batch;
    for (int i = 0; i < MostDraws && batch.size() < BatchSize && !space_.is_over(); ++i) {
      Schedule schedule = space_.full.sample(space_.seed + draws_++).schedule;
      auto index = index_in(space_.indexed, schedule);
      Proposal proposal =
          Proposal::of(std::move(schedule), space_.constructs, std::move(index));
      if (space_.fits(proposal)) batch.push_back(std::move(proposal));
    }
    return batch;
  }

  const SearchSpace& space_;
  bool has_started_ = false;
  std::vector<Proposal> last_;
  double seconds_ = std::numeric_limits<double>::infinity();
  int failures_ = 0;
  std::uint64_t draws_ = 0;
};

class @CLASS@Search final : public Search {
 public:
  std::string_view name() const override { return "@NAME@"; }
  std::string_view doc() const override {
    return "Drawn at random, until many in a row were no faster.";
  }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    return std::make_unique<@CLASS@Run>(space);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Search>("@NAME@", std::make_unique<@CLASS@Search>());
}

}  // namespace

THALLO_PLUGIN("@NAME@", "1.0.0", "", register_into);
)text";

constexpr const char* SearchReadme = R"(# @NAME@

A search for Thallo @VERSION@: it decides which schedules an exploration looks at, and in which order.
As written by `thallo new search` it draws at random until many in a row were no faster; put your own
in its place. `core/search/search.h` of Thallo says what a search is given.

| file | what is in it |
|---|---|
| `@NAME@.cpp` | the search |
| `CMakeLists.txt` | the build, and a test |

    cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build     # DIR: where Thallo is installed
    ctest --test-dir build
    thallo --plugin-path build/lib/thallo/plugins explore image_warping --search @NAME@ --budget 2min

`thallo explore --help` then lists it, and so does the box of thallo-explorer.
`THALLO_PLUGIN_PATH=build/lib/thallo/plugins` saves the flag; `cmake --install build --prefix DIR` puts
the plugin where that Thallo looks by itself. A changed Thallo needs a new build of the plugin: `thallo
plugins` says so.
)";

}  // namespace

std::vector<SkeletonFile> search_skeleton(std::string_view name, std::string_view version) {
  return filled_skeleton({{"CMakeLists.txt", std::string(SkeletonCMakeHead) + SearchCMake},
                          {std::string(name) + ".cpp", SearchSource},
                          {"README.md", SearchReadme}},
                         name, version);
}

}  // namespace thallo::cli
