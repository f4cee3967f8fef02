// All schedules of an energy: counted without a walk of each, by number, and estimated.
#include "core/explore/space/full_space.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/space/full_count.h"
#include "core/language/load_energy.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::ElementsAre, testing::HasSubstr;

// The energy of a text whose unknown is X over (W, H), its array A.
Energy image_energy(const std::string& residuals) {
  auto file = load_energy_text(
      "local W, H = Dims('W', 'H')\n"
      "Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}) }\n"
      "local x, y = W(), H()\n" +
          residuals,
      "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(file->energy);
}

// So many equal residuals over W alone.
Energy line_of(int num_residuals) {
  std::string residuals = "X(n) - A(n)";
  for (int i = 1; i < num_residuals; ++i) residuals += ", X(n) - " + std::to_string(i);
  auto file = load_energy_text(
      "local N = Dims('N')\n"
      "Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }\n"
      "local n = N()\n"
      "Residuals { fit = {" +
          residuals + "} }",
      "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(file->energy);
}

FactoredTree tree_of(const Energy& energy, bool low_level = false) {
  return FactoredTree(energy, loaded_constructs(), Precision::Float, low_level);
}

FullSpace space_of(FactoredTree& tree) {
  EXPECT_EQ(tree.why_not_factored(), std::nullopt);
  return FullSpace::make(tree, "s000000000000", {}).value();
}

std::vector<Energy> small_energies() {
  std::vector<Energy> energies;
  energies.push_back(image_energy("Residuals { fit = X(x, y) - A(x, y) }"));
  energies.push_back(line_of(2));
  energies.push_back(
      image_energy("shade = A(x, y) * X(x, y)^2\n"
                   "Residuals { fit = shade:get(x, y) - shade:get(x + 1, y) }"));
  energies.push_back(
      image_energy("local k = W()\n"
                   "row = Sum({k}, A(k, y) * X(k, y))\n"
                   "Residuals { fit = row - A(0, y) }"));
  return energies;
}

TEST(FullSpace, HasTheSchedulesOfAWalkAndFindsTheirNumbers) {
  for (const Energy& energy : small_energies()) {
    std::set<std::string> walked;
    ScheduleSpace(energy, loaded_constructs()).visit([&](const Schedule& schedule, const Plan&) {
      walked.insert(schedule.text(loaded_constructs()));
      return true;
    });
    FactoredTree tree = tree_of(energy);
    const FullSpace space = space_of(tree);
    ASSERT_EQ(space.size(), walked.size());
    std::set<std::string> numbered;
    for (BigCount index = 0; index < space.size(); ++index)
      numbered.insert(space.schedule(index).text(loaded_constructs()));
    EXPECT_EQ(numbered, walked);
    EXPECT_TRUE(space.schedule(0).empty()) << "the default";
  }
  for (const Energy& energy : small_energies()) {
    FactoredTree tree = tree_of(energy);
    const FullSpace space = space_of(tree);
    for (const BigCount& index : sample_indices(space.size(), 100, 1))
      EXPECT_EQ(space.index_of(space.schedule(index)), index);
  }
}

TEST(FullSpace, NumbersAlsoTheLowLevelStage) {
  const Energy energy = line_of(2);
  FactoredTree tree = tree_of(energy, true);
  const FullSpace space = space_of(tree);
  EXPECT_GT(space.size(), BigCount(1) << 40);
  for (const BigCount& index : sample_indices(space.size(), 50, 1)) {
    const Schedule schedule = space.schedule(index);
    EXPECT_TRUE(make_plan(energy, schedule, loaded_constructs()));
    EXPECT_EQ(space.index_of(schedule), index) << schedule.text(loaded_constructs());
  }
}

TEST(FullSpace, HasNoNumberForOtherSchedules) {
  const Energy energy = line_of(2);
  FactoredTree tree = tree_of(energy);
  const FullSpace space = space_of(tree);
  const auto number_of = [&](const char* construct, SiteKind kind, const char* site,
                             const char* label) {
    return space.index_of(Schedule({Directive{construct, {kind, site}, {label, {}}}}));
  };
  EXPECT_NE(number_of("strategy", SiteKind::Part, "fit", "[JtJ]p"), std::nullopt);
  EXPECT_EQ(number_of("strategy", SiteKind::Part, "fit", "JtJ"), std::nullopt) << "illegal";
  EXPECT_EQ(number_of("layout", SiteKind::SolverVectors, "vectors", "blocked"), std::nullopt);
}

// Bell polynomials: each of k parts has as many ways.
BigCount num_schedules(int num_residuals, int ways_of_part) {
  std::vector<BigCount> partitions = {1};  // into k parts
  for (int n = 1; n <= num_residuals; ++n) {
    partitions.push_back(0);
    for (auto k = static_cast<std::size_t>(n); k > 0; --k)
      partitions[k] = partitions[k] * k + partitions[k - 1];
    partitions[0] = 0;
  }
  BigCount count = 0;
  BigCount ways = 1;
  for (const BigCount& of_k : partitions) {
    count += of_k * ways;
    ways *= ways_of_part;
  }
  return count;
}

TEST(FullSpace, CountsPartitionsOfPartsThatMultiply) {
  const Energy one = line_of(1);
  FactoredTree single = tree_of(one);
  const auto ways = static_cast<int>(space_of(single).size());
  EXPECT_EQ(ways, 42);
  for (const int num_residuals : {2, 3, 6}) {
    const Energy energy = line_of(num_residuals);
    FactoredTree tree = tree_of(energy);
    EXPECT_EQ(space_of(tree).size(), num_schedules(num_residuals, ways));
  }
}

TEST(FullSpace, NamesWhatMultiplies) {
  const Energy energy = image_energy(
      "shade = A(x, y) * X(x, y)^2\n"
      "Residuals { fit = shade:get(x, y) - shade:get(x + 1, y), reg = X(x, y) }");
  FactoredTree tree = tree_of(energy);
  const FullSpace space = space_of(tree);
  const std::vector<StageCount> stages = space.stages();
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].name, "parts");
  EXPECT_EQ(stages[0].count, 84 * 84 + 84) << "apart, or merged";
  ASSERT_EQ(stages[0].sites.size(), 2u);
  EXPECT_EQ(stages[0].sites[1].name, "reg");
  EXPECT_EQ(stages[0].sites[1].count, 84);
  EXPECT_EQ(stages[1].name, "intermediates");
  EXPECT_EQ(stages[1].count, 4);
  EXPECT_EQ(space.size(), stages[0].count * stages[1].count);
  EXPECT_EQ(space.num_partitions(), 2u);
}

