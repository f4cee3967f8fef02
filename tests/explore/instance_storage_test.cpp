// What schedules store for an instance, and which of them a memory limit leaves.

#include "core/kernel/instance_storage.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/explore/space/choice_sites.h"
#include "core/linear/linear_solver.h"
#include "core/search/schedule_space.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using ::testing::HasSubstr;

// The edges of a ring of N points, which also have wanted positions.
class StorageOfARing : public testing::Test {
 protected:
  static constexpr std::int64_t NumPoints = 40;

  static Energy make_energy() {
    EnergyBuilder e("ring");
    const DimId N = e.dim("N"), E = e.dim("E");
    const auto X = e.unknown("X", {N});
    const auto A = e.array("A", {N});
    const auto from = e.map("from", {E}, {N}), to = e.map("to", {E}, {N});
    const IndexExpr n = e.domain(N, "n"), i = e.domain(E, "i");
    e.residual("fit", X(n) - A(n));
    e.residual("edge", X(from(i)) - 2 * X(to(i)));
    return test::build(std::move(e));
  }

  Binding make_binding() const {
    std::vector<std::int32_t> from, to;
    for (std::int32_t i = 0; i < NumPoints; ++i) {
      from.push_back(i);
      to.push_back((i + 1) % static_cast<std::int32_t>(NumPoints));
    }
    const std::vector<double> points(NumPoints, 0.5);
    return test::bind(energy_, {.extents = {{"N", NumPoints}, {"E", NumPoints}},
                                .fields = {{"X", points}, {"A", points}},
                                .maps = {{"from", from}, {"to", to}}});
  }

  InstanceStorage storage(std::int64_t limit = std::numeric_limits<std::int64_t>::max()) const {
    return {energy_, binding_, {}, Precision::Float, limit};
  }

  // Of `edge` alone.
  double bytes(Strategy strategy, StorageFormat j, StorageFormat jtj) const {
    Plan plan = default_plan(energy_);
    Part& edge = *find_part(plan, "edge");
    edge.strategy = strategy;
    edge.j_format = j;
    edge.jtj_format = jtj;
    return total_bytes(storage().stored(plan).value());
  }

  Energy energy_ = make_energy();
  Binding binding_ = make_binding();
};

// By hand: the derivatives are the constants 1 and -2, which only matrices of libraries store.
TEST_F(StorageOfARing, IsCountedByFormat) {
  using enum StorageFormat;
  constexpr double F = 4;  // bytes of a number
  const double jp = NumPoints * F;
  const double unknowns = NumPoints;
  EXPECT_EQ(bytes(Strategy::JtJp, Structured, Structured), 0);
  EXPECT_EQ(bytes(Strategy::StoredJp, Structured, Structured), jp);
  EXPECT_EQ(bytes(Strategy::StoredJ, Structured, Structured), jp);
  EXPECT_EQ(bytes(Strategy::StoredJ, Csr, Structured), 2 * NumPoints * F + jp);
  EXPECT_EQ(bytes(Strategy::StoredJ, Dense, Structured), NumPoints * unknowns * F + jp);
  EXPECT_EQ(bytes(Strategy::StoredJtJ, Structured, Structured), unknowns * unknowns * F);
  // A block for each edge and one for each point.
  EXPECT_EQ(bytes(Strategy::StoredJtJ, Structured, Blocks), 2 * NumPoints * F);
}

TEST_F(StorageOfARing, LimitsWhatIsDrawnOfTheSharedMatrix) {
  Plan plan = default_plan(energy_);
  for (Part& part : plan.parts) {
    part.strategy = Strategy::StoredJtJ;
    part.jtj_format = StorageFormat::Dense;
  }
  const std::vector<StoredBuffer> stored = storage().stored(plan).value();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0].name, "JtJ");
  EXPECT_EQ(stored[0].bytes, 4.0 * NumPoints * NumPoints);
  const InstanceStorage limited = storage(1000);
  const ScheduleSpace space(energy_, loaded_constructs(), Precision::Float, &limited);
  int num_storing = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Plan plan = space.sample(seed).plan;
    const double stored = total_bytes(limited.stored(plan).value());
    EXPECT_LE(stored, 1000);
    num_storing += stored > 0 ? 1 : 0;
  }
  EXPECT_GT(num_storing, 50);
}

