// Signatures of instances: equal for what is measured alike, different for all else.
#include "core/explore/space/problem_signature.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "core/explore/space/explored_problem.h"
#include "core/plugin/session.h"
#include "core/problem/driver.h"
#include "tests/problems/loaded_problems.h"

namespace thallo {
namespace {

using test::Made;

class ProblemSignature : public testing::Test {
 protected:
  static Options options(int size) { return Options{{"size", std::int64_t{size}}}; }

  static std::string signature(const Made& made, const Options& options,
                               const ProgramOptions& program = {}) {
    return problem_signature(*made.problem, options, made.energy, made.instance.binding, program);
  }
};

TEST_F(ProblemSignature, IsEqualForEqualInstancesAndDependsOnAllThatIsMeasured) {
  const Made one = test::make("image_warping", options(16));
  const Made two = test::make("image_warping", options(16));
  EXPECT_THAT(signature(one, options(16)), testing::MatchesRegex("p[0-9a-f]{12}"));
  EXPECT_EQ(signature(one, options(16)), signature(two, options(16)));
  const Made made = test::make("image_warping", options(16));
  std::set<std::string> signatures = {signature(made, options(16))};
  signatures.insert(signature(made, options(17)));
  signatures.insert(signature(made, options(16), {.precision = Precision::Double}));
  signatures.insert(signature(made, options(16), {.solver = SolverKind::LevenbergMarquardt}));
  signatures.insert(signature(made, options(16), {.preconditioner = no_preconditioner()}));
  signatures.insert(signature(made, options(16), {.linear_solver = dense_solver()}));
  signatures.insert(signature(made, options(16), {.passes = {.bounds = false}}));
  signatures.insert(signature(made, options(16), {.passes = {.simd = false}}));
  signatures.insert(signature(test::make("image_warping", options(17)), options(16)));
  EXPECT_EQ(signatures.size(), 9u);
}

// Stores hold results under signatures that were computed before passes could be switched off.
TEST_F(ProblemSignature, OfAllPassesIsThatOfStoresWithoutThem) {
  Session session;
  ExplorationTarget target{.problem = "poisson_image_editing", .precision = Precision::Float};
  const auto signature = [&] {
    const auto opened = ExploredProblem::open(session, target);
    return opened ? opened->signature : opened.error().message();
  };
  EXPECT_EQ(signature(), "p76d9c8e99263");  // in the corpus of assets/models
  target.passes.bounds = false;
  EXPECT_THAT(signature(),
              testing::AllOf(testing::MatchesRegex("p[0-9a-f]{12}"), testing::Ne("p76d9c8e99263")));
}

TEST_F(ProblemSignature, DependsOnEveryValueOfTheData) {
  Made made = test::make("image_warping", options(16));
  std::set<std::string> signatures = {signature(made, options(16))};
  const auto num_fields = made.energy.fields().size();
  std::size_t num_changed = 0;
  for (std::size_t i = 0; i < num_fields; ++i) {
    HostArray& field = made.instance.binding.field(FieldId(i));
    if (field.empty()) continue;
    field.set_value(field.size() - 1, field.value(field.size() - 1) + 1);
    signatures.insert(signature(made, options(16)));
    ++num_changed;
  }
  EXPECT_GT(num_changed, 3u);
  EXPECT_EQ(signatures.size(), 1 + num_changed);
}

// The contents of a file count, wherever it lies.
TEST_F(ProblemSignature, DoesNotDependOnPathsOrFoundIntermediates) {
  const Made made = test::make("image_warping", options(16));
  std::string file_option;
  for (const OptionSpec& spec : made.problem->options()) {
    if (spec.is_file) file_option = spec.name;
  }
  ASSERT_NE(file_option, "");
  Options elsewhere = options(16);
  elsewhere.set(file_option, "/data/picture.png");
  EXPECT_EQ(signature(made, options(16)), signature(made, elsewhere));
  // Which sites schedules decide about is a property of the space, not of the instance.
  EnergyFile file =
      test::loaded_problems()
          .find_entry("image_warping")
          ->item->energy(complete_options(made.problem->options(), options(16)).value())
          .value();
  file = with_sites(file, FoundSites::All);
  EXPECT_EQ(problem_signature(*made.problem, options(16), file.energy, made.instance.binding, {}),
            signature(made, options(16)));
}

}  // namespace
}  // namespace thallo
