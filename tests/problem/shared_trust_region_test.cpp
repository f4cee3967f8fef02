#include "core/problem/shared_trust_region.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/energy/builder.h"

namespace thallo {
namespace {

struct Fits {
  EnergyBuilder e{"fits"};
  DimId K = e.dim("K"), B = e.dim("B");
  FieldHandle c = e.unknown("c", {B}, 2), Y = e.array("Y", {K, B});
  IndexExpr k = e.domain(K), b = e.domain(B);
};

// The dim of the members of fits with this residual, of 5 members or as many.
std::string dim_of(const std::function<Expr(Fits&)>& residual, std::int64_t num_members = 5) {
  Fits fits;
  fits.e.residual("fit", residual(fits));
  const Energy energy = std::move(fits.e).build().value();
  Binding binding(energy);
  EXPECT_TRUE(binding.set_extent("K", 3));
  EXPECT_TRUE(binding.set_extent("B", num_members));
  return members_of_one_trust_region(energy, binding);
}

TEST(SharedTrustRegion, IsThatOfMembersThatAreNotLinear) {
  const auto curve = [](Fits& f) { return f.c(f.b)[0] * exp(f.c(f.b)[1]) - f.Y(f.k, f.b)[0]; };
  EXPECT_EQ(dim_of(curve), "B");
  EXPECT_EQ(dim_of(curve, 1), "");
  EXPECT_EQ(dim_of([](Fits& f) { return f.Y(f.k, f.b)[0] * (f.c(f.b)[0] - f.c(f.b)[1]); }), "")
      << "linear members need one step";
  EXPECT_EQ(dim_of([](Fits& f) {
              return f.c(f.b)[0] * f.c(f.b)[1] - f.c(f.b + 1)[0] * f.Y(f.k, f.b)[0];
            }),
            "")
      << "neighbors have to do with each other";
  EXPECT_EQ(dim_of([](Fits& f) {
              return f.e.sum({f.b}, f.c(f.b)[0] * f.c(f.b)[1]) - f.Y(f.k, f.e.domain(f.B))[0];
            }),
            "")
      << "one residual reads all members";
}

}  // namespace
}  // namespace thallo
