#include "core/kernel/code.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/ir/bound_domains.h"
#include "core/kernel/codegen/body_builder.h"
#include "core/kernel/codegen/factor_sums.h"
#include "core/kernel/codegen/share_partials.h"

namespace thallo {
namespace {

// Calls visit(ExprId&, domains around it) on every expression of a statement list.
template <class Visit>
void visit_expressions(Block& block, const std::vector<DomainId>& around, const Visit& visit) {
  for (Statement& statement : block) {
    std::visit(
        [&](auto& s) {
          using S = std::decay_t<decltype(s)>;
          if constexpr (std::is_same_v<S, Loop>) {
            std::vector<DomainId> inside = around;
            inside.insert(inside.end(), s.domains.begin(), s.domains.end());
            visit_expressions(s.body, inside, visit);
          } else if constexpr (std::is_same_v<S, Guard>) {
            visit(s.condition, around);
            visit_expressions(s.body, around, visit);
          } else {
            visit(s.value, around);
          }
        },
        statement.node);
  }
}

template <class Visit>
void visit_expressions(Kernel& kernel, const Visit& visit) {
  for (Section& section : kernel.sections) visit_expressions(section.body, section.domains, visit);
}

std::vector<ExprId> roots_of(Kernel& kernel) {
  std::vector<ExprId> roots;
  visit_expressions(kernel, [&](ExprId e, const auto& /*around*/) { roots.push_back(e); });
  return roots;
}

// A body puts each node once, where its domains run: no Sum may run over a domain that runs
// already.
void separate_bound_domains(ExprGraph& graph, Kernel& kernel) {
  const std::vector<ExprId> nodes = graph.reachable(roots_of(kernel));
  if (std::ranges::none_of(nodes, [&](ExprId id) { return graph[id].op == Op::Sum; })) return;
  std::map<std::vector<DomainId>, BoundDomainRenaming> renamings;  // by what is around
  visit_expressions(kernel, [&](ExprId& e, const std::vector<DomainId>& around) {
    e = renamings.try_emplace(around, graph, around).first->second(e);
  });
}

void run_passes(ExprGraph& graph, Kernel& kernel, const PassOptions& passes) {
  std::vector<ExprId> roots = roots_of(kernel);
  if (passes.simplify) roots = factor_sums(graph, roots);
  if (passes.cse) roots = share_partials(graph, roots);
  std::size_t next = 0;
  visit_expressions(kernel, [&](ExprId& e, const auto& /*around*/) { e = roots[next++]; });
}

// Lists what a kernel is handed, in order of first use.
class SlotCollector {
 public:
  SlotCollector(const KernelProgram& program, KernelCode& code)
      : program_(program), layout_(program), code_(code) {}

  void body(const CodeBody& b) {
    for (const DimId dim : b.extents) add(code_.slots.dims, dim);
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

  void visit(const CodeBody& b, const Let& let) {
    const Instruction& v = b[let.value];
    if (v.field.valid()) add_field(v.field, v.channel);
    if (v.map.valid()) add(code_.slots.maps, v.map);
    // The last extent of an element offset is not multiplied by anything.
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
    for (const DomainId domain : loop.domains) {
      if (!loop.begin.valid()) add(code_.slots.dims, program_.graph.indices().domain(domain).dim);
    }
    block(b, loop.body);
  }
  void visit(const CodeBody& b, const IfItem& branch) { block(b, branch.body); }

  const KernelProgram& program_;
  VectorLayout layout_;
  KernelCode& code_;
};

}  // namespace

KernelCode generate_code(KernelProgram& program, const Kernel& source, const PassOptions& passes) {
  Kernel kernel = source;
  separate_bound_domains(program.graph, kernel);
  run_passes(program.graph, kernel, passes);

  KernelCode code{.role = kernel.role,
                  .label = kernel.label,
                  .compute = kernel.compute,
                  .shape = kernel.shape,
                  .aggregates_in_warps = kernel.aggregates_in_warps};
  for (const Section& section : kernel.sections) {
    BodyBuilder builder(program, kernel.compute, passes.bounds, code.reductions,
                        code.sections.emplace_back());
    builder.build(section.domains, section.body);
    builder.finish();
  }
  if (!kernel.epilogue.empty()) {
    Block stores;
    for (const Store& store : kernel.epilogue) stores.push_back({store});
    std::vector<Reduction> none;
    BodyBuilder builder(program, kernel.compute, passes.bounds, none, code.epilogue);
    builder.build({}, stores);
    if (kernel.loop_condition.valid()) builder.keep(kernel.loop_condition);
    builder.finish();
    if (kernel.loop_condition.valid()) code.loop_condition = builder.results().front();
    code.has_epilogue = true;
  }
  SlotCollector slots(program, code);
  for (const CodeBody& section : code.sections) slots.body(section);
  if (code.has_epilogue) slots.body(code.epilogue);
  return code;
}

}  // namespace thallo
