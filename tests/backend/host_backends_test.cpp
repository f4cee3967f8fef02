// The host backends on programs of real energies: known answers, sizes that do not divide evenly,
// empty domains, any number of threads, both index widths, rebinding.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "core/backend/backend.h"
#include "core/base/log.h"
#include "core/explore/verify/conformance.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/gather.h"
#include "tests/backend/springs.h"
#include "tests/support/backend_test.h"
#include "tests/support/energies.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::bind_springs;
using test::Damped;
using test::springs;
using testing::ElementsAre, testing::HasSubstr;
using Sizes = test::SpringSizes;

// One nonlinear iteration with ten linear ones; state and every buffer afterwards.
struct Outcome {
  SolverState state;
  std::vector<std::vector<double>> buffers;
};
Outcome iterate(Executable& executable, const Binding& binding) {
  const auto bound = executable.bind(binding);
  EXPECT_TRUE(bound.has_value()) << bound.error().message();
  SolverState state{};
  at(state, StateSlot::MaxLinearIterations) = 10;
  at(state, StateSlot::Radius) = 100;
  at(state, StateSlot::StepFactor) = 1;
  at(state, StateSlot::MinDiagonal) = 1e-6;
  at(state, StateSlot::MaxDiagonal) = 1e32;
  executable.write_state(state);
  for (const Phase phase : {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize,
                            Phase::SaveScale, Phase::Damp}) {
    executable.run(phase);
  }
  executable.run_linear_loop({.max_iterations = 10, .reset_period = 0});
  for (const Phase phase : {Phase::Retract, Phase::TrialValues, Phase::TrialCost, Phase::Accept}) {
    executable.run(phase);
  }
  Outcome outcome{executable.read_state(), {}};
  for (std::size_t b = 0; b < executable.program().buffers.size(); ++b) {
    outcome.buffers.push_back(executable.read_buffer(b));
  }
  return outcome;
}

double difference(const Outcome& a, const Outcome& b) {
  double worst = 0;
  const auto compare = [&worst](const auto& x, const auto& y) {
    ASSERT_EQ(x.size(), y.size());
    double largest = 1;
    for (const double value : y) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = std::abs(x[i] - y[i]) / largest;
      worst = std::isnan(error) ? 1 : std::max(worst, error);
    }
  };
  compare(a.state, b.state);
  for (std::size_t i = 0; i < a.buffers.size(); ++i) compare(a.buffers[i], b.buffers[i]);
  return worst;
}

std::unique_ptr<Executable> compile(Backend& backend, const Energy& energy,
                                    const CompileOptions& options) {
  return test::compiled(backend, energy, default_plan(energy), Damped, options);
}

class Cpu : public testing::Test {
 protected:
  void SetUp() override {
    auto made = make_cpu_backend();
    if (!made) GTEST_SKIP() << made.error().message();
    backend_ = *std::move(made);
  }
  const Energy energy_ = springs();
  std::unique_ptr<Backend> interpreter_ = make_interpreter_backend().value();
  std::unique_ptr<Backend> backend_;
};

// Enough points for several threads, odd numbers of them.
constexpr Sizes large{1501, 8209, 83, 101};

TEST_F(Cpu, AgreesWithTheInterpreterForEachNumberOfThreads) {
  const Binding binding = bind_springs(energy_, large);
  const Outcome truth =
      iterate(*compile(*interpreter_, energy_, {.precision = Precision::Double}), binding);
  EXPECT_GT(at(truth.state, StateSlot::LinearIteration), 0);
  EXPECT_LT(at(truth.state, StateSlot::Cost), 1e9);
  for (int threads = 1; threads <= 4; ++threads) {
    const auto executable =
        compile(*backend_, energy_, {.precision = Precision::Double, .num_threads = threads});
    EXPECT_LT(difference(iterate(*executable, binding), truth), 1e-8) << threads << " threads";
    // Private copies are clean for the next time, and equal runs give equal bits.
    const Outcome first = iterate(*executable, binding);
    EXPECT_EQ(difference(iterate(*executable, binding), first), 0) << threads << " threads";
  }
}

