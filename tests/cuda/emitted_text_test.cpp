// Every kernel text of the sample energies compiles for every architecture without a warning, in
// float and double, with 32- and 64-bit indices. It compiles to PTX, where the compiler has said
// all that it has to say of a text; machine code of kernels is made in default_kernels_test.cpp.
// An energy takes one of the variants, in turn, and with THALLO_SLOW_TESTS all of them. Of most
// features only those texts are compiled that the plain plan does not have.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/elimination.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/cuda/support.h"
#include "tests/support/energies.h"
#include "tests/support/in_turn.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using EmittedText = test::NvrtcTest;

struct Variant {
  ProgramOptions options;
  Precision precision = Precision::Float;
  int index_bits = 32;
  Strategy strategy = Strategy::JtJp;
  StorageFormat j_format = StorageFormat::Structured;
  StorageFormat jtj_format = StorageFormat::Structured;
  ScalarType stored_type = ScalarType::Working;
  VectorOrder vector_order = VectorOrder::Plain;
  ScalarType vector_type = ScalarType::Working;
};

const std::vector<Variant> variants{
    {{SolverKind::GaussNewton, jacobi_preconditioner(), pcg_solver()}, Precision::Float, 32},
    {{SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(), pcg_solver()},
     Precision::Float,
     64},
    {{SolverKind::LevenbergMarquardt, jacobi_preconditioner(), dense_solver()},
     Precision::Double,
     32}};

const std::vector<Variant> stored_matrices{
    {.strategy = Strategy::StoredJ, .j_format = StorageFormat::Csr},
    {.precision = Precision::Double,
     .index_bits = 64,
     .strategy = Strategy::StoredJ,
     .j_format = StorageFormat::Dense},
    {.strategy = Strategy::StoredJtJ, .jtj_format = StorageFormat::Dense},
    {.precision = Precision::Double,
     .strategy = Strategy::StoredJtJ,
     .jtj_format = StorageFormat::Blocks},
    {.index_bits = 64,
     .strategy = Strategy::StoredJtJOfStoredJ,
     .j_format = StorageFormat::Csr,
     .jtj_format = StorageFormat::Csr},
    {.strategy = Strategy::StoredJtJ, .jtj_format = StorageFormat::Csr}};

const std::vector<Variant> stored_in_less{
    {.strategy = Strategy::StoredJ, .stored_type = ScalarType::Half},
    {.precision = Precision::Double,
     .strategy = Strategy::StoredJ,
     .stored_type = ScalarType::Half},
    {.precision = Precision::Double,
     .index_bits = 64,
     .strategy = Strategy::StoredJp,
     .stored_type = ScalarType::Float}};

const ProgramOptions with_blocks{SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(),
                                 pcg_solver()};
const std::vector<Variant> blocked_vectors{
    {.options = with_blocks, .vector_order = VectorOrder::Blocked},
    {.options = with_blocks,
     .precision = Precision::Double,
     .index_bits = 64,
     .strategy = Strategy::StoredJ,
     .vector_order = VectorOrder::Blocked}};

const std::vector<Variant> single_vectors{
    {.precision = Precision::Double, .vector_type = ScalarType::Float},
    {.options = with_blocks, .precision = Precision::Double, .vector_type = ScalarType::Float},
    {.options = with_blocks,
     .precision = Precision::Double,
     .vector_order = VectorOrder::Blocked,
     .vector_type = ScalarType::Float}};

Plan plan_of(const Energy& energy, const Variant& variant) {
  Plan plan = default_plan(energy);
  plan.vector_order = variant.vector_order;
  plan.vector_type = variant.vector_type;
  for (Part& part : plan.parts) {
    part.strategy = variant.strategy;
    part.j_format = variant.j_format;
    part.jtj_format = variant.jtj_format;
    part.j_type = part.jtj_type = part.jp_type = variant.stored_type;
  }
  return plan;
}

struct Text {
  cuda::Source source;
  std::string label;
};

