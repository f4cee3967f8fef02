// Editors: every alternative can be shown, and whatever is made of what is shown is an alternative.

#include "core/schedule/editor.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "core/base/overloaded.h"
#include "core/search/schedule_space.h"
#include "tests/schedule/readings.h"
#include "tests/support/edited_constructs.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using test::scheduled_energy;
using testing::ElementsAre, testing::Optional;

using Alternatives = std::vector<Alternative>;

// The choice, read into what is shown, and made again from that.
Choice shown_and_made(const Toggle& toggle, const Alternatives& alternatives,
                      const Choice& choice) {
  const auto chosen = find_alternative(alternatives, choice.label) - alternatives.begin();
  const bool is_on = toggle.is_on(static_cast<std::size_t>(chosen));
  return alternatives.at(toggle.position(is_on)).choice;
}
Choice shown_and_made(const Ordering& ordering, const Alternatives&, const Choice& choice) {
  return Ordering::choice(ordering.order(choice).value());
}
Choice shown_and_made(const Numbers& numbers, const Alternatives&, const Choice& choice) {
  Properties set;
  for (const Numbers::Number& number : numbers.numbers) {
    if (const auto value = choice.args.find<std::int64_t>(number.name))
      set.set(number.name, *value);
  }
  return numbers.choice(set);
}
Choice shown_and_made(const Placement& placement, const Alternatives&, const Choice& choice) {
  return placement.find(choice)->choice;
}

// All that can be made of an editor.
std::vector<Choice> all_made(const Toggle& toggle, const Alternatives& alternatives) {
  return {alternatives.at(toggle.position(false)).choice,
          alternatives.at(toggle.position(true)).choice};
}
std::vector<Choice> all_made(const Ordering& ordering, const Alternatives&) {
  std::vector<std::string> order = ordering.items;
  std::ranges::sort(order);
  std::vector<Choice> made;
  do {
    made.push_back(Ordering::choice(order));
  } while (std::ranges::next_permutation(order).found);
  return made;
}
std::vector<Choice> all_made(const Numbers& numbers, const Alternatives&) {
  std::vector<Properties> all = {{}};
  for (const Numbers::Number& number : numbers.numbers) {
    std::vector<Properties> with = number.may_be_unset ? all : std::vector<Properties>();
    for (const Properties& set : all) {
      for (const std::int64_t value : number.values) {
        with.push_back(set);
        with.back().set(number.name, value);
      }
    }
    all = std::move(with);
  }
  std::vector<Choice> made;
  for (const Properties& set : all) made.push_back(numbers.choice(set));
  return made;
}
std::vector<Choice> all_made(const Placement& placement, const Alternatives&) {
  std::vector<Choice> made;
  for (const Placement::Place& place : placement.places) made.push_back(place.choice);
  return made;
}

std::vector<std::string> sorted_texts(const std::vector<Choice>& choices) {
  std::vector<std::string> texts;
  for (const Choice& choice : choices)
    texts.push_back(choice.label + " {" + choice.args.text() + "}");
  std::ranges::sort(texts);
  return texts;
}

void expect_edits_alternatives(const Energy& energy, const Plan& plan, const Construct& construct,
                               const Site& site) {
  SCOPED_TRACE(fmt::format("{} of {}", construct.name(), site.name));
  const Alternatives alternatives = construct.alternatives(energy, plan, site);
  const auto fits = check_editor(construct.editor(energy, plan, site), alternatives);
  EXPECT_TRUE(fits) << fits.error().what;
  const auto expect_of = [&](const auto& editor) {
    std::vector<Choice> choices;
    for (const Alternative& alternative : alternatives) {
      choices.push_back(alternative.choice);
      EXPECT_EQ(shown_and_made(editor, alternatives, alternative.choice), alternative.choice)
          << alternative.choice.label;
      const auto found = construct.find(energy, plan, site, alternative.choice);
      ASSERT_TRUE(found) << alternative.choice.label;
      EXPECT_EQ(found->choice, alternative.choice);
      EXPECT_EQ(found->legal.has_value(), alternative.legal.has_value());
    }
    EXPECT_EQ(sorted_texts(all_made(editor, alternatives)), sorted_texts(choices));
  };
  // Nothing is made of those that are shown as they are.
  std::visit(Overloaded{[](const OneOf&) {}, expect_of}, construct.editor(energy, plan, site));
}

