// The text for people is the compiled text with other words for slots.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/backend/cpu/host_compiler.h"
#include "core/energy/builder.h"
#include "core/kernel/emit.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/language/load_energy.h"
#include "core/schedule/plan.h"
#include "tests/support/energies.h"
#include "tests/support/sample_energies.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::HasSubstr, testing::Not;

// One line, since long names make other line ends.
std::string unwrapped(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

using NewNames = std::map<std::string, std::string>;

std::string renamed(const std::string& text, const NewNames& names) {
  static const std::regex Word("\\b[A-Za-z_][A-Za-z_0-9]*");
  std::string result;
  std::size_t end = 0;
  for (auto word = std::sregex_iterator(text.begin(), text.end(), Word);
       word != std::sregex_iterator(); ++word) {
    const auto at = static_cast<std::size_t>(word->position());
    result += text.substr(end, at - end);
    const auto found = names.find(word->str());
    result += found == names.end() ? word->str() : found->second;
    end = at + word->str().size();
  }
  return result + text.substr(end);
}

// The names of what has none of its own in ReadableText::slots, as the texts have them.
NewNames short_names_of(const KernelProgram& program, const KernelCode& code,
                        const ReadableText& readable) {
  NewNames names = {{"state_", ""}, {"num_unknowns", "N"}};
  std::size_t next = 0;
  const auto add = [&](char letter, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string short_name = letter + std::to_string(i);
      if (letter == 'f' && code.slots.fields[i] == program.state) {
        names["state_"] = short_name;
        continue;
      }
      const std::string& name = readable.slots[next++].name;
      EXPECT_TRUE(names.emplace(name, short_name).second) << name << " is not unique";
      if (letter == 'f') names.emplace(name + "_lanes", "v" + std::to_string(i));
    }
  };
  add('f', code.slots.fields.size());
  add('m', code.slots.maps.size());
  add('n', code.slots.dims.size());
  add('o', code.slots.offsets.size());
  add('c', code.slots.chunks.size());
  EXPECT_EQ(next, readable.slots.size());
  return names;
}

KernelProgram program_of(const Energy& energy, Strategy strategy = Strategy::JtJp) {
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) part.strategy = strategy;
  return make_program(energy, plan, {});
}

// Finds a text for people that differs from the compiled one; all kernels of all samples are read.
TEST(ReadableText, IsTheCompiledTextWithOtherNames) {
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    for (const Strategy strategy : {Strategy::JtJp, Strategy::StoredJ}) {
      const KernelProgram program = program_of(sample.energy, strategy);
      KernelGenerator generator(program);
      for (const Kernel& kernel : program.kernels) {
        const KernelCode code = generator.generate(kernel);
        for (const Dialect dialect : {Dialect::C, Dialect::Cuda}) {
          const ReadableText readable = readable_text(program, code, {.dialect = dialect});
          EXPECT_EQ(unwrapped(renamed(readable.preamble + readable.functions,
                                      short_names_of(program, code, readable))),
                    unwrapped(emit(program, code, {.dialect = dialect})))
              << sample.name << ": " << code.label;
        }
      }
    }
  }
}

// Fields are called as variables, functions, types and words of the language are.
Energy with_hard_names() {
  EnergyBuilder e("hard");
  const DimId N = e.dim("int");
  const auto X = e.unknown("t0", {N}), Y = e.unknown("double", {N});
  const auto A = e.array("r0", {N}), B = e.array("partial", {N}), C = e.array("i0", {N});
  const auto D = e.array("begin", {N}), E = e.array("state", {N}), F = e.array("a", {N});
  const Expr w = e.param("while");
  const IndexExpr n = e.domain(N, "n");
  e.residual("r", w * (sin(X(n)) * Expr(A(n)) + Expr(B(n)) * Expr(Y(n)) + Expr(C(n))) +
                      Expr(D(n)) * Expr(X(n)) + Expr(E(n)) * Expr(F(n)) * cos(Y(n)));
  return test::build(std::move(e));
}

