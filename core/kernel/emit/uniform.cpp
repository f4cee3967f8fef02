#include "core/kernel/emit/uniform.h"

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "core/kernel/arguments.h"

namespace thallo {
namespace {

class UniformItems {
 public:
  UniformItems(const KernelProgram& program, const CodeBody& body)
      : program_(program), body_(body) {}

  std::vector<const CodeItem*> find() {
    std::vector<const CodeItem*> items;
    std::size_t needed = 0;  // up to the last branch
    if (changes_state(body_.block)) return {};
    for (const CodeItem& item : body_.block) {
      if (!is_uniform(item)) continue;
      items.push_back(&item);
      if (std::holds_alternative<IfItem>(item.node)) needed = items.size();
    }
    items.resize(needed);
    return items;
  }

 private:
  bool is_uniform(ValueId value) {
    const auto known = is_uniform_.find(value);
    if (known != is_uniform_.end()) return known->second;
    return is_uniform_.emplace(value, has_uniform_operands(value)).first->second;
  }

  bool has_uniform_operands(ValueId value) {
    const Instruction& instruction = body_[value];
    switch (instruction.kind) {
      case InstructionKind::Constant: return true;
      case InstructionKind::Load:
        return instruction.operands.empty() &&
               (instruction.field == program_.state || is_param(program_, instruction.field));
      case InstructionKind::Operation:
        if (instruction.op == Op::Sum) return false;  // its loop defines it
        return std::ranges::all_of(instruction.operands,
                                   [this](ValueId operand) { return is_uniform(operand); });
      default: return false;
    }
  }

  bool is_uniform(const CodeItem& item) {
    if (const auto* let = std::get_if<Let>(&item.node)) return is_uniform(let->value);
    const auto* branch = std::get_if<IfItem>(&item.node);
    return branch != nullptr && is_uniform(branch->condition) &&
           std::ranges::all_of(branch->body,
                               [this](const CodeItem& inner) { return is_uniform(inner); });
  }

  bool changes_state(const CodeBlock& block) const {
    return std::ranges::any_of(block, [this](const CodeItem& item) {
      if (const auto* store = std::get_if<StoreItem>(&item.node))
        return store->field == program_.state;
      if (const auto* add = std::get_if<AddItem>(&item.node)) return add->field == program_.state;
      if (const auto* branch = std::get_if<IfItem>(&item.node)) return changes_state(branch->body);
      const auto* loop = std::get_if<LoopItem>(&item.node);
      return loop != nullptr && changes_state(loop->body);
    });
  }

  const KernelProgram& program_;
  const CodeBody& body_;
  std::unordered_map<ValueId, bool> is_uniform_;
};

}  // namespace

std::vector<const CodeItem*> uniform_items(const KernelProgram& program, const CodeBody& body) {
  return UniformItems(program, body).find();
}

}  // namespace thallo