// Gathers over maps, sums of all points, and a list of points for what nothing inverts.
TEST_F(Cpu, ADeterministicProgramHasTheSameBitsWithEachNumberOfThreads) {
  const Binding binding = bind_springs(energy_, large);
  const Plan plan = gathered_plan(energy_);
  ProgramOptions options = Damped;
  options.is_deterministic = true;
  const auto outcome = [&](Backend& backend, int threads) {
    const CompileOptions how{.precision = Precision::Double, .num_threads = threads};
    return iterate(**backend.compile(generate(make_program(energy_, plan, options)), how), binding);
  };
  const Outcome alone = outcome(*backend_, 1);
  EXPECT_LT(difference(alone, outcome(*interpreter_, 1)), 1e-8);
  for (const int threads : {2, 3, 7})
    EXPECT_EQ(difference(outcome(*backend_, threads), alone), 0) << threads << " threads";
}

// Two vectors of three channels a map scatters into at once; blocked, they reach into each other.
Energy links() {
  EnergyBuilder e("links");
  const DimId A = e.dim("A"), B = e.dim("B"), E = e.dim("E");
  const auto x = e.unknown("x", {A}, 3);
  const auto y = e.unknown("y", {B}, 3);
  const auto rest = e.array("rest", {E}, 3);
  const auto from = e.map("from", {E}, {A});
  const auto to = e.map("to", {E}, {B});
  const auto edge = e.domain(E);
  const Vec u = x(from(edge)), v = y(to(edge)), length = rest(edge);
  for (int c = 0; c < 3; ++c)
    e.residual(fmt::format("link{}", c), sin(u[c]) * v[(c + 1) % 3] - length[c] + u[(c + 2) % 3]);
  return test::build(std::move(e));
}

TEST_F(Cpu, ThreadsAddUpBlockedVectors) {
  const Energy energy = links();
  constexpr int a = 701, b = 1003, e = 20011;
  std::mt19937 random(5);
  const auto reals = [&random](int count) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = uniform(random);
    return values;
  };
  const auto entries = [&random](int count) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(e));
    for (std::int32_t& value : values)
      value = static_cast<std::int32_t>(random() % static_cast<unsigned>(count));
    return values;
  };
  const Binding binding = test::bind(
      energy, {.extents = {{"A", a}, {"B", b}, {"E", e}},
               .fields = {{"x", reals(3 * a)}, {"y", reals(3 * b)}, {"rest", reals(3 * e)}},
               .maps = {{"from", entries(a)}, {"to", entries(b)}}});
  Plan plan = default_plan(energy);
  const auto compiled = [&](Backend& backend, const CompileOptions& options) {
    return backend.compile(generate(make_program(energy, plan, Damped)), options).value();
  };
  const Outcome truth =
      iterate(*compiled(*interpreter_, {.precision = Precision::Double}), binding);
  plan.vector_order = VectorOrder::Blocked;
  for (int threads = 1; threads <= 4; ++threads) {
    const auto executable =
        compiled(*backend_, {.precision = Precision::Double, .num_threads = threads});
    EXPECT_LT(difference(iterate(*executable, binding), truth), 1e-8) << threads << " threads";
    const Outcome first = iterate(*executable, binding);
    EXPECT_EQ(difference(iterate(*executable, binding), first), 0) << threads << " threads";
  }
}

TEST_F(Cpu, WideIndicesComputeTheSame) {
  const Binding binding = bind_springs(energy_, large);
  const Outcome narrow = iterate(*compile(*backend_, energy_, {.num_threads = 2}), binding);
  const auto wide = compile(*backend_, energy_, {.num_threads = 2, .index_bits = 64});
  EXPECT_THAT(wide->kernels().front().source, HasSubstr("typedef long long idx_t;"));
  EXPECT_LT(difference(iterate(*wide, binding), narrow), 1e-5);
}