void expect_all_edit_alternatives(const Energy& energy, const Plan& plan,
                                  const std::vector<const Construct*>& constructs) {
  for (const Construct* construct : constructs) {
    for (const Site& site : construct->sites(energy, plan))
      expect_edits_alternatives(energy, plan, *construct, site);
  }
}

TEST(Editor, ShowsEveryAlternativeOfConstructsNeverHeardOfToo) {
  const auto constructs = in_stage_order(loaded_constructs());
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    expect_all_edit_alternatives(sample.energy, default_plan(sample.energy), constructs);
    const ScheduleSpace space(sample.energy, loaded_constructs());
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      expect_all_edit_alternatives(sample.energy, space.sample(seed).plan, constructs);
  }
  std::vector<std::string> kinds;
  for (const auto& construct : test::make_edited_constructs()) {
    const Plan plan = default_plan(scheduled_energy());
    expect_all_edit_alternatives(scheduled_energy(), plan, {construct.get()});
    const Site first = construct->sites(scheduled_energy(), plan).front();
    kinds.emplace_back(kind_of(construct->editor(scheduled_energy(), plan, first)));
  }
  EXPECT_THAT(kinds, ElementsAre("toggle", "one_of", "ordering", "numbers", "placement"));
}

TEST(Editor, OfAToggleOrAnOrderingReadsWhatItShowsOnly) {
  EXPECT_EQ(Toggle{}.position(true), 1u);
  EXPECT_FALSE(Toggle{}.is_on(0));
  EXPECT_EQ(Toggle{.is_on_by_default = true}.position(true), 0u);
  EXPECT_TRUE(Toggle{.is_on_by_default = true}.is_on(0));
  const Ordering ordering{{"x", "y", "t 2"}};
  EXPECT_EQ(Ordering::choice({"t 2", "x", "y"}), (Choice{"t 2, x, y", {}}));
  EXPECT_THAT(ordering.order({"t 2, x, y", {}}), Optional(ElementsAre("t 2", "x", "y")));
  for (const char* other : {"", "x, y", "x, x, y", "x, y, t 2, x", "x,y,t 2", "x, y, z"})
    EXPECT_EQ(ordering.order({other, {}}), std::nullopt) << other;
}

TEST(Editor, OfNumbersLabelsThemInTheirOrder) {
  const Numbers numbers{{{"width", "points", {8, 16}, true}, {"depth", "layers", {1, 2}, true}},
                        "as is"};
  EXPECT_EQ(numbers.choice({{"depth", std::int64_t{2}}, {"width", std::int64_t{8}}}).label,
            "width=8, depth=2");
  EXPECT_EQ(numbers.choice({{"depth", std::int64_t{2}}}).label, "depth=2");
  EXPECT_EQ(numbers.choice({}), (Choice{"as is", {}}));
  EXPECT_EQ(numbers.find("depth")->meaning, "layers");
  EXPECT_EQ(numbers.find("height"), nullptr);
}

