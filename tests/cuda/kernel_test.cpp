// Hand-built kernels on a device: points, reductions, epilogues, gates, scatters, rebinding.
#include <gmock/gmock.h>

#include <limits>
#include <numeric>

#include "core/backend/cuda/compile.h"
#include "tests/cuda/small_program.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::make_bound;
using test::slot;
using test::SmallProgram;
using testing::HasSubstr;

// Cost += sum of x, and one is added to LinearIteration by the epilogue.
KernelProgram sum_program(std::optional<Gate> gate = {}) {
  SmallProgram small;
  ProgramBuilder& b = small.builder;
  Kernel kernel{.role = "sum", .label = "sum [x]"};
  const DomainId i = b.fresh_domain(small.dim("N"), "i");
  kernel.sections.push_back(
      {.domains = {i},
       .body = {b.reduce(StateSlot::Cost, b.read(small.field("x"), small.index({i})))}});
  kernel.epilogue.push_back(
      b.store_state(StateSlot::LinearIteration,
                    b.graph().add(b.state(StateSlot::LinearIteration), b.graph().constant(1))));
  b.launch(Phase::Cost, b.add_kernel(std::move(kernel)), gate);
  return std::move(b).take();
}

TEST(CudaKernel, SumsAnyNumberOfPointsAndRunsTheEpilogueOnce) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  auto executable = cuda.compile(generate(sum_program()), {.precision = Precision::Double});
  ASSERT_TRUE(executable.has_value()) << executable.error().message();
  for (const std::int64_t n : {0, 1, 31, 32, 33, 255, 256, 257, 1000, 4097, 100'003}) {
    SCOPED_TRACE(n);
    const auto bound = (*executable)->bind(small.binding(n, 1));
    ASSERT_TRUE(bound.has_value()) << bound.error().message();
    (*executable)->run(Phase::Cost);
    (*executable)->run(Phase::Cost);
    const double once = 0.5 * static_cast<double>(n) * static_cast<double>(n + 1);
    EXPECT_EQ(slot(**executable, StateSlot::Cost), 2 * once);
    EXPECT_EQ(slot(**executable, StateSlot::LinearIteration), 2);
  }
}

TEST(CudaKernel, CompilesNothingWhenSizesChange) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  auto executable = make_bound(cuda, sum_program(), small.binding(100, 3), Precision::Float);
  ASSERT_NE(executable, nullptr);
  const CompiledKernel* before = executable->kernels().data();
  ASSERT_TRUE(executable->bind(small.binding(5000, 7)).has_value());
  EXPECT_EQ(executable->kernels().data(), before);
  executable->run(Phase::Cost);
  EXPECT_EQ(slot(*executable, StateSlot::Cost), 0.5 * 5000 * 5001);
}

TEST(CudaKernel, TakesTheMaximumOfNonNegativeValues) {
  THALLO_REQUIRE_CUDA(cuda);
  SmallProgram small;
  ProgramBuilder& b = small.builder;
  Kernel kernel{.role = "largest", .label = "largest"};
  const DomainId i = b.fresh_domain(small.dim("N"), "i");
  const ExprId value = b.graph().unary(
      Op::Abs, b.graph().add(b.read(small.field("x"), small.index({i})), small.constant(-700)));
  kernel.sections.push_back(
      {.domains = {i}, .body = {b.reduce(StateSlot::BMax, value, ReduceOp::Max)}});
  b.launch(Phase::Cost, b.add_kernel(std::move(kernel)));
  auto executable =
      make_bound(cuda, std::move(b).take(), small.binding(1000, 1), Precision::Double);
  ASSERT_NE(executable, nullptr);
  executable->run(Phase::Cost);
  EXPECT_EQ(slot(*executable, StateSlot::BMax), 699);  // |1 - 700|
}

TEST(CudaKernel, AClosedGateKeepsTheLaunchFromRunning) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  auto executable = make_bound(cuda, sum_program(Gate{StateSlot::Stop, 0}), small.binding(1000, 1),
                               Precision::Double);
  ASSERT_NE(executable, nullptr);
  SolverState state{};
  at(state, StateSlot::Stop) = 1;
  executable->write_state(state);
  executable->run(Phase::Cost);
  EXPECT_EQ(slot(*executable, StateSlot::Cost), 0);
  EXPECT_EQ(slot(*executable, StateSlot::LinearIteration), 0);
  at(state, StateSlot::Stop) = 0;
  executable->write_state(state);
  executable->run(Phase::Cost);
  EXPECT_EQ(slot(*executable, StateSlot::Cost), 500'500);
  EXPECT_EQ(slot(*executable, StateSlot::LinearIteration), 1);
}

