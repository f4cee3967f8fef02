#include "core/solve/options.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

TEST(SolverOptions, HaveThePublishedDefaults) {
  const SolverOptions o;
  EXPECT_EQ(o.text("nIterations"), "10");
  EXPECT_EQ(o.text("lIterations"), "10");
  EXPECT_EQ(o.text("residual_reset_period"), "10");
  EXPECT_EQ(o.text("min_relative_decrease"), "0.001");
  EXPECT_EQ(o.text("min_trust_region_radius"), "1e-32");
  EXPECT_EQ(o.text("max_trust_region_radius"), "1e+16");
  EXPECT_EQ(o.text("q_tolerance"), "0.0001");
  EXPECT_EQ(o.text("trust_region_radius"), "10000");
  EXPECT_EQ(o.text("radius_decrease_factor"), "2");
  EXPECT_EQ(o.text("min_lm_diagonal"), "1e-06");
  EXPECT_EQ(o.text("max_lm_diagonal"), "1e+32");
  EXPECT_EQ(o.text("max_solver_time_in_seconds"), "0");
}

TEST(SolverOptions, SayWhetherPcgCanEndBeforeItsCountAndNewTestsAreOff) {
  EXPECT_TRUE(SolverOptions::until_converged().pcg_has_test());
  // Of Gauss-Newton q_tolerance is no test.
  SolverOptions o;
  o.q_tolerance = 1e-2;
  EXPECT_FALSE(o.pcg_has_test());
  o.residual_tolerance = 1e-6;
  EXPECT_TRUE(o.pcg_has_test());
  const SolverOptions fresh;
  EXPECT_EQ(fresh.text("gradient_tolerance"), "0");
  EXPECT_EQ(fresh.text("parameter_tolerance"), "0");
  EXPECT_EQ(fresh.text("residual_tolerance"), "0");
}

TEST(SolverOptions, FunctionToleranceIsOfLmUnlessSet) {
  SolverOptions o;
  EXPECT_EQ(o.effective_function_tolerance(), std::nullopt);
  o.solver = SolverKind::LevenbergMarquardt;
  EXPECT_EQ(o.effective_function_tolerance(), 1e-6);
  ASSERT_TRUE(o.set("function_tolerance", "0"));
  EXPECT_EQ(o.effective_function_tolerance(), 0);
  ASSERT_TRUE(o.set("function_tolerance", "unset"));
  EXPECT_EQ(o.effective_function_tolerance(), 1e-6);
  o.solver = SolverKind::GaussNewton;
  ASSERT_TRUE(o.set("function_tolerance", "1e-3"));
  EXPECT_EQ(o.effective_function_tolerance(), 1e-3);
}

TEST(SolverOptions, SetReadsEveryOptionThatTextWrites) {
  SolverOptions o;
  o.solver = SolverKind::LevenbergMarquardt;
  o.linear_solver = "dense";
  o.preconditioner = "block_jacobi";
  o.num_iterations = 7;
  o.function_tolerance = 1e-12;
  o.q_tolerance = 0.1;
  o.trust_region_radius = 1.0 / 3;
  o.is_deterministic = true;
  SolverOptions copy;
  for (const SolverOptionInfo& info : solver_option_infos()) {
    ASSERT_TRUE(copy.set(info.name, o.text(info.name))) << info.name;
    EXPECT_FALSE(info.doc.empty()) << info.name;
    EXPECT_FALSE(info.legal.empty()) << info.name;
  }
  EXPECT_EQ(copy, o);
}

TEST(SolverOptions, SwitchesAreReadAsThoseOfProblems) {
  SolverOptions o;
  for (const auto& [text, value] : {std::pair("1", true), {"false", false}, {"on", true}}) {
    ASSERT_TRUE(o.set("deterministic", text)) << text;
    EXPECT_EQ(o.is_deterministic, value) << text;
  }
  const auto refused = o.set("deterministic", "perhaps");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().alternatives, ElementsAre("true, false"));
}

