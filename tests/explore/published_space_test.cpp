// The space that the published system enumerates: its counts, and its schedules by number.
#include "core/explore/space/published_space.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/language/load_energy.h"
#include "tests/problems/loaded_problems.h"
#include "tests/support/loaded_constructs.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::HasSubstr;

// An instance of a problem with its text's own schedule.
struct Given {
  EnergyFile file;
  Instance instance;
};

Given given(const std::string& name, const Options& options) {
  const Problem& problem = **test::loaded_problems().lookup(name);
  const Options complete = complete_options(problem.options(), options).value();
  EnergyFile file = problem.energy(complete).value();
  Instance instance = problem.instantiate(file.energy, complete).value();
  return {std::move(file), std::move(instance)};
}

PublishedSpace space_of(const Given& given, const std::string& profile,
                        Precision precision = Precision::Float) {
  auto space =
      PublishedSpace::make(given.file, given.instance.binding,
                           read_published_profile(profile).value(), precision, loaded_constructs());
  if (!space) throw UserError(space.error());
  return *std::move(space);
}

// A group as the published rules see it, and how many such groups there are.
struct Group {
  std::string domains;  // a letter each
  bool has_sum = false;
  bool can_gather = false;
  int count = 1;
};

// The number of schedules by the published rules alone: lists the choices of each group as tuples
// and tries all their combinations.
class Formula {
 public:
  Formula(bool fits_j, bool fits_jtj) : fits_j_(fits_j), fits_jtj_(fits_jtj) {}

  std::int64_t count(const std::vector<Group>& groups, int num_intermediates) {
    choices_.clear();
    for (const Group& group : groups) {
      for (int i = 0; i < group.count; ++i) choices_.push_back(choices_of(group));
    }
    std::vector<Choice> chosen;
    return count_from(chosen) << (2 * num_intermediates);
  }

  // P (2 + ...) + A (3 + ...), or P (1 + ...) with a Sum.
  int count_of(const Group& group) const {
    int orders = 1;
    for (std::size_t i = 2; i <= group.domains.size(); ++i) orders *= static_cast<int>(i);
    const int j = fits_j_ ? 1 : 0;
    const int jtj = fits_jtj_ ? 1 : 0;
    if (group.has_sum) return orders * (1 + j + j * jtj);
    return orders * (2 + jtj + j + j * jtj) + (group.can_gather ? 3 + jtj + j + j * jtj : 0);
  }

 private:
  // Strategy, order, is JtJp gathered, is JtF gathered. The strategies that store a matrix are
  // capitals.
  using Choice = std::tuple<char, std::string, bool, bool>;

  std::vector<Choice> choices_of(const Group& group) const {
    std::vector<Choice> choices;
    std::string order = group.domains;
    std::ranges::sort(order);
    do {
      std::string strategies = group.has_sum ? "p" : "pn";
      if (fits_jtj_ && !group.has_sum) strategies += 'M';
      if (fits_j_) strategies += 'J';
      if (fits_j_ && fits_jtj_) strategies += 'B';
      for (const char strategy : strategies) {
        choices.emplace_back(strategy, order, false, false);
        if (!group.can_gather || order != group.domains || strategy == 'p') continue;
        choices.emplace_back(strategy, order, false, true);
        if (strategy != 'n') continue;
        choices.emplace_back(strategy, order, true, false);
        choices.emplace_back(strategy, order, true, true);
      }
    } while (std::ranges::next_permutation(order).found);
    return choices;
  }

  std::int64_t count_from(std::vector<Choice>& chosen) const {
    if (chosen.size() == choices_.size()) return is_kept(chosen) ? 1 : 0;
    std::int64_t count = 0;
    for (const Choice& choice : choices_[chosen.size()]) {
      chosen.push_back(choice);
      count += count_from(chosen);
      chosen.pop_back();
    }
    return count;
  }

  static bool is_kept(const std::vector<Choice>& chosen) {
    std::string stored;
    int num_jtjp = 0;
    int num_jtf = 0;
    bool all_equal = true;
    for (const Choice& choice : chosen) {
      const char strategy = std::get<0>(choice);
      if (strategy < 'a' && stored.find(strategy) == std::string::npos) stored += strategy;
      num_jtjp += std::get<2>(choice) ? 1 : 0;
      num_jtf += std::get<3>(choice) ? 1 : 0;
      all_equal &= choice == chosen.front();
    }
    return stored.size() <= 1 && (all_equal || (num_jtjp <= 1 && num_jtf <= 1));
  }

