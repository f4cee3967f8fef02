#include "core/explore/report/explanation.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/explore/measure/kernel_signature.h"
#include "core/explore/report/askers.h"
#include "core/kernel/bind/program_bytes.h"
#include "core/kernel/generate.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/multigrid.h"
#include "core/kernel/program_print.h"

namespace thallo {
namespace {

// Returns the label of a step that does not launch a kernel; empty for a kernel launch.
std::string label_of(const KernelProgram& program, const Step& step) {
  if (const auto op = library_op(step)) return label_of(program, *op);
  if (const auto* clear = std::get_if<ClearBuffer>(&step))
    return fmt::format("clear {}", program.buffers[clear->buffer].name);
  if (const auto* solve = std::get_if<SolveDirect>(&step))
    return fmt::format("solve {}", program.buffers[solve->matrix].name);
  if (const auto* multigrid = std::get_if<RunMultigrid>(&step)) return label_of(*multigrid);
  return {};
}

std::vector<std::string> domains_of(const KernelProgram& program, const ProgramSizes& sizes,
                                    const Step& step) {
  const auto op = library_op(step);
  if (!op) return {};
  const MatrixShape shape = shape_of(program, sizes, program.matrices[matrix_of(*op)]);
  return {fmt::format("{} x {}", shape.rows, shape.cols)};
}

KernelFeatures features_of(const KernelProgram& program, const ProgramSizes& sizes,
                           const Step& step, Precision precision) {
  if (const auto op = library_op(step)) return count_features(program, *op, sizes, precision);
  if (const auto* clear = std::get_if<ClearBuffer>(&step))
    return count_features(program, *clear, sizes, precision);
  if (const auto* multigrid = std::get_if<RunMultigrid>(&step))
    return count_features(program, *multigrid, sizes, precision);
  return count_features(program, std::get<SolveDirect>(step), sizes, precision);
}

// Returns the sparse maps that are made when a program is bound.
std::span<const SparseMap> tables_of(const KernelProgram& program) {
  return std::span(program.maps).subspan(program.bound_maps().size());
}

// Returns the names of a program's kernels, of its other steps in the order of phases, of its
// buffers and of its tables. The type of a buffer is part of its name, so a buffer of another type
// counts as another thing.
std::vector<std::string> things_of(const KernelProgram& program) {
  std::vector<std::string> things;
  KernelSignatures signatures(program);
  for (const Kernel& kernel : program.kernels) things.push_back(signatures.of(kernel).hex());
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      if (!std::holds_alternative<LaunchKernel>(step)) things.push_back(label_of(program, step));
    }
  }
  for (const BufferDecl& buffer : program.buffers)
    things.push_back(fmt::format("{} {}", buffer.name, static_cast<int>(buffer.type)));
  for (const SparseMap& table : tables_of(program)) things.push_back("table " + table.name);
  return things;
}

std::vector<std::string> domains_of(const KernelProgram& program, const Kernel& kernel) {
  std::vector<std::string> over;
  for (const Section& section : kernel.sections) {
    std::vector<std::string> names;
    for (const DomainId domain : section.domains) {
      names.push_back(program.dims[program.graph.indices().domain(domain).dim.index()].name);
    }
    std::string text = names.empty() ? "one point" : fmt::format("{}", fmt::join(names, " x "));
    if (std::ranges::find(over, text) == over.end()) over.push_back(std::move(text));
  }
  return over;
}

}  // namespace

Expected<Explanation> explain(const Energy& energy, const Schedule& schedule,
                              const ConstructRegistry& constructs, const ProgramOptions& options,
                              const Binding& binding, Precision precision) {
  const auto plan = make_plan(energy, schedule, constructs);
  if (!plan) return fail(plan.error());
  if (const auto valid = check_program(*plan, options); !valid) return fail(valid.error());
  const KernelProgram program = make_program(energy, *plan, options);
  const auto sizes = ProgramSizes::make(program, binding);
  if (!sizes) return fail(sizes.error());

  Explanation explanation;
  explanation.has_askers = schedule.directives().size() <= MostAskers;
  std::vector<std::vector<std::string>> askers(things_of(program).size());
  if (explanation.has_askers) {
    const auto found = find_askers(energy, schedule, constructs, [&](const Plan& smaller) {
      return things_of(make_program(energy, smaller, options));
    });
    for (std::size_t thing = 0; thing < found.size(); ++thing) {
      for (const std::size_t place : found[thing]) {
        const Directive& directive = schedule.directives()[place];
        askers[thing].push_back(constructs.find(directive.construct)->print(directive));
      }
    }
  }
  std::size_t next_step = program.kernels.size();
  const std::size_t first_buffer =
      askers.size() - tables_of(program).size() - program.buffers.size();

  std::vector<KernelFeatures> features;
  KernelGenerator generator(program);
  for (const Kernel& kernel : program.kernels) {
    features.push_back(count_features(program, generator.generate(kernel), *sizes, precision));
  }
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
        const Kernel& kernel = program.kernels[launch->kernel];
        explanation.kernels.push_back({kernel.label, domains_of(program, kernel), phase,
                                       features[launch->kernel], askers[launch->kernel]});
      } else {
        explanation.kernels.push_back({label_of(program, step), domains_of(program, *sizes, step),
                                       phase, features_of(program, *sizes, step, precision),
                                       askers[next_step++]});
      }
    }
  }
  const std::vector<StoredBuffer> buffers = program_buffers(program, *sizes, precision);
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const bool is_table = b >= program.buffers.size();
    explanation.buffers.push_back(
        {buffers[b].name,
         is_table ? "a table of indices" : std::string(to_string(program.buffers[b].kind)),
         buffers[b].bytes, askers[first_buffer + b]});
  }
  return explanation;
}

}  // namespace thallo
