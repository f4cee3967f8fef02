#include "core/kernel/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/kernel/hand_kernels.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

// Sizes of a hand program whose dims are named as here.
ProgramSizes sizes_of(const test::HandDeclarations& hand,
                      const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  EnergyBuilder e("sizes");
  const DimId first = e.dim(extents.front().first);
  for (std::size_t i = 1; i < extents.size(); ++i) e.dim(extents[i].first);
  const auto x = e.unknown("x", {first});
  e.residual("r", x(e.domain(first)));
  const Energy energy = test::build(std::move(e));
  Binding binding(energy);
  for (const auto& [name, extent] : extents) {
    EXPECT_TRUE(binding.set_extent(name, extent).has_value());
  }
  return ProgramSizes::make(hand.program, binding).value();
}

TEST(Features, OfAStencilAreCountedPerPoint) {
  const test::StencilKernel kernel;
  const ProgramSizes sizes = sizes_of(kernel.hand, {{"W", 100}, {"H", 30}});
  const KernelFeatures f =
      count_features(kernel.hand.program, kernel.code, sizes, Precision::Float);
  const double points = 100 * 30;
  EXPECT_EQ(f.points, 3000);
  // Two reads of u, one store; the buffers themselves are each moved once.
  EXPECT_EQ(f.reads.coalesced, points * 2 * 4);
  EXPECT_EQ(f.reads.gathered, 0);
  EXPECT_EQ(f.writes.coalesced, points * 4);
  EXPECT_EQ(f.must_read, points * 4);
  EXPECT_EQ(f.must_write, points * 4);
  EXPECT_EQ(f.flops.adds, points * 2);
  EXPECT_EQ(f.flops.multiplies, points);  // the minus is none
  EXPECT_EQ(f.flops.fused, points);
  EXPECT_EQ(f.atomics, 0);
}

TEST(Features, OfAGraphKernelTellGatherFromStream) {
  const test::GraphKernel kernel;
  const double edges = 1000, vertices = 50;
  const ProgramSizes sizes = sizes_of(kernel.hand, {{"V", 50}, {"E", 1000}});
  const KernelFeatures f =
      count_features(kernel.hand.program, kernel.code, sizes, Precision::Float);
  EXPECT_EQ(f.reads.gathered, edges * 4 * 4);          // p at both ends
  EXPECT_EQ(f.reads.coalesced, vertices * 2 * 2 * 4);  // p and x of the vertex
  EXPECT_EQ(f.scatters.gathered, edges * 4 * 4);
  EXPECT_EQ(f.scatters.coalesced, vertices * 2 * 4);
  EXPECT_EQ(f.atomics, edges * 4 + vertices * 2);
  EXPECT_EQ(f.index_bytes, edges * 2 * 4);
  EXPECT_EQ(f.flops.divisions, vertices * 2);
  // x, p and Ap (both ways) once each, whatever the number of edges; the map.
  EXPECT_EQ(f.must_read, vertices * 2 * 4 * 3 + edges * 2 * 4);
  EXPECT_EQ(f.must_write, vertices * 2 * 4);
}

TEST(Features, OfFewPointsCountWhatTheyTouch) {
  const test::GraphKernel kernel;
  const ProgramSizes sizes = sizes_of(kernel.hand, {{"V", 1000}, {"E", 3}});
  test::GraphKernel edges_only;
  edges_only.code.sections.pop_back();
  const KernelFeatures f =
      count_features(kernel.hand.program, edges_only.code, sizes, Precision::Double);
  // 3 edges touch at most 6 vertices of 2 doubles, in p and in Ap.
  EXPECT_EQ(f.must_read, 6 * 2 * 8 * 2 + 3 * 2 * 4);
  EXPECT_EQ(f.must_write, 6 * 2 * 8);
}

TEST(Features, LoopsMultiplyAndTypesAreTheirOwnSize) {
  const test::EverythingKernel kernel;
  const ProgramSizes sizes = sizes_of(kernel.hand, {{"W", 4}, {"H", 3}, {"K", 5}});
  const KernelFeatures f =
      count_features(kernel.hand.program, kernel.code, sizes, Precision::Float);
  const double points = 4 * 3 * 5, inner = points * 5 * 3;
  EXPECT_EQ(f.points, 60);
  // u three times, the byte image, counts, the doubles; in the loop one tap of u and one count.
  const double still = points * (4 + 8) + inner * 4;  // counts[t], exact[t]; counts[k]
  EXPECT_EQ(f.reads.uniform, still);
  EXPECT_EQ(f.reads.coalesced, points * (3 * 4 + 1) + inner * 4);
  EXPECT_EQ(f.reads.gathered, points * 4 * (4 + 1));  // two samples of four texels
  EXPECT_EQ(f.flops.transcendentals, points * 4);     // sin, pow, atan2, tanh
  EXPECT_EQ(f.reductions, points);
}