// A walk with a limit comes to those schedules of a walk without one whose programs can be bound.
TEST_F(StorageOfARing, LimitsAWalkToWhatFits) {
  const ScheduleSpace all(energy_, loaded_constructs());
  std::map<std::string, double> bytes;  // the limit that a program needs, by schedule
  all.visit([&](const Schedule& schedule, const Plan& plan) {
    const KernelProgram program = make_program(energy_, plan, {});
    const ProgramSizes sizes = ProgramSizes::make(program, binding_).value();
    bytes[schedule.text(loaded_constructs())] = std::max(
        sizes.tables().bytes, total_bytes(stored_products(program, sizes, Precision::Float)));
    return true;
  });
  for (const std::int64_t limit : {0, 160, 320, 640, 1000, 1600, 6399, 6400, 6600, 12'000}) {
    const InstanceStorage limited = storage(limit);
    const ScheduleSpace space(energy_, loaded_constructs(), Precision::Float, &limited);
    std::int64_t num_visited = 0;
    space.visit([&](const Schedule& schedule, const Plan&) {
      EXPECT_LE(bytes.at(schedule.text(loaded_constructs())), static_cast<double>(limit));
      ++num_visited;
      return true;
    });
    const auto fits = [&](const auto& one) { return one.second <= static_cast<double>(limit); };
    EXPECT_EQ(num_visited, std::ranges::count_if(bytes, fits)) << limit;
    EXPECT_LT(num_visited, static_cast<std::int64_t>(bytes.size()));
  }
}

TEST_F(StorageOfARing, IsNamedWhereItIsTooMuch) {
  const InstanceStorage limited = storage(1000);
  const Schedule schedule({{"strategy", {SiteKind::Part, "edge"}, {"[JtJ]p", {}}}});
  const auto sites =
      list_choices(energy_, schedule, loaded_constructs(), Precision::Float, &limited).value();
  std::string text;
  for (const ChoiceSite& at : sites) {
    if (at.site.name != "edge.JtJ" || at.construct->name() != "storage") continue;
    EXPECT_EQ(at.chosen, 0u) << "the default, though it is too large";
    for (const Alternative& alternative : at.alternatives) {
      text += alternative.choice.label + ": ";
      text += (alternative.legal ? "legal" : alternative.legal.error().what) + "\n";
    }
  }
  const std::string matrix =
      "6.25 KiB would be stored (JtJ of it 6.25 KiB), the memory limit is 1000 bytes\n";
  EXPECT_THAT(text, HasSubstr("structured: " + matrix));
  EXPECT_THAT(text, HasSubstr("dense: " + matrix));
  EXPECT_THAT(text, HasSubstr("blocks: legal\n"));
}

TEST_F(StorageOfARing, RefusesAStrategyThatIsTooLargeInEveryFormat) {
  const InstanceStorage limited = storage(200);
  Plan plan = default_plan(energy_);
  plan.limit = &limited;
  const Construct& strategy = *loaded_constructs().find("strategy");
  const auto refused = strategy.check(energy_, plan, {SiteKind::Part, "edge"}, {"[JtJ]p", {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "strategy of r.edge cannot be '[JtJ]p': at least 6.25 KiB would be stored (JtJ of it "
            "6.25 KiB), the memory limit is 200 bytes")
      << "neither blocks nor csr: their tables are larger, too";
  plan.limit = nullptr;
  EXPECT_TRUE(strategy.check(energy_, plan, {SiteKind::Part, "edge"}, {"[JtJ]p", {}}));
}

// As where the limit is met: such a program is never made.
TEST(InstanceStorage, RefusesAStrategyThatTheLinearSolverCannotTake) {
  EnergyBuilder e("two_spaces");
  const DimId C = e.dim("C"), P = e.dim("P"), O = e.dim("O");
  const auto cameras = e.unknown("cameras", {C}), points = e.unknown("points", {P});
  const auto camera = e.map("camera", {O}, {C}), point = e.map("point", {O}, {P});
  const IndexExpr o = e.domain(O, "o");
  e.residual("seen", cameras(camera(o)) * points(point(o)));
  const Energy energy = test::build(std::move(e));
  const std::vector<double> values = {1, 2};
  const std::vector<std::int32_t> read = {0, 1, 1};
  const Binding binding = test::bind(energy, {.extents = {{"C", 2}, {"P", 2}, {"O", 3}},
                                              .fields = {{"cameras", values}, {"points", values}},
                                              .maps = {{"camera", read}, {"point", read}}});
  const InstanceStorage storage(energy, binding,
                                {.preconditioner = block_jacobi_preconditioner(),
                                 .linear_solver = schur_pcg_solver(),
                                 .eliminated = energy.find_field("points")},
                                Precision::Float, std::numeric_limits<std::int64_t>::max());
  Plan plan = default_plan(energy);
  plan.limit = &storage;
  const Construct& strategy = *loaded_constructs().find("strategy");
  const Site site{SiteKind::Part, "seen"};
  EXPECT_TRUE(strategy.check(energy, plan, site, {"Jt[Jp]", {}}));
  EXPECT_TRUE(strategy.check(energy, plan, site, {"[Jt][[J]p]", {}}));
  const auto refused = strategy.check(energy, plan, site, {"[JtJ]p", {}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              HasSubstr("linear_solver schur_pcg multiplies by a part of JtJ at a time"));
}

}  // namespace
}  // namespace thallo
