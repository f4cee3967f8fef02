#include "core/embed/bound_arrays.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// A picture of two channels, points that a map sends to pixels, and a weight.
Energy picture_energy() {
  EnergyBuilder e("picture");
  const DimId W = e.dim("W"), H = e.dim("H"), N = e.dim("N");
  const auto X = e.unknown("X", {W, H}, 2);
  const auto A = e.array("A", {W, H}, 2);
  const Expr w = e.param("w");
  const auto to = e.map("to", {N}, {W, H});
  const auto x = e.domain(W), y = e.domain(H), n = e.domain(N);
  e.residual("fit", X(x, y) - A(x, y));
  e.residual("point", w * X(to.at({n}, 0), to.at({n}, 1))[0] - 1.0);
  return test::build(std::move(e));
}

class BoundArraysTest : public testing::Test {
 protected:
  void bind_all() {
    arrays_.bind("X", std::span(x_), {3, 2});
    arrays_.bind("A", std::span<const float>(a_), {3, 2});
    arrays_.bind("to", std::span<const std::int32_t>(to_), {});
    arrays_.bind("w", 0.5);
  }
  std::string message() {
    const auto binding = arrays_.read(energy_, nullptr);
    return binding ? "" : binding.error().message();
  }

  const Energy energy_ = picture_energy();
  std::vector<double> x_ = std::vector<double>(12);
  std::vector<float> a_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<std::int32_t> to_ = {0, 0, 2, 1, 1, 1};
  BoundArrays arrays_;
};

TEST_F(BoundArraysTest, AreReadAsTheyAreNowAndWrittenInTheirOwnType) {
  bind_all();
  a_[3] = 40;
  const auto binding = arrays_.read(energy_, nullptr);
  ASSERT_TRUE(binding) << binding.error().message();
  EXPECT_THAT(binding->extents(), ElementsAre(3, 2, 3)) << "N follows from the size of the map";
  EXPECT_EQ(binding->field(energy_.find_field("A")).value(3), 40);
  EXPECT_EQ(binding->param(energy_.find_field("w")), 0.5);
  EXPECT_EQ(binding->map(energy_.find_map("to")), to_);
  std::vector<float> x(12, 1.0F);
  bind_all();
  arrays_.bind("X", std::span(x), {3, 2});
  auto written = arrays_.read(energy_, nullptr);
  ASSERT_TRUE(written);
  written->field(energy_.find_field("X")).set_value(7, 0.25);
  arrays_.write(energy_, *written);
  EXPECT_EQ(x[7], 0.25F);
  EXPECT_EQ(x[6], 1.0F);
}

TEST_F(BoundArraysTest, FindExtentsThatFollowFromOthers) {
  bind_all();
  arrays_.bind("X", std::span(x_), {});
  arrays_.bind("A", std::span<const float>(a_), {});
  EXPECT_EQ(message(),
            "dim 'W' has no extent: bind a number to it, or give an array over it a shape\n"
            "dim 'H' has no extent: bind a number to it, or give an array over it a shape");
  arrays_.bind("H", 2);
  const auto binding = arrays_.read(energy_, nullptr);
  ASSERT_TRUE(binding) << binding.error().message();
  EXPECT_THAT(binding->extents(), ElementsAre(3, 2, 3));
}

TEST_F(BoundArraysTest, AllFaultsAreSaidAtOnce) {
  bind_all();
  arrays_.bind("Y", std::span(x_), {3, 2});
  arrays_.bind("A", std::span<const float>(a_), {3, 2, 2});
  arrays_.bind("X", 1.0);
  arrays_.bind("w", std::span(x_), {});
  arrays_.bind("N", 2.5);
  EXPECT_EQ(message(),
            "dim 'N' cannot have the extent 2.5\n"
            "unknown 'X' over (W, H) is bound to a number; it needs an array\n"
            "array 'A' over (W, H) is bound with a shape of 3 extents, (3, 2, 2); it needs 2\n"
            "'picture' has no input 'Y' (legal: X, A, w, to, W, H, N)\n"
            "param 'w' is bound to an array; it needs a number");
}

TEST_F(BoundArraysTest, ThatDoNotFitAreRefused) {
  bind_all();
  arrays_.bind("A", std::span<const float>(a_), {2, 3});
  EXPECT_EQ(message(),
            "dim 'W' is 2 by the shape of 'A' and 3 by the shape of 'X'\n"
            "dim 'H' is 3 by the shape of 'A' and 2 by the shape of 'X'");
  arrays_.bind("A", std::span<const float>(a_).first(11), {3, 2});
  EXPECT_EQ(message(),
            "array 'A' over (W, H) is bound to 11 values; the shape (3, 2) with 2 values of an "
            "element needs 12");
  bind_all();
  const std::vector<double> start(12);
  const std::vector<float> to = {0, 0};
  arrays_.bind("X", std::span(start), {3, 2});
  arrays_.bind("to", std::span(to), {});
  EXPECT_EQ(message(),
            "unknown 'X' is bound to an array of constants, which no solution can be written into\n"
            "sparse map 'to' needs an array of std::int32_t");
  bind_all();
  to_[3] = 7;
  EXPECT_THAT(
      message(),
      HasSubstr("sparse map 'to': entry (1) coordinate 1 is 7, outside 0 <= value < H = 2"));
}

}  // namespace
}  // namespace thallo
