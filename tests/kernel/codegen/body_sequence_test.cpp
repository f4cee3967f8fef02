#include "core/kernel/codegen/body_sequence.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "core/kernel/codegen/body_conditions.h"
#include "tests/kernel/codegen/hand_section.h"

namespace thallo {
namespace {

using testing::ElementsAre;

class BodySequences : public testing::Test {
 protected:
  void build(const Block& statements, bool bounds_pass = true) {
    section_.build(statements, bounds_pass);
    find_conditions(*section_.items, {}, section_.builder->results());
    sequence_ = sequence_of(*section_.items);
  }
  // Positions in the sequence; its length for what is not in it.
  std::ptrdiff_t when(std::size_t item) const {
    return std::ranges::find(sequence_.order, item) - sequence_.order.begin();
  }
  std::ptrdiff_t when(ExprId expression) const { return when(section_.position(expression)); }
  std::ptrdiff_t when_stored(std::size_t statement) const {
    return when(section_.statements().at(statement));
  }
  const Atoms& path(ExprId expression) const {
    return sequence_.paths[section_.position(expression)];
  }

  // Every live item once, after what it uses and after its conditions.
  void expect_order() const {
    const BodyItems& items = *section_.items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(std::ranges::count(sequence_.order, i), items[i].live ? 1 : 0) << "item " << i;
      if (!items[i].live) continue;
      std::vector<ValueId> needed = items[i].uses;
      needed.insert(needed.end(), items[i].condition.begin(), items[i].condition.end());
      for (const ValueId value : needed) {
        const auto definition = items.find(items.resolved(value));
        if (definition && *definition != i) {
          EXPECT_LT(when(*definition), when(i)) << "item " << i;
        }
      }
    }
  }
  // The paths in the order in which their items run, one for each run of items that share it.
  std::vector<Atoms> branches() const {
    std::vector<Atoms> result;
    for (const std::size_t item : sequence_.order) {
      const Atoms& path = sequence_.paths[item];
      if (result.empty() || result.back() != path) result.push_back(path);
    }
    return result;
  }
  Statement where(ExprId condition, const Statement& statement) {
    return {Guard{condition, {statement}}};
  }
  ExprId apply(Op op, FieldId field) { return section_.graph.unary(op, section_.read(field)); }

