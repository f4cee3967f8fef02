#include "core/kernel/kernel_print.h"

#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/ir/print.h"
#include "core/kernel/codegen/kernel_expressions.h"

namespace thallo {
namespace {

ExprNames names_of(const KernelProgram& program) {
  return {
      .field = [&program](FieldId id) { return program.field(id).name; },
      .num_channels = [&program](FieldId id) { return program.field(id).channels; },
      .map = [&program](MapId id) { return program.maps[id.index()].name; },
      .num_outputs =
          [&program](MapId id) { return static_cast<int>(program.maps[id.index()].out.size()); },
      .dim = [&program](DimId id) { return program.dims[id.index()].name; }};
}

class KernelPrinter {
 public:
  KernelPrinter(const KernelProgram& program, const ExprGraph& graph)
      : program_(program), graph_(graph), plain_(graph, names_of(program)) {}

  std::string run(const Kernel& kernel) && {
    name_state(kernel);
    expressions_.emplace(plain_);
    line(0, "kernel {}", kernel.label);
    for (const Section& section : kernel.sections) {
      line(1, "for each point of ({})", domain_list(section.domains));
      name_shared(section.body);
      block(section.body, 2);
    }
    expressions_.emplace(plain_);
    if (!kernel.epilogue.empty()) line(1, "then once");
    for (const Store& store : kernel.epilogue) print(store, 2);
    if (kernel.loop_condition.valid()) line(2, "repeat while {}", text(kernel.loop_condition));
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  // Slots of the state have names of their own, where they are read as where they are written.
  void name_state(const Kernel& kernel) {
    std::vector<ExprId> roots = expressions_of(kernel);
    for (const Store& store : kernel.epilogue) roots.push_back(store.value);
    if (kernel.loop_condition.valid()) roots.push_back(kernel.loop_condition);
    for (const ExprId access : graph_.accesses(roots)) {
      if (graph_.field(access) == program_.state)
        plain_.name(access, place(program_.state, {}, graph_.channel(access)));
    }
  }

  // What the statements of a section have in common is printed once, as t0, t1 ...
  void name_shared(const Block& statements) {
    std::vector<ExprId> roots;
    collect_values(statements, roots);
    expressions_.emplace(plain_);
    int number = 0;
    for (const ExprId shared : expressions_->shared(roots)) {
      const std::string name = fmt::format("t{}", number++);
      line(2, "{} = {}", name, text(shared));
      expressions_->name(shared, name);
    }
  }
  // Those of statements inside a loop may depend on its domains; they are printed in full.
  static void collect_values(const Block& statements, std::vector<ExprId>& values) {
    for (const Statement& statement : statements) {
      std::visit(
          Overloaded{[](const Loop&) {}, [&](const Guard& s) { collect_values(s.body, values); },
                     [&](const auto& s) { values.push_back(s.value); }},
          statement.node);
    }
  }

  std::string domain_list(const std::vector<DomainId>& domains) const {
    std::string result;
    for (const DomainId id : domains) {
      const Domain& domain = graph_.indices().domain(id);
      fmt::format_to(std::back_inserter(result), "{}{} < {}", result.empty() ? "" : ", ",
                     domain.name, program_.dims[domain.dim.index()].name);
    }
    return result;
  }

  std::string text(ExprId expression) const { return expressions_->text(expression); }

  std::string place(FieldId id, IndexId index, int channel) const {
    if (id == program_.state)
      return fmt::format("state.{}", StateSlotNames[static_cast<std::size_t>(channel)]);
    const Field& field = program_.field(id);
    const std::string at = field.dims.empty() ? "" : fmt::format("({})", expressions_->text(index));
    return field.channels > 1 ? fmt::format("{}{}[{}]", field.name, at, channel) : field.name + at;
  }
  std::string place(const UnknownScalar& scalar) const {
    return place(scalar.unknown, scalar.index, scalar.channel);
  }

  void block(const Block& statements, int depth) {
    for (const Statement& statement : statements)
      std::visit([&](const auto& s) { print(s, depth); }, statement.node);
  }
  void print(const Store& s, int depth) {
    line(depth, "{} = {}", place(s.field, s.index, s.channel), text(s.value));
  }
  void print(const ScatterAdd& s, int depth) {
    line(depth, "{} += {}", place(s.field, s.index, s.channel), text(s.value));
  }
  void print(const MatrixAdd& s, int depth) {
    line(depth, "{}[{}, {}] += {}", program_.field(s.matrix).name, place(s.row), place(s.col),
         text(s.value));
  }
  void print(const Reduce& s, int depth) {
    line(depth, "{} {} {}", place(program_.state, {}, s.slot),
         s.op == ReduceOp::Sum ? "sum=" : "max=", text(s.value));
  }
  void print(const Loop& s, int depth) {
    line(depth, "for ({})", domain_list(s.domains));
    block(s.body, depth + 1);
  }
  void print(const Guard& s, int depth) {
    line(depth, "if {}", text(s.condition));
    block(s.body, depth + 1);
  }

  const KernelProgram& program_;
  const ExprGraph& graph_;
  ExprPrinter plain_;                       // before anything is shared
  std::optional<ExprPrinter> expressions_;  // of the section that is printed
  std::string out_;
};

}  // namespace

std::string to_string(const KernelProgram& program, const ExprGraph& graph, const Kernel& kernel) {
  return KernelPrinter(program, graph).run(kernel);
}

}  // namespace thallo
