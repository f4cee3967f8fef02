// EnergySolver on arrays in the memory of the GPU: the solutions are those of arrays on the host.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/embed/energy_solver.h"
#include "tests/cuda/gpu_memory.h"

namespace thallo {
namespace {

using test::GpuStream;
using test::OnGpu;
using ::testing::HasSubstr;

constexpr std::int64_t W = 48, H = 31;

// An image X near A where M says so, and smooth along the edges of a graph of its pixels.
constexpr std::string_view Smooth = R"(
local W, H, E = Dims("W", "H", "E")
Inputs { X = Unknown(thallo_float2, {W, H}), A = Array(float2, {W, H}), M = Array(uint8, {W, H}),
         w = Param(float), from = Sparse({E}, {W, H}), to = Sparse({E}, {W, H}) }
local x, y, e = W(), H(), E()
Residuals { fit = w * M(x, y) * (X(x, y) - A(x, y)), smooth = X(from(e)) - X(to(e)) }
)";

struct Data {
  std::vector<float> x = std::vector<float>(2 * W * H), a = x;
  std::vector<std::uint8_t> m = std::vector<std::uint8_t>(W * H);
  std::vector<std::int32_t> from, to;

  Data() {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(0.31F * static_cast<float>(i));
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = i % 3 != 0 ? 1 : 0;
    for (std::int32_t y = 0; y < H; ++y)
      for (std::int32_t x_of = 0; x_of + 1 < W; ++x_of) add_edge(x_of, y, x_of + 1, y);
    for (std::int32_t y = 0; y + 1 < H; ++y)
      for (std::int32_t x_of = 0; x_of < W; ++x_of) add_edge(x_of, y, x_of, y + 1);
  }
  void add_edge(std::int32_t x0, std::int32_t y0, std::int32_t x1, std::int32_t y1) {
    from.insert(from.end(), {x0, y0});
    to.insert(to.end(), {x1, y1});
  }
  std::int64_t num_edges() const { return static_cast<std::int64_t>(from.size() / 2); }
};

// The same on the GPU.
struct GpuData {
  explicit GpuData(const Data& data)
      : x(data.x), a(data.a), m(data.m), from(data.from), to(data.to) {}
  OnGpu<float> x, a;
  OnGpu<std::uint8_t> m;
  OnGpu<std::int32_t> from, to;
};

template <class T>
T value_of(Expected<T> result) {
  if (!result) throw InternalError(result.error().message(), __FILE__, __LINE__);
  return *std::move(result);
}

EnergySolver smooth_solver(EnergySolverOptions options = {}) {
  options.backend = "cuda";
  if (options.schedule.empty()) options.schedule = "default";
  return value_of(EnergySolver::load_text(Smooth, "smooth.lua", std::move(options)));
}

EnergySolver on_host(Data& data) {
  EnergySolver solver = smooth_solver();
  solver.bind("X", data.x, {W, H}).bind("A", data.a).bind("M", data.m).bind("w", 2.0);
  solver.bind("from", data.from).bind("to", data.to);
  return solver;
}

EnergySolver on_gpu(const Data& data, const GpuData& gpu, EnergySolverOptions options = {}) {
  EnergySolver solver = smooth_solver(std::move(options));
  const std::int64_t edges = data.num_edges();
  solver.bind("X", DeviceView{.address = gpu.x.address()}, {W, H});
  solver.bind("A", DeviceView{.address = gpu.a.address(), .is_constant = true}, {W, H});
  solver.bind("M", DeviceView{.address = gpu.m.address(), .type = ScalarType::UInt8}, {W, H});
  solver.bind("from", DeviceView{.address = gpu.from.address(), .type = ScalarType::Int32},
              {edges});
  solver.bind("to", DeviceView{.address = gpu.to.address(), .type = ScalarType::Int32}, {edges});
  solver.bind("w", 2.0);
  return solver;
}

SolverOptions gauss_newton() {
  SolverOptions options;
  options.num_iterations = 4;
  options.num_linear_iterations = 40;
  return options;
}

void expect_near(const std::vector<float>& found, const std::vector<float>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 1e-4) << i;
}

template <class T>
std::string message_of(const Expected<T>& result) {
  return result ? "" : result.error().message();
}

TEST(DeviceArraysTest, AreSolvedInTheirPlace) {
  THALLO_REQUIRE_GPU();
  Data data;
  GpuData gpu(data);
  EnergySolver host = on_host(data);
  EnergySolver device = on_gpu(data, gpu);
  const SolverSummary wanted = value_of(host.solve(gauss_newton()));
  const SolverSummary found = value_of(device.solve(gauss_newton()));
  EXPECT_NEAR(found.final_cost / wanted.final_cost, 1, 1e-5);
  expect_near(gpu.x.get(), data.x);
  // The maps were copied to the host, and uploaded as the backend orders them.
  EXPECT_GT(device.bytes_moved(), 0);
  const std::int64_t before = device.bytes_moved();
  gpu.x.set(std::vector<float>(data.x.size()));
  value_of(device.solve(gauss_newton()));
  EXPECT_EQ(device.bytes_moved(), before);
  expect_near(gpu.x.get(), data.x);
  EXPECT_GT(host.bytes_moved(), 0);
}

