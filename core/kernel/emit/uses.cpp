#include "core/kernel/emit/uses.h"

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "core/kernel/arguments.h"
#include "core/kernel/tiles.h"

namespace thallo {

namespace {

bool is_spelled_out(const KernelProgram& program, const Instruction& instruction) {
  switch (instruction.kind) {
    case InstructionKind::Constant:
    case InstructionKind::Coordinate: return true;
    case InstructionKind::Element: return instruction.operands.size() <= 1;
    case InstructionKind::Affine:
      return instruction.operands.empty() ||
             (instruction.operands.size() == 1 && instruction.coefficients[0] == 1);
    case InstructionKind::Load: return is_param(program, instruction.field);
    case InstructionKind::Operation:
      return instruction.op == Op::Freeze || instruction.op == Op::Identity;
    case InstructionKind::MapLoad:
    case InstructionKind::InRange:
    case InstructionKind::ToReal:
    case InstructionKind::Sample: return false;
  }
  return false;
}

bool computes(const CodeBlock& block, ValueId value) {
  return std::ranges::any_of(block, [&](const CodeItem& item) {
    if (const auto* let = std::get_if<Let>(&item.node)) return let->value == value;
    if (const auto* loop = std::get_if<LoopItem>(&item.node)) return computes(loop->body, value);
    const auto* branch = std::get_if<IfItem>(&item.node);
    return branch != nullptr && computes(branch->body, value);
  });
}

// True if the instruction has an operand that the branch computes and that does not escape from it.
// Its name is out of scope after the branch.
bool stays_behind(const Instruction& instruction, const IfItem& branch) {
  return std::ranges::any_of(instruction.operands, [&](ValueId operand) {
    return std::ranges::find(branch.escapes, operand) == branch.escapes.end() &&
           computes(branch.body, operand);
  });
}

}  // namespace

Uses::Uses(const KernelProgram& program, const CodeBody& body, bool hardware_rsqrt,
           bool reads_windows, std::span<const ValueId> extra_roots)
    : program_(program),
      body_(body),
      hardware_rsqrt_(hardware_rsqrt),
      reads_windows_(reads_windows),
      entries_(body.values.size()) {
  find_escapes(body.block);
  for (const ValueId root : extra_roots) mention(root, body.block);
  visit(body.block);
}

ValueId Uses::rsqrt_argument(const Instruction& power) const {
  if (!hardware_rsqrt_ || power.exponent >= 0) return {};
  const Instruction& base = body_[power.operands[0]];
  if (base.kind != InstructionKind::Operation || base.op != Op::Sqrt) return {};
  if (entries_[power.operands[0].index()].leaves_operand) return {};
  return base.type == power.type ? base.operands[0] : ValueId();
}

bool Uses::is_transparent(ValueId value) const {
  return !entries_[value.index()].escapes && is_spelled_out(program_, body_[value]);
}

void Uses::find_escapes(const CodeBlock& block) {
  for (const CodeItem& item : block) {
    if (const auto* loop = std::get_if<LoopItem>(&item.node)) find_escapes(loop->body);
    if (const auto* branch = std::get_if<IfItem>(&item.node)) {
      for (const ValueId value : branch->escapes) {
        entries_[value.index()].escapes = true;
        entries_[value.index()].leaves_operand |= stays_behind(body_[value], *branch);
      }
      find_escapes(branch->body);
    }
  }
}

// Walks backwards: every use of a value is seen before the place where it is computed, so values
// that nobody needs do not count as uses of their operands.
void Uses::visit(const CodeBlock& block) {
  for (auto item = block.rbegin(); item != block.rend(); ++item) {
    if (const auto* let = std::get_if<Let>(&item->node)) {
      Entry& entry = entries_[let->value.index()];
      entry.computed_in = &block;
      if (entry.count > 0 && !is_transparent(let->value)) {
        mention_operands(body_[let->value], block);
      }
    } else if (const auto* store = std::get_if<StoreItem>(&item->node)) {
      if (store->element.valid()) mention(store->element, block);
      mention(store->value, block);
    } else if (const auto* add = std::get_if<AddItem>(&item->node)) {
      if (add->element.valid()) mention(add->element, block);
      if (add->guard.valid()) mention(add->guard, block);
      mention(add->value, block);
    } else if (const auto* matrix_add = std::get_if<MatrixAddItem>(&item->node)) {
      for (const MatrixRow* row : {&matrix_add->row, &matrix_add->col}) {
        if (row->element.valid()) mention(row->element, block);
      }
      if (matrix_add->guard.valid()) mention(matrix_add->guard, block);
      mention(matrix_add->value, block);
    } else if (const auto* reduce = std::get_if<ReduceItem>(&item->node)) {
      mention(reduce->value, block);
    } else if (const auto* loop = std::get_if<LoopItem>(&item->node)) {
      for (const Accumulator& accumulator : loop->accumulators) {
        if (count(accumulator.sum) > 0) mention(accumulator.addend, loop->body);
      }
      visit(loop->body);
      if (loop->begin.valid()) {
        mention(loop->begin, block);
        mention(loop->end, block);
      }
    } else if (const auto* branch = std::get_if<IfItem>(&item->node)) {
      visit(branch->body);
      mention(branch->condition, block);
    }
  }
}

void Uses::mention(ValueId value, const CodeBlock& block, int times) {
  if (is_transparent(value)) {
    for (int i = 0; i < times; ++i) mention_operands(body_[value], block);
  }
  Entry& entry = entries_[value.index()];
  entry.used_in = entry.count == 0 || entry.used_in == &block ? &block : nullptr;
  entry.count += times;
}

void Uses::mention_operands(const Instruction& instruction, const CodeBlock& block) {
  if (instruction.kind == InstructionKind::Operation && instruction.op == Op::PowI) {
    if (const ValueId argument = rsqrt_argument(instruction); argument.valid()) {
      mention(argument, block);
      return;
    }
    // x * x and x * x * x repeat their base; higher powers are calls.
    const int power = std::abs(instruction.exponent);
    mention(instruction.operands[0], block, power == 2 || power == 3 ? 2 : 1);
    return;
  }
  if (reads_window(instruction)) {
    for (const ValueId component : window_index(body_, instruction)) mention(component, block);
    return;
  }
  for (const ValueId operand : instruction.operands) mention(operand, block);
}

}  // namespace thallo
