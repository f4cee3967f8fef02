#include "core/kernel/generate.h"

#include <utility>

#include "core/base/log.h"
#include "core/kernel/codegen/bodies.h"
#include "core/kernel/codegen/factor_sums.h"
#include "core/kernel/codegen/kernel_expressions.h"
#include "core/kernel/codegen/separate_domains.h"
#include "core/kernel/codegen/share_partials.h"
#include "core/kernel/codegen/slots.h"

namespace thallo {

KernelGenerator::KernelGenerator(const KernelProgram& program, const PassOptions& passes,
                                 PassObserver observer)
    : program_(program), passes_(passes), observer_(std::move(observer)) {}

KernelCode KernelGenerator::generate(const Kernel& source) const {
  Kernel kernel = source;
  // What the passes did to another kernel must not show in this one: the domains that they add are
  // numbered, and operands are ordered by these numbers.
  ExprGraph graph = program_.graph;
  run("separate_domains", separate_domains, graph, kernel);
  if (passes_.factor_sums) run("factor_sums", factor_sums, graph, kernel);
  if (passes_.share_partials) run("share_partials", share_partials, graph, kernel);
  KernelCode code = build_bodies(program_, graph, kernel, passes_.bounds);
  list_slots(program_, code);
  return code;
}

void KernelGenerator::run(std::string_view name, ExpressionPass pass, ExprGraph& graph,
                          Kernel& kernel) const {
  const Logger& log = logger("kernel");
  const bool is_logged = log.enabled(LogLevel::Debug);
  const std::size_t before = is_logged ? num_nodes(graph, kernel) : 0;
  pass(graph, kernel);
  if (is_logged)
    log.debug("{}: {} makes {} nodes of {}", kernel.label, name, num_nodes(graph, kernel), before);
  if (observer_) observer_(name, graph, kernel);
}

GeneratedProgram generate(KernelProgram program, const PassOptions& passes) {
  GeneratedProgram generated{std::move(program), {}};
  KernelGenerator generator(generated.program, passes);
  for (const Kernel& kernel : generated.program.kernels)
    generated.codes.push_back(generator.generate(kernel));
  return generated;
}

}  // namespace thallo