TEST(DeviceArraysTest, OfOtherTypesAndStridesAreCopiedOnTheDevice) {
  THALLO_REQUIRE_GPU();
  Data data;
  GpuData gpu(data);
  EnergySolver host = on_host(data);
  value_of(host.solve(gauss_newton()));

  // X as doubles; A as planes of rows with a margin, the last row first; M at an odd address.
  OnGpu<double> x(std::vector<double>(data.a.size()));
  constexpr std::int64_t Row = W + 3;
  std::vector<double> planes(2 * Row * H);
  for (std::int64_t row = 0; row < H; ++row)
    for (std::int64_t column = 0; column < W; ++column)
      for (std::int64_t channel = 0; channel < 2; ++channel)
        planes[static_cast<std::size_t>(channel * Row * H + (H - 1 - row) * Row + column)] =
            static_cast<double>(data.a[static_cast<std::size_t>(2 * (column + W * row) + channel)]);
  OnGpu<double> a(planes);
  std::vector<std::uint8_t> shifted = {7};
  shifted.insert(shifted.end(), data.m.begin(), data.m.end());
  OnGpu<std::uint8_t> m(shifted);
  EnergySolver device = on_gpu(data, gpu, {.precision = Precision::Float});
  device.bind("X", DeviceView{.address = x.address(), .type = ScalarType::Double}, {W, H});
  device.bind("A",
              DeviceView{.address = a.address() + (H - 1) * Row * sizeof(double),
                         .type = ScalarType::Double,
                         .strides = {1, -Row, Row * H}},
              {W, H});
  device.bind("M", DeviceView{.address = m.address() + 1, .type = ScalarType::UInt8}, {W, H});
  value_of(device.solve(gauss_newton()));
  const std::vector<double> found = x.get();
  expect_near({found.begin(), found.end()}, data.x);
  const std::int64_t before = device.bytes_moved();
  x.set(std::vector<double>(data.a.size()));
  value_of(device.solve(gauss_newton()));
  EXPECT_EQ(device.bytes_moved(), before);
}

TEST(DeviceArraysTest, AnInputInTheMemoryOfAnUnknownKeepsItsValues) {
  THALLO_REQUIRE_GPU();
  Data data;
  data.x = data.a;
  GpuData gpu(data);
  EnergySolver host = on_host(data);
  value_of(host.solve(gauss_newton()));
  EnergySolver device = on_gpu(data, gpu);
  device.bind("A", DeviceView{.address = gpu.x.address()}, {W, H});
  value_of(device.solve(gauss_newton()));
  expect_near(gpu.x.get(), data.x);
}

TEST(DeviceArraysTest, ChangeBetweenSteps) {
  THALLO_REQUIRE_GPU();
  Data data;
  GpuData gpu(data);
  EnergySolver host = on_host(data);
  EnergySolver device = on_gpu(data, gpu);
  ASSERT_TRUE(host.begin(gauss_newton()));
  ASSERT_TRUE(device.begin(gauss_newton()));
  for (int step = 0; step < 4; ++step) {
    if (step > 0) {
      host.bind("w", 2.0 + step);
      device.bind("w", 2.0 + step);
    }
    if (step == 2) {
      for (float& a : data.a) a = 1 - a;
      gpu.a.set(data.a);
      std::swap(data.from[0], data.from[10]);
      gpu.from.set(data.from);
    }
    if (step == 3) {
      data.x.assign(data.x.size(), 0.5F);
      gpu.x.set(data.x);
    }
    const bool more = value_of(host.step());
    EXPECT_EQ(value_of(device.step()), more);
    expect_near(gpu.x.get(), data.x);
  }
  EXPECT_NEAR(value_of(device.finish()).final_cost / value_of(host.finish()).final_cost, 1, 1e-5);
}

TEST(DeviceArraysTest, StepsWithoutChangesAreThoseOfASolve) {
  THALLO_REQUIRE_GPU();
  const Data data;
  GpuData gpu(data);
  SolverOptions options = SolverOptions::until_converged();
  EnergySolver whole = on_gpu(data, gpu);
  const SolverSummary wanted = value_of(whole.solve(options));
  gpu.x.set(data.x);
  EnergySolver stepped = on_gpu(data, gpu);
  ASSERT_TRUE(stepped.begin(options));
  const std::int64_t before = stepped.bytes_moved();
  while (value_of(stepped.step())) {
  }
  EXPECT_EQ(stepped.bytes_moved(), before);
  const SolverSummary found = value_of(stepped.finish());
  ASSERT_EQ(found.iterations.size(), wanted.iterations.size());
  EXPECT_EQ(found.termination, wanted.termination);
  for (std::size_t i = 0; i < found.iterations.size(); ++i)
    EXPECT_NEAR(found.iterations[i].cost, wanted.iterations[i].cost,
                1e-5 * wanted.iterations[0].cost);
}

