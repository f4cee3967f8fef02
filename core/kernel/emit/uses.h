#pragma once

// How often the emitted text mentions each value of a body, and from which block. A value that is
// mentioned once, in the block where it is computed, is written at its use instead of being given a
// name, so that the text reads like formulas and nothing is computed twice.
//
// Some values never have a name of their own (`is_transparent`): constants, params, coordinates,
// and what is spelled like its operand. A mention of one counts for its operands. A value that
// escapes from a branch always has one.

#include <span>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

class Uses {
 public:
  // `hardware_rsqrt`: negative powers of a square root are written with rsqrt of its argument.
  // `reads_windows`: loads of windows are written without element and guard. `extra_roots` are
  // mentioned after the last statement of the body.
  Uses(const KernelProgram& program, const CodeBody& body, bool hardware_rsqrt, bool reads_windows,
       std::span<const ValueId> extra_roots = {});

  bool reads_window(const Instruction& load) const { return reads_windows_ && load.window >= 0; }

  // `power` is a PowI. When it is a negative power of a square root that can be written with rsqrt,
  // returns the argument of the root; else an invalid id. It can be where rsqrt exists and the
  // argument has a name at the power.
  ValueId rsqrt_argument(const Instruction& power) const;

  bool is_transparent(ValueId value) const;
  int count(ValueId value) const { return entries_[value.index()].count; }
  bool is_used_once_where_computed(ValueId value) const {
    const Entry& entry = entries_[value.index()];
    return entry.count == 1 && !entry.escapes && entry.used_in == entry.computed_in;
  }

 private:
  struct Entry {
    int count = 0;
    bool escapes = false;
    bool leaves_operand = false;  // where it escapes to, an operand of it has no name
    const CodeBlock* computed_in = nullptr;
    const CodeBlock* used_in = nullptr;
  };
  void find_escapes(const CodeBlock& block);
  void visit(const CodeBlock& block);
  void mention(ValueId value, const CodeBlock& block, int times = 1);
  void mention_operands(const Instruction& instruction, const CodeBlock& block);

  const KernelProgram& program_;
  const CodeBody& body_;
  bool hardware_rsqrt_;
  bool reads_windows_;
  std::vector<Entry> entries_;
};

}  // namespace thallo
