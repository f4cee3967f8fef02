// Spaces with pins: walks, draws and numbers are of those schedules of the whole space that keep
// the pins.

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "core/energy/random/random_energy.h"
#include "core/explore/space/full_count.h"
#include "core/explore/space/full_space.h"
#include "core/frontend/schedule_text.h"
#include "core/language/load_energy.h"
#include "core/schedule/schedule_reader.h"
#include "core/schedule/storage_limit.h"
#include "core/search/schedule_space.h"
#include "tests/explore/random_pins.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::pins_from;
using test::random_pins;
using testing::HasSubstr, testing::IsEmpty, testing::Not, testing::SizeIs;

// Spaces with more schedules are not walked.
constexpr std::int64_t MostWalked = 3000;

Energy pinned_energy(const std::string& residuals) {
  auto file = load_energy_text(
      "local N, E = Dims('N', 'E')\n"
      "Inputs { X = Unknown(float3, {N}), A = Array(float3, {N}),\n"
      "  V0 = Sparse({E}, {N}), V1 = Sparse({E}, {N}) }\n"
      "local n, e = N(), E()\n" +
          residuals,
      "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(file->energy);
}

struct Walked {
  std::vector<Schedule> schedules;
  std::set<std::string> texts;
};

Walked walk_all(const ScheduleSpace& space) {
  Walked walked;
  space.visit([&](const Schedule& schedule, const Plan&) {
    walked.schedules.push_back(schedule);
    walked.texts.insert(schedule.text(loaded_constructs()));
    return true;
  });
  return walked;
}

// The texts of those schedules of a walk that keep the pins. A walk makes no low-level decisions;
// those that are pinned are made here.
std::set<std::string> kept(const Walked& all, const Energy& energy, const Pins& pins) {
  std::vector<Directive> low_level;
  for (const Directive& pin : pins.directives())
    if (loaded_constructs().find(pin.construct)->stage() == Stage::LowLevel)
      low_level.push_back(pin);
  std::set<std::string> texts;
  for (const Schedule& schedule : all.schedules) {
    std::vector<Directive> directives = schedule.directives();
    directives.insert(directives.end(), low_level.begin(), low_level.end());
    const auto normal = normal_form(energy, Schedule(directives), loaded_constructs());
    if (normal && pins.are_kept_by(*normal, energy, loaded_constructs()))
      texts.insert(normal->text(loaded_constructs()));
  }
  return texts;
}

// Everything that numbers, walks or draws finds what a filter of the whole space finds.
void expect_pinned(const Energy& energy, const Walked& all, const Pins& pins) {
  SCOPED_TRACE(testing::PrintToString(pins.texts(loaded_constructs())));
  const std::set<std::string> expected = kept(all, energy, pins);
  const ScheduleSpace space(energy, loaded_constructs(), Precision::Float, nullptr, pins);
  ASSERT_TRUE(space.check_pins());
  EXPECT_THAT(expected, Not(IsEmpty()));
  const Walked walked = walk_all(space);
  EXPECT_EQ(walked.texts, expected);
  EXPECT_THAT(walked.schedules, SizeIs(expected.size())) << "none twice";
  EXPECT_EQ(space.count(100'000), static_cast<std::int64_t>(expected.size()));

  FactoredTree tree(energy, loaded_constructs(), Precision::Float, false, pins);
  ASSERT_EQ(tree.why_not_factored(), std::nullopt);
  const FullCount count = count_full_space(tree, "s000000000000", {}, 1);
  ASSERT_TRUE(count.space) << count.why_no_space;
  ASSERT_EQ(count.space->size(), expected.size());
  std::set<std::string> numbered;
  for (BigCount index = 0; index < count.space->size(); ++index) {
    const Schedule schedule = count.space->schedule(index);
    numbered.insert(schedule.text(loaded_constructs()));
    EXPECT_EQ(count.space->index_of(schedule), index);
  }
  EXPECT_EQ(numbered, expected);
  for (std::size_t i = 0; i < all.schedules.size(); i += 1 + all.schedules.size() / 50) {
    const bool is_in = count.space->index_of(all.schedules[i]).has_value();
    EXPECT_EQ(is_in, expected.contains(all.schedules[i].text(loaded_constructs())));
  }

  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ScheduleSpace::Sample sample = space.sample(seed);
    EXPECT_TRUE(space.keeps_pins(sample.schedule)) << sample.schedule.text(loaded_constructs());
    const auto& some = walked.schedules[seed % walked.schedules.size()];
    const auto plan = make_plan(energy, some, loaded_constructs());
    const ScheduleSpace::Sample completed = space.complete(some, *plan, seed);
    EXPECT_TRUE(space.keeps_pins(completed.schedule))
        << completed.schedule.text(loaded_constructs());
    EXPECT_TRUE(make_plan(energy, completed.schedule, loaded_constructs()));
  }
}

const char* const SmallTexts[] = {
    "Residuals { fit = {X(n)[0] - A(n)[0], X(n)[1] - 1} }",
    "Residuals { fit = X(n)[0] - A(n)[0], far = X(n)[0] - X(n + 1)[0] }",
    "shade = A(n)[0] * X(n)[0]^2\nResiduals { fit = shade:get(n) - shade:get(n + 1) }",
    "Residuals { edge = X(V0(e))[0] - X(V1(e))[0] }",
};

TEST(PinnedSchedules, AreThoseOfTheWholeSpaceThatKeepThePins) {
  for (const char* residuals : SmallTexts) {
    const Energy energy = pinned_energy(residuals);
    const Walked all = walk_all(ScheduleSpace(energy, loaded_constructs()));
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
      expect_pinned(energy, all, random_pins(energy, seed, 1 + seed % 3));
  }
  int num_compared = 0;
  for (std::uint64_t seed = 1; seed <= 40 && num_compared < 5; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    const ScheduleSpace space(random.energy, loaded_constructs());
    if (space.count(MostWalked) == MostWalked) continue;
    SCOPED_TRACE(random.text());
    ++num_compared;
    const Walked all = walk_all(space);
    for (std::uint64_t drawn = 1; drawn <= 3; ++drawn)
      expect_pinned(random.energy, all, random_pins(random.energy, drawn, 2 * drawn));
  }
  EXPECT_GE(num_compared, 3);
}

TEST(PinnedSchedules, KeepLowLevelPinsAndThoseOfTheVectors) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const Walked all = walk_all(ScheduleSpace(energy, loaded_constructs()));
  for (const char* text : {"r.fit:block{role='cost', threads=128}", "r.vectors:layout('plain')",
                           "r.fit:strategy('[Jt][[J]p]')\nr.fit.J:precision('half')",
                           "r.fit:block{role='jtjp', threads=64}\nr.far:aggregate(true)"})
    expect_pinned(energy, all, pins_from(energy, text));
  // A product that is stored as a matrix does not go with blocked vectors. Some parts store one by
  // default, so that what is pinned depends on decisions that come after the strategy.
  for (const char* residuals : {SmallTexts[3], "Residuals { fit = X(n)[0] - A(n)[0] }"}) {
    const Energy energy = pinned_energy(residuals);
    const Walked all = walk_all(ScheduleSpace(energy, loaded_constructs()));
    expect_pinned(energy, all, pins_from(energy, "r.vectors:layout('blocked')"));
  }
}

TEST(PinnedSchedules, OfManyPartsAreDrawnWithPinnedVectors) {
  const Energy energy = pinned_energy(
      "Residuals { a = X(V0(e))[0] - X(V1(e))[0], b = X(V0(e))[1] - A(V1(e))[1],\n"
      "  c = X(V1(e))[2] - A(V0(e))[2], d = X(n)[0] - A(n)[0], f = X(n)[1] - X(n + 1)[1],\n"
      "  g = X(n)[2] - A(n + 1)[2] }");
  const ScheduleSpace space(energy, loaded_constructs(), Precision::Float, nullptr,
                            pins_from(energy, "r.vectors:layout('blocked')"));
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Schedule schedule = space.sample(seed).schedule;
    EXPECT_TRUE(space.keeps_pins(schedule));
    drawn.insert(schedule.text(loaded_constructs()));
  }
  EXPECT_THAT(drawn, SizeIs(20));
}