TEST(ReadableText, IsLegalWhateverFieldsAreCalled) {
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << compiler.error().message();
  const test::TempDir folder;
  const KernelProgram program = program_of(with_hard_names());
  KernelGenerator generator(program);
  std::string kernels;
  int number = 0;
  for (const Kernel& kernel : program.kernels) {
    const KernelCode code = generator.generate(kernel);
    const ReadableText readable = readable_text(program, code, {});
    const auto file = folder.write("kernel" + std::to_string(number++) + ".c",
                                   readable.preamble + readable.functions);
    kernels += " " + file.string();
  }
  const std::string command =
      compiler->command + " -std=c17 -Wall -Wextra -Werror -fopenmp-simd -fsyntax-only" + kernels;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(ReadableText, CallsPartsOfVectorsByTheirNames) {
  EnergyBuilder e("named");
  const DimId N = e.dim("N");
  const auto X = e.unknown("points", {N});
  const IndexExpr n = e.domain(N, "n");
  e.residual("fit", exp(X(n)));
  const KernelProgram program = program_of(test::build(std::move(e)));
  KernelGenerator generator(program);
  const auto apply = std::ranges::find(program.kernels, "apply_jtjp [fit]", &Kernel::label);
  ASSERT_NE(apply, program.kernels.end());
  const ReadableText text =
      readable_text(program, generator.generate(*apply), {.dialect = Dialect::Cuda});
  EXPECT_THAT(text.functions, HasSubstr("const float* const __restrict__ points = a.points;"));
  EXPECT_THAT(text.functions, HasSubstr("Ap_points["));
  EXPECT_THAT(text.functions, Not(HasSubstr("f0")));
  EXPECT_THAT(text.functions, Not(HasSubstr("typedef")));
  EXPECT_THAT(text.preamble, HasSubstr("  float* Ap_points;"));
}

TEST(ReadableText, SaysWhatLinesOfTheEnergyItsLinesComeFrom) {
  const Energy energy = load_energy_text(R"(local W = Dims("W")
Inputs { X = Unknown(float, {W}), D = Array(float, {W}), s = Param(float) }
local w = W()
local bent = exp(s * X(w))
local held = cos(X(w)) - D(w)
local r = Residuals { fit = held, reg = bent }
)",
                                         "lines.lua")
                            .value()
                            .energy;
  const KernelProgram program = program_of(energy);
  KernelGenerator generator(program);
  std::map<std::string, std::set<int>> lines_with;  // "exp(", "cos(" and "sin(", of all kernels
  for (const Kernel& kernel : program.kernels) {
    const KernelCode code = generator.generate(kernel);
    for (const Dialect dialect : {Dialect::C, Dialect::Cuda}) {
      const ReadableText text = readable_text(program, code, {.dialect = dialect});
      ASSERT_EQ(static_cast<std::size_t>(std::ranges::count(text.functions, '\n')),
                text.lines_of.size());
      EXPECT_THAT(text.functions, Not(HasSubstr("\x1f")));
      std::istringstream functions(text.functions);
      std::string line;
      for (std::size_t i = 0; std::getline(functions, line); ++i) {
        for (const char* function : {"expf(", "cosf(", "sinf("}) {
          if (line.find(function) == std::string::npos) continue;
          lines_with[function].insert(text.lines_of[i].begin(), text.lines_of[i].end());
        }
      }
    }
  }
  EXPECT_THAT(lines_with["expf("], testing::Contains(4));
  EXPECT_THAT(lines_with["expf("], Not(testing::Contains(5)));
  EXPECT_THAT(lines_with["cosf("], testing::Contains(5));
  // The derivative of the cosine comes from where the cosine is written.
  EXPECT_THAT(lines_with["sinf("], testing::Contains(5));
}

}  // namespace
}  // namespace thallo
