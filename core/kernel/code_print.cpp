#include "core/kernel/code_print.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo {
namespace {

class CodePrinter {
 public:
  CodePrinter(const KernelProgram& program, const KernelCode& code)
      : program_(program), code_(code) {}

  std::string run() {
    out_ = fmt::format("kernel {}\n", code_.label);
    for (const CodeBody& section : code_.sections) {
      body_ = &section;
      line(1, "for each point of ({})", domain_list(section.domains, section.extents));
      block(section.block, 2);
    }
    if (code_.has_epilogue) {
      body_ = &code_.epilogue;
      line(1, "then once");
      block(code_.epilogue.block, 2);
      if (code_.loop_condition.valid()) line(2, "repeat while {}", name(code_.loop_condition));
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string domain_list(const std::vector<DomainId>& domains,
                          const std::vector<DimId>& extents) const {
    std::string result;
    for (std::size_t d = 0; d < domains.size(); ++d) {
      fmt::format_to(std::back_inserter(result), "{}{} < {}", result.empty() ? "" : ", ",
                     coordinate_name(domains[d]), program_.dims[extents[d].index()].name);
    }
    return result;
  }

  // Domain names need not be unique: the id keeps them apart.
  std::string coordinate_name(DomainId domain) const {
    return fmt::format("{}_{}", code_.domain_names.at(domain), domain.value());
  }

  std::string name(ValueId id) const {
    if (!id.valid()) return "";
    const Instruction& v = (*body_)[id];
    if (v.kind == InstructionKind::Constant) return fmt::format("{:.9g}", v.constant);
    if (v.kind == InstructionKind::Coordinate) return coordinate_name(v.domain);
    return fmt::format("t{}", id.value());
  }

  std::string names(const std::vector<ValueId>& ids, std::string_view separator = ", ") const {
    std::string result;
    for (const ValueId id : ids) {
      if (!result.empty()) result += separator;
      result += name(id);
    }
    return result;
  }

  std::string place(FieldId field, ValueId element, int channel) const {
    const Field& f = program_.field(field);
    const std::string index = element.valid() ? fmt::format("[{}]", name(element)) : "";
    if (field == program_.state)
      return fmt::format("state{}.{}", index, StateSlotNames[static_cast<std::size_t>(channel)]);
    return f.channels > 1 ? fmt::format("{}{}.{}", f.name, index, channel) : f.name + index;
  }

  std::string text(const Instruction& v) const {
    switch (v.kind) {
      case InstructionKind::Constant:
      case InstructionKind::Coordinate: break;
      case InstructionKind::Affine: {
        std::string result = fmt::format("{}", v.offset);
        for (std::size_t i = 0; i < v.operands.size(); ++i) {
          fmt::format_to(std::back_inserter(result), " + {}*{}", v.coefficients[i],
                         name(v.operands[i]));
        }
        return result;
      }
      case InstructionKind::Element: {
        std::string dims;
        for (const DimId dim : v.dims)
          dims += (dims.empty() ? "" : ", ") + program_.dims[dim.index()].name;
        return fmt::format("element({}) of ({})", names(v.operands), dims);
      }
      case InstructionKind::MapLoad:
        return fmt::format("{}[{}].{}{}", program_.maps[v.map.index()].name, name(v.operands[0]),
                           v.output, guard(v, "else -1"));
      case InstructionKind::InRange:
        return fmt::format("0 <= {} < {}", name(v.operands[0]),
                           program_.dims[v.dims[0].index()].name);
      case InstructionKind::Load:
        return place(v.field, v.operands.empty() ? ValueId() : v.operands[0], v.channel) +
               guard(v, "else 0");
      case InstructionKind::ToReal: return fmt::format("real({})", name(v.operands[0]));
      case InstructionKind::Operation:
        if (v.op == Op::PowI) return fmt::format("{}^{}", name(v.operands[0]), v.exponent);
        if (v.op == Op::Add || v.op == Op::Mul) {
          return names(v.operands, v.op == Op::Add             ? " + "
                                   : v.type == ValueType::Bool ? " and "
                                                               : " * ");
        }
        return fmt::format("{}({})", info(v.op).text, names(v.operands));
      case InstructionKind::Sample:
        return fmt::format("sample {}({}).{}", program_.field(v.field).name, names(v.operands),
                           v.channel);
    }
    THALLO_UNREACHABLE();
  }

  std::string guard(const Instruction& v, std::string_view otherwise) const {
    return v.operands.size() > 1 ? fmt::format(" if {} {}", name(v.operands[1]), otherwise) : "";
  }

  void block(const CodeBlock& items, int depth) {
    for (const CodeItem& item : items)
      std::visit([&](const auto& node) { visit(node, depth); }, item.node);
  }
  void visit(const Let& let, int depth) {
    line(depth, "{} = {}", name(let.value), text((*body_)[let.value]));
  }
  void visit(const StoreItem& s, int depth) {
    line(depth, "{} = {}", place(s.field, s.element, s.channel), name(s.value));
  }
  void visit(const AddItem& s, int depth) {
    line(depth, "{} += {}{}", place(s.field, s.element, s.channel), name(s.value),
         s.guard.valid() ? " if " + name(s.guard) : "");
  }
  void visit(const MatrixAddItem& s, int depth) {
    line(depth, "{}[{}, {}] += {}{}", program_.field(s.matrix).name,
         place(s.row.unknown, s.row.element, s.row.channel),
         place(s.col.unknown, s.col.element, s.col.channel), name(s.value),
         s.guard.valid() ? " if " + name(s.guard) : "");
  }
  void visit(const ReduceItem& s, int depth) {
    const Reduction& r = code_.reductions[s.reduction];
    line(depth, "{} {} {}", place(program_.state, {}, r.slot),
         r.op == ReduceOp::Sum ? "sum=" : "max=", name(s.value));
  }
  void visit(const LoopItem& loop, int depth) {
    std::string sums;
    for (const Accumulator& a : loop.accumulators) {
      fmt::format_to(std::back_inserter(sums), " {} {} of {}",
                     a.op == ReduceOp::Sum ? "summing" : "maximizing", name(a.sum), name(a.addend));
    }
    const std::string range =
        loop.begin.valid() ? fmt::format(" from {} to {}", name(loop.begin), name(loop.end)) : "";
    line(depth, "for ({}{}){}", domain_list(loop.domains, loop.extents), range, sums);
    block(loop.body, depth + 1);
  }
  void visit(const IfItem& branch, int depth) {
    line(depth, "if {}{}", name(branch.condition),
         branch.escapes.empty() ? "" : fmt::format(" (else 0: {})", names(branch.escapes)));
    block(branch.body, depth + 1);
  }

  const KernelProgram& program_;
  const KernelCode& code_;
  const CodeBody* body_ = nullptr;
  std::string out_;
};

}  // namespace

std::string to_string(const KernelProgram& program, const KernelCode& code) {
  return CodePrinter(program, code).run();
}

}  // namespace thallo
