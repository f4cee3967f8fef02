// Who asked for a kernel or a buffer, how often it runs and what it costs.

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "core/explore/report/explanation.h"
#include "core/frontend/schedule_text.h"
#include "core/kernel/frequency.h"
#include "core/language/load_energy.h"
#include "core/schedule/named_schedules.h"
#include "core/schedule/schedule_composer.h"
#include "core/schedule/schedule_reader.h"
#include "tests/support/counted_construct.h"
#include "tests/support/energies.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::Each, testing::ElementsAre, testing::Field, testing::IsEmpty, testing::Ne,
    testing::UnorderedElementsAre, testing::UnorderedElementsAreArray;

Energy load(const std::string& text) {
  auto file = load_energy_text(text, "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(file->energy);
}

const Energy& shaded_energy() {
  static const Energy energy = load(
      "local W, H = Dims('W', 'H')\n"
      "Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}) }\n"
      "local x, y = W(), H()\n"
      "shade = A(x, y) * X(x, y)^2\n"
      "Residuals { fit = X(x, y) - A(x, y), shading = shade:get(x, y) - shade:get(x + 1, y) }");
  return energy;
}

Explanation explained(const Energy& energy, const test::Data& data,
                      const std::string& schedule_text, Precision precision,
                      const ProgramOptions& options) {
  const auto statements = load_schedule_text(schedule_text, "test.sched");
  const auto schedule = read_schedule(energy, statements.value(), loaded_constructs());
  auto made = explain(energy, schedule.value(), loaded_constructs(), options,
                      test::bind(energy, data), precision);
  if (!made) throw InternalError(made.error().message(), __FILE__, __LINE__);
  return *std::move(made);
}

Explanation explained(const std::string& schedule_text, Precision precision = Precision::Double,
                      const ProgramOptions& options = {}) {
  const test::Data data = {
      .extents = {{"W", 6}, {"H", 4}},
      .fields = {{"X", std::vector<double>(24, 0.5)}, {"A", std::vector<double>(24, 1)}}};
  return explained(shaded_energy(), data, schedule_text, precision, options);
}

const ExplainedKernel* find_kernel(const Explanation& explanation, const std::string& label) {
  for (const ExplainedKernel& kernel : explanation.kernels) {
    if (kernel.label == label) return &kernel;
  }
  ADD_FAILURE() << "no kernel '" << label << "'";
  return nullptr;
}

TEST(Explanation, NobodyAskedForWhatEveryScheduleHas) {
  auto explanation = explained("");
  EXPECT_THAT(explanation.kernels, Each(Field(&ExplainedKernel::asked_by, IsEmpty())));
  EXPECT_THAT(explanation.buffers, Each(Field(&ExplainedBuffer::asked_by, IsEmpty())));
  // Parts that gather come first in the program, and another cost is then the last: it stores the
  // sum of all.
  explanation = explained("r.shading.JtJp:compute_at_output(true)");
  for (const char* cost : {"cost [fit]", "cost [shading]"}) {
    const ExplainedKernel* kernel = find_kernel(explanation, cost);
    ASSERT_NE(kernel, nullptr);
    EXPECT_THAT(kernel->asked_by, IsEmpty()) << cost;
  }
}

TEST(Explanation, NamesTheDirectiveThatAskedForAKernel) {
  const auto explanation = explained("r.fit:strategy('Jt[Jp]') r.shading:reorder{h}");
  const std::string stored = "r.fit:strategy(\"Jt[Jp]\")";
  const std::string reordered = "r.shading:reorder{h, w}";
  int num_stored = 0;
  for (const ExplainedKernel& kernel : explanation.kernels) {
    if (kernel.phase != Phase::Apply) continue;
    const bool is_of_fit = kernel.label.ends_with("[fit]");
    EXPECT_THAT(kernel.asked_by, ElementsAre(is_of_fit ? stored : reordered)) << kernel.label;
    num_stored += is_of_fit ? 1 : 0;
  }
  EXPECT_EQ(num_stored, 2) << "one that stores Jp, one that multiplies it";
  int num_buffers = 0;
  for (const ExplainedBuffer& buffer : explanation.buffers) {
    if (buffer.asked_by.empty()) continue;
    ++num_buffers;
    EXPECT_THAT(buffer.asked_by, ElementsAre(stored)) << buffer.name;
    EXPECT_EQ(buffer.bytes, 6 * 4 * 8) << buffer.name << ": a number a residual";
  }
  EXPECT_EQ(num_buffers, 1);
}

// Without one of the two the other still asks for the matrix that they share.
TEST(Explanation, NamesAllWhoEachWouldDo) {
  const auto explanation = explained(
      "r.fit:strategy('[JtJ]p') r.fit.JtJ:storage('dense') "
      "r.shading:strategy('[JtJ]p') r.shading.JtJ:storage('dense')");
  const std::vector<std::string> of_fit = {"r.fit:strategy(\"[JtJ]p\")",
                                           "r.fit.JtJ:storage(\"dense\")"};
  const std::vector<std::string> of_shading = {"r.shading:strategy(\"[JtJ]p\")",
                                               "r.shading.JtJ:storage(\"dense\")"};
  std::vector<std::string> all = of_fit;
  all.insert(all.end(), of_shading.begin(), of_shading.end());
  for (const char* shared : {"dense_halves", "symv JtJ", "dot"}) {
    const ExplainedKernel* kernel = find_kernel(explanation, shared);
    ASSERT_NE(kernel, nullptr);
    EXPECT_THAT(kernel->asked_by, UnorderedElementsAreArray(all)) << shared;
  }
  const ExplainedKernel* fill = find_kernel(explanation, "jtf_jtj [fit]");
  ASSERT_NE(fill, nullptr);
  EXPECT_THAT(fill->asked_by, UnorderedElementsAreArray(of_fit));
}

// The product with the matrix that two parts share leaves p.Ap to the end, where a third has a
// library: it needs what is said of the third, and either of the two.
TEST(Explanation, NamesAllWhoEachWouldDoBesideWhoAllNeed) {
  const Energy pairs = load(
      "local N = Dims('N')\n"
      "Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }\n"
      "local n, m = N(), N('m')\n"
      "Residuals { a = X(n) - A(n), b = X(n) * X(m), c = X(n) + 0.5 * X(m) }");
  const test::Data data = {
      .extents = {{"N", 4}},
      .fields = {{"X", std::vector<double>(4, 0.5)}, {"A", std::vector<double>(4, 1)}}};
  const auto explanation = explained(pairs, data,
                                     "r.a:strategy('[Jt][[J]p]') r.a.J:storage('csr') "
                                     "r.b:strategy('[JtJ]p') r.c:strategy('[JtJ]p')",
                                     Precision::Double, {});
  const ExplainedKernel* product = find_kernel(explanation, "dense_product");
  ASSERT_NE(product, nullptr);
  EXPECT_THAT(product->asked_by,
              UnorderedElementsAre("r.a:strategy(\"[Jt][[J]p]\")", "r.a.J:storage(\"csr\")",
                                   "r.b:strategy(\"[JtJ]p\")", "r.c:strategy(\"[JtJ]p\")"));
}

// Storing shade gives other fields and domains other numbers.
TEST(Explanation, DoesNotTakeOtherNumbersForOtherKernels) {
  const auto explanation = explained("shade:materialize{value=true} r.fit:strategy('[Jt][[J]p]')");
  const std::string stored = "r.fit:strategy(\"[Jt][[J]p]\")";
  for (const ExplainedKernel& kernel : explanation.kernels) {
    if (!kernel.label.ends_with("[fit]") || kernel.asked_by.empty()) continue;
    EXPECT_THAT(kernel.asked_by, ElementsAre(stored)) << kernel.label;
  }
  for (const char* solvers : {"damp", "update", "direction", "retract"}) {
    const ExplainedKernel* kernel = find_kernel(explanation, solvers);
    ASSERT_NE(kernel, nullptr);
    EXPECT_THAT(kernel->asked_by, IsEmpty()) << solvers;
  }
}

TEST(Explanation, CountsWhatLibrariesDo) {
  const auto explanation = explained("r.fit:strategy('[Jt][[J]p]') r.fit.J:storage('csr')");
  const ExplainedKernel* product = find_kernel(explanation, "spmv J.fit");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->phase, Phase::Apply);
  EXPECT_THAT(product->over, ElementsAre("24 x 24"));
  EXPECT_THAT(product->asked_by,
              UnorderedElementsAre("r.fit:strategy(\"[Jt][[J]p]\")", "r.fit.J:storage(\"csr\")"));
  EXPECT_EQ(product->features.points, 24);
  EXPECT_EQ(product->features.flops.total(), 2 * 24);
  // Values, columns, offsets, p and Jp once.
  EXPECT_EQ(product->features.must_move(), 24 * 8 + 24 * 4 + 25 * 4 + 24 * 8 + 24 * 8);
}

