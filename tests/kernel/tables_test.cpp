// What the tables of stored matrices hold for a small graph.

#include "core/kernel/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/kernel/lower.h"
#include "core/kernel/sizes.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two channels on each of N nodes, E edges between them; an edge may lack its second node.
class GraphTables : public testing::Test {
 protected:
  static Energy make_energy() {
    EnergyBuilder e("graph");
    const DimId N = e.dim("N");
    const DimId E = e.dim("E");
    const auto X = e.unknown("X", {N}, 2);
    const auto from = e.map("from", {E}, {N});
    const auto to = e.map("to", {E}, {N}, -1, true);
    const IndexExpr i = e.domain(E, "e");
    e.residual("edge", {X(from(i))[0] * X(to(i))[1]});
    return test::build(std::move(e));
  }

  KernelProgram lower(Strategy strategy, StorageFormat j_format, StorageFormat jtj_format) const {
    Plan plan = default_plan(energy_);
    plan.parts.front().strategy = strategy;
    plan.parts.front().j_format = j_format;
    plan.parts.front().jtj_format = jtj_format;
    return make_program(energy_, plan, {});
  }

  Binding graph(const std::vector<std::int32_t>& from, const std::vector<std::int32_t>& to) const {
    return test::bind(energy_, {.extents = {{"N", 3}, {"E", std::ssize(from)}},
                                .fields = {{"X", std::vector<double>(6)}},
                                .maps = {{"from", from}, {"to", to}},
                                .params = {}});
  }

  Energy energy_ = make_energy();
};

TEST_F(GraphTables, HaveTheColumnOfEachValueOfJ) {
  const KernelProgram program =
      lower(Strategy::StoredJ, StorageFormat::Csr, StorageFormat::Structured);
  const Binding binding = graph({2, 0, 1}, {0, -1, 1});
  const ProgramSizes sizes = ProgramSizes::make(program, binding).value();
  ASSERT_EQ(program.columns.size(), 2u);
  EXPECT_THAT(sizes.tables().maps.at(program.columns[0].map), ElementsAre(4, 0, 2));
  EXPECT_THAT(sizes.tables().maps.at(program.columns[1].map), ElementsAre(1, -1, 3));
}

TEST_F(GraphTables, HaveEachPairOfElementsThatMeetsOnce) {
  const KernelProgram program =
      lower(Strategy::StoredJtJ, StorageFormat::Structured, StorageFormat::Csr);
  const Binding binding = graph({2, 0, 2, 1}, {0, -1, 0, 1});
  const ProgramSizes sizes = ProgramSizes::make(program, binding).value();
  ASSERT_EQ(program.patterns.size(), 1u);
  const BlockPattern& pattern = program.patterns.front();
  // Of (from, from), (from, to) and (to, to): (0,0) (1,1) (2,0) (2,2).
  EXPECT_EQ(sizes.extent(pattern.blocks), 4);
  EXPECT_THAT(sizes.tables().maps.at(pattern.row_element), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(sizes.tables().maps.at(pattern.col_element), ElementsAre(0, 1, 0, 2));
  ASSERT_EQ(pattern.meetings.size(), 3u);
  EXPECT_THAT(sizes.tables().maps.at(pattern.meetings[0].block), ElementsAre(3, 0, 3, 1));
  EXPECT_THAT(sizes.tables().maps.at(pattern.meetings[1].block), ElementsAre(2, -1, 2, 1));
  EXPECT_THAT(sizes.tables().maps.at(pattern.meetings[2].block), ElementsAre(0, -1, 0, 1));
}

TEST_F(GraphTables, AreMadeAgainForOtherMaps) {
  const KernelProgram program =
      lower(Strategy::StoredJ, StorageFormat::Csr, StorageFormat::Structured);
  const Binding first = graph({2, 0, 1}, {0, -1, 1});
  const Binding second = graph({0, 0, 1}, {0, 2, 1});
  const ProgramSizes before = ProgramSizes::make(program, first).value();
  const ProgramSizes after = ProgramSizes::make(program, second).value();
  EXPECT_TRUE(before.have_equal_extents(after));
  EXPECT_THAT(after.tables().maps.at(program.columns[1].map), ElementsAre(1, 5, 3));
}

TEST_F(GraphTables, AreRefusedBeyondTheMemoryLimit) {
  const KernelProgram program =
      lower(Strategy::StoredJtJ, StorageFormat::Structured, StorageFormat::Csr);
  const Binding binding = graph({2, 0, 1}, {0, -1, 1});
  EXPECT_TRUE(ProgramSizes::make(program, binding, 36));  // 3 tables of 3 entries of 4 bytes
  const auto refused = ProgramSizes::make(program, binding, 35);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("take 36 bytes"));
}

}  // namespace
}  // namespace thallo
