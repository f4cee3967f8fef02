// The lists of passes that users write, and what every single pass does to a program's text.
#include "core/kernel/passes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/kernel/code_print.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/random_passes.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using testing::HasSubstr;

TEST(PassList, AreReadFromAListOfPasses) {
  EXPECT_EQ(parse_passes("all").value(), PassOptions());
  EXPECT_EQ(parse_passes("-bounds,-simd").value(), (PassOptions{.bounds = false, .simd = false}));
  EXPECT_EQ(parse_passes("none,+bounds").value(), (PassOptions{.factor_sums = false,
                                                               .share_partials = false,
                                                               .bounds = true,
                                                               .vector_access = false,
                                                               .simd = false}));
  EXPECT_EQ(parse_passes("all,+bounds").value(), PassOptions());
  const auto refused = [](std::string_view text) {
    const auto read = parse_passes(text);
    EXPECT_FALSE(read) << text;
    return read ? "" : read.error().message();
  };
  EXPECT_EQ(refused("-factor_sum"),
            "there is no pass 'factor_sum'; did you mean 'factor_sums'? (legal: factor_sums, "
            "share_partials, bounds, vector_access, simd)");
  EXPECT_THAT(refused(""), HasSubstr("there is no pass ''"));
  EXPECT_THAT(refused("-bounds,"), HasSubstr("there is no pass ''"));
  EXPECT_THAT(refused("-separate_domains"), HasSubstr("there is no pass 'separate_domains'"));
  EXPECT_EQ(refused("bounds"),
            "'bounds' does not say whether the pass is on; write +bounds or -bounds");
  EXPECT_EQ(refused("-bounds,none"), "'none' comes first in a list of passes");
  EXPECT_EQ(refused("-bounds,+bounds"), "pass 'bounds' is set twice");
}

TEST(PassList, AreWrittenAsAShortListThatIsReadAgain) {
  EXPECT_EQ(to_string(PassOptions()), "all");
  EXPECT_EQ(to_string(PassOptions{.bounds = false}), "-bounds");
  EXPECT_EQ(to_string(parse_passes("none").value()), "none");
  EXPECT_EQ(to_string(parse_passes("none,+bounds").value()), "none,+bounds");
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const PassOptions passes = test::random_passes(seed);
    const std::string text = to_string(passes);
    texts.insert(text);
    const auto read = parse_passes(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message();
    EXPECT_EQ(*read, passes) << text;
  }
  EXPECT_GT(texts.size(), 20U);
}

// The halves of a dense JtJ are added up under a guard: each pair of entries once.
TEST(PassList, WithoutBoundsAStoreKeepsItsGuard) {
  const std::vector<test::SampleEnergy> samples = test::sample_energies();
  const Energy& energy = samples.front().energy;
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) {
    part.strategy = Strategy::StoredJtJ;
    part.jtj_format = StorageFormat::Dense;
  }
  ProgramOptions options = test::damped_blocks;
  options.passes.bounds = false;
  const GeneratedProgram generated = generate(make_program(energy, plan, options));
  const auto halves = std::ranges::find(generated.codes, "dense_halves", &KernelCode::role);
  ASSERT_NE(halves, generated.codes.end());
  EXPECT_THAT(to_string(generated.program, *halves), HasSubstr("\n      JtJ"));
}

// A pass that changes no text of any kernel could as well not be there.
TEST(PassList, EachChangesTheTextOfSomeKernel) {
  const auto texts = [](const PassOptions& passes) {
    std::string all;
    for (const test::SampleEnergy& sample : test::sample_energies()) {
      ProgramOptions options = test::damped_blocks;
      options.passes = passes;
      const GeneratedProgram generated =
          generate(make_program(sample.energy, default_plan(sample.energy), options));
      for (const KernelCode& code : generated.codes)
        for (const Dialect dialect : {Dialect::C, Dialect::Cuda})
          all += emit(generated.program, code, {.dialect = dialect});
    }
    return all;
  };
  const std::string with_all = texts({});
  for (const PassInfo& pass : all_passes()) {
    PassOptions without;
    without.*pass.is_on = false;
    EXPECT_NE(texts(without), with_all) << pass.name;
  }
}

}  // namespace
}  // namespace thallo