// Sections over (N, M) and N, and one point: every point of each is visited once.
TEST(CudaKernel, VisitsEveryPointOfEverySection) {
  THALLO_REQUIRE_CUDA(cuda);
  SmallProgram small;
  ProgramBuilder& b = small.builder;
  Kernel kernel{.role = "points", .label = "points"};
  const DomainId i = b.fresh_domain(small.dim("N"), "i");
  const DomainId j = b.fresh_domain(small.dim("M"), "j");
  const DomainId k = b.fresh_domain(small.dim("N"), "k");
  IndexTable& indices = b.graph().indices();
  // The position that (i, j) stands for is what image holds there.
  const ExprId read = b.read(small.field("image"), small.index({i, j}), 1);
  const ExprId row = b.graph().index_value(indices.component(i));
  const ExprId column = b.graph().index_value(indices.component(j));
  const ExprId weight = b.graph().add(row, b.graph().mul(small.constant(1000), column));
  kernel.sections.push_back({.domains = {i, j},
                             .body = {b.reduce(StateSlot::SumA, b.graph().mul(read, weight)),
                                      b.reduce(StateSlot::SumB, small.constant(1))}});
  kernel.sections.push_back(
      {.domains = {k},
       .body = {b.reduce(StateSlot::SumC, b.read(small.field("x"), small.index({k})))}});
  kernel.sections.push_back({.body = {b.reduce(StateSlot::SumC, b.state(StateSlot::Radius))}});
  b.launch(Phase::Cost, b.add_kernel(std::move(kernel)));
  auto executable = cuda.compile(generate(std::move(b).take()), {.precision = Precision::Double});
  ASSERT_TRUE(executable.has_value()) << executable.error().message();
  for (const auto& [n, m] : {std::pair{7, 5}, {1, 300}, {300, 1}, {37, 129}, {256, 4}, {1, 1}}) {
    SCOPED_TRACE(testing::Message() << n << " x " << m);
    ASSERT_TRUE((*executable)->bind(small.binding(n, m)).has_value());
    SolverState state{};
    at(state, StateSlot::Radius) = 0.25;
    (*executable)->write_state(state);
    (*executable)->run(Phase::Cost);
    double sum = 0;
    for (int c = 0; c < m; ++c) {
      for (int r = 0; r < n; ++r) sum += (2.0 * (r + n * c) + 1) * (r + 1000.0 * c);
    }
    EXPECT_DOUBLE_EQ(slot(**executable, StateSlot::SumA), sum);
    EXPECT_EQ(slot(**executable, StateSlot::SumB), n * m);
    EXPECT_EQ(slot(**executable, StateSlot::SumC), 0.5 * n * (n + 1) + 0.25);
  }
}

// v[to(i)] += a x(i), twice with another parameter in between.
KernelProgram scatter_program() {
  SmallProgram small;
  ProgramBuilder& b = small.builder;
  Kernel kernel{.role = "scatter", .label = "scatter"};
  const DomainId i = b.fresh_domain(small.dim("N"), "i");
  IndexTable& indices = b.graph().indices();
  const IndexId target = indices.intern(
      MultiIndex{indices.component(small.energy.find_map("to"), 0, small.index({i}))});
  const ExprId a = b.graph().access(small.field("a"), indices.intern(MultiIndex{}), 0);
  const ExprId value = b.graph().mul(a, b.read(small.field("x"), small.index({i})));
  kernel.sections.push_back(
      {.domains = {i},
       .body = {{ScatterAdd{b.vector_view(SolverVector::B, small.field("v")), target, 0, value}}}});
  b.launch(Phase::Linearize, b.add_kernel(std::move(kernel)));
  return std::move(b).take();
}

TEST(CudaKernel, ScattersThroughASparseMap) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  constexpr int n = 1000;
  constexpr int m = 13;
  Binding binding = small.binding(n, m);
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    KernelProgram program = scatter_program();
    const std::size_t b = program.vector(SolverVector::B);
    auto executable = make_bound(cuda, std::move(program), binding, precision);
    ASSERT_NE(executable, nullptr);
    executable->run(Phase::Linearize);
    ASSERT_TRUE(binding.set_param("a", 0.5).has_value());
    ASSERT_TRUE(executable->upload(binding, small.field("a")).has_value());
    executable->run(Phase::Linearize);
    ASSERT_TRUE(binding.set_param("a", 3).has_value());
    std::vector<double> expected(n + m, 0.0);  // views of u and v
    for (int i = 0; i < n; ++i) expected[n + (7 * i) % m] += 3.5 * (i + 1);
    EXPECT_EQ(executable->read_buffer(b), expected);
  }
}