std::vector<Text> texts_of(KernelProgram program, const Variant& variant) {
  std::vector<Text> texts;
  KernelGenerator generator(program);
  for (const Kernel& kernel : program.kernels) {
    const KernelCode code = generator.generate(kernel);
    texts.push_back({{.name = code.role,
                      .text = emit(program, code,
                                   {.dialect = Dialect::Cuda,
                                    .precision = variant.precision,
                                    .index_bits = variant.index_bits})},
                     code.label});
  }
  return texts;
}

// Compiles what is not in `seen`: kernels of different energies are often the same.
void expect_compiles(const std::string& name, const std::vector<Text>& texts,
                     std::set<std::string>& seen) {
  for (const auto& [source, label] : texts) {
    if (!seen.insert(source.text).second) continue;
    SCOPED_TRACE(name + ": " + label);
    // One architecture a text, in turn: they differ in the device code alone.
    const std::string_view architecture = test::architectures[seen.size() % 3];
    const auto image = cuda::compile_to_ptx(source, architecture);
    ASSERT_TRUE(image.has_value()) << image.error().what << "\n" << source.text;
    EXPECT_EQ(image->log, "") << source.text;
  }
}

std::vector<Text> texts_of(const test::SampleEnergy& sample, const Plan& plan,
                           const Variant& variant) {
  return texts_of(make_program(sample.energy, plan, variant.options), variant);
}

// The texts of plans that the default plans do not have, which are compiled, each once.
class FeatureTexts {
 public:
  void expect_compile(const test::SampleEnergy& sample, const Plan& plan, const Variant& variant) {
    std::set<std::string> plain;
    for (const Text& text : texts_of(sample, default_plan(sample.energy), variant))
      plain.insert(text.source.text);
    std::vector<Text> special = texts_of(sample, plan, variant);
    std::erase_if(special, [&](const Text& text) { return plain.contains(text.source.text); });
    expect_compiles(sample.name, special, seen_);
  }
  // Of every `step`-th energy one of the variants, in turn, or of each energy all of them.
  void expect_compile(const std::vector<Variant>& all, std::size_t step = 1) {
    const std::vector<test::SampleEnergy> samples = test::sample_energies();
    for (std::size_t number = 0; number < samples.size(); ++number) {
      if (!test::TakesAllVariants && number % step != 0) continue;
      const test::SampleEnergy& sample = samples[number];
      for (const Variant& variant : test::in_turn(all, number / step))
        expect_compile(sample, plan_of(sample.energy, variant), variant);
    }
  }
  std::size_t size() const { return seen_.size(); }
  // True if one of the texts contains all of these.
  bool any_has(std::initializer_list<std::string_view> all) const {
    return std::ranges::any_of(seen_, [&](const std::string& text) {
      return std::ranges::all_of(
          all, [&](std::string_view what) { return text.find(what) != std::string::npos; });
    });
  }

 private:
  std::set<std::string> seen_;
};

// Of every space that can be eliminated.
TEST_F(EmittedText, OfSchurComplementsCompilesSilently) {
  const std::vector<std::pair<Precision, int>> all = {{Precision::Float, 32},
                                                      {Precision::Double, 64}};
  std::size_t number = 0, num_spaces = 0;
  std::set<std::string> seen;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    const Elimination elimination(sample.energy);
    for (const FieldId space : elimination.spaces()) {
      if (!elimination.check_kept(space)) continue;
      Variant variant{.options = {.solver = SolverKind::LevenbergMarquardt,
                                  .preconditioner = block_jacobi_preconditioner(),
                                  .linear_solver = schur_cholesky_solver(),
                                  .eliminated = space,
                                  .iterates_first = num_spaces++ % 2 == 0}};
      for (const auto& [precision, bits] : test::in_turn(all, number++)) {
        variant.precision = precision;
        variant.index_bits = bits;
        expect_compiles(sample.name, texts_of(sample, default_plan(sample.energy), variant), seen);
      }
    }
  }
  EXPECT_TRUE(std::ranges::any_of(seen, [](const std::string& text) {
    return text.find("eliminate_pairs(") != std::string::npos;
  }));
}