TEST(PinnedSchedules, HaveNothingToChooseAtPinnedSites) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const ScheduleSpace space(
      energy, loaded_constructs(), Precision::Float, nullptr,
      pins_from(energy, "r.fit:strategy('[JtJ]p')\nr.far.JtF:compute_at_output()"));
  ScheduleSpace::Node node = space.root();
  int num_pinned = 0;
  while (const auto fork = space.next_fork(node, false)) {
    ASSERT_FALSE(fork->offers.empty());
    if (fork->is_pinned) {
      ++num_pinned;
      EXPECT_THAT(fork->offers, SizeIs(1));
    }
    node = space.taken(node, *fork, fork->offers.back());
  }
  EXPECT_EQ(num_pinned, 2);
  EXPECT_THAT(node.decisions.plan.parts, SizeIs(2)) << "a merge would make the sites vanish";
}

TEST(PinnedSchedules, HaveTheirDecisionsFromTheRootOn) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const ScheduleSpace space(energy, loaded_constructs(), Precision::Float, nullptr,
                            pins_from(energy,
                                      "r.fit:strategy('[JtJ]p')\nr.fit.JtJ:storage('csr')\n"
                                      "r.fit:block{role='jtf', threads=64}"));
  const auto [decisions, has_all] = space.with_pins(space.root());
  EXPECT_TRUE(has_all);
  EXPECT_EQ(Schedule(decisions.directives).text(loaded_constructs()),
            "r.fit:strategy(\"[JtJ]p\")\nr.fit.JtJ:storage(\"csr\")\n"
            "r.fit:block{role=\"jtf\", threads=64}\n");
  EXPECT_EQ(decisions.plan.extensions.size(), 1u);
}

