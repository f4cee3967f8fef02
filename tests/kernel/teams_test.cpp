// Teams of threads that visit the list of an element together.

#include "core/kernel/teams.h"

#include <gmock/gmock.h>

#include <string>

#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"
#include "tests/support/nvrtc.h"

namespace thallo {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;

TEST(UsualTeam, HasAsManyThreadsAsAListHasPointsWhileThereIsRoom) {
  EXPECT_EQ(usual_team(800, 6, 132), 8);
  EXPECT_EQ(usual_team(800, 4, 132), 4);
  EXPECT_EQ(usual_team(16, 5000, 132), 32);
  EXPECT_EQ(usual_team(100, 1, 132), 1);
  EXPECT_EQ(usual_team(100, 0, 132), 1);
  EXPECT_EQ(usual_team(0, 0, 132), 1);
  EXPECT_EQ(usual_team(1e6, 6, 132), 2);
  EXPECT_EQ(usual_team(1e6, 64, 132), 32);
  EXPECT_EQ(usual_team(1e6, 1.5, 132), 1);
  EXPECT_EQ(usual_team(60'000, 6, 132), 2);
}

// A graph whose products are gathered at the vertices.
class Teams : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("edges");
    const DimId N = e.dim("N");
    const DimId E = e.dim("E");
    const auto X = e.unknown("X", {N}, 3);
    const auto V0 = e.map("V0", {E}, {N});
    const auto V1 = e.map("V1", {E}, {N});
    const auto i = e.domain(E, "e");
    e.residual("r", X(V0(i)) * X(V0(i)) - X(V1(i)));
    return test::build(std::move(e));
  }

  Teams() { plan_.parts.front().jtf = plan_.parts.front().jtjp = ComputeAt::Output; }

  void decide(const std::string& role, const Choice& choice) {
    test::decide(plan_, energy_, "team", {SiteKind::Role, "r." + role + " at X"}, choice);
  }

  KernelCode kernel(const std::string& role) {
    generated_ = generate(make_program(energy_, plan_, {}));
    for (const KernelCode& code : generated_.codes)
      if (code.role == role) return code;
    ADD_FAILURE() << "no kernel " << role;
    return {};
  }
  std::string text(const KernelCode& code, Dialect dialect = Dialect::Cuda) {
    return emit(generated_.program, code, {.dialect = dialect});
  }

  Energy energy_ = make_energy();
  Plan plan_ = default_plan(energy_);
  GeneratedProgram generated_;
};

TEST_F(Teams, AreSizedAtTheLaunchOrByTheSchedule) {
  KernelCode code = kernel("gather_jtjp");
  ASSERT_EQ(code.sections.size(), 1U);
  EXPECT_EQ(code.sections.front().team, 0);
  EXPECT_THAT(text(code), AllOf(HasSubstr("team = (unsigned int)a.team0"), HasSubstr("+= team"),
                                HasSubstr("__shfl_xor_sync(mates"), HasSubstr("if (member == 0)"),
                                Not(HasSubstr("__shared__ float of_warp"))));
  EXPECT_THAT(text(code, Dialect::C), Not(HasSubstr("team")));
  decide("jtjp", {"8 threads", {{"threads", 8}}});
  code = kernel("gather_jtjp");
  EXPECT_THAT(text(code), AllOf(HasSubstr("team = 8;"), Not(HasSubstr("team0"))));
  EXPECT_EQ(kernel("gather_jtf").sections.front().team, 0);
}

TEST_F(Teams, OfOneThreadOrNoListLeaveNoTrace) {
  decide("jtjp", {"1 thread", {{"threads", 1}}});
  EXPECT_THAT(text(kernel("gather_jtjp")), Not(HasSubstr("team")));
  decide("jtf", {"block", {{"threads", WholeBlock}}});
  EXPECT_THAT(text(kernel("gather_jtf")),
              AllOf(HasSubstr("team = 256;"), HasSubstr("of_warp0[threadIdx.x >> 5]")));
  plan_.parts.front().jtjp = ComputeAt::Residual;
  EXPECT_EQ(kernel("apply_jtjp").sections.front().team, 1);
}

TEST_F(Teams, CompileWithoutAWarning) {
  for (const int threads : {0, 2, 32, WholeBlock}) {
    plan_ = default_plan(energy_);
    plan_.parts.front().jtf = plan_.parts.front().jtjp = ComputeAt::Output;
    for (const char* role : {"jtf", "jtjp"})
      if (threads != 0) decide(role, {"some", {{"threads", threads}}});
    for (const char* role : {"gather_jtf", "gather_jtjp"}) {
      const std::string text_of_kernel = text(kernel(role));
      THALLO_COMPILE_OR_SKIP(result, text_of_kernel);
      EXPECT_TRUE(result.ok) << text_of_kernel;
      EXPECT_EQ(result.log, "") << text_of_kernel;
    }
  }
}

}  // namespace
}  // namespace thallo
