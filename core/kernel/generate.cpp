#include "core/kernel/generate.h"

#include <utility>

#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/kernel/codegen/bodies.h"
#include "core/kernel/codegen/factor_sums.h"
#include "core/kernel/codegen/kernel_expressions.h"
#include "core/kernel/codegen/separate_domains.h"
#include "core/kernel/codegen/share_partials.h"
#include "core/kernel/codegen/slots.h"

namespace thallo {

KernelGenerator::KernelGenerator(const KernelProgram& program, PassObserver observer)
    : program_(program),
      graph_(program.graph),
      begin_(graph_.mark()),
      observer_(std::move(observer)) {}

KernelCode KernelGenerator::generate(const Kernel& source) {
  check_stop();
  Kernel kernel = source;
  // What the passes did to another kernel must not show in this one: the domains that they add are
  // numbered, and operands are ordered by these numbers.
  graph_.rewind(begin_);
  run("separate_domains", separate_domains, kernel);
  if (program_.passes.factor_sums) {
    const auto factor = [this](ExprGraph& graph, Kernel& its) {
      factor_sums(program_.fields, graph, its);
    };
    run("factor_sums", factor, kernel);
  }
  if (program_.passes.share_partials) run("share_partials", share_partials, kernel);
  KernelCode code = build_bodies(program_, graph_, kernel);
  list_slots(program_, code);
  return code;
}

void KernelGenerator::run(std::string_view name, const ExpressionPass& pass, Kernel& kernel) {
  const Logger& log = logger("kernel");
  const bool is_logged = log.enabled(LogLevel::Debug);
  const std::size_t before = is_logged ? num_nodes(graph_, kernel) : 0;
  pass(graph_, kernel);
  if (is_logged)
    log.debug("{}: {} makes {} nodes of {}", kernel.label, name, num_nodes(graph_, kernel), before);
  if (observer_) observer_(name, graph_, kernel);
}

GeneratedProgram generate(KernelProgram program) {
  GeneratedProgram generated{std::move(program), {}};
  KernelGenerator generator(generated.program);
  for (const Kernel& kernel : generated.program.kernels)
    generated.codes.push_back(generator.generate(kernel));
  return generated;
}

}  // namespace thallo