TEST(Features, NoteTheAccessesOfAnElementTogetherWithTheMapTheyGoThrough) {
  const test::GraphKernel kernel;
  const double edges = 1000, vertices = 50;
  const ProgramSizes sizes = sizes_of(kernel.hand, {{"V", 50}, {"E", 1000}});
  const KernelFeatures f =
      count_features(kernel.hand.program, kernel.code, sizes, Precision::Float);
  double reads = 0, adds = 0;
  for (const Access& access : f.accesses) {
    if (access.motion != Motion::Jumps) continue;
    EXPECT_EQ(access.map, kernel.ends);
    EXPECT_EQ(access.count, edges);  // an end of an edge each
    EXPECT_EQ(access.bytes, 2 * 4);  // both channels of p or Ap
    EXPECT_EQ(access.element, 2 * 4);
    EXPECT_EQ(access.table, vertices * 2 * 4);
    (access.kind == Access::Kind::Read ? reads : adds) += access.count * access.bytes;
  }
  EXPECT_EQ(reads, f.reads.gathered);
  EXPECT_EQ(adds, f.scatters.gathered);
  EXPECT_EQ(f.chained_loads, 2);  // the map, then p
}

// Of a kernel that adds to points with three channels.
KernelFeatures additions_to_points(VectorOrder order, std::int64_t points) {
  EnergyBuilder e("points");
  const DimId n = e.dim("N");
  const auto point = e.unknown("point", {n}, 3);
  e.residual("r", point(e.domain(n)));
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.vector_order = order;
  KernelProgram program = make_program(energy, plan, {});
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("N", points).has_value());
  const ProgramSizes sizes = ProgramSizes::make(program, binding).value();
  const auto apply = std::ranges::find(program.kernels, "apply_jtjp [r]", &Kernel::label);
  return count_features(program, KernelGenerator(program).generate(*apply), sizes,
                        Precision::Float);
}

// Scalars, pieces and bytes to the next element of all accesses of a kind.
std::vector<std::array<double, 3>> shapes(const KernelFeatures& f, Access::Kind kind) {
  std::vector<std::array<double, 3>> result;
  for (const Access& access : f.accesses)
    if (access.kind == kind) result.push_back({access.scalars, access.pieces, access.element});
  return result;
}

TEST(Features, SplitAccessesToBlockedVectorsIntoChunksThatAreReachedAtOnce) {
  const double points = 100;
  using Shapes = std::vector<std::array<double, 3>>;
  const KernelFeatures plain = additions_to_points(VectorOrder::Plain, 100);
  EXPECT_EQ(shapes(plain, Access::Kind::Read), (Shapes{{3, 3, 12}}));
  EXPECT_EQ(shapes(plain, Access::Kind::Add), (Shapes{{3, 3, 12}}));
  EXPECT_EQ(plain.atomics, 3 * points);
  const KernelFeatures blocked = additions_to_points(VectorOrder::Blocked, 100);
  EXPECT_EQ(shapes(blocked, Access::Kind::Read), (Shapes{{3, 1, 16}}));
  EXPECT_EQ(shapes(blocked, Access::Kind::Add), (Shapes{{3, 1, 16}}));
  EXPECT_EQ(blocked.atomics, points);
  EXPECT_EQ(blocked.scatters.total(), plain.scatters.total());
}

double atomics_of_columns(std::int64_t height, bool aggregates = true) {
  const Energy energy = test::columns_energy();
  Plan plan = default_plan(energy);
  if (!aggregates) test::add_lane_by_lane(plan, energy, "r");
  plan.parts.front().order = energy.groups().front().domains;
  std::ranges::sort(plan.parts.front().order, {}, [&](DomainId d) {
    return energy.graph().indices().domain(d).dim;  // along the columns
  });
  KernelProgram program = make_program(energy, plan, {});
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("H", height) && binding.set_extent("W", 10));
  const ProgramSizes sizes = ProgramSizes::make(program, binding).value();
  const auto apply = std::ranges::find(program.kernels, "apply_jtjp [r]", &Kernel::label);
  return count_features(program, KernelGenerator(program).generate(*apply), sizes, Precision::Float)
      .atomics;
}

TEST(Features, CountOneAtomicAWarpAndNothingOfAnEmptyDomain) {
  EXPECT_EQ(atomics_of_columns(64), 64 * 10 / 32);
  EXPECT_EQ(atomics_of_columns(16), 16 * 10);  // a warp has two columns
  EXPECT_EQ(atomics_of_columns(64, false), 64 * 10);
  const test::StencilKernel kernel;
  const ProgramSizes sizes = sizes_of(kernel.hand, {{"W", 0}, {"H", 30}});
  const KernelFeatures f =
      count_features(kernel.hand.program, kernel.code, sizes, Precision::Float);
  EXPECT_EQ(f.must_move(), 0);
  EXPECT_EQ(f.flops.total(), 0);
}

}  // namespace
}  // namespace thallo