TEST(SolverOptions, LinearSolversAndPreconditionersAreThoseOfTheRegistries) {
  SolverOptions o;
  EXPECT_TRUE(o.chooses_linear_solver());
  EXPECT_EQ(o.text("linear_solver"), "unset");
  for (const std::string& name : own_linear_solvers().names()) {
    ASSERT_TRUE(o.set("linear_solver", name)) << name;
    EXPECT_FALSE(o.chooses_linear_solver());
  }
  for (const std::string& name : own_preconditioners().names())
    ASSERT_TRUE(o.set("preconditioner", name)) << name;
  const auto misspelled = o.set("preconditioner", "block-jacobi");
  ASSERT_FALSE(misspelled);
  EXPECT_THAT(misspelled.error().alternatives,
              ElementsAre("block_jacobi, jacobi, multigrid, none, unset"));
  const auto wrong = o.set("linear_solver", "cholesky");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(
      wrong.error().alternatives,
      ElementsAre("dense, pcg, schur_cholesky, schur_pcg, schur_sparse_cholesky, sparse_cholesky, "
                  "auto, unset"));
  for (const char* name : {"amg_pcg", "auto"}) {
    ASSERT_TRUE(o.set("linear_solver", name)) << name;
    EXPECT_TRUE(o.chooses_linear_solver()) << name;
  }
}

TEST(SolverOptions, AnOptionOfPcgChoosesItUnlessALinearSolverIsNamed) {
  SolverOptions o = SolverOptions::until_converged();
  ASSERT_TRUE(o.set("nIterations", "5"));
  EXPECT_TRUE(o.chooses_linear_solver());
  ASSERT_TRUE(o.set("preconditioner", "block_jacobi"));
  EXPECT_EQ(o.linear_solver, "pcg");
  ASSERT_TRUE(o.set("linear_solver", "auto"));
  ASSERT_TRUE(o.set("lIterations", "30"));
  EXPECT_TRUE(o.chooses_linear_solver()) << "auto was named";
}

TEST(SolverOptions, KnowWhatIsOfPcgAndWhatWasNamedInVain) {
  SolverOptions named;
  named.solver = SolverKind::LevenbergMarquardt;
  for (const auto& [name, value] :
       {std::pair("lIterations", "5"), {"max_step_halvings", "1"}, {"nIterations", "3"}})
    ASSERT_TRUE(named.set(name, value));
  EXPECT_THAT(named.named_in_vain(true), ElementsAre("lIterations", "max_step_halvings"));
  EXPECT_THAT(named.named_in_vain(false), ElementsAre("max_step_halvings"));
  ASSERT_TRUE(named.set("solver", "gn"));
  EXPECT_THAT(named.named_in_vain(false), IsEmpty());
  SolverOptions o;
  EXPECT_FALSE(o.names_pcg());
  o.num_iterations = 50;
  EXPECT_FALSE(o.names_pcg());
  o.num_linear_iterations = 50;
  EXPECT_TRUE(o.names_pcg());
}

TEST(SolverOptions, UnknownNameIsAnsweredWithTheNearest) {
  SolverOptions o;
  const auto set = o.set("lIteration", "3");
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().what, HasSubstr("did you mean 'lIterations'?"));
  EXPECT_EQ(set.error().alternatives.size(), solver_option_infos().size());
}

TEST(SolverOptions, ValueThatIsNoneChangesNothingAndNamesTheLegalOnes) {
  SolverOptions o;
  const SolverOptions before = o;
  const auto kind = o.set("solver", "newton");
  ASSERT_FALSE(kind);
  EXPECT_THAT(kind.error().alternatives, ElementsAre("gn, lm"));
  const auto negative = o.set("nIterations", "-1");
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().alternatives, ElementsAre("integer from 0 to 2147483647"));
  for (const char* text : {"", "3.5", "3 ", "ten", "99999999999"}) {
    EXPECT_FALSE(o.set("nIterations", text)) << text;
  }
  for (const char* text : {"", "nan", "inf", "-1e-3", "1e-3x", "unset"}) {
    EXPECT_FALSE(o.set("q_tolerance", text)) << text;
  }
  EXPECT_FALSE(o.set("trust_region_radius", "0"));
  EXPECT_FALSE(o.set("radius_decrease_factor", "1"));
  EXPECT_EQ(o, before);
}

TEST(SolverOptions, ValidateFindsAllFaults) {
  SolverOptions o;
  EXPECT_TRUE(o.validate());
  o.num_iterations = -1;
  o.q_tolerance = std::numeric_limits<double>::quiet_NaN();
  o.function_tolerance = -1;
  o.min_trust_region_radius = 1e20;
  const auto valid = o.validate();
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().what,
            "SolverOptions: nIterations = -1, must be >= 0\n"
            "SolverOptions: function_tolerance = -1, must be >= 0\n"
            "SolverOptions: q_tolerance = nan, must be >= 0\n"
            "SolverOptions: min_trust_region_radius = 1e+20 exceeds max_trust_region_radius = "
            "1e+16");
}

}  // namespace
}  // namespace thallo
