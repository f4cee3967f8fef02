#include "core/explore/explanation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/explore/askers.h"
#include "core/explore/kernel_signature.h"
#include "core/kernel/arguments.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/program_print.h"

namespace thallo {
namespace {

std::string label_of(const KernelProgram& program, const ClearBuffer& clear) {
  return fmt::format("clear {}", program.buffers[clear.buffer].name);
}

// The kernels of a program, its library operations and clears in the order of phases and steps, and
// its buffers. A buffer of another type is another one.
std::vector<std::string> things_of(const KernelProgram& program) {
  std::vector<std::string> things;
  KernelSignatures signatures(program);
  for (const Kernel& kernel : program.kernels) things.push_back(signatures.of(kernel).hex());
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      if (const auto op = library_op(step)) things.push_back(label_of(program, *op));
      if (const auto* clear = std::get_if<ClearBuffer>(&step))
        things.push_back(label_of(program, *clear));
    }
  }
  for (const BufferDecl& buffer : program.buffers)
    things.push_back(fmt::format("{} {}", buffer.name, static_cast<int>(buffer.type)));
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

Frequency frequency_of(Phase phase) {
  switch (phase) {
    case Phase::Setup:
    case Phase::SaveScale: return Frequency::Solve;
    case Phase::Direction:
    case Phase::Apply:
    case Phase::Update: return Frequency::LinearIteration;
    case Phase::ResetDirection:
    case Phase::ResetApply:
    case Phase::ResetUpdate: return Frequency::ResidualReset;
    case Phase::Values:
    case Phase::TrialValues:
    case Phase::Cost:
    case Phase::TrialCost:
    case Phase::Linearize:
    case Phase::Damp:
    case Phase::DenseSolve:
    case Phase::Retract:
    case Phase::Accept: return Frequency::NonlinearIteration;
  }
  THALLO_UNREACHABLE();
}

std::string_view to_string(Frequency frequency) {
  switch (frequency) {
    case Frequency::Solve: return "solve";
    case Frequency::NonlinearIteration: return "nonlinear iteration";
    case Frequency::LinearIteration: return "linear iteration";
    case Frequency::ResidualReset: return "residual reset";
  }
  THALLO_UNREACHABLE();
}

Expected<Explanation> explain(const Energy& energy, const Schedule& schedule,
                              const ConstructRegistry& constructs, const ProgramOptions& options,
                              const Binding& binding, bool double_precision) {
  const auto plan = make_plan(energy, schedule, constructs);
  if (!plan) return tl::unexpected(plan.error());
  if (const auto valid = check_program(*plan, options); !valid)
    return tl::unexpected(valid.error());
  KernelProgram program = make_program(energy, *plan, options);
  const auto sizes = ProgramSizes::make(program, binding);
  if (!sizes) return tl::unexpected(sizes.error());

  std::vector<std::vector<std::string>> askers;
  for (const std::vector<std::size_t>& places :
       find_askers(energy, schedule, constructs, [&](const Plan& smaller) {
         return things_of(make_program(energy, smaller, options));
       })) {
    askers.emplace_back();
    for (const std::size_t place : places) {
      const Directive& directive = schedule.directives()[place];
      askers.back().push_back(constructs.find(directive.construct)->print(directive));
    }
  }
  std::size_t next_step = program.kernels.size();
  const std::size_t first_buffer = askers.size() - program.buffers.size();

  Explanation explanation;
  std::vector<KernelFeatures> features;
  for (const Kernel& kernel : std::vector<Kernel>(program.kernels)) {
    const KernelCode code = generate_code(program, kernel);
    features.push_back(count_features(program, code, *sizes, double_precision));
  }
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
        const Kernel& kernel = program.kernels[launch->kernel];
        explanation.kernels.push_back({kernel.label, domains_of(program, kernel), phase,
                                       features[launch->kernel], askers[launch->kernel]});
      } else if (const auto op = library_op(step)) {
        const MatrixShape shape = shape_of(program, *sizes, program.matrices[matrix_of(*op)]);
        explanation.kernels.push_back({label_of(program, *op),
                                       {fmt::format("{} x {}", shape.rows, shape.cols)},
                                       phase,
                                       count_features(program, *op, *sizes, double_precision),
                                       askers[next_step++]});
      } else if (const auto* clear = std::get_if<ClearBuffer>(&step)) {
        explanation.kernels.push_back({label_of(program, *clear),
                                       {},
                                       phase,
                                       count_features(program, *clear, *sizes, double_precision),
                                       askers[next_step++]});
      }
    }
  }
  for (std::size_t b = 0; b < program.buffers.size(); ++b) {
    const BufferDecl& buffer = program.buffers[b];
    explanation.buffers.push_back(
        {buffer.name, std::string(to_string(buffer.kind)),
         static_cast<double>(sizes->buffer_size(buffer)) *
             static_cast<double>(size_of(memory_type(buffer.type, double_precision))),
         askers[first_buffer + b]});
  }
  return explanation;
}

}  // namespace thallo