TEST(Explanation, SaysWhoStoresAnIntermediateAndCountsItsBytes) {
  const auto in_double = explained("r.fit:strategy('Jt[Jp]')", Precision::Double);
  const auto in_float = explained("r.fit:strategy('Jt[Jp]')", Precision::Float);
  for (std::size_t i = 0; i < in_double.buffers.size(); ++i) {
    if (in_double.buffers[i].asked_by.empty()) continue;
    EXPECT_EQ(in_double.buffers[i].bytes, 2 * in_float.buffers[i].bytes);
  }
  const auto explanation = explained("shade:materialize{value=true}");
  int num_stored = 0;
  for (const ExplainedBuffer& buffer : explanation.buffers) {
    if (!buffer.name.starts_with("shade") && buffer.asked_by.empty()) continue;
    ++num_stored;
    EXPECT_THAT(buffer.asked_by, ElementsAre("shade:materialize{value=true, gradient=false}"))
        << buffer.name;
  }
  EXPECT_GE(num_stored, 1);
}

TEST(Explanation, SaysWhatKernelsRunOver) {
  const auto explanation = explained("");
  const ExplainedKernel* apply = find_kernel(explanation, "apply_jtjp [fit]");
  ASSERT_NE(apply, nullptr);
  EXPECT_THAT(apply->over, ElementsAre("W x H"));
  EXPECT_EQ(apply->features.points, 24);
  EXPECT_EQ(frequency_of(apply->phase), Frequency::LinearIteration);
  EXPECT_GT(apply->features.flops.total(), 0);
}

