// Losses: the known ones against numbers worked out by hand, and what is refused of an author's.

#include "core/energy/loss.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "core/base/log.h"
#include "core/diff/gradient.h"
#include "core/energy/evaluate/point_evaluator.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using test::bind;
using test::build;
using testing::HasSubstr;

// One residual X, with a loss that may read the param p.
EnergyBuilder& give(EnergyBuilder& e, const std::function<void(Expr p)>& loss) {
  const DimId N = e.dim("N");
  e.residual("r", e.unknown("X", {N})(e.domain(N)));
  loss(e.param("p"));
  return e;
}

// Evaluates a loss, and the slope that solvers weight by.
class Evaluated {
 public:
  Evaluated(Energy energy, double p)
      : energy_(std::move(energy)),
        binding_(bind(energy_, {{{"N", 1}}, {{"X", std::vector<double>{0}}}, {}, {{"p", p}}})),
        layout_(energy_, binding_),
        graph_(energy_.graph()),
        slope_(Differentiator(graph_, energy_).slope(loss())),
        evaluator_(graph_, energy_, binding_, layout_) {}

  double rho(double s) { return evaluator_.loss(loss(), s).rho.value; }
  double weight(double s) { return evaluator_.loss(loss(), s).weight.value; }
  double slope(double s) { return evaluator_.evaluate(loss(), slope_, s).value.value; }

 private:
  const Loss& loss() const { return *energy_.groups()[0].loss; }

  Energy energy_;
  Binding binding_;
  UnknownLayout layout_;
  ExprGraph graph_;
  ExprId slope_;
  PointEvaluator evaluator_;
};

Evaluated known(std::string_view name, double a) {
  EnergyBuilder e("robust");
  give(e, [&](Expr p) { e.loss("r", name, 2 * p); });
  return {build(std::move(e)), a / 2};
}

// What is wrong with a loss as it is written, or with p.
std::string fault_of(const std::function<Expr(Expr s, Expr p)>& rho, double p) {
  EnergyBuilder e("robust");
  give(e, [&](Expr param) { e.loss("r", [&](Expr s) { return rho(s, param); }); });
  const auto energy = std::move(e).build();
  if (!energy) return energy.error().message();
  Binding binding(*energy);
  const bool is_bound = binding.set_extent("N", 1) &&
                        binding.set_field("X", std::vector<double>{0}) && binding.set_param("p", p);
  EXPECT_TRUE(is_bound);
  const auto valid = binding.validate(*energy);
  return valid ? "" : valid.error().message();
}

// Of s = 0.25, 4 (the knee), 25 and 10000 with a = 2.
TEST(Losses, AreWhatIsKnownOfThem) {
  struct Known {
    std::string_view name;
    double rho[4], slope[4];
  };
  const Known all[] = {
      {"arctan",
       {0.2496752400, 3.1415926536, 5.6485642584, 6.2815853073},
       {256.0 / 257, 0.5, 16 / 641.0, 1 / 6250001.0}},
      {"cauchy",
       {0.2424984873, 2.7725887222, 7.9240058755, 31.2977837235},
       {16.0 / 17, 0.5, 4 / 29.0, 1 / 2501.0}},
      {"geman_mcclure",
       {4.0 / 17, 2, 100 / 29.0, 10000 / 2501.0},
       {256.0 / 289, 0.25, 16 / 841.0, 1 / (2501.0 * 2501.0)}},
      {"huber", {0.25, 4, 16, 396}, {1, 1, 0.4, 0.02}},
      {"soft_l1",
       {0.2462112512, 3.3137084990, 13.5406592280, 392.0799920016},
       {0.9701425001, 0.7071067812, 0.3713906764, 0.0199960012}},
      {"tukey", {0.2347005208, 4.0 / 3, 4.0 / 3, 4.0 / 3}, {225.0 / 256, 0, 0, 0}},
  };
  ASSERT_EQ(std::size(all), known_losses().size()) << "a new loss has known values, too";
  constexpr double At[] = {0.25, 4, 25, 10000};
  for (const Known& one : all) {
    Evaluated loss = known(one.name, 2);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(loss.rho(At[i]), one.rho[i], 1e-9) << one.name << " at " << At[i];
      EXPECT_NEAR(loss.slope(At[i]), one.slope[i], 1e-10) << one.name << " at " << At[i];
    }
  }
}

