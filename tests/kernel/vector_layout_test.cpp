#include "core/kernel/vector_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "core/kernel/bind/sizes.h"
#include "core/kernel/lower.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

// Poses over A, whose steps have fewer channels than they, and vectors of two over B.
struct TwoSpaces {
  static Energy make_energy() {
    EnergyBuilder e("two_spaces");
    const DimId a = e.dim("A"), b = e.dim("B");
    const auto pose = e.unknown("pose", {a}, Manifold::SE3);
    const auto v = e.unknown("v", {b}, 2);
    e.residual("poses", pose(e.domain(a)));
    e.residual("vectors", v(e.domain(b)));
    return test::build(std::move(e));
  }

  TwoSpaces() { EXPECT_TRUE(binding.set_extent("A", 5) && binding.set_extent("B", 4)); }

  Energy energy = make_energy();
  KernelProgram program = make_program(energy, default_plan(energy), {});
  Binding binding{energy};
};

TEST(VectorLayout, EveryScalarOfAVectorHasAPlaceOfItsOwn) {
  const TwoSpaces two;
  const ProgramSizes sizes = ProgramSizes::make(two.program, two.binding).value();
  const VectorLayout layout(two.program);
  const BufferDecl& p = two.program.buffers[two.program.vector(SolverVector::P)];
  std::set<std::int64_t> places;
  for (const BufferView& view : layout.views(p, sizes)) {
    if (view.field == p.flat) continue;
    const Field& field = two.program.field(view.field);
    for (std::int64_t element = 0; element < sizes.num_points(field.dims); ++element) {
      for (int c = 0; c < field.channels; ++c)
        EXPECT_TRUE(places.insert(view.begin + layout.place(view.field, c).of(element)).second);
    }
  }
  EXPECT_EQ(places.size(), 5u * 6 + 4u * 2);
  EXPECT_GE(*places.begin(), 0);
  EXPECT_LT(*places.rbegin(), sizes.buffer_size(p));
}

// Points over B, whose vectors are in chunks of 3 and a gap, and poses over A, in chunks of 4 and
// 2.
struct BlockedSpaces {
  static Energy make_energy() {
    EnergyBuilder e("blocked_spaces");
    const DimId a = e.dim("A"), b = e.dim("B");
    const auto point = e.unknown("point", {b}, 3);
    const auto pose = e.unknown("pose", {a}, Manifold::SE3);
    e.residual("points", point(e.domain(b)));
    e.residual("poses", pose(e.domain(a)));
    return test::build(std::move(e));
  }
  static KernelProgram make(const Energy& energy) {
    Plan plan = default_plan(energy);
    plan.vector_order = VectorOrder::Blocked;
    return make_program(
        energy, plan,
        {SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(), pcg_solver()});
  }

  static std::vector<double> reals(std::size_t count) { return std::vector<double>(count, 0.5); }
  const BufferDecl& buffer(SolverVector vector) const {
    return program.buffers[program.vector(vector)];
  }
  const BufferDecl& blocks(std::size_t space) const {
    return program.buffers[program.spaces[space].blocks.value()];
  }
  const BufferDecl& block_inverse(std::size_t space) const {
    return program.buffers[program.spaces[space].block_inverse.value()];
  }
  // The scalar of the buffer.
  std::int64_t place(const BufferView& view, std::int64_t element, int channel) const {
    const ChannelPlace place = layout.place(view.field, channel);
    return view.begin + sizes.offset(place.chunk) + place.of(element);
  }

  Energy energy = make_energy();
  KernelProgram program = make(energy);
  ProgramSizes sizes =
      ProgramSizes::make(
          program,
          test::bind(energy, {.extents = {{"A", 5}, {"B", 7}},
                              .fields = {{"point", reals(7 * 3)}, {"pose", reals(5 * 7)}}}))
          .value();
  VectorLayout layout{program};
};

TEST(BlockedVectorLayout, PutsChunksOfAllElementsTogetherThoseOfTheWidestStrideFirst) {
  const BlockedSpaces spaces;
  const auto views = spaces.layout.views(spaces.buffer(SolverVector::P), spaces.sizes);
  ASSERT_EQ(views.size(), 3u);
  const BufferView &points = views[1], &poses = views[2];
  EXPECT_EQ(spaces.place(points, 0, 0), 0);
  EXPECT_EQ(spaces.place(points, 6, 2), 6 * 4 + 2);
  EXPECT_EQ(spaces.place(poses, 0, 0), 7 * 4);
  EXPECT_EQ(spaces.place(poses, 3, 2), 7 * 4 + 3 * 4 + 2);
  EXPECT_EQ(spaces.place(poses, 2, 5), 7 * 4 + 5 * 4 + 2 * 2 + 1);
  EXPECT_EQ(points.end, 7 * 4);
  EXPECT_EQ(poses.end, 7 * 4 + 5 * 6);
  EXPECT_EQ(views[0].end, poses.end);
}

