#include "core/kernel/codegen/body_conditions.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/kernel/codegen/hand_section.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::IsEmpty, testing::SizeIs;

// [a > 0] stands for the number 1 where a(i) > 0 and 0 elsewhere. An exponential is enough work for
// a branch, a load alone is not (branch_threshold).
class BodyConditions : public testing::Test {
 protected:
  void find(const std::set<ValueId>& active = {}) {
    find_conditions(*section_.items, active, section_.builder->results());
  }
  Atoms atoms(std::initializer_list<ExprId> conditions) const {
    Atoms result;
    for (const ExprId condition : conditions) result.push_back(section_.value(condition));
    std::ranges::sort(result);
    return result;
  }
  // The atoms that say whether a load is inside its field.
  std::vector<ValueId> bounds_of(ExprId load) const {
    return section_.builder->guard_atoms(section_.value(load));
  }
  // What a load was given as its test.
  std::vector<ValueId> tests_of(ExprId load) const {
    const std::vector<ValueId>& operands = section_.body[section_.value(load)].operands;
    return {operands.begin() + 1, operands.end()};
  }

  test::HandSection section_;
  FieldId a_ = section_.array("a"), b_ = section_.array("b"), c_ = section_.array("c");
  FieldId u_ = section_.buffer("u"), v_ = section_.buffer("v"), w_ = section_.buffer("w");
};

// u = [a > 0] exp(b)
TEST_F(BodyConditions, ANumberIsNeededWhereItsMaskHolds) {
  const ExprId mask = section_.positive(a_), number = section_.exp(b_);
  section_.build({section_.store(u_, section_.product({mask, number}))});
  find();
  EXPECT_EQ(section_.item(number).condition, atoms({mask}));
  EXPECT_EQ(section_.item(section_.read(b_)).condition, atoms({mask}));
  EXPECT_THAT(section_.item(mask).condition, IsEmpty());
  EXPECT_THAT(section_.item(section_.read(a_)).condition, IsEmpty());
  for (const ExprId computed : {mask, number, section_.read(a_), section_.read(b_)})
    EXPECT_TRUE(section_.item(computed).live);
}

// u = [a > 0] [c > 0] exp(b) sin(c), v = [a > 0] exp(b) + 1, in either order
TEST_F(BodyConditions, OfSeveralUsesTheCommonAtomsRemain) {
  const ExprId by_a = section_.positive(a_), by_c = section_.positive(c_);
  const ExprId number = section_.exp(b_), wave = section_.graph.unary(Op::Sin, section_.read(c_));
  const ExprId one = section_.graph.constant(1);
  const Statement narrow = section_.store(u_, section_.product({by_a, by_c, number, wave}));
  const Statement wide =
      section_.store(v_, section_.graph.add(section_.product({by_a, number}), one));
  for (const Block& statements : {Block{narrow, wide}, Block{wide, narrow}}) {
    section_.build(statements);
    find();
    EXPECT_EQ(section_.item(number).condition, atoms({by_a}));
    EXPECT_EQ(section_.item(wave).condition, atoms({by_a, by_c}));
  }
}

// u = [a > 0] exp(b), v = exp(b), w = [a > 0] sin(c), in either order
TEST_F(BodyConditions, AResultIsNeededWithoutConditionAndTakesAllAway) {
  const ExprId mask = section_.positive(a_), number = section_.exp(b_);
  const ExprId selected = section_.product({mask, number});
  const ExprId wave = section_.graph.unary(Op::Sin, section_.read(c_));
  const Statement masked = section_.store(u_, selected), plain = section_.store(v_, number);
  const Statement other = section_.store(w_, section_.product({mask, wave}));
  for (const Block& statements : {Block{masked, plain, other}, Block{other, plain, masked}}) {
    section_.build(statements);
    find();
    EXPECT_THAT(section_.item(number).condition, IsEmpty());
    EXPECT_EQ(section_.item(wave).condition, atoms({mask}));
    EXPECT_TRUE(section_.item(selected).live) << "0 where a is not positive";
    EXPECT_EQ(section_.items->resolved(section_.value(selected)), section_.value(selected));
  }
  // The same, where the number is used again after the last statement.
  section_.build({section_.store(u_, section_.product({mask, number}))});
  section_.builder->keep(number);
  find();
  EXPECT_THAT(section_.item(number).condition, IsEmpty());
}

// u = [a > 0] b, and u = [a > 0] b c: 4 and 9 units of work
TEST_F(BodyConditions, LittleWorkIsDoneEverywhere) {
  const ExprId mask = section_.positive(a_), b = section_.read(b_), c = section_.read(c_);
  section_.build({section_.store(u_, section_.product({mask, b}))});
  find();
  EXPECT_THAT(section_.item(b).condition, IsEmpty());
  section_.build({section_.store(u_, section_.product({mask, b, c}))});
  find();
  EXPECT_EQ(section_.item(b).condition, atoms({mask}));
  EXPECT_EQ(section_.item(c).condition, atoms({mask}));
}