TEST_F(Cpu, OneCompileServesAllSizes) {
  const auto cpu = compile(*backend_, energy_, {.precision = Precision::Double, .num_threads = 3});
  const auto interpreter = compile(*interpreter_, energy_, {.precision = Precision::Double});
  const std::vector<CompiledKernel> before = cpu->kernels();
  for (const Sizes& sizes : {Sizes{1, 1, 1, 1}, Sizes{5, 7, 1, 13}, Sizes{6, 5, 13, 1}, large,
                             Sizes{2, 0, 3, 2}, Sizes{1, 1, 0, 5}, Sizes{5, 7, 11, 13}}) {
    const Binding binding = bind_springs(energy_, sizes);
    EXPECT_LT(difference(iterate(*cpu, binding), iterate(*interpreter, binding)), 1e-8)
        << sizes.vertices << " " << sizes.edges << " " << sizes.width << " " << sizes.height;
  }
  ASSERT_EQ(cpu->kernels().size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(cpu->kernels()[i].key, before[i].key);
  }
}

TEST_F(Cpu, TellsTheCanonicalKeysOfItsKernels) {
  const auto cpu = compile(*backend_, energy_, {.precision = Precision::Double});
  const std::string architecture = backend_->devices().front().architecture;
  for (const CompiledKernel& kernel : cpu->kernels())
    EXPECT_EQ(kernel.key, canonical_key(kernel.source, architecture).hex());
}

TEST_F(Cpu, BindRefusesWhatIsNotValid) {
  const auto cpu = compile(*backend_, energy_, {});
  const Binding nothing(energy_);
  const auto bound = cpu->bind(nothing);
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message(), HasSubstr("has no extent"));

  Binding far = bind_springs(energy_, {5, 7, 11, 13});
  const std::string map = energy_.maps().front().name;
  std::vector<std::int32_t> entries = far.map(MapId(0));
  entries.front() = 1000;
  ASSERT_TRUE(far.set_map(map, std::move(entries)));
  const auto outside = cpu->bind(far);
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().message(), HasSubstr(map));
  EXPECT_THAT(outside.error().message(), HasSubstr("is 1000, outside"));
}

// What is free is told by the mask, not by the preconditioner: a free entry whose inverse diagonal
// is 0 keeps its residual.
// Residuals over a domain without points: a matrix of no rows.
TEST(Interpreter, MultipliesMatricesWithoutRows) {
  EnergyBuilder e("nothing");
  const DimId W = e.dim("W"), E = e.dim("E");
  const auto X = e.unknown("X", {W});
  const auto at = e.map("at", {E}, {W});
  const IndexExpr x = e.domain(W, "x"), edge = e.domain(E, "e");
  e.residual("fit", X(x) - 1);
  e.residual("edges", X(at(edge)) * X(at(edge)));
  const Energy energy = test::build(std::move(e));
  const Binding binding = test::bind(energy, {.extents = {{"W", 3}, {"E", 0}},
                                              .fields = {{"X", std::vector<double>{1, 2, 3}}},
                                              .maps = {{"at", std::vector<std::int32_t>()}}});
  Plan plan = default_plan(energy);
  Part& edges = plan.parts.back();
  const auto interpreter = *make_interpreter_backend();
  const auto worst = [&] {
    const auto executable = *interpreter->compile(generate(make_program(energy, plan, Damped)), {});
    EXPECT_TRUE(executable->bind(binding).has_value());
    return OperatorTruth(energy, binding).errors_of(*executable, 1).worst();
  };
  edges.strategy = Strategy::StoredJ;
  for (const StorageFormat format : {StorageFormat::Csr, StorageFormat::Dense}) {
    edges.j_format = format;
    EXPECT_LT(worst(), 1e-14);
  }
  edges.strategy = Strategy::StoredJtJOfStoredJ;
  edges.jtj_format = StorageFormat::Dense;
  EXPECT_LT(worst(), 1e-14);
}

