// Which schedules of a problem fit, by the memory limit and by the device.
#include "core/explore/search/fitting_schedules.h"

#include <gmock/gmock.h>

#include <string>

#include "core/kernel/generate.h"
#include "core/search/schedule_space.h"

namespace thallo {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;

class Fitting : public testing::Test {
 protected:
  Fitting()
      : problem_(*ExploredProblem::open(session_,
                                        {.problem = "image_warping", .options = {{"size", 24}}})) {}

  Proposal proposal(const std::string& text) const {
    return Proposal::of(problem_.read(text).value(), *problem_.constructs);
  }
  // What the program stores, as a backend counts it.
  double stored_bytes(const Proposal& proposal) const {
    const KernelProgram program = make_program(
        problem_.file.energy, problem_.plan_of(proposal.schedule).value(), problem_.program);
    const auto sizes = ProgramSizes::make(program, problem_.instance.binding);
    return total_bytes(stored_products(program, *sizes, problem_.program.precision));
  }

  Session session_;
  ExploredProblem problem_;
};

const std::string Dense = "r.fit:strategy(\"[JtJ]p\")\nr.fit.JtJ:storage(\"dense\")\n";

TEST_F(Fitting, AgreesWithTheirPrograms) {
  constexpr std::int64_t Limit = 1 << 20;
  FittingSchedules fitting(problem_, Limit, 1e12);
  const ScheduleSpace space(problem_.file.energy, *problem_.constructs, problem_.program.precision);
  std::size_t num_refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Proposal drawn = Proposal::of(space.sample(seed).schedule, *problem_.constructs);
    const bool fits = stored_bytes(drawn) <= double{Limit};
    EXPECT_EQ(fitting.fits(drawn), fits) << drawn.text;
    if (!fits) ++num_refused;
  }
  EXPECT_GT(num_refused, 0u);
  EXPECT_LT(num_refused, 40u);
  EXPECT_LE(fitting.num_refused(), num_refused);
}

TEST_F(Fitting, CountsEachOnceAndSaysWhyWithBothSizes) {
  FittingSchedules fitting(problem_, 1 << 20, 1e12);
  EXPECT_TRUE(fitting.fits(proposal("")));
  EXPECT_EQ(fitting.why(), "");
  EXPECT_FALSE(fitting.fits(proposal(Dense)));
  EXPECT_FALSE(fitting.fits(proposal(Dense)));
  EXPECT_EQ(fitting.num_refused(), 1u);
  EXPECT_THAT(fitting.why(),
              AllOf(HasSubstr("would be stored (JtJ of it "),
                    HasSubstr("the memory limit is 1 MiB"), Not(HasSubstr("device"))));
  FittingSchedules small(problem_, 1 << 30, 1 << 20);
  EXPECT_FALSE(small.fits(proposal(Dense)));
  EXPECT_THAT(small.why(), HasSubstr("is 1 MiB, since the device has no more"));
}

}  // namespace
}  // namespace thallo
