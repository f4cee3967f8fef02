#include "core/kernel/generate.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/kernel/codegen/body_builder.h"
#include "core/kernel/codegen/body_order.h"
#include "core/kernel/codegen/expression_passes.h"
#include "core/kernel/codegen/kernel_expressions.h"
#include "core/kernel/codegen/windows.h"
#include "core/kernel/teams.h"
#include "core/kernel/tiles.h"

namespace thallo {
namespace {

// The pass build_bodies: from the statements of a kernel to code, section by section, then the
// epilogue.
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

// A section whose branches would cost more than they save is built without them.
CodeBody build_section(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel,
                       const Section& section, std::vector<Reduction>& reductions) {
  std::vector<Window> windows;
  if (has_tiles(kernel.shape, section)) windows = find_windows(program, graph, section);
  CodeBody body;
  for (const bool has_branches : {true, false}) {
    body = {};
    body.windows = windows;
    BodyBuilder builder(program, graph, reductions, body, has_branches);
    builder.build(section.domains, section.body);
    builder.finish();
    if (branches_pay(body)) break;
  }
  return body;
}

void name_domains(const ExprGraph& graph, const CodeBody& body,
                  std::map<DomainId, std::string>& names) {
  for (const Instruction& value : body.values) {
    if (value.kind == InstructionKind::Coordinate)
      names[value.domain] = graph.indices().domain(value.domain).name;
  }
}

// The kernel's expressions are in `graph`. The result has no slots yet. With the pass `bounds`,
// masks become nested guards, and loads under a known bound lose their own guards.
KernelCode build_bodies(const KernelProgram& program, const ExprGraph& graph,
                        const Kernel& kernel) {
  KernelCode code{.role = kernel.role,
                  .label = kernel.label,
                  .compute = kernel.compute,
                  .shape = kernel.shape,
                  .aggregates_in_warps = kernel.aggregates_in_warps};
  std::size_t num_values = 0;
  for (const Section& section : kernel.sections) {
    CodeBody& body =
        code.sections.emplace_back(build_section(program, graph, kernel, section, code.reductions));
    divide_loops(program, body);
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

// The last pass, list_slots: what the finished code is handed at launch.
class SlotCollector {
 public:
  SlotCollector(const KernelProgram& program, KernelCode& code)
      : program_(program), layout_(program), code_(code) {}

  void body(const CodeBody& b) {
    for (const DimId dim : b.extents) add(code_.slots.dims, dim);
    for (const Window& its : b.windows) window(its);
    block(b, b.block);
  }

 private:
  template <class T>
  static void add(std::vector<T>& list, T item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
  }

  void block(const CodeBody& b, const CodeBlock& items) {
    for (const CodeItem& item : items)
      std::visit([&](const auto& node) { visit(b, node); }, item.node);
  }

  void add_field(FieldId field, int channel) {
    add(code_.slots.fields, field);
    const LaterChunk chunk = layout_.place(field, channel).chunk;
    if (chunk.valid()) add(code_.slots.chunks, chunk);
  }

  void window(const Window& window) {
    add_field(window.field, window.channel);
    for (const DimId dim : program_.field(window.field).dims) add(code_.slots.dims, dim);
    for (const Window::Component& component : window.components) {
      for (const Window::Offset& offset : component.offsets)
        for (const auto& [dim, coefficient] : offset.loops) add(code_.slots.dims, dim);
    }
  }

  void visit(const CodeBody& b, const Let& let) {
    const Instruction& v = b[let.value];
    if (v.field.valid()) add_field(v.field, v.channel);
    if (v.map.valid()) add(code_.slots.maps, v.map);
    // An element offset, i0 + n0 * (i1 + n1 * i2), does not contain the last extent.
    const std::size_t used = v.kind == InstructionKind::Element ? v.dims.size() - 1 : v.dims.size();
    for (std::size_t i = 0; i < used; ++i) add(code_.slots.dims, v.dims[i]);
  }
  void visit(const CodeBody&, const StoreItem& s) {
    add_field(s.field, s.channel);
    add(code_.written, s.field);
  }
  void visit(const CodeBody&, const AddItem& s) {
    add_field(s.field, s.channel);
    add(code_.scattered, s.field);
  }
  void visit(const CodeBody&, const MatrixAddItem& s) {
    add(code_.slots.fields, s.matrix);
    add(code_.scattered, s.matrix);
    add(code_.slots.offsets, s.row.unknown);
    add(code_.slots.offsets, s.col.unknown);
    code_.slots.needs_num_unknowns = true;
  }
  void visit(const CodeBody&, const ReduceItem&) { add(code_.slots.fields, program_.state); }
  void visit(const CodeBody& b, const LoopItem& loop) {
    if (!loop.begin.valid()) {
      for (const DimId dim : loop.extents) add(code_.slots.dims, dim);
    }
    block(b, loop.body);
  }
  void visit(const CodeBody& b, const IfItem& branch) { block(b, branch.body); }

  const KernelProgram& program_;
  VectorLayout layout_;
  KernelCode& code_;
};

// Fills slots, written and scattered of `code` from its bodies.
void list_slots(const KernelProgram& program, KernelCode& code) {
  SlotCollector slots(program, code);
  for (const CodeBody& section : code.sections) slots.body(section);
  if (code.has_epilogue) slots.body(code.epilogue);
}

}  // namespace

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
