#include "core/problem/constant_indices.h"

#include <gtest/gtest.h>

#include "core/energy/builder.h"

namespace thallo {
namespace {

TEST(ConstantIndices, AreInRange) {
  const auto fault_at = [](std::int64_t size, bool is_tested) {
    EnergyBuilder e("anchored");
    const DimId N = e.dim("N");
    const auto X = e.unknown("X", {N});
    const auto n = e.domain(N);
    const Expr anchor = e.read(X.id(), {IndexExpr(7)}, {"model.lua", 4, 0})[0];
    const Expr tested = is_tested ? e.in_bounds(IndexExpr(7), N) : e.constant(1);
    e.residual("r", X(n)[0] - tested * anchor);
    const Energy energy = std::move(e).build().value();
    Binding binding(energy);
    EXPECT_TRUE(binding.set_extent("N", size));
    const Expected<void> inside = check_constant_indices(energy, binding);
    return inside ? "no fault" : inside.error().message();
  };
  EXPECT_EQ(fault_at(7, false),
            "model.lua:4: index 7 of unknown 'X' is out of range: N has the extent 7, and indices "
            "count from 0");
  EXPECT_EQ(fault_at(8, false), "no fault");
  EXPECT_EQ(fault_at(7, true), "no fault") << "the text asks for it";
}

}  // namespace
}  // namespace thallo
