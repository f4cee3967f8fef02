#include "core/explore/explanation.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/kernel/arguments.h"
#include "core/kernel/emit.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/program_print.h"

namespace thallo {
namespace {

// A program with the code of its kernels; two kernels are the same when their texts are.
struct Generated {
  KernelProgram program;
  std::vector<KernelCode> codes;
  std::vector<std::string> texts;
};

Generated generate(const Energy& energy, const Plan& plan, const ProgramOptions& options) {
  Generated generated{make_program(energy, plan, options), {}, {}};
  for (const Kernel& kernel : std::vector<Kernel>(generated.program.kernels)) {
    generated.codes.push_back(generate_code(generated.program, kernel));
    generated.texts.push_back(emit(generated.program, generated.codes.back(), {}));
  }
  return generated;
}

// The directives but one, less those that are not legal without it.
Schedule without(const Energy& energy, const Schedule& schedule, std::size_t left_out,
                 const ConstructRegistry& constructs) {
  std::vector<Directive> kept = schedule.directives();
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(left_out));
  if (make_plan(energy, Schedule(kept), constructs)) return Schedule(std::move(kept));
  std::vector<Directive> legal;
  for (const Directive& directive : kept) {
    legal.push_back(directive);
    if (!make_plan(energy, Schedule(legal), constructs)) legal.pop_back();
  }
  return Schedule(std::move(legal));
}

// What of the full program a smaller schedule does not have, or has of another type.
struct Absent {
  std::vector<bool> kernels;
  std::vector<bool> buffers;
};

Absent absent_from(const Generated& smaller, const Generated& full) {
  std::multiset<std::string> texts(smaller.texts.begin(), smaller.texts.end());
  std::set<std::pair<std::string, ScalarType>> buffers;
  for (const BufferDecl& buffer : smaller.program.buffers)
    buffers.emplace(buffer.name, buffer.type);
  Absent absent;
  for (const std::string& text : full.texts) {
    const auto found = texts.find(text);
    absent.kernels.push_back(found == texts.end());
    if (found != texts.end()) texts.erase(found);
  }
  for (const BufferDecl& buffer : full.program.buffers) {
    absent.buffers.push_back(!buffers.contains({buffer.name, buffer.type}));
  }
  return absent;
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
  const Generated full = generate(energy, *plan, options);
  const auto sizes = ProgramSizes::make(full.program, binding);
  if (!sizes) return tl::unexpected(sizes.error());

  std::vector<std::vector<std::string>> kernel_askers(full.program.kernels.size());
  std::vector<std::vector<std::string>> buffer_askers(full.program.buffers.size());
  for (std::size_t i = 0; i < schedule.directives().size(); ++i) {
    const Directive& directive = schedule.directives()[i];
    const auto smaller_plan =
        make_plan(energy, without(energy, schedule, i, constructs), constructs);
    THALLO_ASSERT(smaller_plan.has_value(), "{}", smaller_plan.error().message());
    const Absent absent = absent_from(generate(energy, *smaller_plan, options), full);
    const std::string text = constructs.find(directive.construct)->print(directive);
    for (std::size_t k = 0; k < kernel_askers.size(); ++k) {
      if (absent.kernels[k]) kernel_askers[k].push_back(text);
    }
    for (std::size_t b = 0; b < buffer_askers.size(); ++b) {
      if (absent.buffers[b]) buffer_askers[b].push_back(text);
    }
  }

  Explanation explanation;
  // Who asked for its matrix asked for it.
  const auto add_library_op = [&](Phase phase, const auto& op, std::size_t matrix) {
    const StoredMatrix& stored = full.program.matrices[matrix];
    const MatrixShape shape = shape_of(full.program, *sizes, stored);
    explanation.kernels.push_back({label_of(full.program, op),
                                   {fmt::format("{} x {}", shape.rows, shape.cols)},
                                   phase,
                                   count_features(full.program, op, *sizes, double_precision),
                                   buffer_askers[stored.values]});
  };
  for (const auto& [phase, steps] : full.program.phases) {
    for (const Step& step : steps) {
      if (const auto* launch = std::get_if<LaunchKernel>(&step)) {
        const Kernel& kernel = full.program.kernels[launch->kernel];
        explanation.kernels.push_back(
            {kernel.label, domains_of(full.program, kernel), phase,
             count_features(full.program, full.codes[launch->kernel], *sizes, double_precision),
             kernel_askers[launch->kernel]});
      } else if (const auto* product = std::get_if<MultiplyMatrix>(&step)) {
        add_library_op(phase, *product, product->matrix);
      } else if (const auto* gram = std::get_if<AddGram>(&step)) {
        add_library_op(phase, *gram, gram->matrix);
      }
    }
  }
  for (std::size_t b = 0; b < full.program.buffers.size(); ++b) {
    const BufferDecl& buffer = full.program.buffers[b];
    explanation.buffers.push_back(
        {buffer.name, std::string(to_string(buffer.kind)),
         static_cast<double>(sizes->buffer_size(buffer)) *
             static_cast<double>(size_of(memory_type(buffer.type, double_precision))),
         buffer_askers[b]});
  }
  return explanation;
}

}  // namespace thallo