// What is greyed: numbers that are legal one by one, but not together.
TEST(Editor, OfNumbersMakesCombinationsWhoseAlternativesSayWhatIsLegal) {
  const Plan plan = default_plan(scheduled_energy());
  const Construct& block = *loaded_constructs().find("block");
  const Site site{SiteKind::Role, "fit.jtf"};
  const auto numbers = std::get<Numbers>(block.editor(scheduled_energy(), plan, site));
  const auto check = [&](const Properties& set) {
    return block.check(scheduled_energy(), plan, site, numbers.choice(set));
  };
  EXPECT_TRUE(check({{"threads", std::int64_t{64}}, {"rows", std::int64_t{2}}}));
  const auto refused = check({{"rows", std::int64_t{2}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "block: the shape of r.fit.jtf cannot be 'rows=2': it needs threads");
}

// Where a residual can go depends on where earlier ones went.
TEST(Editor, OfAPlacementHasTheGroupsOfEarlierItems) {
  Plan plan = default_plan(scheduled_energy());
  const Construct& split_merge = *loaded_constructs().find("split_merge");
  const auto places_of = [&](const char* residual) {
    const auto placement = std::get<Placement>(
        split_merge.editor(scheduled_energy(), plan, {SiteKind::Residual, residual}));
    std::vector<std::string> texts;
    for (const Placement::Place& place : placement.places)
      texts.push_back(fmt::format("{}: {}", place.choice.label, fmt::join(place.with, " ")));
    return texts;
  };
  EXPECT_THAT(places_of("blur[1]"), ElementsAre("new: ", "with anchor[1]: anchor[1]"));
  test::decide(plan, scheduled_energy(), "split_merge", {SiteKind::Residual, "near[1]"},
               {"with fit[1]", {{"with", "fit[1]"}}});
  EXPECT_THAT(places_of("near[2]"),
              ElementsAre("stay: fit[1] near[1]", "new: ", "with anchor[1]: anchor[1]",
                          "with blur[1]: blur[1]", "with edge[1]: edge[1] edge[2] edge[3]"));
}

TEST(Editor, FitsNoAlternativesThatItDoesNotShow) {
  const auto misfit = [](const Editor& editor, const std::vector<Choice>& choices) {
    Alternatives alternatives;
    for (const Choice& choice : choices) alternatives.push_back({choice});
    return check_editor(editor, alternatives).error().what;
  };
  EXPECT_EQ(misfit(Toggle{}, {{"a", {}}, {"b", {}}, {"c", {}}}), "a toggle of 3 alternatives");
  EXPECT_EQ(misfit(Ordering{{"x", "y"}}, {{"x, y", {}}, {"x", {}}}),
            "its editor, of kind ordering, does not show 'x'");
  EXPECT_EQ(misfit(Numbers{{{"width", "points", {8}}}}, {{"8", {{"width", std::int64_t{8}}}}}),
            "its editor, of kind numbers, does not show '8'");
  EXPECT_EQ(misfit(Placement{{{{"alone", {}}, {}}}}, {{"alone", {}}, {"with a", {}}}),
            "its editor, of kind placement, does not show 'with a'");
}

// All orders of twenty items, of which nobody can make a list.
class LongQueue final : public test::EditedConstruct {
 public:
  LongQueue() : EditedConstruct("long_queue") {}
  std::vector<Alternative> alternatives(const Energy&, const Plan&, const Site&) const override {
    ADD_FAILURE() << "lists all orders";
    return {};
  }
  std::optional<Alternative> find(const Energy&, const Plan&, const Site&,
                                  const Choice& choice) const override {
    const auto order = ordering().order(choice);
    if (!order) return std::nullopt;
    return Alternative{choice, order->front() == "item 19" ? fail("19 is last") : Expected<void>()};
  }
  Editor editor(const Energy&, const Plan&, const Site&) const override { return ordering(); }

 private:
  static Ordering ordering() {
    Ordering ordering;
    for (int i = 0; i < 20; ++i) ordering.items.push_back(fmt::format("item {}", i));
    return ordering;
  }
};

TEST(Editor, OfManyItemsIsAskedOfOneOrderAlone) {
  const LongQueue queue;
  const Plan plan = default_plan(scheduled_energy());
  const Site site{SiteKind::Part, "fit"};
  auto order = std::get<Ordering>(queue.editor(scheduled_energy(), plan, site)).items;
  std::swap(order[3], order[17]);
  EXPECT_TRUE(queue.check(scheduled_energy(), plan, site, Ordering::choice(order)));
  std::ranges::reverse(order);
  const auto refused = queue.find(scheduled_energy(), plan, site, Ordering::choice(order));
  ASSERT_TRUE(refused && !refused->legal);
  EXPECT_EQ(refused->legal.error().what, "19 is last");
}

}  // namespace
}  // namespace thallo
