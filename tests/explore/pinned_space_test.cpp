// Published spaces with pins, and the ids of pinned spaces.
#include "core/explore/space/pinned_space.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "core/explore/space/explored_space.h"
#include "tests/explore/random_pins.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::HasSubstr;

class PinnedSpaces : public testing::Test {
 protected:
  Expected<std::unique_ptr<ExploredSpace>> make(const std::string& space, const std::string& pins,
                                                const CountLimits& limits = {}) const {
    std::optional<PublishedProfile> profile;
    if (space != FullSpaceName) profile = read_published_profile(space).value();
    SpaceOptions options{.limits = limits};
    if (!pins.empty()) options.pins = test::pins_from(file_.energy, pins);
    return ExploredSpace::make(file_, instance_.binding, Precision::Float, loaded_constructs(),
                               profile, options);
  }
  std::unique_ptr<ExploredSpace> made(const std::string& space, const std::string& pins) const {
    auto result = make(space, pins);
    if (!result) throw UserError(result.error());
    return *std::move(result);
  }

  const Problem& problem_ = **test::loaded_problems().lookup("bundle_fusion");
  Options options_ = complete_options(problem_.options(), {}).value();
  EnergyFile file_ = problem_.energy(options_).value();
  Instance instance_ = problem_.instantiate(file_.energy, options_).value();
};

TEST_F(PinnedSpaces, HaveThePublishedSchedulesAndIdsOfTheirOwn) {
  const std::string text = "r.sparse:strategy('[JtJ]p')\npose:materialize{value=true}";
  const auto all = made("published", "");
  const auto pinned = made("published", text);
  const Pins pins = test::pins_from(file_.energy, text);
  const IndexedSpace& whole = *all->indexed();
  const IndexedSpace& kept = *pinned->indexed();
  BigCount number = 0;
  for (BigCount index = 0; index < whole.size(); ++index) {
    const Schedule schedule = whole.schedule(index);
    const bool keeps = pins.are_kept_by(schedule, file_.energy, loaded_constructs());
    EXPECT_EQ(kept.index_of(schedule), keeps ? std::optional(number) : std::nullopt);
    if (!keeps) continue;
    EXPECT_EQ(kept.schedule(number), schedule);
    ++number;
  }
  EXPECT_EQ(kept.size(), number);
  EXPECT_GT(number, 0);
  EXPECT_LT(number, whole.size());
  for (const char* space : {"full", "published"}) {
    const std::string id = made(space, "")->id();
    const std::string pinned = made(space, "pose:materialize{value=true}")->id();
    EXPECT_NE(pinned, id);
    EXPECT_EQ(made(space, "pose:set_materialize(true)")->id(), pinned);
    EXPECT_NE(made(space, "pose:materialize{value=false}")->id(), pinned);
    EXPECT_EQ(made(space, "")->id(), id);
  }
}

TEST_F(PinnedSpaces, SayWhichPinIsNotOffered) {
  EXPECT_THAT(make("published", "r.sparse:strategy('[JtJ]p')\nr.sparse.JtJ:storage('blocks')")
                  .error()
                  .message(),
              testing::AllOf(HasSubstr("no schedule of space published has "
                                       "r.sparse.JtJ:storage(\"blocks\"), which is pinned"),
                             HasSubstr("(legal: r.sparse.JtJ:storage(\"csr\"), "
                                       "r.sparse.JtJ:storage(\"dense\"))")));
  EXPECT_THAT(make("published", "r.sparse:block{role='cost', threads=64}").error().what,
              HasSubstr("no schedule of space published has r.sparse:block"));
  EXPECT_THAT(
      make("published", "r.sparse:strategy('[JtJ]p')\nr.dense:strategy('[Jt][[J]p]')").error().what,
      HasSubstr("no schedule of space published keeps all pins together: "));
  EXPECT_THAT(make("published", "pose:materialize{value=true}", {.max_seconds = 0}).error().what,
              HasSubstr("space published has 1824 schedules, of which "));
}

}  // namespace
}  // namespace thallo