// u = [a > 0] [c > 0] exp(b): exp(b) is 0 where it is not computed, so it is u.
TEST_F(BodyConditions, ASelectionOfWhatIsComputedJustThereIsThatNumber) {
  const ExprId by_a = section_.positive(a_), by_c = section_.positive(c_);
  const ExprId number = section_.exp(b_), selected = section_.product({by_a, by_c, number});
  section_.build({section_.store(u_, selected)});
  const ValueId conjunction = section_.body[section_.value(selected)].operands[0];
  find();
  EXPECT_EQ(section_.items->resolved(section_.value(selected)), section_.value(number));
  EXPECT_FALSE(section_.item(selected).live);
  EXPECT_FALSE((*section_.items)[section_.items->find(conjunction).value()].live)
      << "only the selection used it";
  EXPECT_EQ(section_.item(number).condition, atoms({by_a, by_c}));
}

// Cost += [a > 0] exp(b), under [c > 0]
TEST_F(BodyConditions, AStatementThatAddsRunsWhereItsMaskHolds) {
  const ExprId by_a = section_.positive(a_), by_c = section_.positive(c_);
  const ExprId number = section_.exp(b_), selected = section_.product({by_a, number});
  const Reduce reduce{ReduceOp::Sum, static_cast<int>(StateSlot::Cost), selected};
  section_.build({{Guard{by_c, {{reduce}}}}});
  find();
  ASSERT_THAT(section_.statements(), SizeIs(1));
  EXPECT_EQ((*section_.items)[section_.statements().front()].condition, atoms({by_a, by_c}));
  EXPECT_EQ(section_.item(number).condition, atoms({by_a, by_c}));
  EXPECT_FALSE(section_.item(selected).live);
}

// u = a(i + 1)
TEST_F(BodyConditions, ALoadThatMayBeOutsideGetsATest) {
  const ExprId load = section_.read(a_, 1);
  section_.build({section_.store(u_, load)});
  const std::vector<ValueId> bounds = bounds_of(load);
  ASSERT_THAT(bounds, SizeIs(1));
  find();
  EXPECT_EQ(tests_of(load), bounds);
  EXPECT_TRUE((*section_.items)[section_.items->find(bounds[0]).value()].live);
}

// d over (N, N): u = d(i - 1, i + 1)
TEST_F(BodyConditions, ALoadWithSeveralBoundsGetsTheirConjunction) {
  const FieldId d = section_.hand.field("d", {section_.n, section_.n});
  IndexTable& indices = section_.graph.indices();
  const ExprId load = section_.graph.access(
      d, indices.intern(MultiIndex{section_.shifted(-1), section_.shifted(1)}), 0);
  section_.build({section_.store(u_, load)});
  const std::vector<ValueId> bounds = bounds_of(load);
  ASSERT_THAT(bounds, SizeIs(2));
  find();
  const std::vector<ValueId> tests = tests_of(load);
  ASSERT_THAT(tests, SizeIs(1));
  const Instruction& conjunction = section_.body[tests[0]];
  EXPECT_EQ(conjunction.op, Op::Mul);
  EXPECT_EQ(conjunction.type, ValueType::Bool);
  EXPECT_EQ(conjunction.operands, bounds);
  EXPECT_TRUE((*section_.items)[section_.items->find(tests[0]).value()].live);
}

// u = a(i + 1) where i + 1 is inside: said by the statement, or by what is around the scope.
TEST_F(BodyConditions, ALoadLosesTheTestThatIsKnownToHold) {
  const ExprId inside = section_.graph.in_bounds(section_.shifted(1), section_.n);
  const ExprId load = section_.read(a_, 1);
  const Reduce sum{ReduceOp::Sum, static_cast<int>(StateSlot::Cost), load};
  section_.build({{Guard{inside, {{sum}}}}});
  find();
  EXPECT_EQ(section_.item(load).condition, atoms({inside}));
  EXPECT_THAT(tests_of(load), IsEmpty());

  section_.build({{sum}});
  const std::vector<ValueId> bounds = bounds_of(load);
  find({bounds.begin(), bounds.end()});
  EXPECT_THAT(section_.item(load).condition, IsEmpty());
  EXPECT_THAT(tests_of(load), IsEmpty());
  EXPECT_FALSE((*section_.items)[section_.items->find(bounds.at(0)).value()].live)
      << "nothing asks for it";
}

// u(i + 1) += [a > 0] exp(b), with the pass and without
TEST_F(BodyConditions, WithoutTheBoundsPassAllIsComputedAndAnAdditionHasAGuard) {
  const ExprId mask = section_.positive(a_), number = section_.exp(b_);
  const ScatterAdd add{u_, section_.at(1), 0, section_.product({mask, number})};
  const auto added = [&]() -> const BodyItem& {
    return (*section_.items)[section_.statements().at(0)];
  };
  section_.build({{add}});
  find();
  EXPECT_THAT(added().condition, SizeIs(2)) << "a > 0 and i + 1 < N";
  EXPECT_EQ(section_.item(number).condition, added().condition);
  EXPECT_FALSE(std::get<AddItem>(added().statement->node).guard.valid());

  section_.build({{add}}, false);
  find();
  EXPECT_THAT(added().condition, IsEmpty());
  EXPECT_THAT(section_.item(number).condition, IsEmpty());
  EXPECT_THAT(added().statement->atoms,
              ElementsAre(std::get<AddItem>(added().statement->node).guard));
}

}  // namespace
}  // namespace thallo