// Half a second of work is on the stream before the values of A are.
TEST(DeviceArraysTest, AreReadAfterTheWorkOfTheirStream) {
  THALLO_REQUIRE_GPU();
  Data data;
  GpuData gpu(data);
  EnergySolver host = on_host(data);
  value_of(host.solve(gauss_newton()));
  EnergySolver device = on_gpu(data, gpu);
  value_of(device.solve(gauss_newton()));  // all is compiled

  const OnGpu<float> right(data.a);
  constexpr std::size_t Large = std::size_t{1} << 30;
  const test::GpuAddress large = test::gpu().allocate(Large);
  const GpuStream stream;
  gpu.a.set(std::vector<float>(data.a.size(), 100.0F));
  gpu.x.set(std::vector<float>(data.x.size()));
  device.bind("A", DeviceView{.address = gpu.a.address(), .stream = stream.number()}, {W, H});
  for (int i = 0; i < 500; ++i)
    test::gpu().fill(large, static_cast<unsigned char>(i), Large, stream.get());
  test::gpu().copy(gpu.a.address(), right.address(), right.bytes(), stream.get());
  value_of(device.solve(gauss_newton()));
  expect_near(gpu.x.get(), data.x);
  test::gpu().free(large);
}

TEST(DeviceArraysTest, ManySolvesDoNotGrow) {
  THALLO_REQUIRE_GPU();
  const Data data;
  GpuData gpu(data);
  std::size_t before = 0, after = 0;
  for (int i = 0; i < 200; ++i) {
    EnergySolver solver = on_gpu(data, gpu);
    value_of(solver.solve(gauss_newton()));
    (i == 20 ? before : after) = test::gpu().free_bytes();
  }
  EXPECT_GE(after + (std::size_t{8} << 20), before);
}

TEST(DeviceArraysTest, AreRefusedByName) {
  THALLO_REQUIRE_GPU();
  Data data;
  GpuData gpu(data);
  const auto fault = [&](std::string_view name, DeviceView view, Shape shape) {
    EnergySolver solver = on_gpu(data, gpu);
    solver.bind(name, std::move(view), std::move(shape));
    return message_of(solver.solve(gauss_newton()));
  };
  const auto host_address = reinterpret_cast<std::uintptr_t>(data.a.data());
  EXPECT_THAT(fault("A", {.address = host_address}, {W, H}),
              HasSubstr("array 'A' over (W, H): its address"));
  EXPECT_THAT(fault("A", {.address = host_address}, {W, H}),
              HasSubstr("is in no memory of a device"));
  EXPECT_THAT(fault("A", {.address = gpu.a.address() + 2}, {W, H}),
              HasSubstr("is no multiple of 4"));
  EXPECT_THAT(fault("X", {.address = gpu.x.address(), .is_constant = true}, {W, H}),
              HasSubstr("unknown 'X' is bound to an array of constants"));
  EXPECT_THAT(fault("from", {.address = gpu.from.address()}, {data.num_edges()}),
              HasSubstr("sparse map 'from' needs an array of std::int32_t"));
  EXPECT_THAT(fault("A", {.address = gpu.a.address(), .strides = {2}}, {W, H}),
              HasSubstr("with 1 strides; it needs 3, of its dims and of the channels"));
  EXPECT_THAT(
      fault("A", {.address = gpu.a.address(), .strides = {2, std::int64_t{1} << 30, 1}}, {W, H}),
      HasSubstr("and the memory there has"));
  data.a[2 * (5 + 7 * W) + 1] = std::numeric_limits<float>::quiet_NaN();
  gpu.a.set(data.a);
  EXPECT_THAT(fault("X", {.address = gpu.x.address()}, {W, H}),
              HasSubstr("since A(5, 7)[1] is nan"));
  gpu.a.set(Data().a);
  data.to[3] = H;
  gpu.to.set(data.to);
  EXPECT_THAT(fault("X", {.address = gpu.x.address()}, {W, H}),
              HasSubstr("sparse map 'to': entry (1) coordinate 1 is 31, outside 0 <= value < H"));
}

TEST(DeviceArraysTest, AFaultOfTheDataLeavesTheStepToBeRepeated) {
  THALLO_REQUIRE_GPU();
  const Data data;
  GpuData gpu(data);
  EnergySolver solver = on_gpu(data, gpu);
  ASSERT_TRUE(solver.begin(gauss_newton()));
  std::vector<float> bad = data.a;
  bad.back() = std::numeric_limits<float>::quiet_NaN();
  gpu.a.set(bad);
  EXPECT_THAT(message_of(solver.step()), HasSubstr("is nan"));
  ASSERT_TRUE(solver.is_stepping());
  gpu.a.set(data.a);
  EXPECT_TRUE(value_of(solver.step()));
}

TEST(DeviceArraysTest, AreLinearizedFromCopies) {
  THALLO_REQUIRE_GPU();
  Data data;
  GpuData gpu(data);
  const Linearization wanted = value_of(on_host(data).linearize());
  const Linearization found = value_of(on_gpu(data, gpu).linearize());
  EXPECT_EQ(found.residuals(), wanted.residuals());
}

}  // namespace
}  // namespace thallo