TEST(PinnedSchedules, NearestToAnotherDecideTheRestAsItDoes) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const auto nearest = [&](const std::string& pins, const std::string& to) {
    const ScheduleSpace space(energy, loaded_constructs(), Precision::Float, nullptr,
                              pins_from(energy, pins));
    const auto statements = load_schedule_text(to, "to.sched").value();
    const auto schedule = read_schedule(energy, statements, loaded_constructs()).value();
    return space.nearest(schedule).value().text(loaded_constructs());
  };
  EXPECT_EQ(nearest("r.fit:strategy('JtJp')", "r.fit:strategy('[JtJ]p')\nr.far:strategy('[JtJ]p')"),
            "r.far:strategy(\"[JtJ]p\")\n");
  // What is said of a part is carried over to the parts that it is made of.
  EXPECT_EQ(nearest("r.fit:strategy('Jt[Jp]')", "r:merge(r.fit, r.far)\nr.fit:strategy('[JtJ]p')"),
            "r.far:strategy(\"[JtJ]p\")\nr.fit:strategy(\"Jt[Jp]\")\n");
  EXPECT_EQ(nearest("r.fit.JtJp:compute_at_output(true)",
                    "r.fit:strategy('[JtJ]p')\nr.fit.JtF:compute_at_output(true)"),
            "r.fit.JtF:compute_at_output(true)\nr.fit.JtJp:compute_at_output(true)\n");
}