// The slopes that are stated are those of the expressions, and no slope loses its digits.
TEST(Losses, HaveTheSlopeOfTheirExpression) {
  for (const KnownLoss& one : known_losses()) {
    for (const double a : {0.3, 2.0}) {
      Evaluated loss = known(one.name, a);
      EXPECT_EQ(loss.rho(0), 0) << one.name;
      EXPECT_EQ(loss.slope(0), 1) << one.name;
      for (double s = 1e-6; s < 1e7; s *= 1.7) {
        const double h = 1e-5 * s;
        const double difference = (loss.rho(s + h) - loss.rho(s - h)) / (2 * h);
        const double rounding = (1e-9 * loss.rho(s) + 4e-11 * a * a) / s;
        EXPECT_NEAR(loss.slope(s), difference, 1e-8 * difference + rounding)
            << one.name << " " << s;
        EXPECT_NEAR(loss.slope(s), loss.weight(s), 1e-15 + 1e-15 * s / (a * a)) << one.name;
        EXPECT_GE(loss.slope(s), 0) << one.name << " at " << s;
      }
    }
  }
}

// In s / (1 + s) terms of the product rule cancel for large s; the numerator of the quotient is 1.
TEST(Losses, OfTheirAuthorsKeepTheDigitsOfQuotients) {
  EnergyBuilder e("robust");
  give(e, [&](Expr p) { e.loss("r", [&](Expr s) { return s / (1 + s / p); }); });
  Evaluated loss(build(std::move(e)), 1);
  EXPECT_EQ(loss.slope(0), 1);
  EXPECT_NEAR(loss.slope(1e9), 1e-18, 1e-26);
}

TEST(Losses, OfTheirAuthorsBeginAsSquaresAndNeverFall) {
  EXPECT_EQ(fault_of([](Expr s, Expr) { return log(1 + s); }, 1), "");
  EXPECT_EQ(fault_of([](Expr s, Expr p) { return select(s <= p, s, 2 * sqrt(s * p) - p); }, 4), "");
  EXPECT_EQ(fault_of([](Expr s, Expr) { return 1 - exp(-s); }, 1), "");
  EXPECT_EQ(fault_of([](Expr s, Expr) { return s; }, 1), "");
  EXPECT_THAT(fault_of([](Expr s, Expr) { return s + 0.5; }, 1),
              HasSubstr("the loss of residual group 'r' has rho(0) = 0.5; it must be 0"));
  EXPECT_THAT(fault_of([](Expr s, Expr p) { return p * s; }, 3),
              HasSubstr("the loss of residual group 'r' has rho'(0) = 3; it must be 1"));
  EXPECT_THAT(fault_of([](Expr s, Expr) { return sqrt(s); }, 1), HasSubstr("has rho'(0) = inf"));
  EXPECT_THAT(fault_of([](Expr, Expr) { return 0; }, 1), HasSubstr("has rho'(0) = 0"));
  EXPECT_THAT(fault_of([](Expr s, Expr) { return s - s * s / 1e6; }, 1),
              HasSubstr("has rho'(s) = -0.125 at s = 5.62e+05; it must not be negative"));
  EXPECT_THAT(fault_of([](Expr s, Expr p) { return s / (1 + p * s * s); }, 4),
              HasSubstr("at s = 0.562; it must not be negative"));
  // A derivative that cancels is no negative one.
  EXPECT_EQ(fault_of([](Expr s, Expr) { return s / (1 + s); }, 1), "");
}

// What is only tried is not proven.
TEST(Losses, SayWhatIsNotProven) {
  const LogCapture heard;
  logger("energy").set_level(LogLevel::Info);
  EXPECT_EQ(fault_of([](Expr s, Expr p) { return log(1 + p * s) / p; }, 1), "");
  logger("energy").set_level(LogLevel::Warn);
  ASSERT_EQ(heard.records().size(), 1u);
  EXPECT_THAT(heard.records()[0].text, HasSubstr("that it is nowhere is not proven"));
}

TEST(Losses, AreUsedInTheirGroupAlone) {
  EnergyBuilder e("robust");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N});
  const IndexExpr n = e.domain(N);
  e.residual("r", X(n));
  Expr kept;
  e.loss("r", [&](Expr s) { return kept = s; });
  e.exclude(X, {n}, kept < 1);
  const auto energy = std::move(e).build();
  ASSERT_FALSE(energy);
  EXPECT_THAT(energy.error().message(),
              HasSubstr("the argument of a loss is used outside of the function of the loss"));
}

TEST(Losses, KnowTheirNames) {
  EnergyBuilder e("robust");
  give(e, [&](Expr) { e.loss("r", "hubert", 1); });
  const auto energy = std::move(e).build();
  ASSERT_FALSE(energy);
  EXPECT_THAT(energy.error().message(),
              HasSubstr("there is no loss 'hubert' (legal: arctan, cauchy, geman_mcclure, huber, "
                        "soft_l1, tukey)"));
}

}  // namespace
}  // namespace thallo
