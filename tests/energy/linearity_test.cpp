#include "core/energy/linearity.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "core/energy/builder.h"
#include "core/energy/loss.h"

namespace thallo {
namespace {

struct Image {
  EnergyBuilder e{"image"};
  DimId w = e.dim("W");
  FieldHandle unknown = e.unknown("x", {w}), array = e.array("a", {w});
  IndexExpr i = e.domain(w), j = e.domain(w);
  Expr x = unknown(i)[0], next = unknown(i + 1)[0], a = array(i)[0];
};

TEST(Linearity, IsThatOfResidualsInTheUnknowns) {
  struct Case {
    const char* what;
    std::function<Expr(Image&)> residual;
    bool is_linear;
  };
  const std::vector<Case> cases = {
      {"differences", [](Image& m) { return m.x - m.next; }, true},
      {"data as weights", [](Image& m) { return exp(m.a) * m.x - m.a; }, true},
      {"a mask of data", [](Image& m) { return select(m.a > 0, m.x - m.a, 0.0); }, true},
      {"a mask of unknowns", [](Image& m) { return select(m.x > 0, m.x - m.a, 0.0); }, false},
      {"a sum", [](Image& m) { return m.a + m.e.sum({m.j}, m.unknown(m.j)[0]); }, true},
      {"a square", [](Image& m) { return m.x * m.x; }, false},
      {"a function", [](Image& m) { return sin(m.x); }, false},
      {"a frozen weight", [](Image& m) { return freeze(m.x) * m.x; }, false},
      {"a frozen term", [](Image& m) { return m.x - freeze(m.next); }, false},
  };
  for (const Case& one : cases) {
    Image image;
    image.e.residual("r", one.residual(image));
    EXPECT_EQ(is_linear(std::move(image.e).build().value()), one.is_linear) << one.what;
  }
}

// Each of the terms is made of the one before it, twice: there are 2^60 ways down.
TEST(Linearity, LooksAtWhatExpressionsShareOnce) {
  Image image;
  Expr term = image.x;
  for (int i = 0; i < 60; ++i) term = sin(image.a + i) * term + (image.a + 2 * i) * term;
  image.e.residual("r", term);
  EXPECT_TRUE(is_linear(std::move(image.e).build().value()));
}

}  // namespace
}  // namespace thallo
