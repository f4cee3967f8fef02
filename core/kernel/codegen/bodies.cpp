#include "core/kernel/codegen/bodies.h"

#include "core/base/log.h"
#include "core/kernel/codegen/body_builder.h"
#include "core/kernel/teams.h"

namespace thallo {
namespace {

void build_epilogue(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel,
                    KernelCode& code) {
  Block stores;
  for (const Store& store : kernel.epilogue) stores.push_back({store});
  std::vector<Reduction> none;
  BodyBuilder builder(program, graph, none, code.epilogue);
  builder.build({}, stores);
  if (kernel.loop_condition.valid()) builder.keep(kernel.loop_condition);
  builder.finish();
  if (kernel.loop_condition.valid()) code.loop_condition = builder.results().front();
  code.has_epilogue = true;
}

void name_domains(const ExprGraph& graph, const CodeBody& body,
                  std::map<DomainId, std::string>& names) {
  for (const Instruction& value : body.values) {
    if (value.kind == InstructionKind::Coordinate)
      names[value.domain] = graph.indices().domain(value.domain).name;
  }
}

}  // namespace

KernelCode build_bodies(const KernelProgram& program, const ExprGraph& graph,
                        const Kernel& kernel) {
  KernelCode code{.role = kernel.role,
                  .label = kernel.label,
                  .compute = kernel.compute,
                  .shape = kernel.shape,
                  .aggregates_in_warps = kernel.aggregates_in_warps};
  std::size_t num_values = 0;
  for (const Section& section : kernel.sections) {
    CodeBody& body = code.sections.emplace_back();
    BodyBuilder builder(program, graph, code.reductions, body);
    builder.build(section.domains, section.body);
    builder.finish();
    body.team = can_have_team(body) ? section.team : 1;
    name_domains(graph, body, code.domain_names);
    num_values += body.values.size();
  }
  if (!kernel.epilogue.empty()) {
    build_epilogue(program, graph, kernel, code);
    name_domains(graph, code.epilogue, code.domain_names);
  }
  logger("kernel").debug("{}: build_bodies makes {} values in {} sections", kernel.label,
                         num_values, code.sections.size());
  return code;
}

}  // namespace thallo