TEST(CudaKernel, RebindsAFieldToOtherMemory) {
  THALLO_REQUIRE_CUDA(cuda);
  SmallProgram small;
  ProgramBuilder& b = small.builder;
  Kernel kernel{.role = "copy", .label = "copy"};
  const DomainId i = b.fresh_domain(small.dim("N"), "i");
  const FieldId u = small.field("u");
  kernel.sections.push_back(
      {.domains = {i},
       .body = {{Store{b.vector_view(SolverVector::X, u), small.index({i}), 0,
                       b.read(b.vector_view(SolverVector::P, u), small.index({i}))}}}});
  const std::size_t id = b.add_kernel(std::move(kernel));
  b.launch(Phase::Cost, id);
  b.launch(Phase::TrialCost, id, {},
           {{b.vector_view(SolverVector::X, u), b.vector_view(SolverVector::Z, u)}});
  KernelProgram program = std::move(b).take();
  const std::size_t p = program.vector(SolverVector::P);
  const std::size_t z = program.vector(SolverVector::Z);
  const std::size_t x = program.vector(SolverVector::X);
  auto executable = make_bound(cuda, std::move(program), small.binding(5, 2), Precision::Float);
  ASSERT_NE(executable, nullptr);
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7};
  executable->write_buffer(p, values);
  executable->run(Phase::TrialCost);
  EXPECT_THAT(executable->read_buffer(z), testing::ElementsAre(1, 2, 3, 4, 5, 0, 0));
  EXPECT_THAT(executable->read_buffer(x), testing::Each(0));
  executable->run(Phase::Cost);
  EXPECT_THAT(executable->read_buffer(x), testing::ElementsAre(1, 2, 3, 4, 5, 0, 0));
}

TEST(CudaKernel, GivesBackTheUnknowns) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  Binding binding = small.binding(100, 20);
  auto executable = make_bound(cuda, sum_program(), binding, Precision::Double);
  ASSERT_NE(executable, nullptr);
  const std::vector<double> u = binding.field(small.field("u")).to_doubles();
  binding.field(small.field("u")) = std::vector<double>(100, -1.0);
  executable->download_unknowns(binding);
  EXPECT_EQ(binding.field(small.field("u")).to_doubles(), u);
}

TEST(CudaKernel, TheVariantFor64BitIndicesAgrees) {
  THALLO_REQUIRE_CUDA(cuda);
  const test::ScopedEnv bits("THALLO_CUDA_INDEX_BITS", "64");
  const SmallProgram small;
  auto executable = make_bound(cuda, sum_program(), small.binding(4097, 3), Precision::Double);
  auto scatter = make_bound(cuda, scatter_program(), small.binding(1000, 13), Precision::Double);
  ASSERT_NE(executable, nullptr);
  ASSERT_NE(scatter, nullptr);
  EXPECT_THAT(executable->kernels()[0].source, HasSubstr("long long idx_t"));
  executable->run(Phase::Cost);
  EXPECT_EQ(slot(*executable, StateSlot::Cost), 0.5 * 4097 * 4098);
  scatter->run(Phase::Linearize);
  const std::vector<double> b = scatter->read_buffer(scatter->program().vector(SolverVector::B));
  EXPECT_EQ(std::accumulate(b.begin(), b.end(), 0.0), 3 * 0.5 * 1000 * 1001);
}

// 2.6e9 points and no memory: the 64-bit variant is chosen and needed.
TEST(CudaKernel, CountsMorePointsThanAnIntHolds) {
  THALLO_REQUIRE_CUDA(cuda);
  if (cuda.devices()[0].num_units < 16) GTEST_SKIP() << "this device would take too long";
  EnergyBuilder e("grid");
  const DimId w = e.dim("W");
  const DimId h = e.dim("H");
  const auto u = e.unknown("u", {e.dim("one")});
  const auto x = e.domain(w);
  const auto y = e.domain(h);
  e.residual("points", {u(0) * e.value_of(x) * e.value_of(y)});
  const auto energy = std::move(e).build();
  ASSERT_TRUE(energy.has_value()) << energy.error().message();
  const Plan plan = default_plan(*energy);
  ProgramBuilder b(*energy, plan, {});
  Kernel kernel{.role = "count", .label = "count"};
  const DomainId i = b.fresh_domain(w, "i");
  const DomainId j = b.fresh_domain(h, "j");
  kernel.sections.push_back(
      {.domains = {i, j}, .body = {b.reduce(StateSlot::SumA, b.graph().constant(1))}});
  b.launch(Phase::Cost, b.add_kernel(std::move(kernel)));
  Binding binding(*energy);
  ASSERT_TRUE(binding.set_extent("W", 65'536) && binding.set_extent("H", 40'000) &&
              binding.set_extent("one", 1) && binding.set_field("u", std::vector<double>{0.0}));
  auto executable = make_bound(cuda, std::move(b).take(), binding, Precision::Float);
  ASSERT_NE(executable, nullptr);
  executable->run(Phase::Cost);
  EXPECT_EQ(slot(*executable, StateSlot::SumA), 65'536.0 * 40'000.0);
}

