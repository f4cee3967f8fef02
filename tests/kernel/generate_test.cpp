#include "core/kernel/generate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/energy/builder.h"
#include "core/kernel/emit.h"
#include "core/kernel/kernel_print.h"
#include "core/kernel/lower.h"
#include "core/kernel/program_print.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/hand_code.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::Pair;

// What can be seen of a program: its buffers and steps, its kernels, and how large its graph is.
std::string text_of(const KernelProgram& program) {
  std::string text = to_string(program);
  for (const Kernel& kernel : program.kernels) text += to_string(program, program.graph, kernel);
  return text + std::to_string(program.graph.size()) + " nodes, " +
         std::to_string(program.graph.indices().num_domains()) + " domains";
}

KernelProgram make(const test::SampleEnergy& sample) {
  return make_program(sample.energy, default_plan(sample.energy), test::damped_blocks);
}

TEST(KernelGenerator, LeavesTheProgramAsItIs) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    const KernelProgram program = make(sample);
    const std::string before = text_of(program);
    KernelGenerator generator(program);
    for (const Kernel& kernel : program.kernels) generator.generate(kernel);
    EXPECT_EQ(text_of(program), before);
    const GeneratedProgram generated = generate(program);
    EXPECT_EQ(text_of(generated.program), before);
    EXPECT_EQ(generated.codes.size(), program.kernels.size());
  }
}

// Kernels are compiled once if their texts are equal, whatever else the programs have.
TEST(KernelGenerator, MakesATextThatDependsOnTheKernelAlone) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    const KernelProgram program = make(sample);
    KernelGenerator used(program);
    for (auto kernel = program.kernels.rbegin(); kernel != program.kernels.rend(); ++kernel)
      used.generate(*kernel);
    for (const Kernel& kernel : program.kernels) {
      const KernelCode alone = KernelGenerator(program).generate(kernel);
      const KernelCode after_others = used.generate(kernel);
      for (const Dialect dialect : {Dialect::C, Dialect::Cuda}) {
        EXPECT_EQ(emit(program, after_others, {.dialect = dialect}),
                  emit(program, alone, {.dialect = dialect}))
            << kernel.label;
      }
    }
  }
}

// Of the kernel that makes JtF and a dense JtJ of a residual with so many reads.
std::int64_t steps_of_fill(int reads) {
  EnergyBuilder e("long_sum");
  const DimId n = e.dim("N");
  const FieldHandle x = e.unknown("X", {n});
  const IndexExpr i = e.domain(n);
  Expr sum = sin(x(i));
  for (int k = 1; k < reads; ++k) sum = sum + sin(x(i + k));
  e.residual("fit", sum);
  const auto energy = std::move(e).build();
  const KernelProgram program =
      make_program(*energy, default_plan(*energy), {.linear_solver = dense_solver()});
  const auto fill = std::ranges::find(program.kernels, Role::JtF, &Kernel::part_role);
  EXPECT_NE(fill, program.kernels.end());
  KernelGenerator generator(program);
  const StepLimit limit(std::numeric_limits<std::int64_t>::max());
  generator.generate(*fill);
  return limit.steps();
}

TEST(KernelGenerator, EndsWhenItIsToldToInStepsProportionalToTheAdditions) {
  std::stop_source stop;
  stop.request_stop();
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    const KernelProgram program = make(sample);
    const Kernel& kernel = program.kernels.front();
    KernelGenerator generator(program);
    const KernelCode code = generator.generate(kernel);
    const std::string text = emit(program, code, {.dialect = Dialect::C});
    {
      const StopScope scope(stop.get_token());
      EXPECT_THROW(make(sample), Stopped);
      EXPECT_THROW(generator.generate(kernel), Stopped);
      EXPECT_THROW(emit(program, code, {.dialect = Dialect::C}), Stopped);
    }
    EXPECT_EQ(emit(program, generator.generate(kernel), {.dialect = Dialect::C}), text);
  }
  // Each pair of reads is an addition under a condition of its own.
  const std::int64_t steps = steps_of_fill(100);
  EXPECT_GT(steps, 5000);
  EXPECT_LT(steps_of_fill(300), 10 * steps);
}