  test::HandSection section_;
  FieldId a_ = section_.array("a"), b_ = section_.array("b"), c_ = section_.array("c");
  FieldId u_ = section_.buffer("u"), v_ = section_.buffer("v"), w_ = section_.buffer("w");
  BodySequence sequence_;
};

TEST_F(BodySequences, HaveTheSineAndTheCosineOfAnAngleSideBySide) {
  build({section_.store(u_, apply(Op::Cos, a_)), section_.store(v_, apply(Op::Sin, b_)),
         section_.store(w_, apply(Op::Sin, a_))});
  expect_order();
  EXPECT_EQ(when(apply(Op::Sin, a_)), when(apply(Op::Cos, a_)) + 1);
}

TEST_F(BodySequences, HaveOperandsBeforeUsersAndNothingTwice) {
  ExprGraph& g = section_.graph;
  const DomainId k = section_.hand.domain(section_.n);
  const ExprId by_a = section_.positive(a_), by_c = section_.positive(c_);
  const ExprId at_k = g.access(b_, g.indices().intern(std::span(&k, 1)), 0);
  const ExprId sum = g.sum({k}, g.mul(at_k, section_.exp(a_)));
  const ExprId masked = section_.product({by_a, sum, apply(Op::Sin, b_)});
  const ExprId next = section_.product({by_a, by_c, section_.read(b_, 1), apply(Op::Cos, c_)});
  const Block statements = {
      section_.store(u_, g.add(masked, next)),
      where(by_c, section_.store(v_, masked)),
      {Reduce{ReduceOp::Sum, static_cast<int>(StateSlot::Cost), next}},
      {ScatterAdd{w_, section_.at(-1), 0, section_.product({by_c, section_.exp(b_)})}}};
  for (const bool bounds_pass : {true, false}) {
    SCOPED_TRACE(bounds_pass);
    build(statements, bounds_pass);
    EXPECT_GT(sequence_.order.size(), 15u);
    expect_order();
  }
}

// u = a; where c > 0: v = exp(u), w = exp(b) times the sum of u. Both are made of what u was before
// the kernel, though the branch comes last.
TEST_F(BodySequences, HaveLoadsBeforeTheStoresThatOverwriteThem) {
  ExprGraph& g = section_.graph;
  const DomainId k = section_.hand.domain(section_.n);
  const ExprId sum = g.sum({k}, g.access(u_, g.indices().intern(std::span(&k, 1)), 0));
  const ExprId by_c = section_.positive(c_);
  build({section_.store(u_, section_.read(a_)), where(by_c, section_.store(v_, apply(Op::Exp, u_))),
         where(by_c, section_.store(w_, section_.product({sum, apply(Op::Exp, b_)})))});
  for (const ExprId read : {section_.read(u_), sum}) {
    EXPECT_THAT(path(read), ElementsAre(section_.value(by_c)));
    EXPECT_LT(when(read), when_stored(0));
  }
  expect_order();
}

// Statements that alternate between two conditions need two branches.
TEST_F(BodySequences, HaveEqualConditionsTogether) {
  const ExprId by_a = section_.positive(a_), by_c = section_.positive(c_);
  build({where(by_a, section_.store(u_, apply(Op::Exp, b_))),
         where(by_c, section_.store(v_, apply(Op::Sin, b_))),
         where(by_a, section_.store(w_, apply(Op::Cos, b_)))});
  const Atoms in_a = {section_.value(by_a)}, in_c = {section_.value(by_c)};
  EXPECT_THAT(branches(), ElementsAre(Atoms(), in_a, in_c));
  EXPECT_LT(when_stored(2), when_stored(1));
  expect_order();
}

// u = [a > 0] exp(b), v = [a > 0] sin(b): u could be stored as soon as the exponential is there.
TEST_F(BodySequences, LeaveABranchOnceAllOfItIsDone) {
  const ExprId by_a = section_.positive(a_);
  build({section_.store(u_, section_.product({by_a, apply(Op::Exp, b_)})),
         section_.store(v_, section_.product({by_a, apply(Op::Sin, b_)}))});
  EXPECT_THAT(branches(), ElementsAre(Atoms(), Atoms{section_.value(by_a)}, Atoms()));
  expect_order();
}

// [c > 0] is met first, but guards less.
TEST_F(BodySequences, HaveTheConditionOfMostWorkOutermost) {
  const ExprId by_a = section_.positive(a_), by_c = section_.positive(c_);
  build({where(by_c, where(by_a, section_.store(u_, apply(Op::Exp, b_)))),
         where(by_a, section_.store(v_, apply(Op::Sin, b_)))});
  ASSERT_LT(section_.value(by_c), section_.value(by_a));
  EXPECT_THAT(path(apply(Op::Exp, b_)), ElementsAre(section_.value(by_a), section_.value(by_c)));
  EXPECT_THAT(path(apply(Op::Sin, b_)), ElementsAre(section_.value(by_a)));
}

// What lies in [a > 0] and [c > 0] is done while the branch of [a > 0] is open, before [b > 0].
TEST_F(BodySequences, FinishABranchBeforeTheyOpenAnother) {
  const ExprId by_a = section_.positive(a_), by_b = section_.positive(b_);
  const ExprId by_c = section_.positive(c_);
  build({where(by_a, section_.store(u_, apply(Op::Exp, b_))),
         where(by_b, section_.store(v_, apply(Op::Sin, b_))),
         where(by_a, where(by_c, section_.store(w_, apply(Op::Cos, b_))))});
  const ValueId a = section_.value(by_a), b = section_.value(by_b), c = section_.value(by_c);
  EXPECT_THAT(branches(), ElementsAre(Atoms(), Atoms{a}, Atoms{a, c}, Atoms{b}));
}

}  // namespace
}  // namespace thallo