TEST(Explanation, ListsClearsWithTheBytesTheyWrite) {
  const auto explanation = explained("r.fit:strategy('[JtJ]p') r.fit.JtJ:storage('dense')");
  const ExplainedKernel* of_b = find_kernel(explanation, "clear b");
  const ExplainedKernel* of_jtj = find_kernel(explanation, "clear JtJ");
  ASSERT_TRUE(of_b != nullptr && of_jtj != nullptr);
  EXPECT_EQ(of_b->phase, Phase::Linearize);
  EXPECT_EQ(of_b->features.points, 24);
  EXPECT_EQ(of_b->features.writes.total(), 24 * 8);
  EXPECT_EQ(of_b->features.must_move(), 24 * 8);
  EXPECT_THAT(of_b->asked_by, IsEmpty());
  EXPECT_EQ(of_jtj->features.must_move(), 24 * 24 * 8);
  EXPECT_THAT(of_jtj->asked_by,
              ElementsAre("r.fit:strategy(\"[JtJ]p\")", "r.fit.JtJ:storage(\"dense\")"));
}

TEST(Explanation, ListsTablesAndTheDenseSolve) {
  auto explanation = explained("r.fit:strategy('[Jt][[J]p]') r.fit.J:storage('csr')");
  std::map<std::string, ExplainedBuffer> buffers;
  for (const ExplainedBuffer& buffer : explanation.buffers) buffers[buffer.name] = buffer;
  EXPECT_EQ(buffers["J.fit.offsets"].bytes, 25 * 4);
  EXPECT_EQ(buffers["J.fit.columns"].bytes, 24 * 4);
  EXPECT_THAT(buffers["J.fit.columns"].asked_by,
              ElementsAre("r.fit:strategy(\"[Jt][[J]p]\")", "r.fit.J:storage(\"csr\")"));
  EXPECT_THAT(explained("").buffers, Each(Field(&ExplainedBuffer::what, Ne("a table of indices"))));
  explanation = explained("", Precision::Double, {.linear_solver = dense_solver()});
  const ExplainedKernel* solve = find_kernel(explanation, "solve JtJ");
  ASSERT_NE(solve, nullptr);
  EXPECT_EQ(solve->phase, Phase::DirectSolve);
  EXPECT_EQ(solve->features.points, 24);
  EXPECT_EQ(solve->features.flops.multiplies, 24 * 24 * 24 / 6 + 24 * 24);
  EXPECT_GT(solve->features.must_move(), 24 * 24 * 8);
}