TEST(BlockedVectorLayout, UsesNoScalarTwiceAndLeavesOutGapsAlone) {
  const BlockedSpaces spaces;
  for (const BufferDecl& buffer :
       {spaces.buffer(SolverVector::P), spaces.buffer(SolverVector::B),
        spaces.buffer(SolverVector::InverseDiagonal), spaces.blocks(0), spaces.block_inverse(1)}) {
    std::set<std::int64_t> places;
    std::int64_t gaps = 0;
    for (const BufferView& view : spaces.layout.views(buffer, spaces.sizes)) {
      if (view.field == buffer.flat) continue;
      if (spaces.program.field(view.field).channels % 4 == 3)
        gaps += spaces.sizes.num_points(spaces.program.field(view.field).dims);
      const Field& field = spaces.program.field(view.field);
      for (std::int64_t element = 0; element < spaces.sizes.num_points(field.dims); ++element) {
        for (int c = 0; c < field.channels; ++c) {
          const std::int64_t place = spaces.place(view, element, c);
          EXPECT_TRUE(places.insert(place).second) << buffer.name;
          EXPECT_LT(place, view.end) << buffer.name;
        }
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()) + gaps, spaces.sizes.buffer_size(buffer))
        << buffer.name;
    EXPECT_EQ(*places.begin(), 0);
  }
}

TEST(BlockedVectorLayout, BeginsEveryChunkAtAMultipleOfItsStride) {
  const BlockedSpaces spaces;
  for (const BufferDecl& buffer :
       {spaces.buffer(SolverVector::P), spaces.blocks(0), spaces.blocks(1)}) {
    for (const BufferView& view : spaces.layout.views(buffer, spaces.sizes)) {
      for (int c = 0; c < spaces.program.field(view.field).channels; ++c) {
        const Chunk chunk = spaces.layout.chunk(view.field, c);
        EXPECT_EQ(spaces.place(view, 0, chunk.first) % chunk.stride, 0) << buffer.name;
        EXPECT_TRUE(spaces.layout.is_aligned(view.field, chunk, chunk.stride)) << buffer.name;
      }
    }
  }
}

TEST(BlockedVectorLayout, OfWhatTheUserBindsIsPlain) {
  const BlockedSpaces spaces;
  const FieldId pose = spaces.program.unknowns[1];
  const ChannelPlace place = spaces.layout.place(pose, 5);
  EXPECT_EQ(place.stride, spaces.program.field(pose).channels);
  EXPECT_EQ(place.first, 5);
  EXPECT_FALSE(place.chunk.valid());
}

TEST(BlockedVectorLayout, ContentsAreReadAndWrittenInTheOrderOfTheUnknownVector) {
  const BlockedSpaces spaces;
  for (const BufferDecl& buffer : {spaces.buffer(SolverVector::P), spaces.blocks(1)}) {
    std::int64_t values = 0;
    for (const FieldId field : buffer.fields)
      values += spaces.program.field(field).channels *
                spaces.sizes.num_points(spaces.program.field(field).dims);
    std::vector<double> plain(static_cast<std::size_t>(values));
    std::iota(plain.begin(), plain.end(), 0.0);
    const std::vector<double> memory = spaces.layout.from_plain(buffer, spaces.sizes, plain);
    EXPECT_NE(memory, plain);
    EXPECT_EQ(spaces.layout.to_plain(buffer, spaces.sizes, memory), plain);
  }
  const BufferDecl& p = spaces.buffer(SolverVector::P);
  std::vector<double> plain(5 * 6 + 7 * 3, 0.0);
  plain[7 * 3 + 6 * 2 + 5] = 1;  // pose 2, channel 5; points come first in the unknown vector
  const auto memory = spaces.layout.from_plain(p, spaces.sizes, plain);
  const BufferView poses = spaces.layout.views(p, spaces.sizes)[2];
  EXPECT_EQ(memory[static_cast<std::size_t>(spaces.place(poses, 2, 5))], 1);
}

// Library operations see a vector and a matrix by the same numbers.
TEST(VectorLayout, ColumnsOfTheUnknownVectorAreThePlacesInAPlainVector) {
  const TwoSpaces two;
  const ProgramSizes sizes = ProgramSizes::make(two.program, two.binding).value();
  const VectorLayout layout(two.program);
  const BufferDecl& p = two.program.buffers[two.program.vector(SolverVector::P)];
  const std::vector<BufferView> views = layout.views(p, sizes);
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(views[0].field, p.flat);
  EXPECT_EQ(views[0].begin, 0);
  for (std::size_t u = 0; u < two.program.unknowns.size(); ++u) {
    const FieldId unknown = two.program.unknowns[u];
    EXPECT_EQ(sizes.offset(unknown), views[u + 1].begin);
    EXPECT_EQ(layout.column(unknown, 1).of(3), layout.place(views[u + 1].field, 1).of(3));
  }
}

}  // namespace
}  // namespace thallo