TEST(PinnedSchedules, HaveNeighborsThatKeepThePins) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const ScheduleSpace open(energy, loaded_constructs());
  const ScheduleSpace space(energy, loaded_constructs(), Precision::Float, nullptr,
                            pins_from(energy, "r.fit:strategy('JtJp')"));
  std::set<std::string> pinned, all;
  space.visit_neighbors({}, [&](const Schedule& its) {
    EXPECT_TRUE(space.keeps_pins(its));
    pinned.insert(its.text(loaded_constructs()));
  });
  open.visit_neighbors({}, [&](const Schedule& its) {
    if (space.keeps_pins(its)) all.insert(its.text(loaded_constructs()));
  });
  EXPECT_EQ(pinned, all);
  EXPECT_GT(pinned.size(), 10u);
}

// In another format, a strategy may be much faster than by default.
TEST(ScheduleSpace, HasAStrategyWithEachOfItsFormatsNextToASchedule) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const ScheduleSpace space(energy, loaded_constructs());
  std::set<std::string> all;
  space.visit_neighbors({},
                        [&](const Schedule& its) { all.insert(its.text(loaded_constructs())); });
  const std::string both = "r.fit:strategy(\"[[Jt][J]]p\")\n";
  for (const char* formats : {"", "r.fit.JtJ:storage(\"blocks\")\n", "r.fit.J:storage(\"csr\")\n",
                              "r.fit.J:storage(\"csr\")\nr.fit.JtJ:storage(\"csr\")\n"})
    EXPECT_THAT(all, testing::Contains(both + formats));
  EXPECT_THAT(all, testing::Contains("r.fit:strategy(\"Jt[Jp]\")\n"
                                     "r.fit.Jt:compute_at_output(true)\n"));
}

class NoStoredJtJ final : public StorageLimit {
 public:
  Expected<void> check(const Plan& plan, std::size_t /*num_decided*/) const override {
    for (const Part& part : plan.parts)
      if (stores_jtj(part.strategy)) return fail("the JtJ of r.{} is too large", part.name);
    return {};
  }
};

TEST(PinnedSchedules, AreNumberedFromWhatHasTheMostDefaultsAndNoneWhereALimitForbids) {
  const Energy energy = pinned_energy(SmallTexts[1]);
  const NoStoredJtJ limit;
  const Pins pins = pins_from(energy, "r.fit:strategy('[JtJ]p')");
  const ScheduleSpace limited(energy, loaded_constructs(), Precision::Float, &limit, pins);
  EXPECT_THAT(limited.check_pins().error().message(),
              HasSubstr("strategy of r.fit cannot be '[JtJ]p': the JtJ of r.fit is too large"));
  EXPECT_EQ(limited.count(10), 0);
  // The numbers of a space are those of its pins: the id says which.
  FactoredTree tree(energy, loaded_constructs(), Precision::Float, false,
                    pins_from(energy, "r.far:strategy('[JtJ]p')"));
  const auto space = FullSpace::make(tree, "s000000000000", {});
  EXPECT_EQ(space->schedule(0).text(loaded_constructs()), "r.far:strategy(\"[JtJ]p\")\n");
}

TEST(PinnedSchedules, HaveNumbersWithTheLowLevelStageToo) {
  const Energy energy = pinned_energy(SmallTexts[0]);
  const Pins pins = pins_from(energy,
                              "r.fit:strategy('JtJp')\nr.fit:block{role='jtjp', threads=128}\n"
                              "r.fit:aggregate(true)");
  FactoredTree tree(energy, loaded_constructs(), Precision::Float, true, pins);
  EXPECT_EQ(tree.why_not_factored(), std::nullopt);
  const auto space = FullSpace::make(tree, "s000000000000", {});
  for (const BigCount& index : sample_indices(space->size(), 50, 1)) {
    const Schedule schedule = space->schedule(index);
    EXPECT_TRUE(pins.are_kept_by(schedule, energy, loaded_constructs()));
    EXPECT_EQ(space->index_of(schedule), index);
  }
  EXPECT_EQ(space->index_of(Schedule()), std::nullopt);
}

}  // namespace
}  // namespace thallo
