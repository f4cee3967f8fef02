// What the schedule auto stores of intermediates and Sums, on energies where that can be told.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/assets.h"
#include "core/cost/autoschedule/stored_by_cut.h"
#include "core/cost/autoschedule/stored_choice.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/analytic.h"
#include "core/language/load_energy.h"

namespace thallo::test {
namespace {

DeviceSpec h200() { return read_device_spec(*find_asset("devices/h200.toml")).value(); }

// What is chosen for an energy at these extents.
class Chosen {
 public:
  Chosen(const std::string& text, const std::map<std::string, std::int64_t>& extents)
      : energy_(load_energy_text(text, "test.lua").value().energy.as_written()),
        binding_(bound(energy_, extents)),
        pricer_(energy_, binding_, {}, h200()),
        search_(energy_, pricer_, std::int64_t{1} << 33),
        parts_(default_plan(energy_).parts) {}

  // Of the intermediate, by the minimum cut alone.
  Materialization by_cut(const std::string& intermediate) {
    return of(stored_by_cut(energy_, parts_, search_), intermediate);
  }
  Materialization chosen(const std::string& intermediate) {
    return of(choose_stored(energy_, parts_, search_).stored, intermediate);
  }
  std::vector<bool> parallel_sums() { return choose_stored(energy_, parts_, search_).stored.sums; }

 private:
  static Binding bound(const Energy& energy, const std::map<std::string, std::int64_t>& extents) {
    Binding binding(energy);
    for (const auto& [dim, extent] : extents) EXPECT_TRUE(binding.set_extent(dim, extent));
    return binding;
  }
  Materialization of(const StoredValues& stored, const std::string& intermediate) const {
    for (std::size_t i = 0; i < energy_.intermediates().size(); ++i) {
      if (energy_.field(energy_.intermediates()[i].field).name == intermediate)
        return stored.intermediates[i];
    }
    ADD_FAILURE() << "no intermediate " << intermediate;
    return {};
  }

  Energy energy_;
  Binding binding_;
  PlanPricer pricer_;
  AutoSearch search_;
  std::vector<Part> parts_;
};

// `dear` adds a hundred exponentials, `cheap` doubles a number.
constexpr const char* DearAndCheap = R"(
local W, K = Dims("W", "K")
Inputs { X = Unknown(float, {W}, 0), A = Array(float, {W}, 1), T = Array(float, {K}, 2) }
local x, k = W(), K()
dear = Sum({k}, exp(T(k) * A(x))) * X(x)
cheap = 2 * X(x)
local r = Residuals { fit = dear:get(x) - cheap:get(x) }
)";

TEST(StoredChoice, IsWhatIsDearToComputeAgain) {
  Chosen chosen(DearAndCheap, {{"W", 1'000'000}, {"K", 100}});
  for (const Materialization dear : {chosen.by_cut("dear"), chosen.chosen("dear")})
    EXPECT_TRUE(dear.gradient);
  for (const Materialization cheap : {chosen.by_cut("cheap"), chosen.chosen("cheap")})
    EXPECT_FALSE(cheap.value || cheap.gradient);
}

// A kernel that computes the derivative of one has what is dear about that of the other.
constexpr const char* DearTogether = R"(
local W, K = Dims("W", "K")
Inputs { X = Unknown(float, {W}, 0), A = Array(float, {W}, 1), T = Array(float, {K}, 2) }
local x, k = W(), K()
local dear = Sum({k}, exp(T(k) * A(x)))
one = dear * X(x)
other = dear * sin(X(x))
local r = Residuals { fit = one:get(x) * other:get(x) }
)";

TEST(StoredChoice, StoresTogetherWhatIsDearTogether) {
  Chosen chosen(DearTogether, {{"W", 1'000'000}, {"K", 100}});
  for (const char* name : {"one", "other"}) {
    EXPECT_TRUE(chosen.by_cut(name).gradient) << name;
    EXPECT_TRUE(chosen.chosen(name).gradient) << name;
  }
}

// Storing `inner` pays until `outer` is stored, which alone reads it.
constexpr const char* DearInside = R"(
local W, K = Dims("W", "K")
Inputs { X = Unknown(float, {W}, 0), A = Array(float, {W}, 1), T = Array(float, {K}, 2) }
local x, k = W(), K()
inner = Sum({k}, exp(T(k) * A(x))) * X(x)
outer = Sum({k}, sin(T(k) + A(x))) * inner:get(x)
local r = Residuals { fit = outer:get(x) - 1 }
)";

TEST(StoredChoice, StoresNothingThatNothingNeedsAnyMore) {
  Chosen chosen(DearInside, {{"W", 1'000'000}, {"K", 100}});
  EXPECT_TRUE(chosen.chosen("outer").gradient);
  const Materialization inner = chosen.chosen("inner");
  EXPECT_FALSE(inner.value || inner.gradient);
}

// A Sum for each of W points, over K unknowns.
constexpr const char* OneSum = R"(
local W, K = Dims("W", "K")
Inputs { X = Unknown(float, {K}, 0), A = Array(float, {W, K}, 1) }
local x, k = W(), K()
local r = Residuals { fit = Sum({k}, A(x, k) * X(k)) - 1 }
)";

TEST(StoredChoice, MakesLongSumsParallel) {
  EXPECT_EQ(Chosen(OneSum, {{"W", 10}, {"K", 100'000}}).parallel_sums(), std::vector<bool>{true});
  EXPECT_EQ(Chosen(OneSum, {{"W", 1'000'000}, {"K", 3}}).parallel_sums(), std::vector<bool>{false});
}

}  // namespace
}  // namespace thallo::test
