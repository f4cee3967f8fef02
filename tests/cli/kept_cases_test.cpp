// What `thallo reproduce` keeps of cases and parts, what it computes of them, and what becomes of
// those that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/cli/reproduce/case_parts.h"
#include "core/cli/reproduce/quantity_value.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using cli::Bound;
using cli::CaseParts;
using cli::KeptCases;
using cli::MadeBy;
using cli::MeasuredCase;
using cli::Quantity;
using cli::TimeBudget;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string What = R"({"case":"a"})";
const MadeBy Here = {"cpu", "1"};

MeasuredCase with(double value, Bound bound = Bound::Exact) {
  MeasuredCase measured;
  measured.set("time", value, bound);
  return measured;
}

class ReproducedParts : public testing::Test {
 protected:
  KeptCases open() const { return KeptCases(folder_.path() / "kept.jsonl"); }
  // Obtains the part in a run of its own, which keeps what it finds.
  std::optional<double> obtain(const CaseParts::Measure& measure, const MadeBy& by = Here,
                               std::optional<double> budget = {}) {
    KeptCases kept = open();
    const TimeBudget time(budget);
    CaseParts parts(kept, time, by);
    const auto obtained = parts.obtain("part", What, 100, measure);
    failures_ = parts.failures();
    others_ = parts.others();
    is_left_ = parts.is_left();
    return obtained ? std::optional(obtained->values.at("time")) : std::nullopt;
  }
  static MeasuredCase never() { throw std::logic_error("it was measured again"); }

  TempDir folder_;
  std::vector<std::string> failures_;
  std::vector<MadeBy> others_;
  bool is_left_ = false;
};

TEST_F(ReproducedParts, AreMeasuredOnce) {
  EXPECT_EQ(obtain([] { return with(3); }), 3);
  EXPECT_EQ(obtain(never), 3);
  EXPECT_EQ(obtain(never, Here, 0), 3);
}

TEST_F(ReproducedParts, AreMeasuredAnewByAnotherBuildIfThereIsTime) {
  const MadeBy other = {"cpu", "2"};
  EXPECT_EQ(obtain([] { return with(3); }), 3);
  EXPECT_EQ(obtain(never, other, 0), 3);
  EXPECT_THAT(others_, ElementsAre(Here));
  EXPECT_TRUE(is_left_);
  EXPECT_EQ(obtain([] { return with(4); }, other), 4);
  EXPECT_TRUE(others_.empty());
  EXPECT_EQ(obtain(never), 3);
}

TEST_F(ReproducedParts, ThatAreBoundsAreMeasuredAgainWhereMoreTimeIsAllowed) {
  const auto bound = [](double value, double limit) {
    return [=] {
      MeasuredCase measured = with(value, Bound::AtLeast);
      measured.limit = limit;
      return measured;
    };
  };
  EXPECT_EQ(obtain(bound(20, 20), Here, 80), 20);  // a quarter of the budget
  EXPECT_EQ(obtain(never, Here, 80), 20);
  EXPECT_EQ(obtain(bound(100, 100)), 100);
  EXPECT_EQ(obtain(never), 100);
}

TEST_F(ReproducedParts, ThatFailSayWhyAndAreTriedAgain) {
  EXPECT_EQ(obtain([]() -> MeasuredCase { throw UserError("it does not fit"); }), std::nullopt);
  EXPECT_THAT(failures_, ElementsAre("part: it does not fit"));
  EXPECT_FALSE(is_left_);
  EXPECT_EQ(obtain(never, Here, 0), std::nullopt);
  EXPECT_THAT(failures_, ElementsAre("part: it does not fit"));
  EXPECT_EQ(obtain([]() -> MeasuredCase { throw DeviceError("cuLaunch", "700"); }), std::nullopt);
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("cuLaunch")));
  EXPECT_EQ(obtain([] { return with(5); }), 5);
}