TEST(Explanation, FrequenciesAreThoseOfTheSolver) {
  EXPECT_EQ(frequency_of(Phase::Setup), Frequency::Solve);
  EXPECT_EQ(frequency_of(Phase::Cost), Frequency::Solve) << "of the start";
  EXPECT_EQ(frequency_of(Phase::Linearize), Frequency::NonlinearIteration);
  EXPECT_EQ(frequency_of(Phase::TrialCost), Frequency::NonlinearIteration);
  EXPECT_EQ(frequency_of(Phase::Apply), Frequency::LinearIteration);
  EXPECT_EQ(frequency_of(Phase::Update), Frequency::LinearIteration);
  EXPECT_EQ(frequency_of(Phase::ResetApply), Frequency::ResidualReset);
  EXPECT_EQ(to_string(Frequency::NonlinearIteration), "nonlinear iteration");
}

TEST(Explanation, NamesWhoAskedForVectorsInSinglePrecision) {
  const auto explanation = explained("r.vectors:precision('single')");
  std::map<std::string, ExplainedBuffer> buffers;
  for (const ExplainedBuffer& buffer : explanation.buffers) buffers[buffer.name] = buffer;
  for (const char* name : {"p", "r", "z", "Ap", "x"}) {
    EXPECT_THAT(buffers[name].asked_by, ElementsAre("r.vectors:precision(\"single\")")) << name;
    EXPECT_EQ(buffers[name].bytes, 24 * 4) << name;
  }
  EXPECT_THAT(buffers["b"].asked_by, IsEmpty());
  EXPECT_EQ(buffers["b"].bytes, 24 * 8);
}

TEST(Explanation, LooksForAskersOfAFewHundredDirectives) {
  const auto explained_groups = [](int num_groups) {
    const Energy energy = test::energy_of_groups(num_groups);
    const auto schedule = named_schedule("opt", energy, loaded_constructs()).value();
    const test::Data data = {
        .extents = {{"N", 2}},
        .fields = {{"X", std::vector<double>{1, 2}}, {"A", std::vector<double>{1, 2}}}};
    return explain(energy, schedule, loaded_constructs(), {}, test::bind(energy, data),
                   Precision::Double)
        .value();
  };
  const Explanation few = explained_groups(4);
  EXPECT_TRUE(few.has_askers);
  EXPECT_THAT(few.kernels,
              testing::Contains(Field(&ExplainedKernel::asked_by, testing::SizeIs(3))));
  const Explanation many = explained_groups(static_cast<int>(MostAskers) + 2);
  EXPECT_FALSE(many.has_askers);
  EXPECT_EQ(many.kernels.size(), few.kernels.size());
  EXPECT_THAT(many.kernels, Each(Field(&ExplainedKernel::asked_by, IsEmpty())));
}

// Each directive is left out of a plan once, and of those that are illegal then no second is made.
TEST(Explanation, MakesAFewPlansForEachDirective) {
  const Energy energy = test::energy_of_groups(20);
  test::AskedCounts asked;
  const ConstructRegistry counted = test::counted_constructs({"split_merge", "strategy"}, asked);
  ScheduleComposer composer(energy, counted);
  ASSERT_TRUE(composer.merge([](const std::vector<DimId>&) { return true; }));
  ASSERT_TRUE(composer.choose("strategy", [](const Site&) { return "[JtJ]p"; }));
  const Schedule schedule = std::move(composer).take();
  ASSERT_EQ(schedule.directives().size(), 20u);
  asked = {};
  const test::Data data = {
      .extents = {{"N", 2}},
      .fields = {{"X", std::vector<double>{1, 2}}, {"A", std::vector<double>{1, 2}}}};
  ASSERT_TRUE(explain(energy, schedule, counted, {}, test::bind(energy, data), Precision::Double));
  EXPECT_LE(asked.sites, 20u * 20u);
}

}  // namespace
}  // namespace thallo