// Fields over N, and a kernel of one statement.
class Passes : public testing::Test {
 protected:
  ExprId read(const char* name, std::int64_t offset = 0) {
    const auto field = std::ranges::find(hand_.program.fields, name, &Field::name);
    ExprGraph& g = hand_.program.graph;
    return g.access(FieldId(field - hand_.program.fields.begin()), at(offset), 0);
  }
  IndexId at(std::int64_t offset) {
    IndexTable& indices = hand_.program.graph.indices();
    return indices.intern(
        MultiIndex{indices.add(indices.component(i_), IndexTable::component(offset))});
  }
  Kernel storing(const std::vector<ExprId>& values) {
    Kernel kernel{.role = "store", .label = "store"};
    Section& section = kernel.sections.emplace_back();
    section.domains = {i_};
    for (std::size_t v = 0; v < values.size(); ++v)
      section.body.push_back({Store{v == 0 ? u_ : v_, at(0), 0, values[v]}});
    return kernel;
  }

  // The passes, each with the statements that it leaves.
  std::vector<std::pair<std::string, std::string>> observe(const Kernel& kernel,
                                                           const PassOptions& passes = {}) {
    std::vector<std::pair<std::string, std::string>> seen;
    hand_.program.passes = passes;
    KernelGenerator generator(
        hand_.program, [&](std::string_view pass, const ExprGraph& graph, const Kernel& rewritten) {
          const std::string text = to_string(hand_.program, graph, rewritten);
          seen.emplace_back(pass, text.substr(text.find(")\n") + 2));
        });
    generator.generate(kernel);
    return seen;
  }
  CodeBody body(const Kernel& kernel, const PassOptions& passes = {}) {
    hand_.program.passes = passes;
    return KernelGenerator(hand_.program).generate(kernel).sections.front();
  }
  static bool has_branch(const CodeBody& body) {
    return std::ranges::any_of(
        body.block, [](const CodeItem& item) { return std::holds_alternative<IfItem>(item.node); });
  }
  // Operations of two numbers that compute the n-ary ones of a kind.
  static int count(const CodeBody& body, Op op) {
    int result = 0;
    for (const Instruction& value : body.values)
      if (value.op == op) result += static_cast<int>(value.operands.size()) - 1;
    return result;
  }

  test::HandDeclarations hand_;
  const DimId n_ = hand_.dim("N");
  const DomainId i_ = hand_.program.graph.indices().add_domain(n_, "i");
  const FieldId u_ = hand_.field("u", {n_}, 1, FieldKind::Buffer);
  const FieldId v_ = hand_.field("v", {n_}, 1, FieldKind::Buffer);
  const std::vector<FieldId> arrays_ = {hand_.field("a", {n_}), hand_.field("b", {n_}),
                                        hand_.field("c", {n_}), hand_.field("d", {n_})};
};

// u = a b + a c, v = b + c + the sum of d over the very domain of the section
TEST_F(Passes, AreObservedInOrderEachWithWhatItMadeOfTheKernel) {
  ExprGraph& g = hand_.program.graph;
  const ExprId a = read("a"), b = read("b"), c = read("c");
  const ExprId terms[] = {b, c, g.sum({i_}, read("d"))};
  const Kernel kernel = storing({g.add(g.mul(a, b), g.mul(a, c)), g.add(terms)});
  EXPECT_THAT(observe(kernel), ElementsAre(Pair("separate_domains",
                                                "    u(i) = a(i) * b(i) + c(i) * a(i)\n"
                                                "    v(i) = sum(i': d(i')) + c(i) + b(i)\n"),
                                           Pair("factor_sums",
                                                "    u(i) = (c(i) + b(i)) * a(i)\n"
                                                "    v(i) = sum(i': d(i')) + c(i) + b(i)\n"),
                                           Pair("share_partials",
                                                "    t0 = identity(c(i) + b(i))\n"
                                                "    u(i) = t0 * a(i)\n"
                                                "    v(i) = sum(i': d(i')) + t0\n")));
}

TEST_F(Passes, CanBeSwitchedOff) {
  const Kernel kernel = storing({read("a")});
  const auto names = [&](const PassOptions& passes) {
    std::vector<std::string> result;
    for (const auto& [name, text] : observe(kernel, passes)) result.push_back(name);
    return result;
  };
  EXPECT_THAT(names({.factor_sums = false}), ElementsAre("separate_domains", "share_partials"));
  EXPECT_THAT(names({.share_partials = false}), ElementsAre("separate_domains", "factor_sums"));
  EXPECT_THAT(names({.factor_sums = false, .share_partials = false, .bounds = false}),
              ElementsAre("separate_domains"));
}