  bool fits_j_;
  bool fits_jtj_;
  std::vector<std::vector<Choice>> choices_;
};

struct PublishedCase {
  std::string profile;
  std::string problem;
  Options options;
  std::int64_t total;
  bool fits_j;
  bool fits_jtj;
  std::vector<Group> groups;
  int num_intermediates = 0;
};
void PrintTo(const PublishedCase& one, std::ostream* out) {
  *out << one.problem << "(" << one.options.text() << ") in " << one.profile;
}

const std::vector<PublishedCase>& cases() {
  const Group procrustes = {.domains = "nu"};
  const Group dense = {.domains = "whp"};
  const Group matches = {.domains = "c"};
  const Group observations = {.domains = "o"};
  const Options sparse = {{"dense", false}};
  const Options ladybug = {{"cameras", 49}, {"points", 7776}, {"track_length", 4.1}};
  const auto times = [](Group group, int count) {
    group.count = count;
    return group;
  };
  static const std::vector<PublishedCase> all = {
      {"published", "procrustes_alignment", {}, 10, true, true, {procrustes}},
      {"published", "bundle_fusion", sparse, 20, true, true, {matches}, 1},
      {"published", "bundle_fusion", {}, 1824, true, true, {dense, matches}, 2},
      {"published",
       "image_warping",
       {{"size", 512}},
       42340,
       true,
       false,
       {{.domains = "xy", .can_gather = true, .count = 5}}},
      {"published",
       "spatially_varying_deconvolution",
       {{"size", 400}},
       84,
       false,
       false,
       {{.domains = "xy", .has_sum = true}, {.domains = "xy", .can_gather = true, .count = 2}}},
      {"published", "bundle_adjustment", ladybug, 5, true, true, {observations}},
      {"published-split", "procrustes_alignment", {}, 520, true, true, {times(procrustes, 3)}},
      {"published-split", "bundle_fusion", sparse, 260, true, true, {times(matches, 3)}, 1},
      {"published-split", "bundle_adjustment", ladybug, 19, true, true, {times(observations, 2)}},
      {"published-split", "bundle_fusion", {}, 20256, true, true, {dense, times(matches, 3)}, 2},
  };
  return all;
}

class PublishedCounts : public testing::TestWithParam<PublishedCase> {};