TEST(CudaKernel, RunningOutOfMemoryNamesTheBuffer) {
  THALLO_REQUIRE_CUDA(cuda);
  EnergyBuilder e("large");
  const DimId w = e.dim("W");
  const auto u = e.unknown("u", {w});
  e.residual("fit", {u(e.domain(w))});
  const auto energy = std::move(e).build();
  ASSERT_TRUE(energy.has_value()) << energy.error().message();
  const Plan plan = default_plan(*energy);
  ProgramBuilder b(*energy, plan, {});
  b.matrix();  // N x N of N = 3e6: 36 TB
  Binding binding(*energy);
  ASSERT_TRUE(binding.set_extent("W", 3'000'000) &&
              binding.set_field("u", std::vector<float>(3'000'000)));
  auto executable = cuda.compile(generate(std::move(b).take()),
                                 {.memory_limit = std::numeric_limits<std::int64_t>::max()});
  ASSERT_TRUE(executable.has_value()) << executable.error().message();
  const auto bound = (*executable)->bind(binding);
  ASSERT_FALSE(bound.has_value());
  EXPECT_THAT(bound.error().what,
              HasSubstr("out of device memory: buffer 'JtJ' needs 36000000000000 bytes"));
}

TEST(CudaKernel, TimesThePhasesThatRan) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  auto executable = make_bound(cuda, sum_program(), small.binding(1000, 1), Precision::Double);
  ASSERT_NE(executable, nullptr);
  for (int i = 0; i < 2500; ++i) executable->run(Phase::Cost);  // more than the ring of events
  const std::vector<PhaseTiming> timing = executable->timing();
  ASSERT_EQ(timing.size(), 1u);
  EXPECT_EQ(timing[0].phase, Phase::Cost);
  EXPECT_EQ(timing[0].launches, 2500);
  EXPECT_GT(timing[0].seconds, 0);
  executable->reset_timing();
  EXPECT_TRUE(executable->timing().empty());
}

TEST(CudaKernel, ReportsWhatTheCompilerDid) {
  THALLO_REQUIRE_CUDA(cuda);
  const SmallProgram small;
  auto executable = make_bound(cuda, sum_program(), small.binding(10, 1), Precision::Float);
  ASSERT_NE(executable, nullptr);
  ASSERT_EQ(executable->kernels().size(), 1u);
  const CompiledKernel& kernel = executable->kernels()[0];
  EXPECT_EQ(kernel.role, "sum");
  EXPECT_EQ(kernel.label, "sum [x]");
  EXPECT_THAT(kernel.source, HasSubstr("sum(const Args a)"));
  EXPECT_EQ(kernel.key.size(), 32u);
  EXPECT_GT(kernel.registers, 0);
  EXPECT_EQ(kernel.spill_bytes, 0);
}

// As after a change of the driver, or of what NVRTC makes under an equal name.
TEST(CudaKernel, CompilesAgainWhatTheDriverRefuses) {
  THALLO_REQUIRE_CUDA(cuda);
  const test::TempDir folder;
  const test::ScopedEnv variable("THALLO_CACHE_DIR", folder.path().c_str());
  const SmallProgram small;
  const Binding binding = small.binding(10, 1);
  const auto first = make_bound(cuda, sum_program(), binding, Precision::Float);
  ASSERT_NE(first, nullptr);
  const std::string architecture = cuda.devices()[0].architecture;
  const CompiledKernel& kernel = first->kernels()[0];
  KernelCache(folder.path())
      .store(cuda::cache_key({kernel.role, kernel.source}, architecture), "no cubin");

  const auto again = make_bound(cuda, sum_program(), binding, Precision::Float);
  ASSERT_NE(again, nullptr);
  EXPECT_FALSE(again->kernels()[0].from_cache);
  const auto kept = make_bound(cuda, sum_program(), binding, Precision::Float);
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(kept->kernels()[0].from_cache);
}

}  // namespace
}  // namespace thallo
