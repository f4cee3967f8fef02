#pragma once

// What the emitters of one kernel share: how types, slots and literals are spelled in the dialect,
// and a record of what the text mentions, from which the declarations above the text follow.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/kernel/emit.h"
#include "core/kernel/emit/helpers.h"
#include "core/kernel/emit/slot_names.h"
#include "core/kernel/emit/spelling.h"
#include "core/kernel/memory_type.h"

namespace thallo {

struct EmittedText {
  std::string preamble;   // types and helpers that the functions need
  std::string functions;  // the kernel
};

class EmitContext {
 public:
  EmitContext(const KernelProgram& program, const KernelCode& code, const EmitOptions& options,
              SlotNames names);

  const KernelProgram& program() const { return program_; }
  const KernelCode& code() const { return code_; }
  const EmitOptions& options() const { return options_; }
  int block_size() const { return block_size_of(code_, options_.block_size); }
  bool cuda() const { return options_.dialect == Dialect::Cuda; }
  // True if the blocks of tiles load windows, else points read the fields themselves.
  bool reads_windows() const { return cuda() && options_.has_windows; }
  // CUDA: do calls of one mathematical function share its code? NVRTC takes long for a kernel with
  // very many of them inlined.
  bool shares_functions() const { return shares_functions_; }

  // True if the compute type is double, and true if a value of this type is a double.
  bool real_is_double() const { return real_is_double_; }
  bool is_double(ValueType type) const { return type == ValueType::Scalar || real_is_double_; }
  std::string_view name_of(ValueType type) const;
  ScalarType memory(FieldId field) const {
    return memory_type(program_, field, options_.precision);
  }
  std::string literal(double value, bool as_double) const {
    return thallo::literal(options_.dialect, value, as_double);
  }

  // The names of slots in the text. Each call records that the text mentions the slot.
  std::string field(FieldId field);
  std::string param(FieldId field);
  std::string map(MapId map);
  std::string dim(DimId dim);
  std::string offset(FieldId field);
  std::string chunk(const LaterChunk& chunk);
  std::string num_unknowns();
  std::string state_slot(int channel);
  std::string reduction(std::size_t reduction);
  // The variable that a point adds its share to: that of the reduction, or between begin_lanes()
  // and end_lanes() one that sums up the points of the group, in the compute type.
  std::string sum(std::size_t reduction);
  // Decides whether the text of a value is short enough to stand where it is used. Names in a
  // readable text have other lengths than in the compiled text, whose decisions it repeats.
  bool is_short(bool as_written);
  void repeat(std::vector<bool> decisions) { repeated_ = std::move(decisions); }
  std::vector<bool> take_decisions() { return std::move(decisions_); }

  // The lines of the author's text that what is being written comes from (Instruction::line). Every
  // line of a readable text ends with a mark that lists them, which take_marks() takes off again.
  void mark_lines() { marks_lines_ = true; }
  void mention_line(int line) {
    if (marks_lines_ && line > 0) lines_.insert(line);
  }
  void forget_lines() { lines_.clear(); }
  std::string take_mark();

  // A word of Args that is read from the struct at its use: a->gate_slot in C, a.gate_slot in CUDA.
  std::string word(std::string_view name) const;

  Helpers& helpers() { return helpers_; }

  // From this call on, reads of the state are written as reads of a local array of that name.
  // take_held_slots() ends this and says which slots the array must hold.
  void hold_state_reads(std::string array) { held_array_ = std::move(array); }
  std::set<int> take_held_slots() {
    held_array_.clear();
    return std::exchange(held_slots_, {});
  }
  std::string held(int channel) {
    held_slots_.insert(channel);
    return held_array_ + "[" + state_slot(channel) + "]";
  }
  bool holds_state() const { return !held_array_.empty(); }

  // Between these calls, in an elementwise section (lanes.h), v0[lane] is the scalar of field f0 at
  // the point of the lane.
  void begin_lanes() { in_lanes_ = true; }
  void end_lanes() { in_lanes_ = false; }
  bool in_lanes() const { return in_lanes_; }
  std::string lanes_of(FieldId field);
  // The element type of lanes_of() a field; records that its helpers are needed.
  std::string lane_type(FieldId field);

  // Does the kernel store or add to the field, or to one that shares memory with it (a vector as a
  // whole and its part for one unknown)?
  bool is_changed(FieldId field) const;

  // Declares the slots that were mentioned since the last call, as constant local copies such as
  // "const idx_t n0 = (idx_t)a->n0;", each line indented.
  enum class StatePointer { Plain, Volatile };
  std::string take_declarations(int indent, StatePointer state = StatePointer::Plain);

  // The reductions that were mentioned since the last call.
  std::set<std::size_t> take_reductions() { return std::exchange(reductions_, {}); }
  std::set<std::size_t> take_lane_sums() { return std::exchange(lane_sums_, {}); }

  // The text above the functions: typedefs, the struct Args, names for the state slots mentioned.
  std::string type_definitions() const;

 private:
  std::string args_struct() const;
  bool overlap(FieldId a, FieldId b) const;
  bool has_own_memory(FieldId field) const;
  bool knows_halves() const;

  const KernelProgram& program_;
  const KernelCode& code_;
  const EmitOptions& options_;
  SlotNames names_;
  std::vector<bool> decisions_;  // of is_short(), in the order of the calls
  std::optional<std::vector<bool>> repeated_;
  bool marks_lines_ = false;
  std::set<int> lines_;
  bool real_is_double_;
  bool shares_functions_;
  Helpers helpers_;
  bool in_lanes_ = false;
  std::string held_array_;
  std::set<int> held_slots_;

  // Slots that were mentioned since the last declarations.
  struct Mentions {
    std::set<std::size_t> fields, params, maps, dims, offsets, chunks;
    bool num_unknowns = false, state = false;
  };
  Mentions mentions_;
  std::set<std::size_t> reductions_;
  std::set<std::size_t> lane_sums_;
  std::set<int> state_slots_;  // of the whole text
};

}  // namespace thallo