TEST_P(PublishedCounts, AreThoseOfTheFormula) {
  const PublishedCase& one = GetParam();
  Formula formula(one.fits_j, one.fits_jtj);
  EXPECT_EQ(formula.count(one.groups, one.num_intermediates), one.total);

  const Given given = thallo::given(one.problem, one.options);
  const PublishedSpace space = space_of(given, one.profile);
  EXPECT_EQ(space.size(), one.total);
  EXPECT_EQ(space.num_distinct(100'000), one.total) << "no two are the same schedule";
  const std::vector<StageCount> stages = space.stages();
  std::size_t position = 0;
  for (const Group& group : one.groups) {
    for (int i = 0; i < group.count; ++i, ++position) {
      ASSERT_LT(position, stages.front().sites.size());
      EXPECT_EQ(stages.front().sites[position].count, formula.count_of(group))
          << stages.front().sites[position].name;
    }
  }
  EXPECT_EQ(position, stages.front().sites.size());
}

INSTANTIATE_TEST_SUITE_P(OfProblems, PublishedCounts, testing::ValuesIn(cases()));

// Every number is that of a schedule in normal form that has a plan.
void expect_number(const PublishedSpace& space, const Energy& energy, const BigCount& index) {
  const Schedule schedule = space.schedule(index);
  const std::string text = schedule.text(loaded_constructs());
  const auto plan = make_plan(energy, schedule, loaded_constructs());
  ASSERT_TRUE(plan) << index << "\n" << text << plan.error().message();
  const auto normal = normal_form(energy, schedule, loaded_constructs());
  EXPECT_EQ(normal->text(loaded_constructs()), text) << index;
}

TEST(PublishedSpace, MakesPlansOfAllSchedulesWithinTheMemoryLimitOfItsProfile) {
  Given given = thallo::given("bundle_fusion", {});
  const PublishedSpace space = space_of(given, "published");
  for (BigCount index = 0; index < space.size() && !testing::Test::HasFatalFailure(); ++index)
    expect_number(space, given.file.energy, index);
  // 46,656 unknowns: their JtJ fits in float, not in double.
  given = thallo::given("image_warping", {{"size", 124}});
  const PublishedSpace in_float = space_of(given, "published");
  const PublishedSpace in_double = space_of(given, "published", Precision::Double);
  EXPECT_EQ(in_double.size(), 42340);
  EXPECT_GT(in_float.size(), in_double.size());
  EXPECT_NE(in_float.id(), in_double.id());
}

TEST(PublishedSpace, MakesPlansOfASampleOfImageWarping) {
  const Given given = thallo::given("image_warping", {{"size", 512}});
  const PublishedSpace space = space_of(given, "published");
  for (const BigCount& index : sample_indices(space.size(), 2000, 1)) {
    expect_number(space, given.file.energy, index);
    if (HasFatalFailure()) return;
  }
}

TEST(PublishedSpace, FindsTheNumbersOfItsSchedulesAndNoneOfOthers) {
  const Given sparse = given("bundle_fusion", {{"dense", false}});
  const PublishedSpace small = space_of(sparse, "published-split");
  for (BigCount index = 0; index < small.size(); ++index)
    EXPECT_EQ(small.index_of(small.schedule(index)), index);
  const Given warping = given("image_warping", {{"size", 512}});
  const PublishedSpace large = space_of(warping, "published-split");
  for (const BigCount& index : sample_indices(large.size(), 20, 1))
    EXPECT_EQ(large.index_of(large.schedule(index)), index);
  const Given given = thallo::given("image_warping", {{"size", 512}});
  const PublishedSpace space = space_of(given, "published");
  const auto number_of = [&](std::vector<Directive> directives) {
    return space.index_of(Schedule(std::move(directives)));
  };
  const auto strategy = [](const char* part, const char* label) {
    return Directive{"strategy", {SiteKind::Part, part}, {label, {}}};
  };
  // All five groups scheduled equally are one part of the space; five parts are another schedule.
  EXPECT_EQ(number_of({}), std::nullopt);
  EXPECT_EQ(number_of({strategy("fit", "[JtJ]p")}), std::nullopt) << "beyond the memory limit";
  EXPECT_EQ(number_of({strategy("fit", "no strategy")}), std::nullopt);
}

// The first choice of every group, the last one but one changing least.
TEST(PublishedSpace, NumbersSchedulesInPublishedOrder) {
  const Given given = thallo::given("bundle_fusion", {});
  const PublishedSpace space = space_of(given, "published");
  const auto text = [&](const BigCount& index) {
    return space.schedule(index).text(loaded_constructs());
  };
  EXPECT_EQ(text(0),
            "pose:materialize{value=true, gradient=true}\n"
            "source_to_target:materialize{value=true, gradient=true}\n"
            "r.dense:strategy(\"Jt[Jp]\")\n"
            "r.sparse:strategy(\"Jt[Jp]\")\n"
            "r.dense:reorder{h, p, w}\n");
  EXPECT_THAT(text(1), HasSubstr("pose:materialize{value=true, gradient=false}\n"
                                 "source_to_target:materialize{value=true, gradient=true}\n"));
  EXPECT_THAT(text(2), HasSubstr("pose:materialize{value=true, gradient=true}\n"
                                 "source_to_target:materialize{value=true, gradient=false}\n"));
  EXPECT_THAT(text(4), HasSubstr("pose:materialize{value=false, gradient=true}\n"
                                 "source_to_target:materialize{value=true, gradient=true}\n"));
  EXPECT_THAT(text(15), testing::Not(HasSubstr("materialize")));
  EXPECT_THAT(text(16), testing::Not(HasSubstr("r.sparse")));
  EXPECT_THAT(text(32),
              HasSubstr("r.sparse:strategy(\"[JtJ]p\")\nr.sparse.JtJ:storage(\"dense\")"));
  EXPECT_THAT(text(16 * 5), HasSubstr("r.dense:reorder{p, h, w}")) << "the second order";
}

TEST(PublishedSpace, MergesWhatIsScheduledEqually) {
  const Given given = thallo::given("image_warping", {{"size", 512}});
  const PublishedSpace space = space_of(given, "published");
  const auto choices = space.combinations().choices();
  const auto plan_of = [&](const std::vector<std::size_t>& combination) {
    const auto index = space.combinations().index_of(combination);
    EXPECT_TRUE(index);
    return make_plan(given.file.energy, space.schedule(index.value_or(0)), loaded_constructs());
  };
  const auto at_output = std::ranges::find_if(choices[0], [](const PublishedChoice& choice) {
    return choice.jtjp_at_output && choice.jtf_at_output;
  });
  const auto gathered = static_cast<std::size_t>(at_output - choices[0].begin());
  const auto all = plan_of({gathered, gathered, gathered, gathered, gathered});
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->parts.size(), 1u);
  EXPECT_EQ(all->parts.front().residuals.size(), 10u);
  EXPECT_EQ(all->parts.front().jtjp, ComputeAt::Output);
  // Not all equal: one alone may gather.
  EXPECT_EQ(space.combinations().index_of(
                std::vector{gathered, gathered, gathered, gathered, std::size_t{0}}),
            std::nullopt);
  const auto apart = plan_of({gathered, 0, 0, 0, 1});
  ASSERT_TRUE(apart) << apart.error().message();
  ASSERT_EQ(apart->parts.size(), 3u);
  EXPECT_EQ(apart->parts[1].name, "reg_down_reg_left_reg_right");
}

TEST(PublishedSpace, StoresAFullJDense) {
  const auto file = load_energy_text(
      "local N, P = Dims('N', 'P')\n"
      "Inputs { X = Unknown(float, {P}), A = Array(float, {N}) }\n"
      "local n = N()\n"
      "Residuals { fit = X(0) * A(n) + X(1) }",
      "line.lua");
  ASSERT_TRUE(file) << file.error().message();
  const auto text_with = [&](std::int64_t num_unknowns) {
    Binding binding(file->energy);
    EXPECT_TRUE(binding.set_extent("N", 100) && binding.set_extent("P", num_unknowns));
    const auto space =
        PublishedSpace::make(*file, binding, read_published_profile("published").value(),
                             Precision::Float, loaded_constructs());
    EXPECT_EQ(space->size(), 5);
    return space->schedule(3).text(loaded_constructs()) +
           space->schedule(4).text(loaded_constructs());
  };
  EXPECT_EQ(text_with(2),
            "r.fit:strategy(\"[Jt][[J]p]\")\nr.fit.J:storage(\"dense\")\n"
            "r.fit:strategy(\"[[Jt][J]]p\")\nr.fit.J:storage(\"dense\")\n");
  EXPECT_EQ(
      text_with(3),
      "r.fit:strategy(\"[Jt][[J]p]\")\nr.fit.J:storage(\"csr\")\n"
      "r.fit:strategy(\"[[Jt][J]]p\")\nr.fit.J:storage(\"csr\")\nr.fit.JtJ:storage(\"csr\")\n");
}

TEST(PublishedSpace, KeepsTheMergesOfTheText) {
  const std::string text =
      "local N = Dims('N')\n"
      "Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }\n"
      "local n = N()\n"
      "local r = Residuals { a = X(n) - A(n), b = X(n) - X(n + 1), c = X(n)^2 }\n";
  const auto stage = [&](const std::string& merge, const std::string& profile) {
    const auto file = load_energy_text(text + merge, "merged.lua");
    Binding binding(file->energy);
    EXPECT_TRUE(binding.set_extent("N", 100));
    const auto space = PublishedSpace::make(*file, binding, read_published_profile(profile).value(),
                                            Precision::Float, loaded_constructs());
    const StageCount of_groups = space->stages().front();
    std::vector<std::string> names;
    for (const SiteCount& site : of_groups.sites) names.push_back(site.name);
    return names;
  };
  using testing::ElementsAre;
  EXPECT_THAT(stage("", "published"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(stage("r:merge(r.a, r.c)", "published"), ElementsAre("a_c", "b"));
  EXPECT_THAT(stage("r:merge(r.a, r.c)", "published-split"), ElementsAre("a", "b", "c"));
}

TEST(PublishedSpace, IsNotMadeOfAGroupWithoutChoices) {
  const test::TempDir folder;
  const auto path = folder.write("tight.toml",
                                 "groups = 'as written'\nmemory_limit = 10\n"
                                 "strategies = ['[JtJ]p']\nstrategies_with_sum = ['Jt[Jp]']\n");
  const Given given = thallo::given("procrustes_alignment", {});
  const auto space = PublishedSpace::make(given.file, given.instance.binding,
                                          read_published_profile(path.string()).value(),
                                          Precision::Float, loaded_constructs());
  ASSERT_FALSE(space);
  EXPECT_THAT(space.error().message(),
              HasSubstr("profile 'tight' leaves r.fit without a strategy"));
}

}  // namespace
}  // namespace thallo
