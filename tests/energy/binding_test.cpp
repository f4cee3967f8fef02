#include "core/energy/binding.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/energy/builder.h"

namespace thallo {
namespace {

using testing::AllOf, testing::HasSubstr;

Energy make_energy() {
  EnergyBuilder e("edges");
  const DimId N = e.dim("N"), E = e.dim("E");
  const auto X = e.unknown("X", {N}, 2);
  const auto C = e.array("C", {N}, 2);
  const Expr weight = e.param("weight");
  const auto head = e.map("head", {E}, {N});
  const auto tail = e.map("tail", {E}, {N}, -1, true);
  const auto n = e.domain(N), edge = e.domain(E);
  e.residual("fit", X(n) - C(n));
  e.residual("edge", weight * (X(head(edge)) - X(tail(edge))));
  e.loss("edge", "huber", weight - 1);
  return std::move(e).build().value();
}

struct BindingTest : ::testing::Test {
  const Energy energy = make_energy();
  Binding binding{energy};
  void SetUp() override {
    ASSERT_TRUE(binding.set_extent("N", 3));
    ASSERT_TRUE(binding.set_extent("E", 2));
    ASSERT_TRUE(binding.set_field("X", std::vector<double>(6)));
    ASSERT_TRUE(binding.set_field("C", std::vector<float>(6)));
    ASSERT_TRUE(binding.set_param("weight", 2));
    ASSERT_TRUE(binding.set_map("head", {0, 2}));
    ASSERT_TRUE(binding.set_map("tail", {1, -1}));
  }
  std::string fault() const {
    const Expected<void> valid = binding.validate(energy);
    return valid ? "no fault" : valid.error().message();
  }
};

TEST_F(BindingTest, CountsUnknownsAndResiduals) {
  EXPECT_EQ(fault(), "no fault");
  EXPECT_EQ(binding.num_unknowns(energy), 6);
  EXPECT_EQ(binding.num_residuals(energy), 10);
}

TEST_F(BindingTest, NamesWhatIsMissingOrUnknown) {
  EXPECT_THAT(
      binding.set_param("wieght", 1).error().message(),
      AllOf(HasSubstr("no param 'wieght'; did you mean 'weight'?"), HasSubstr("(legal: weight)")));
  EXPECT_THAT(binding.set_map("X", {}).error().message(), HasSubstr("(legal: head, tail)"));
  EXPECT_FALSE(binding.set_extent("M", 1));
  EXPECT_FALSE(binding.set_extent("N", -1));
  const Binding empty(energy);
  EXPECT_THAT(empty.validate(energy).error().message(),
              AllOf(HasSubstr("dim 'N' has no extent"), HasSubstr("dim 'E' has no extent")));
  Binding no_data(energy);
  ASSERT_TRUE(no_data.set_extent("N", 3));
  ASSERT_TRUE(no_data.set_extent("E", 2));
  EXPECT_THAT(no_data.validate(energy).error().message(),
              AllOf(HasSubstr("unknown 'X' is not bound"), HasSubstr("param 'weight' is not bound"),
                    HasSubstr("sparse map 'head' is not bound")));
}

TEST_F(BindingTest, ChecksSizes) {
  ASSERT_TRUE(binding.set_field("C", std::vector<float>(5)));
  ASSERT_TRUE(binding.set_map("head", {0}));
  EXPECT_THAT(fault(),
              AllOf(HasSubstr("array 'C' is bound to 5 values; it needs 6 (N = 3, 2 channels)"),
                    HasSubstr("sparse map 'head' is bound to 1 values; it needs 2")));
}

TEST_F(BindingTest, WantsPositiveScalesOfLosses) {
  ASSERT_TRUE(binding.set_param("weight", 1));
  EXPECT_THAT(fault(), HasSubstr("the loss huber of residual group 'edge' has the scale 0; it must "
                                 "be positive and finite"));
}

TEST_F(BindingTest, AllowsEmptyDims) {
  ASSERT_TRUE(binding.set_extent("E", 0));
  ASSERT_TRUE(binding.set_map("head", {}));
  ASSERT_TRUE(binding.set_map("tail", {}));
  EXPECT_EQ(fault(), "no fault");
  EXPECT_EQ(binding.num_residuals(energy), 6);
}

TEST_F(BindingTest, NamesTheMapEntryThatIsOutOfRange) {
  ASSERT_TRUE(binding.set_map("head", {0, 3}));
  EXPECT_THAT(fault(), HasSubstr("sparse map 'head': entry (1) is 3, outside 0 <= value < N = 3"));
  ASSERT_TRUE(binding.set_map("head", {-1, 0}));
  EXPECT_THAT(fault(), HasSubstr("-1 means missing only in a map declared with {optional = true}"));
  ASSERT_TRUE(binding.set_map("head", {0, 0}));
  ASSERT_TRUE(binding.set_map("tail", {-2, 0}));
  EXPECT_THAT(fault(), HasSubstr("sparse map 'tail': entry (0) is -2"));
}

TEST_F(BindingTest, NamesTheEntryThatIsNotANumber) {
  std::vector<double> x(6);
  x[3] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(binding.set_field("X", x));
  EXPECT_THAT(fault(), HasSubstr("unknown 'X' is not a number (NaN) at (1), channel 1"));
  x[3] = -std::numeric_limits<double>::infinity();
  ASSERT_TRUE(binding.set_field("X", x));
  EXPECT_EQ(fault(), "no fault") << "data mark invalid entries with infinities";
  x[3] = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(binding.set_field("C", x));
  EXPECT_EQ(fault(), "no fault") << "and what is missing with NaN";
}

TEST(HostArray, ConvertsWhateverItHolds) {
  HostArray bytes = std::vector<std::uint8_t>{1, 2};
  bytes.set_value(1, 6.7);
  EXPECT_EQ(bytes.to_doubles(), (std::vector<double>{1, 7}));
}

}  // namespace
}  // namespace thallo
