#include "core/ir/print.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/energy/builder.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

// x (scalar) and v (2 channels) over N, a parameter w, a map m: N -> N.
class ExprPrint : public testing::Test {
 protected:
  std::string text(Expr e) {
    const auto& fields = builder_.data().fields;
    const auto& maps = builder_.data().maps;
    const ExprNames names = {
        .field = [&](FieldId id) { return fields[id.index()].name; },
        .num_channels = [&](FieldId id) { return fields[id.index()].channels; },
        .map = [&](MapId id) { return maps[id.index()].name; },
        .num_outputs = [&](MapId id) { return static_cast<int>(maps[id.index()].out.size()); },
        .dim = [&](DimId id) { return builder_.data().dims[id.index()].name; }};
    return ExprPrinter(builder_.graph(), names).text(e.id());
  }

  EnergyBuilder builder_{"test"};
  DimId n_ = builder_.dim("N");
  IndexExpr i_ = builder_.domain(n_, "i");
  FieldHandle x_ = builder_.unknown("x", {n_});
  FieldHandle v_ = builder_.unknown("v", {n_}, 2);
  Expr w_ = builder_.param("w");
  MapHandle m_ = builder_.map("m", {n_}, {n_});
};

TEST_F(ExprPrint, ArithmeticAndAccessesHaveFewParentheses) {
  EXPECT_EQ(text(x_(i_)[0]), "x(i)");
  EXPECT_EQ(text(v_(i_ - 2)[1]), "v(i - 2)[1]");
  EXPECT_EQ(text(x_(m_(i_) + 1)[0]), "x(m(i) + 1)");
  EXPECT_EQ(text(x_(3)[0]), "x(3)");
  EXPECT_EQ(text(w_), "w");
  const Expr x = x_(i_)[0];
  EXPECT_EQ(text(2.0 * x), "2 * x(i)");
  EXPECT_EQ(text(-x), "-x(i)");
  EXPECT_EQ(text(x * x), "x(i)^2");
  EXPECT_EQ(text(1.0 / x), "1 / x(i)");
  EXPECT_EQ(text(w_ / (x * x)), "w / x(i)^2");
  const std::string product = text(w_ * (x + 1.0));
  EXPECT_TRUE(product == "w * (x(i) + 1)" || product == "w * (1 + x(i))" ||
              product == "(x(i) + 1) * w" || product == "(1 + x(i)) * w")
      << product;
}

TEST_F(ExprPrint, FunctionsAndConditions) {
  const Expr x = x_(i_)[0];
  EXPECT_EQ(text(sin(x)), "sin(x(i))");
  EXPECT_EQ(text(select(x < w_, x, w_)), "select(x(i) < w, x(i), w)");
  // Factors stand in the order of their hashes.
  const std::string masked = text(select(x < w_, x, 0.0));
  EXPECT_TRUE(masked == "(x(i) < w) * x(i)" || masked == "x(i) * (x(i) < w)") << masked;
  EXPECT_EQ(text(builder_.in_bounds(i_ + 1, n_)), "in_bounds(i + 1, N)");
}

TEST(EnergyPrint, ShowsDeclarationsAndResidualsWithSharedTerms) {
  EnergyBuilder builder("line_fit");
  const DimId n = builder.dim("N");
  const FieldHandle b = builder.unknown("b", {builder.dim("P")});
  const FieldHandle y = builder.array("y", {n}, 2);
  const IndexExpr i = builder.domain(n, "i");
  const Expr shared = exp(b(0)[0]);
  builder.residual("fit", {shared * y(i)[0], shared * y(i)[1]});
  const auto energy = std::move(builder).build();
  ASSERT_TRUE(energy) << energy.error().message();
  const std::string text = to_string(*energy);
  EXPECT_NE(
      text.find("energy line_fit\n  dim N\n  dim P\n  unknown b(P)\n  array y(N), 2 channels"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("residual fit over (i)\n  t0 = exp(b(0))\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace thallo
