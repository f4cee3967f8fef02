#include "core/problem/dump.h"

#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>

#include "core/base/dump.h"
#include "core/diff/gradient.h"
#include "core/energy/print.h"
#include "core/kernel/code_print.h"
#include "core/kernel/generate.h"
#include "core/kernel/kernel_print.h"
#include "core/kernel/program_print.h"
#include "core/schedule/plan_print.h"

namespace thallo {
namespace {

// "d fit[0] / d X(x + 1, y) = ...", a line for each partial derivative that is not zero.
std::string derivatives_text(const Energy& energy) {
  ExprGraph graph = energy.graph();
  Differentiator differentiator(graph, energy);
  const ExprPrinter printer(graph, names_of(energy));
  std::string text;
  for (const ResidualGroup& group : energy.groups()) {
    for (std::size_t r = 0; r < group.residuals.size(); ++r) {
      for (const Partial& partial : differentiator.gradient(group.residuals[r])) {
        const Field& unknown = energy.field(partial.unknown);
        text += fmt::format("d {}[{}] / d {}({})", group.name, r, unknown.name,
                            printer.text(partial.index));
        if (unknown.tangent_channels() > 1) text += fmt::format("[{}]", partial.channel);
        text += fmt::format(" = {}\n", printer.text(partial.value));
      }
    }
  }
  return text;
}

}  // namespace

void dump_plan(const Energy& energy, const Schedule& schedule, const ConstructRegistry& constructs,
               const Plan& plan) {
  if (!is_dumping()) return;
  dump("00_energy.txt", to_string(energy));
  dump("01_derivatives.txt", derivatives_text(energy));
  dump("02_schedule.sched", schedule.empty() ? "-- default\n" : schedule.text(constructs));
  dump("03_plan.txt", to_string(energy, plan));
}

void dump_program(const GeneratedProgram& generated) {
  if (!is_dumping()) return;
  const KernelProgram& program = generated.program;
  std::string lowered = to_string(program);
  std::map<std::string, std::string, std::less<>> of_pass;
  KernelGenerator generator(
      program, {}, [&](std::string_view pass, const ExprGraph& graph, const Kernel& kernel) {
        of_pass[std::string(pass)] += to_string(program, graph, kernel) + "\n";
      });
  for (const Kernel& kernel : program.kernels) {
    lowered += "\n" + to_string(program, program.graph, kernel);
    generator.generate(kernel);
  }
  std::string code = to_string(program);
  for (const KernelCode& kernel : generated.codes) code += "\n" + to_string(program, kernel);

  dump("04_lowered.txt", lowered);
  dump("05_separate_domains.txt", of_pass["separate_domains"]);
  dump("06_factor_sums.txt", of_pass["factor_sums"]);
  dump("07_share_partials.txt", of_pass["share_partials"]);
  dump("08_program.txt", code);
}

void dump_kernels(const Executable& executable, std::string_view backend) {
  if (!is_dumping() || backend != "cpu") return;
  std::map<std::string, int> num_of_role;
  for (const CompiledKernel& kernel : executable.kernels()) {
    const int number = ++num_of_role[kernel.role];
    const std::string suffix = number == 1 ? "" : fmt::format("_{}", number);
    dump(std::filesystem::path("kernels") / (kernel.role + suffix + ".c"),
         fmt::format("// {}\n{}", kernel.label, kernel.source));
  }
}

}  // namespace thallo
