#include "core/problem/dump.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/dump.h"
#include "core/diff/gradient.h"
#include "core/energy/print.h"
#include "core/kernel/code_print.h"
#include "core/kernel/kernel_print.h"
#include "core/kernel/program_print.h"
#include "core/schedule/plan_print.h"

namespace thallo {
namespace {

// Returns a line "d fit[0] / d X(x + 1, y) = ..." for each partial derivative that is not zero.
// Expressions that the partials of a group share are printed once, as t0, t1 ...
std::string derivatives_text(const Energy& energy) {
  ExprGraph graph = energy.graph();
  Differentiator differentiator(graph, energy);
  std::string text;
  for (const ResidualGroup& group : energy.groups()) {
    std::vector<ExprId> values;
    for (const ExprId residual : group.residuals) {
      for (const Partial& partial : differentiator.gradient(residual))
        values.push_back(partial.value);
    }
    ExprPrinter printer(graph, names_of(energy));
    int number = 0;
    for (const ExprId shared : printer.shared(values)) {
      const std::string name = fmt::format("t{}", number++);
      text += fmt::format("{} = {}\n", name, printer.text(shared));
      printer.name(shared, name);
    }
    for (std::size_t r = 0; r < group.residuals.size(); ++r) {
      for (const Partial& partial : differentiator.gradient(group.residuals[r])) {
        const Field& unknown = energy.field(partial.unknown);
        text += fmt::format("d {}[{}] / d {}({})", group.name, r, unknown.name,
                            printer.text(partial.index));
        if (unknown.tangent_channels() > 1) text += fmt::format("[{}]", partial.channel);
        text += fmt::format(" = {}\n", printer.text(partial.value));
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void dump_energy(const Energy& energy) {
  if (!is_dumping()) return;
  dump("00_energy.txt", to_string(energy));
  dump("01_derivatives.txt", derivatives_text(energy));
}

void dump_plan(const Energy& energy, const Schedule& schedule, const ConstructRegistry& constructs,
               const Plan& plan) {
  if (!is_dumping()) return;
  dump("02_schedule.sched", schedule.empty() ? "-- default\n" : schedule.text(constructs));
  dump("03_plan.txt", to_string(energy, plan));
}

void dump_program(const GeneratedProgram& generated) {
  if (!is_dumping()) return;
  const KernelProgram& program = generated.program;
  std::string lowered = to_string(program);
  // Ordered by the first occurrence of each pass.
  std::vector<std::pair<std::string, std::string>> of_passes;
  KernelGenerator generator(
      program, [&](std::string_view pass, const ExprGraph& graph, const Kernel& kernel) {
        auto seen = std::ranges::find(of_passes, pass, [](const auto& one) { return one.first; });
        if (seen == of_passes.end()) seen = of_passes.insert(seen, {std::string(pass), ""});
        seen->second += to_string(program, graph, kernel) + "\n";
      });
  for (const Kernel& kernel : program.kernels) {
    lowered += "\n" + to_string(program, program.graph, kernel);
    generator.generate(kernel);
  }
  std::string code = to_string(program);
  for (const KernelCode& kernel : generated.codes) code += "\n" + to_string(program, kernel);

  int stage = 4;
  dump(fmt::format("{:02}_lowered.txt", stage++), lowered);
  for (const auto& [pass, text] : of_passes) dump(fmt::format("{:02}_{}.txt", stage++, pass), text);
  dump(fmt::format("{:02}_program.txt", stage), code);
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
