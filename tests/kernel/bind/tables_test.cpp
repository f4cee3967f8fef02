// What the tables of stored matrices hold for a small graph.

#include "core/kernel/bind/tables.h"

#include <gmock/gmock.h>

#include "core/energy/random/random_energy.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/lower.h"
#include "tests/support/energies.h"
#include "tests/support/random_plan.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

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
                                .maps = {{"from", from}, {"to", to}}});
  }

  Energy energy_ = make_energy();
};

TEST_F(GraphTables, HaveTheColumnOfEachValueOfADenseJ) {
  const KernelProgram program =
      lower(Strategy::StoredJ, StorageFormat::Dense, StorageFormat::Structured);
  const Binding binding = graph({2, 0, 1}, {0, -1, 1});
  const ProgramSizes sizes = ProgramSizes::make(program, binding).value();
  ASSERT_EQ(program.columns.size(), 2u);
  EXPECT_THAT(sizes.tables().maps.at(program.columns[0].map), ElementsAre(4, 0, 2));
  EXPECT_THAT(sizes.tables().maps.at(program.columns[1].map), ElementsAre(1, -1, 3));
}

TEST_F(GraphTables, HaveARowForEachResidualOfJ) {
  const KernelProgram program =
      lower(Strategy::StoredJ, StorageFormat::Csr, StorageFormat::Structured);
  const ProgramSizes sizes = ProgramSizes::make(program, graph({2, 0, 1}, {0, -1, 1})).value();
  ASSERT_EQ(program.csr_rows.size(), 1u);
  const CsrRows& rows = program.csr_rows.front();
  EXPECT_EQ(sizes.extent(rows.rows), 3);
  EXPECT_EQ(sizes.extent(rows.entries), 6);
  EXPECT_THAT(sizes.tables().maps.at(rows.offsets), ElementsAre(0, 2, 4, 6));
  // What is missing has the column of its neighbor in the row.
  EXPECT_THAT(sizes.tables().maps.at(rows.columns), ElementsAre(4, 1, 0, 0, 2, 3));
}

// J of the Sum has 10 entries for 2 columns: 5 rows, of both matrices.
TEST(WideTables, HaveEmptyRowsWhereEntriesAreMoreThanPlaces) {
  const Energy energy = test::wide_energy();
  Plan plan = default_plan(energy);
  plan.parts.front().strategy = Strategy::StoredJ;
  plan.parts.front().j_format = StorageFormat::Csr;
  const KernelProgram program = make_program(energy, plan, {});
  const ProgramSizes sizes = ProgramSizes::make(program, test::bind_wide(energy)).value();
  ASSERT_EQ(program.csr_rows.size(), 2u);
  const CsrRows& beside = program.csr_rows[0];
  const CsrRows& summed = program.csr_rows[1];
  EXPECT_EQ(beside.rows, summed.rows);
  EXPECT_EQ(sizes.extent(beside.rows), 5);
  EXPECT_THAT(sizes.tables().maps.at(beside.offsets), ElementsAre(0, 3, 6, 6, 6, 6));
  EXPECT_THAT(sizes.tables().maps.at(summed.offsets), ElementsAre(0, 5, 10, 10, 10, 10));
  EXPECT_THAT(sizes.tables().maps.at(summed.columns), ElementsAre(0, 1, 0, 0, 0, 1, 1, 1, 1, 1));
}

// Of edges (2, 0) and (0, missing): H has the blocks (0, 0), (2, 0) and (2, 2) with the values
// (0, 0), (0, 1) and (1, 1) of their channels.
TEST_F(GraphTables, MirrorTheBlocksOfJtJIntoRowsInOrder) {
  const KernelProgram program =
      lower(Strategy::StoredJtJ, StorageFormat::Structured, StorageFormat::Csr);
  const ProgramSizes sizes = ProgramSizes::make(program, graph({2, 0}, {0, -1})).value();
  ASSERT_EQ(program.mirrored_blocks.size(), 1u);
  const MirroredBlocks& blocks = program.mirrored_blocks.front();
  const auto& tables = sizes.tables().maps;
  EXPECT_EQ(sizes.extent(blocks.num_halves), 9);
  // Rows and columns are 2 element + channel.
  EXPECT_THAT(tables.at(blocks.offsets), ElementsAre(0, 3, 7, 7, 7, 11, 14));
  EXPECT_THAT(tables.at(blocks.columns), ElementsAre(0, 1, 4, 0, 1, 4, 5, 0, 1, 4, 5, 1, 4, 5));
}

TEST_F(GraphTables, HaveEachPairOfElementsThatMeetsOnce) {
  const KernelProgram program =
      lower(Strategy::StoredJtJ, StorageFormat::Structured, StorageFormat::Blocks);
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
      lower(Strategy::StoredJ, StorageFormat::Dense, StorageFormat::Structured);
  const Binding first = graph({2, 0, 1}, {0, -1, 1});
  const Binding second = graph({0, 0, 1}, {0, 2, 1});
  const ProgramSizes before = ProgramSizes::make(program, first).value();
  const ProgramSizes after = ProgramSizes::make(program, second).value();
  EXPECT_TRUE(before.have_equal_extents(after));
  EXPECT_THAT(after.tables().maps.at(program.columns[1].map), ElementsAre(1, 5, 3));
}

TEST_F(GraphTables, OfCsrCountTowardsTheMemoryLimit) {
  const KernelProgram program =
      lower(Strategy::StoredJ, StorageFormat::Csr, StorageFormat::Structured);
  const Binding binding = graph({2, 0, 1}, {0, -1, 1});
  EXPECT_TRUE(ProgramSizes::make(program, binding, 40));  // 4 offsets and 6 columns
  EXPECT_FALSE(ProgramSizes::make(program, binding, 39));
}

TEST_F(GraphTables, AreRefusedBeyondTheMemoryLimit) {
  const KernelProgram program =
      lower(Strategy::StoredJtJ, StorageFormat::Structured, StorageFormat::Blocks);
  const Binding binding = graph({2, 0, 1}, {0, -1, 1});
  EXPECT_TRUE(ProgramSizes::make(program, binding, 36));  // 3 tables of 3 entries of 4 bytes
  const auto refused = ProgramSizes::make(program, binding, 35);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("take 36 bytes, the memory limit is 35 bytes"));
}

// A limit on memory is looked at by them first.
TEST(BoundsOfTables, AreNeverBelowWhatTablesDetermine) {
  int num_stored = 0, num_larger = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomEnergy random = make_random_energy(seed);
    const KernelProgram program =
        make_program(random.energy, test::random_plan(random.energy, seed), {});
    const auto exact =
        ProgramSizes::make(program, random.binding, DefaultMemoryLimit, TableContents::ForExtents);
    const auto bound =
        ProgramSizes::make(program, random.binding, DefaultMemoryLimit, TableContents::Bounds);
    if (!bound) continue;
    ASSERT_TRUE(exact) << random.text();
    num_stored += exact->tables().extents.empty() ? 0 : 1;
    EXPECT_GE(bound->tables().bytes, exact->tables().bytes) << random.text();
    EXPECT_TRUE(bound->tables().maps.empty());
    for (const auto& [dim, extent] : exact->tables().extents) {
      EXPECT_GE(bound->extent(dim), extent) << random.text();
      num_larger += bound->extent(dim) > extent ? 1 : 0;
    }
  }
  EXPECT_GT(num_stored, 50);
  EXPECT_GT(num_larger, 20);
}

}  // namespace
}  // namespace thallo
