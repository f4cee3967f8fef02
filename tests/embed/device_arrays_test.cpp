// Arrays in the memory of a device, as they are bound and read: the device is one of the host here.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/embed/bound_arrays.h"
#include "core/embed/energy_solver.h"
#include "tests/support/energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// Reads addresses of the host as if they were those of a device.
class HostAsDevice : public DeviceArrays {
 public:
  Expected<void> check(const DeviceArray& array) const override {
    return array.address == 0 ? fail("its address is in no memory of a device") : Expected<void>{};
  }
  Expected<std::vector<DeviceArrayFacts>> inspect(
      std::span<const DeviceArrayQuery> queries) override {
    ++num_inspections;
    std::vector<DeviceArrayFacts> facts;
    for (const DeviceArrayQuery& query : queries) {
      DeviceArrayFacts& found = facts.emplace_back();
      for (const double value : values_of(query.array)) {
        found.fingerprint = found.fingerprint * 31 + std::hash<double>{}(value);
        const bool is_in_range = value >= query.least && value <= query.largest;
        found.is_usable = found.is_usable &&
                          (is_in_range || (std::isnan(value) && query.allows_nan)) &&
                          (!query.needs_integers || value == std::floor(value));
      }
    }
    return facts;
  }
  Expected<HostArray> download(const DeviceArray& array) override {
    ++num_downloads;
    const std::vector<double> values = values_of(array);
    if (array.type == ScalarType::Int32)
      return HostArray(std::vector<std::int32_t>(values.begin(), values.end()));
    return HostArray(values);
  }
  std::int64_t bytes_moved() const override { return 0; }

  int num_inspections = 0;
  int num_downloads = 0;

 private:
  static std::vector<double> values_of(const DeviceArray& array) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < array.num_values(); ++i) {
      std::int64_t rest = i, place = 0;
      for (std::size_t d = 0; d < array.extents.size(); ++d) {
        place += rest % array.extents[d] * array.strides[d];
        rest /= array.extents[d];
      }
      // NOLINTBEGIN: addresses are handed over as numbers
      values.push_back(array.type == ScalarType::Int32
                           ? reinterpret_cast<const std::int32_t*>(array.address)[place]
                           : reinterpret_cast<const double*>(array.address)[place]);
      // NOLINTEND
    }
    return values;
  }
};

// A picture of two channels, and points that a map sends to pixels.
Energy mapped_picture() {
  EnergyBuilder e("picture");
  const DimId W = e.dim("W"), H = e.dim("H"), N = e.dim("N");
  const auto X = e.unknown("X", {W, H}, 2);
  const auto A = e.array("A", {W, H}, 2);
  const auto to = e.map("to", {N}, {W, H});
  const auto x = e.domain(W), y = e.domain(H), n = e.domain(N);
  e.residual("fit", X(x, y) - A(x, y));
  e.residual("point", X(to.at({n}, 0), to.at({n}, 1))[0] - 1.0);
  return test::build(std::move(e));
}

class DeviceArraysOfAProgram : public testing::Test {
 protected:
  DeviceArraysOfAProgram() {
    arrays_.bind("X", view(x_), {3, 2});
    arrays_.bind("A", view(a_), {3, 2});
    arrays_.bind("to", view(to_), {2});
  }
  static DeviceView view(const std::vector<double>& values) {
    return {.address = reinterpret_cast<std::uintptr_t>(values.data()), .type = ScalarType::Double};
  }
  static DeviceView view(const std::vector<std::int32_t>& values) {
    return {.address = reinterpret_cast<std::uintptr_t>(values.data()), .type = ScalarType::Int32};
  }
  std::string message() {
    const auto binding = arrays_.read(energy_, &device_);
    return binding ? "" : binding.error().message();
  }
  FieldId field(std::string_view name) const { return energy_.find_field(name); }

  const Energy energy_ = mapped_picture();
  std::vector<double> x_ = std::vector<double>(12);
  std::vector<double> a_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<std::int32_t> to_ = {0, 0, 2, 1};
  HostAsDevice device_;
  BoundArrays arrays_;
};

TEST_F(DeviceArraysOfAProgram, StayWhereTheyAreButForMaps) {
  const auto binding = arrays_.read(energy_, &device_);
  ASSERT_TRUE(binding) << binding.error().message();
  EXPECT_THAT(binding->extents(), ElementsAre(3, 2, 2));
  EXPECT_THAT(binding->fields_on_device(), ElementsAre(field("X"), field("A")));
  const DeviceArray& a = *binding->device_array(field("A"));
  EXPECT_EQ(a, DeviceArray::dense(view(a_).address, ScalarType::Double, {2, 3, 2}));
  EXPECT_TRUE(a.is_dense());
  EXPECT_EQ(binding->map(energy_.find_map("to")), to_);
  EXPECT_EQ(device_.num_inspections, 1) << "all arrays are looked at together";
  EXPECT_EQ(device_.num_downloads, 1);
}