FullCount count_of(FactoredTree& tree, const CountLimits& limits = {}) {
  return count_full_space(tree, "s000000000000", limits, 1);
}

void expect_within_five_errors(const FullCount& count, const BigCount& exact) {
  ASSERT_TRUE(count.estimate) << count.why_no_space;
  const auto ratio = static_cast<double>(BigCount((count.estimate->mean << 40) / exact)) * 0x1p-40;
  EXPECT_NEAR(ratio, 1, 5 * count.estimate->relative_error + 1e-9);
  EXPECT_LT(count.estimate->relative_error, 0.05);
}

TEST(FullCount, EstimatesWhatIsNotWalked) {
  const Energy energy = line_of(8);
  FactoredTree tree = tree_of(energy);
  const FullCount count = count_of(tree, {.max_nodes = 10, .max_seconds = 60});
  EXPECT_FALSE(count.space);
  EXPECT_THAT(count.why_no_space, HasSubstr("more partitions into parts than a walk of 10 nodes"));
  expect_within_five_errors(count, num_schedules(8, 42));
  EXPECT_GT(count.estimate->relative_error, 0);
  FactoredTree again = tree_of(energy);
  EXPECT_EQ(count_of(again, {.max_nodes = 10, .max_seconds = 60}).estimate->mean,
            count.estimate->mean)
      << "by the same seed";
}

TEST(FullCount, SaysWhatDecidesNothing) {
  const Energy energy = image_energy("Residuals { fit = X(0, 0) - A(x, 0) }");
  FactoredTree tree = tree_of(energy);
  std::vector<std::string> said;
  for (const UndecidedConstruct& one : count_of(tree).undecided)
    said.push_back(one.name + ": " + one.why);
  EXPECT_THAT(said, ElementsAre("materialize: it has no site in this energy",
                                "compute_at_output: only its default is legal at each of its sites",
                                "sum_parallelize: it has no site in this energy",
                                "reorder: it has no site in this energy"));
}

// A construct of numbered choices, which it adds to the plan's extensions.
class Numbered final : public Construct {
 public:
  using NumChoices = std::function<std::size_t(const Plan&, const Site&)>;
  using Sites = std::function<std::vector<Site>(const Plan&)>;
  Numbered(std::string name, Stage stage, Sites sites, NumChoices num_choices)
      : name_(std::move(name)),
        stage_(stage),
        sites_(std::move(sites)),
        num_choices_(std::move(num_choices)) {}