TEST_F(ReproducedParts, ThatEndTheProgramTwiceAreNotBegunAgain) {
  open().begin(What, Here);
  EXPECT_EQ(obtain([this] {
              open().begin(What, Here);  // as if it had ended the program now
              throw UserError("first");
              return MeasuredCase();
            }),
            std::nullopt);
  open().begin(What, Here);
  open().begin(What, Here);
  EXPECT_EQ(obtain(never), std::nullopt);
  EXPECT_THAT(failures_, ElementsAre("part: the program was ended 2 times while it ran"));
}

TEST_F(ReproducedParts, ThatWereEndedAreLeft) {
  const auto partly = [] {
    MeasuredCase measured = with(1);
    measured.is_complete = false;
    return measured;
  };
  for (int run = 0; run < 3; ++run) EXPECT_EQ(obtain(partly), 1);
  EXPECT_TRUE(is_left_);
  EXPECT_TRUE(failures_.empty());
}

TEST_F(ReproducedParts, AreReadFromAFileThatWasCutOff) {
  EXPECT_EQ(obtain([] { return with(3); }), 3);
  const std::string whole = read_file(folder_.path() / "kept.jsonl").value();
  // Without the last end of line; the next line is one of its own.
  folder_.write("kept.jsonl", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(obtain(never), 3);
  EXPECT_EQ(obtain([] { return with(4); }, {"cpu", "2"}), 4);
  EXPECT_EQ(obtain(never), 3);
  folder_.write("kept.jsonl", whole + R"({"thallo_repr)");
  EXPECT_EQ(obtain(never), 3);
  EXPECT_EQ(read_file(folder_.path() / "kept.jsonl").value(), whole);
}

TEST_F(ReproducedParts, LeaveOtherFilesAsTheyAre) {
  for (const std::string text : {"my notes", R"({"a":1})", "1", "a\nb"}) {
    folder_.write("kept.jsonl", text);
    EXPECT_THROW(open(), UserError) << text;
    EXPECT_EQ(read_file(folder_.path() / "kept.jsonl").value(), text);
  }
  EXPECT_THROW(KeptCases(folder_.path()), UserError);
}

Quantity quotient_of(const std::string& above, const std::string& below) {
  Quantity quantity;
  quantity.key = "gain";
  quantity.ratio = {above, below};
  return quantity;
}

TEST(QuantityValue, OfAQuotientOfBoundsIsKnownUnlessTheyWorkAgainstEachOther) {
  MeasuredCase measured;
  measured.set("long", 600, Bound::AtLeast);
  measured.set("short", 3);
  const auto gain = value_of(quotient_of("long", "short"), measured);
  ASSERT_TRUE(gain);
  EXPECT_EQ(gain->value, 200);
  EXPECT_EQ(gain->bound, Bound::AtLeast);
  EXPECT_EQ(value_of(quotient_of("short", "long"), measured)->bound, Bound::AtMost);
  measured.set("short", 600, Bound::AtLeast);
  EXPECT_FALSE(value_of(quotient_of("long", "short"), measured));
  measured.set("gain", 7);  // as it was printed
  EXPECT_EQ(value_of(quotient_of("long", "short"), measured)->value, 7);
}

TEST(QuantityValue, HasAGeometricMean) {
  Quantity quantity;
  quantity.key = "time";
  const std::vector<Quantity> quantities = {quantity};
  const std::vector<MeasuredCase> cases = {with(2), with(8, Bound::AtLeast), {}};
  const MeasuredCase mean = mean_of(quantities, cases);
  EXPECT_NEAR(mean.values.at("time"), 4, 1e-12);
  EXPECT_EQ(mean.bound("time"), Bound::AtLeast);
  EXPECT_TRUE(mean_of(quantities, std::vector<MeasuredCase>{with(2)}).values.empty());
  EXPECT_TRUE(mean_of(quantities, std::vector<MeasuredCase>{with(2), with(0)}).values.empty());
  EXPECT_TRUE(mean_of(quantities,
                      std::vector<MeasuredCase>{with(2, Bound::AtMost), with(2, Bound::AtLeast)})
                  .values.empty());
}

}  // namespace
}  // namespace thallo::test