TEST_F(DeviceArraysOfAProgram, MapsAreCopiedAgainWhenTheyHaveChanged) {
  const auto first = arrays_.read(energy_, &device_);
  const auto second = arrays_.read(energy_, &device_);
  const MapId to = energy_.find_map("to");
  EXPECT_EQ(device_.num_downloads, 1);
  EXPECT_EQ(first->shared_map(to), second->shared_map(to));
  arrays_.bind("to", view(to_), {2});
  EXPECT_EQ(arrays_.read(energy_, &device_)->shared_map(to), first->shared_map(to));
  to_[0] = 1;
  const auto third = arrays_.read(energy_, &device_);
  EXPECT_EQ(device_.num_downloads, 2);
  EXPECT_EQ(third->map(to), to_);
  EXPECT_THAT(first->map(to), ElementsAre(0, 0, 2, 1));
}

TEST_F(DeviceArraysOfAProgram, EqualMapsOfTheHostStayAtTheirAddress) {
  const std::span<const std::int32_t> values(to_);
  arrays_.bind("to", values, {});
  const MapId to = energy_.find_map("to");
  const auto first = arrays_.read(energy_, &device_);
  arrays_.bind("to", values, {});
  EXPECT_EQ(arrays_.read(energy_, &device_)->shared_map(to), first->shared_map(to));
  to_[0] = 1;
  EXPECT_EQ(arrays_.read(energy_, &device_)->map(to), to_);
}

TEST_F(DeviceArraysOfAProgram, FingerprintsTellWhetherValuesHaveChanged) {
  const auto binding = arrays_.read(energy_, &device_);
  const std::uint64_t a = arrays_.fingerprint(energy_, field("A"));
  const std::uint64_t x = arrays_.fingerprint(energy_, field("X"));
  a_[7] = -1;
  x_[3] = 4;
  ASSERT_TRUE(arrays_.look_at_unknowns(energy_, *binding, device_));
  EXPECT_EQ(arrays_.fingerprint(energy_, field("A")), a);
  EXPECT_NE(arrays_.fingerprint(energy_, field("X")), x);
  ASSERT_TRUE(arrays_.read(energy_, &device_));
  EXPECT_NE(arrays_.fingerprint(energy_, field("A")), a);
}

TEST_F(DeviceArraysOfAProgram, StridesAreOfDimsAndThenOfChannels) {
  DeviceView planes = view(a_);
  planes.strides = {1, 3, 6};
  arrays_.bind("A", planes, {3, 2});
  const auto binding = arrays_.read(energy_, &device_);
  ASSERT_TRUE(binding) << binding.error().message();
  const DeviceArray& a = *binding->device_array(field("A"));
  EXPECT_THAT(a.strides, ElementsAre(6, 1, 3));
  EXPECT_FALSE(a.is_dense());
  const auto on_host = copy_to_host(energy_, *binding, device_);
  ASSERT_TRUE(on_host);
  EXPECT_THAT(on_host->field(field("A")).to_doubles(),
              ElementsAre(1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12));
  EXPECT_TRUE(on_host->fields_on_device().empty());
  planes.strides = {1, 3};
  arrays_.bind("A", planes, {3, 2});
  EXPECT_EQ(message(),
            "array 'A' over (W, H) is bound with 2 strides; it needs 3, of its dims and of the "
            "channels");
}

TEST_F(DeviceArraysOfAProgram, AreRefusedForTheSameReasonsAsThoseOfTheHost) {
  DeviceView constant = view(x_);
  constant.is_constant = true;
  arrays_.bind("X", constant, {3, 2});
  arrays_.bind("to", view(a_), {2});
  EXPECT_EQ(message(),
            "unknown 'X' is bound to an array of constants, which no solution can be written into\n"
            "sparse map 'to' needs an array of std::int32_t");
  arrays_.bind("X", DeviceView{}, {3, 2});
  arrays_.bind("to", view(to_), {2});
  EXPECT_EQ(message(), "unknown 'X' over (W, H): its address is in no memory of a device");
  arrays_.bind("X", view(x_), {3});
  EXPECT_EQ(message(),
            "unknown 'X' over (W, H) is bound with a shape of 1 extents, (3); it needs 2");
  arrays_.bind("X", view(x_), {3, 2});
  to_[3] = 7;
  EXPECT_THAT(message(), HasSubstr("sparse map 'to': entry (1) coordinate 1 is 7"));
  to_[3] = 0;
  a_[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(), "") << "an array may mark by NaN what is missing";
  x_[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message(), HasSubstr("unknown 'X' is not a number (NaN) at (2, 0), channel 1"));
}

