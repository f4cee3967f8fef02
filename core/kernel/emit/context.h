#pragma once

// What the emitters of one kernel share: how types, slots and literals are spelled in the dialect,
// and a record of what the text mentions, from which the declarations above the text follow.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/kernel/emit.h"
#include "core/kernel/emit/helpers.h"
#include "core/kernel/emit/spelling.h"
#include "core/kernel/memory_type.h"

namespace thallo {

class EmitContext {
 public:
  EmitContext(const KernelProgram& program, const KernelCode& code, const EmitOptions& options);

  const KernelProgram& program() const { return program_; }
  const KernelCode& code() const { return code_; }
  const EmitOptions& options() const { return options_; }
  int block_size() const { return block_size_of(code_, options_.block_size); }
  bool cuda() const { return options_.dialect == Dialect::Cuda; }

  // The compute type; and whether a value of this type is a double.
  bool real_is_double() const { return real_is_double_; }
  bool is_double(ValueType type) const { return type == ValueType::Scalar || real_is_double_; }
  std::string_view name_of(ValueType type) const;
  ScalarType memory(FieldId field) const {
    return memory_type(program_, field, options_.double_precision);
  }
  std::string literal(double value, bool as_double) const {
    return thallo::literal(options_.dialect, value, as_double);
  }

  // Slots; each call records the mention.
  std::string field(FieldId field);
  std::string param(FieldId field) const;
  std::string map(MapId map);
  std::string dim(DimId dim);
  std::string offset(FieldId field);
  std::string chunk(const LaterChunk& chunk);
  std::string num_unknowns();
  std::string state_slot(int channel);
  std::string reduction(std::size_t reduction);
  // What a point adds to; within lanes the sum of the group's points, in the computed type.
  std::string sum(std::size_t reduction);
  // A word of Args that is used where it stands: a->gate_slot, a.gate_slot.
  std::string word(std::string_view name) const;

  Helpers& helpers() { return helpers_; }

  // From here reads of the state are reads of a local array of that name; which slots it must hold
  // is known at the end.
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

  // Between these, in an elementwise section (lanes.h), v0[lane] is the scalar of f0 at the lane's
  // point.
  void begin_lanes() { in_lanes_ = true; }
  void end_lanes() { in_lanes_ = false; }
  bool in_lanes() const { return in_lanes_; }
  std::string lanes_of(FieldId field);
  // The type of its array; records that it is loaded and stored in lanes.
  std::string lane_type(FieldId field);

  // Stored or added to, itself or as part of a vector that the kernel also knows as a whole.
  bool is_changed(FieldId field) const;

  // Constant local copies of the slots mentioned so far, e.g. "const idx_t n0 = (idx_t)a->n0;",
  // each line indented; begins a new record.
  enum class StatePointer { Plain, Volatile };
  std::string take_declarations(int indent, StatePointer state = StatePointer::Plain);

  // The reductions mentioned so far; begins a new record.
  std::set<std::size_t> take_reductions() { return std::exchange(reductions_, {}); }
  std::set<std::size_t> take_lane_sums() { return std::exchange(lane_sums_, {}); }

  // Above the functions: typedefs, Args, the state slots mentioned.
  std::string type_definitions() const;

 private:
  std::string args_struct() const;
  bool overlap(FieldId a, FieldId b) const;
  bool has_own_memory(FieldId field) const;
  bool knows_halves() const;

  const KernelProgram& program_;
  const KernelCode& code_;
  const EmitOptions& options_;
  bool real_is_double_;
  Helpers helpers_;
  bool in_lanes_ = false;
  std::string held_array_;
  std::set<int> held_slots_;

  std::set<std::size_t> fields_, maps_, dims_, offsets_, chunks_;
  std::set<std::size_t> reductions_;
  std::set<std::size_t> lane_sums_;
  bool num_unknowns_ = false;
  bool state_ = false;
  std::set<int> state_slots_;  // of the whole text; the others since the last declarations
};

}  // namespace thallo