  std::string_view name() const override { return name_; }
  std::string_view doc() const override { return "Numbers."; }
  Stage stage() const override { return stage_; }
  std::vector<Site> sites(const Energy&, const Plan& plan) const override { return sites_(plan); }
  std::vector<Alternative> alternatives(const Energy&, const Plan& plan,
                                        const Site& site) const override {
    std::vector<Alternative> alternatives;
    for (std::size_t i = 0; i < num_choices_(plan, site); ++i)
      alternatives.push_back({{std::to_string(i), {}}});
    return alternatives;
  }
  std::string refusal(const Site&, const Choice& choice) const override {
    return "no number " + choice.label;
  }
  void apply(const Energy&, Plan& plan, const Site& site, const Choice& choice) const override {
    plan.extensions.push_back({this, site.name, {{"number", choice.label}}});
  }
  std::vector<Spelling> spellings() const override { return {}; }
  Expected<std::vector<Directive>> parse(const Energy&, const Plan&, PartNames&,
                                         std::span<const ScheduleStatement>) const override {
    return std::vector<Directive>();
  }
  std::string print(const Directive& directive) const override {
    return name_ + " " + directive.site.name + " " + directive.choice.label;
  }

 private:
  std::string name_;
  Stage stage_;
  Sites sites_;
  NumChoices num_choices_;
};

std::vector<Site> parts_of(const Plan& plan) {
  std::vector<Site> sites;
  for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
  return sites;
}
std::vector<Site> vectors_of(const Plan&) { return {vectors_site()}; }
std::size_t three(const Plan&, const Site&) { return 3; }
std::size_t one_more_each(const Plan& plan, const Site&) { return plan.extensions.size() + 1; }

ConstructRegistry registry_of(std::vector<std::unique_ptr<Numbered>> constructs) {
  ConstructRegistry registry("construct");
  for (auto& construct : constructs) {
    std::string name(construct->name());
    EXPECT_TRUE(registry.add(std::move(name), std::move(construct), "test (1.0.0)"));
  }
  return registry;
}

// Two parts, each with 3 choices of a, of which 2 are not the default; b has at both parts one
// choice more for each that was not.
TEST(FullCount, WalksATreeThatIsNoProduct) {
  std::vector<std::unique_ptr<Numbered>> constructs;
  constructs.push_back(std::make_unique<Numbered>("a", Stage::Strategy, parts_of, three));
  constructs.push_back(std::make_unique<Numbered>("b", Stage::Format, parts_of, one_more_each));
  const ConstructRegistry registry = registry_of(std::move(constructs));
  const Energy energy = image_energy("Residuals { fit = X(x, y), reg = X(x, y) - A(x, y) }");
  // By the number d of other choices there are 1, 4 and 4 ways to choose a. Then b has 1 + d
  // choices at the first part, and at the second as many, or one more after each of d that are not
  // the default.
  int exact = 0;
  for (const auto& [d, ways] : {std::pair(0, 1), std::pair(1, 4), std::pair(2, 4)})
    exact += ways * ((1 + d) + d * (2 + d));
  ASSERT_EQ(ScheduleSpace(energy, registry).count(1000), exact);

  FactoredTree tree(energy, registry, Precision::Float, false);
  const FullCount count = count_full_space(tree, "s", {}, 1);
  EXPECT_FALSE(count.space);
  EXPECT_THAT(count.why_no_space, HasSubstr("what b offers about"));
  EXPECT_EQ(count.walked, exact);

  FactoredTree large(energy, registry, Precision::Float, false);
  const FullCount estimate = count_full_space(large, "s", {.max_nodes = 2, .max_seconds = 60}, 1);
  EXPECT_FALSE(estimate.walked);
  expect_within_five_errors(estimate, exact);
}

// Each of two parts has 3 choices; the vectors have 1, 2 or 3, by how many parts have not the
// default.
TEST(FullCount, EstimatesWhatDependsOnAllParts) {
  std::vector<std::unique_ptr<Numbered>> constructs;
  constructs.push_back(std::make_unique<Numbered>("a", Stage::Strategy, parts_of, three));
  constructs.push_back(std::make_unique<Numbered>("v", Stage::LowLevel, vectors_of, one_more_each));
  const ConstructRegistry registry = registry_of(std::move(constructs));
  const Energy energy = image_energy("Residuals { fit = X(x, y), reg = X(x, y) - A(x, y) }");
  FactoredTree tree(energy, registry, Precision::Float, true);
  const FullCount count = count_full_space(tree, "s", {}, 1);
  EXPECT_FALSE(count.space);
  EXPECT_THAT(count.why_no_space, HasSubstr("solver's vectors"));
  expect_within_five_errors(count, 1 * 1 + 4 * 2 + 4 * 3);
}

}  // namespace
}  // namespace thallo