TEST_F(DeviceArraysOfAProgram, HoldNoValuesThatTheFieldCannotHold) {
  EnergyBuilder e("masked");
  const DimId N = e.dim("N");
  const auto X = e.unknown("X", {N}), Y = e.unknown("Y", {N});
  const auto M = e.array("M", {N}, 1, -1, ScalarType::UInt8);
  const auto n = e.domain(N);
  e.residual("fit", M(n) * (X(n) - Y(n)));
  const Energy energy = test::build(std::move(e));
  BoundArrays arrays;
  arrays.bind("X", view(x_), {4});
  arrays.bind("Y", view(a_), {4});
  std::vector<double> m = {0, 1, 300, 0.5};
  arrays.bind("M", view(m), {4});
  const auto message = [&] {
    const auto binding = arrays.read(energy, &device_);
    return binding ? "" : binding.error().message();
  };
  EXPECT_EQ(message(),
            "array 'M': entry 2 is 300, which does not fit into 'M' (uint8), which holds integers "
            "from 0 to 255");
  m[2] = 255;
  EXPECT_THAT(message(), HasSubstr("entry 3 is 0.5, which does not fit"));
  m[3] = 0;
  EXPECT_EQ(message(), "");
  arrays.bind("Y", DeviceView{view(x_).address + 24, ScalarType::Double}, {4});
  EXPECT_EQ(message(), "unknown 'Y' over (N): its array shares memory with that of 'X'");
  arrays.bind("Y", view(to_), {4});
  EXPECT_EQ(message(),
            "unknown 'Y' is bound to an array of integers, which cannot hold a solution");
}

// Steps change X, so that A goes to the host at the beginning and stays what it was.
TEST_F(DeviceArraysOfAProgram, KeepDataInTheMemoryOfAnUnknown) {
  arrays_.bind("A", view(x_), {3, 2});
  auto begun = arrays_.read(energy_, &device_);
  ASSERT_TRUE(begun && arrays_.keep_shared_data(energy_, *begun, nullptr, &device_));
  EXPECT_THAT(begun->fields_on_device(), ElementsAre(field("X")));
  const auto stepped = [&](Binding& before) {
    auto now = arrays_.read(energy_, &device_);
    EXPECT_TRUE(now && arrays_.keep_shared_data(energy_, *now, &before, &device_));
    return *std::move(now);
  };
  x_[5] = 3;
  Binding later = stepped(*begun);
  EXPECT_THAT(later.fields_on_device(), ElementsAre(field("X")));
  EXPECT_EQ(later.field(field("A")).to_doubles(), std::vector<double>(12));
  arrays_.bind("A", view(a_), {3, 2});
  later = stepped(later);
  EXPECT_THAT(later.fields_on_device(), ElementsAre(field("X"), field("A")));
  arrays_.bind("A", view(x_), {3, 2});
  EXPECT_EQ(stepped(later).field(field("A")).to_doubles(), x_);
}

TEST_F(DeviceArraysOfAProgram, NeedABackendOfADevice) {
  const auto binding = arrays_.read(energy_, nullptr);
  ASSERT_FALSE(binding);
  EXPECT_THAT(binding.error().message(),
              HasSubstr("array 'A' over (W, H): it is bound to an array in the memory of a device, "
                        "which only backend cuda takes"));
  std::vector<double> x(12);
  EnergySolver solver(EnergyFile{mapped_picture()}, {.backend = "interpreter"});
  solver.bind("X", x, {3, 2}).bind("A", view(a_), {3, 2}).bind("to", to_);
  const auto summary = solver.solve();
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message(), HasSubstr("which only backend cuda takes"));
}

TEST(DeviceFields, AreFieldsOfABindingWithTheRightNumberOfValues) {
  const Energy energy = mapped_picture();
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("W", 3) && binding.set_extent("H", 2) &&
              binding.set_extent("N", 1) && binding.set_map("to", {0, 0}));
  const auto with_extents = [&](std::vector<std::int64_t> extents) {
    EXPECT_TRUE(binding.set_device_field(
        "A", DeviceArray::dense(16, ScalarType::Float, std::move(extents))));
    const auto valid = binding.validate(energy);
    return valid ? "" : valid.error().message();
  };
  ASSERT_TRUE(binding.set_field("X", std::vector<float>(12)));
  EXPECT_EQ(with_extents({2, 3, 2}), "");
  EXPECT_THAT(with_extents({3, 2}), HasSubstr("array 'A' is bound to 6 values; it needs 12"));
  ASSERT_TRUE(binding.set_field("A", std::vector<float>(12)));
  EXPECT_EQ(binding.device_array(energy.find_field("A")), nullptr);
  const auto unknown_name = binding.set_device_field("B", {});
  ASSERT_FALSE(unknown_name);
  EXPECT_THAT(unknown_name.error().message(), HasSubstr("the energy has no field 'B'"));
}

}  // namespace
}  // namespace thallo