TEST(Interpreter, OnlyExcludedEntriesHaveNoInverseDiagonal) {
  EnergyBuilder e("masked");
  const DimId N = e.dim("N");
  const auto x = e.unknown("x", {N});
  const auto w = e.array("w", {N});
  const auto i = e.domain(N);
  e.residual("r", w(i) * (x(i) - 1.0));
  e.exclude(x, {i}, equal(e.value_of(i), 0.0));
  const Energy energy = test::build(std::move(e));
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("N", 3) && binding.set_field("x", std::vector<double>(3, 0.0)) &&
              binding.set_field("w", std::vector<double>{1, 1e30, 1}));

  const auto interpreter = *make_interpreter_backend();
  const auto executable =
      *interpreter->compile(generate(make_program(energy, default_plan(energy), {})), {});
  ASSERT_TRUE(executable->bind(binding));
  for (const Phase phase : {Phase::Setup, Phase::Cost, Phase::Linearize, Phase::Damp})
    executable->run(phase);
  const KernelProgram& program = executable->program();
  EXPECT_THAT(executable->read_buffer(program.vector(SolverVector::InverseDiagonal)),
              ElementsAre(0, 1e-37, 0.25));
  executable->write_buffer(program.vector(SolverVector::R), {3, 3, 3});
  executable->run(Phase::Update);
  EXPECT_THAT(executable->read_buffer(program.vector(SolverVector::R)), ElementsAre(0, 3, 3));
}

// y = 2 + 3 t through four exact points, started at 0.
class KnownAnswer : public test::BackendTest<> {};

TEST_P(KnownAnswer, LineFit) {
  EnergyBuilder e("line");
  const DimId N = e.dim("N"), P = e.dim("P");
  const auto b = e.unknown("b", {P});
  const auto t = e.array("t", {N}), y = e.array("y", {N});
  const auto i = e.domain(N);
  e.residual("fit", b(0) + b(1) * t(i) - y(i));
  const Energy energy = test::build(std::move(e));
  Binding binding = test::bind(energy, {.extents = {{"N", 4}, {"P", 2}},
                                        .fields = {{"b", std::vector<double>{0, 0}},
                                                   {"t", std::vector<float>{0, 1, 2, 3}},
                                                   {"y", std::vector<float>{2, 5, 8, 11}}}});
  const auto made = test::compiled(*backend_, energy, default_plan(energy),
                                   {SolverKind::GaussNewton, no_preconditioner(), dense_solver()});
  Executable& executable = *made;
  ASSERT_TRUE(executable.bind(binding).has_value());
  executable.run(Phase::Setup);
  executable.run(Phase::Cost);
  EXPECT_EQ(at(executable.read_state(), StateSlot::Cost), 0.5 * (4 + 25 + 64 + 121));
  executable.run(Phase::Linearize);
  const KernelProgram& program = executable.program();
  SolverState state = executable.read_state();
  at(state, StateSlot::StepFactor) = 1;
  executable.write_state(state);
  const auto read = [&](std::size_t buffer) { return executable.read_buffer(buffer); };
  // b = -JtF = (sum y, sum t y), JtJ = ((4, 6), (6, 14)).
  EXPECT_THAT(read(program.vector(SolverVector::B)), ElementsAre(26, 54));
  EXPECT_THAT(read(program.vector(SolverVector::D)), ElementsAre(4, 14));
  EXPECT_THAT(read(program.dense_jtj.value()), ElementsAre(4, 6, 6, 14));
  executable.run(Phase::Damp);
  executable.run(Phase::DirectSolve);
  executable.run(Phase::Retract);
  EXPECT_NEAR(at(executable.read_state(), StateSlot::ModelDecrease), 107, 1e-10);
  executable.run(Phase::Accept);
  executable.download_unknowns(binding);
  EXPECT_NEAR(binding.field(energy.find_field("b")).value(0), 2, 1e-12);
  EXPECT_NEAR(binding.field(energy.find_field("b")).value(1), 3, 1e-12);
  for (const PhaseTiming& timing : executable.timing()) EXPECT_GE(timing.seconds, 0);
  EXPECT_FALSE(executable.timing().empty());
  executable.reset_timing();
  EXPECT_TRUE(executable.timing().empty());
}

INSTANTIATE_TEST_SUITE_P(Backends, KnownAnswer, testing::Values("interpreter", "cpu"),
                         [](const auto& kind) { return kind.param; });

