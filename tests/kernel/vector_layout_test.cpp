#include "core/kernel/vector_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "core/kernel/lower.h"
#include "core/kernel/sizes.h"
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
  const BufferDecl& p = two.program.buffers[two.program.find_buffer("p")];
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

// Library operations see a vector and a matrix by the same numbers.
TEST(VectorLayout, ColumnsOfTheUnknownVectorAreThePlacesInAPlainVector) {
  const TwoSpaces two;
  const ProgramSizes sizes = ProgramSizes::make(two.program, two.binding).value();
  const VectorLayout layout(two.program);
  const BufferDecl& p = two.program.buffers[two.program.find_buffer("p")];
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