// Finds what NVRTC says of plain kernels, which the other cases leave out.
TEST_F(EmittedText, CompilesSilentlyForEveryArchitecture) {
  std::set<std::string> seen;
  std::size_t number = 0;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    for (const Variant& variant : test::in_turn(variants, number++))
      expect_compiles(sample.name, texts_of(sample, default_plan(sample.energy), variant), seen);
  }
  EXPECT_GT(seen.size(), 30u);
}

// The root is computed where a bounds test holds and needed beside that too, what it is the root of
// is not.
TEST_F(EmittedText, OfAReciprocalRootBesideABranchCompilesSilently) {
  EnergyBuilder e("root");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  const Expr sum = e.sum({k}, X(n + k));
  const auto near =
      e.intermediate("near", std::vector{n}, select(sum < 1.2, sqrt(sum + 3), sum * Expr(X(n))));
  const auto far =
      e.intermediate("far", std::vector{n}, select(e.in_bounds(n + 2, N), Expr(near(n)), 1 / sum));
  e.residual(
      "r", select(Expr(near(n)) < Expr(far(n + 1)), Expr(far(n + 1)), Expr(near(n))) + Expr(X(n)));
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  plan.sums.at(0).is_parallel = true;
  std::set<std::string> seen;
  expect_compiles("root", texts_of(make_program(energy, plan, {}), {}), seen);
}

// Transposed products of Sums at offsets, at the output: NVRTC 13.0 dies of some, see opaque_index.
TEST_F(EmittedText, OfIndicesThatRunBackwardsInLoopsCompilesSilently) {
  EnergyBuilder e("backwards");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N}, 2);
  const auto T = e.array("T", {K});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  const auto blurred = [&](const IndexExpr& at) {
    return e.sum({k}, T(k) * X(at + k)[0] * X(at)[1]);
  };
  e.residual("here", blurred(n));
  e.residual("next", blurred(n + 1) + X(n)[1]);
  const Energy energy = test::build(std::move(e));
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) {
    part.strategy = Strategy::StoredJ;
    part.jt = ComputeAt::Output;
  }
  std::set<std::string> seen;
  expect_compiles("backwards", texts_of(make_program(energy, plan, {}), {}), seen);
}

TEST_F(EmittedText, OfParallelSumsCompilesSilently) {
  FeatureTexts texts;
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    Plan plan = default_plan(sample.energy);
    for (PlannedSum& sum : plan.sums) sum.is_parallel = true;
    texts.expect_compile(sample, plan, {});
  }
  EXPECT_GT(texts.size(), 5u);
}

// Finds what NVRTC says of kernels that form J and JtJ and multiply by them, and of halves.
TEST_F(EmittedText, OfStoredMatricesCompilesSilently) {
  FeatureTexts texts;
  texts.expect_compile(stored_matrices);
  EXPECT_GT(texts.size(), 10u);
  texts.expect_compile(stored_in_less);
  EXPECT_TRUE(texts.any_has({"= to_half((float)"}));
  EXPECT_TRUE(texts.any_has({"(double)from_half(f"}));
}

// Finds what NVRTC says of chunks and of vector types, and of flat kernels that reach vectors of
// both precisions, two points at a time. Every second energy has most elements of several channels.
TEST_F(EmittedText, ThatAddressesBlockedAndSingleVectorsCompilesSilently) {
  FeatureTexts texts;
  texts.expect_compile(blocked_vectors, 2);
  EXPECT_TRUE(texts.any_has({"const long long c0"}) ||
              texts.any_has({"const idx_t c0 = (idx_t)a.c0;"}));
  EXPECT_TRUE(texts.any_has({"((const float4*)(f"}));
  EXPECT_TRUE(texts.any_has({"add_vector(&((float"}) ||
              texts.any_has({"add_vector_in_warp(&((float"}));
  EXPECT_TRUE(texts.any_has({"((const double2*)(f"}));
  texts.expect_compile(single_vectors, 2);
  EXPECT_TRUE(texts.any_has({"  float v0[2];", "  double v", "= make_float2(v[0], v[1]);"}));
}

}  // namespace
}  // namespace thallo