TEST_F(Cpu, UploadChangesAParamAndAnArray) {
  const auto executable = compile(*backend_, energy_, {.precision = Precision::Double});
  Binding binding = bind_springs(energy_, {5, 7, 11, 13});
  iterate(*executable, binding);
  ASSERT_TRUE(binding.set_param("weight", 2.5).has_value());
  ASSERT_TRUE(binding.set_field("target", std::vector<double>(11 * 13, 0.25)).has_value());
  const Outcome fresh = iterate(*executable, binding);
  // The same by uploads alone.
  iterate(*executable, bind_springs(energy_, {5, 7, 11, 13}));
  for (const char* name : {"x", "u", "scale", "weight", "target"}) {
    ASSERT_TRUE(executable->upload(binding, energy_.find_field(name)).has_value());
  }
  executable->run(Phase::Cost);
  const double cost = at(executable->read_state(), StateSlot::Cost);
  ASSERT_TRUE(executable->bind(binding).has_value());
  executable->run(Phase::Cost);
  EXPECT_EQ(cost, at(executable->read_state(), StateSlot::Cost));
  EXPECT_FALSE(fresh.buffers.empty());
}

TEST_F(Cpu, FindsItsKernelsInTheCache) {
  const test::TempDir folder;
  const test::ScopedEnv cache("THALLO_CACHE_DIR", folder.path().c_str());
  const auto from_cache = [&] {
    const auto executable = compile(*backend_, energy_, {});
    return std::ranges::count_if(executable->kernels(), &CompiledKernel::from_cache);
  };
  const auto cold = from_cache();
  const auto warm = from_cache();
  EXPECT_EQ(cold, 0);
  EXPECT_GT(warm, 5);

  // A damaged library is compiled again, and said so.
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::filesystem::resize_file(entry.path(), entry.file_size() - 10);
  }
  {
    const LogCapture log;
    EXPECT_EQ(from_cache(), 0);
    ASSERT_FALSE(log.records().empty());
    EXPECT_THAT(log.records()[0].text, HasSubstr("truncated"));
  }
  EXPECT_EQ(from_cache(), warm);
}

TEST(MakeBackend, AnswersNamesAndOrdinalsThatThereAreNot) {
  const auto backend = make_backend("cuda11");
  ASSERT_FALSE(backend.has_value());
  EXPECT_THAT(backend.error().message(), HasSubstr("no backend 'cuda11'; did you mean 'cuda'?"));
  EXPECT_THAT(backend.error().alternatives, ElementsAre("auto", "cuda", "cpu", "interpreter"));
  for (const int ordinal : {1, 7, -1}) {
    const auto backend = make_backend("interpreter", ordinal);
    ASSERT_FALSE(backend.has_value());
    EXPECT_EQ(backend.error().message(),
              fmt::format("interpreter has no device {} (legal: 0 interpreter)", ordinal));
  }
  const std::vector<DeviceInfo> two = {{.name = "NVIDIA H200"}, {.name = "NVIDIA H100"}};
  EXPECT_TRUE(check_ordinal("cuda", 1, two));
  EXPECT_EQ(check_ordinal("cuda", 2, two).error().message(),
            "cuda has no device 2 (legal: 0 NVIDIA H200, 1 NVIDIA H100)");
  const auto automatic = make_backend("auto", 1000);
  ASSERT_FALSE(automatic.has_value());
  // Where there are GPUs, the message lists them.
  EXPECT_THAT(automatic.error().message(),
              testing::AnyOf(HasSubstr("CUDA"), HasSubstr("cuda has no device 1000")));
}

TEST(MakeBackend, WithoutACompilerSaysSoAndFallsBack) {
  const test::ScopedEnv compiler("THALLO_CC", "/nonexistent/cc");
  const auto cpu = make_backend("cpu");
  ASSERT_FALSE(cpu.has_value());
  EXPECT_THAT(cpu.error().message(), HasSubstr("no working C compiler found"));
  const LogCapture log;
  const auto best = make_backend("auto");
  ASSERT_TRUE(best.has_value());
  EXPECT_TRUE((*best)->name() == "cuda" || (*best)->name() == "interpreter");
}

}  // namespace
}  // namespace thallo