// a b + a c = a (b + c)
TEST_F(Passes, FactorSumsSavesAProduct) {
  ExprGraph& g = hand_.program.graph;
  const ExprId a = read("a");
  const Kernel kernel = storing({g.add(g.mul(a, read("b")), g.mul(a, read("c")))});
  EXPECT_EQ(count(body(kernel), Op::Mul), 1);
  EXPECT_EQ(count(body(kernel, {.factor_sums = false}), Op::Mul), 2);
}

// The sum of a(i) d(k) over k is a(i) times that of d(k). Behind a mask, a may be infinite where no
// term counts.
TEST_F(Passes, FactorSumsTakesOutOfALoopWhatIsTheSameInAllPasses) {
  ExprGraph& g = hand_.program.graph;
  const DomainId k = g.indices().add_domain(n_, "k");
  const ExprId at_k = g.access(arrays_[3], g.indices().intern(std::span(&k, 1)), 0);
  const ExprId mask = g.binary(Op::Less, g.constant(0), at_k);
  const ExprId factors[] = {mask, read("a"), read("u", 1), at_k};
  const Kernel kernel = storing({g.sum({k}, g.mul(read("a"), at_k)), g.sum({k}, g.mul(factors))});
  const auto passes = observe(kernel);
  EXPECT_EQ(passes[1].second,
            "    u(i) = sum(k: d(k)) * a(i)\n"
            "    v(i) = sum(k: (0 < d(k)) * d(k) * a(i)) * u(i + 1)\n");
}

// The sums of e = sin(e) + e, two hundred levels deep, have up to 200 terms and share all but one
// of them. To find all that they share takes minutes, which is longer than a test may.
TEST(KernelGenerator, LeavesPartsOfVeryLargeSumsUnshared) {
  EnergyBuilder e("deep");
  const DimId W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const auto x = e.domain(W, "x");
  Expr value = X(x);
  for (int level = 0; level < 200; ++level) value = sin(value) + value;
  e.residual("r", value);
  const auto energy = std::move(e).build();
  ASSERT_TRUE(energy) << energy.error().message();
  const KernelProgram program = make_program(*energy, default_plan(*energy), test::damped_blocks);
  const GeneratedProgram generated = generate(program);
  EXPECT_EQ(generated.codes.size(), program.kernels.size());
}

// a + b + c and a + b + d share a + b.
TEST_F(Passes, SharePartialsSavesASum) {
  ExprGraph& g = hand_.program.graph;
  const ExprId first[] = {read("a"), read("b"), read("c")};
  const ExprId second[] = {read("a"), read("b"), read("d")};
  const Kernel kernel = storing({g.add(first), g.add(second)});
  EXPECT_EQ(count(body(kernel), Op::Add), 3);
  EXPECT_EQ(count(body(kernel, {.share_partials = false}), Op::Add), 4);
}

// u = [a > 0] exp(b(i + 1))
TEST_F(Passes, BoundsPutsWorkBehindAMaskIntoABranch) {
  ExprGraph& g = hand_.program.graph;
  const ExprId mask = g.binary(Op::Less, g.constant(0), read("a"));
  const Kernel kernel = storing({g.mul(mask, g.unary(Op::Exp, read("b", 1)))});
  EXPECT_TRUE(has_branch(body(kernel)));
  EXPECT_FALSE(has_branch(body(kernel, {.bounds = false})));
}

// u = (d + [a > 0] f(b + 1)) (d + [a > 0] f(b + 2)) ...: a branch hands on each f.
TEST_F(Passes, BoundsOpensNoBranchThatSavesLittleForWhatItHandsOn) {
  ExprGraph& g = hand_.program.graph;
  const ExprId mask = g.binary(Op::Less, g.constant(0), read("a"));
  for (const bool is_work : {true, false}) {
    std::vector<ExprId> factors;
    for (int k = 1; k < 10; ++k) {
      const ExprId sum = g.add(read("b"), g.constant(k));
      const ExprId f = is_work ? g.unary(Op::Exp, sum) : sum;
      factors.push_back(g.add(read("d"), g.mul(mask, f)));
    }
    EXPECT_EQ(has_branch(body(storing({g.mul(factors)}))), is_work);
  }
}

}  // namespace
}  // namespace thallo
