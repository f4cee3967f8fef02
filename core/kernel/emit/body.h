#pragma once

// Writes the statements of one body as C text. Both dialects get the same text, except that a
// scatter is a plain += in C and an atomic in CUDA. The shells (shells.h) write the loop over
// points and the declarations around it. Private to emission.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/emit/expression.h"
#include "core/kernel/emit/vector_access.h"

namespace thallo {

class BodyWriter {
 public:
  // `extra_roots`: values that the shell asks for by condition() after block().
  BodyWriter(EmitContext& context, const CodeBody& body,
             const std::vector<ValueId>& extra_roots = {});

  // Name of the d-th parallel coordinate: i0, i1, ...
  static std::string coordinate(std::size_t d);

  // What of the block is the same at every point (uniform.h), to stand above the loop over points;
  // block() leaves it out. To be called before block(), if at all.
  std::string uniform_block(int indent);
  // block() is for points at which the condition holds.
  void assume(ValueId condition) { expressions_.set_name(condition, "true"); }
  // block() is for a loop that is to be vectorized (c.cpp): it computes what is in branches
  // at every point and selects afterwards. So no branch may store, add or loop, nor read what is
  // not there at some point.
  void vectorize() {
    is_vectorized_ = true;
    expressions_.vectorize();
  }
  // block() is for the threads `member` of a team of `team` (teams.h). Loops that are divided are
  // so among them; else all compute the same, and the first one writes it to memory.
  void share_with_team() { threads_ = Threads::Team; }
  // The body's block, each line indented. Call once.
  std::string block(int indent);
  std::string condition(ValueId value) { return expressions_.condition(value).in(Precedence::Or); }

 private:
  // Which threads run what is being written. Single: one thread, for a point of its own. Team: all
  // threads of a team, which compute the same. Member: each of them, for points of its own on a
  // list. First: the first one of them alone.
  enum class Threads { Single, Team, Member, First };

  // `is_seen_outside`: whether what the block computes is used behind it.
  void write(const CodeBlock& block, int indent, bool is_seen_outside = false);
  void write_item(const CodeBlock& block, std::size_t& i, std::map<ValueId, std::string>& flags,
                  int indent);
  void begin_first(int indent);
  void end_first(int indent);
  struct TeamSum {
    std::string name;
    std::string_view type;
    ReduceOp op = ReduceOp::Sum;

    // The statement that takes another one into the sum.
    std::string with(const std::string& other) const;
  };
  void write_team_sums(const std::vector<TeamSum>& sums, int indent);
  void write_let(ValueId value, int indent);
  void write_vector_load(const VectorLoad& load, int indent);
  // Writes the stores of a block from item `first` on, up to the next item that is no store.
  // Returns how many they are.
  std::size_t write_stores(const CodeBlock& block, std::size_t first, int indent);
  // If `stores` has all channels of the vector that the first one belongs to: writes one vector
  // store for them, takes them out of `stores` and returns true.
  bool write_vector_store(std::vector<StoreItem>& stores, int indent);
  void write_store(const StoreItem& item, int indent);
  // Writes the scatter at item `first`, with those behind it that go into one vector addition.
  // Returns how many they are. `same` names a flag of the text that is true where all lanes of the
  // warp add to one element; it is empty where the lanes need not ask.
  std::size_t write_adds(const CodeBlock& block, std::size_t first, const std::string& same,
                         int indent);
  void open_guard(ValueId guard, int indent);
  void write_add(const std::string& target, ScalarType memory, ValueId value, ValueId guard,
                 const std::string& same, int indent);
  // True if points may meet at an element that they add to (core/kernel/meetings.h).
  bool adds_atomically() const;
  bool may_be_shared(ValueId element) const;
  bool comes_from_map(ValueId element) const;
  bool varies_with(ValueId element, ValueId coordinate) const;
  std::string same_element(ValueId element, std::map<ValueId, std::string>& flags, int indent);
  void write_reduce(const ReduceItem& item, int indent);
  void write_loop(const LoopItem& item, int indent);
  void write_branch(const IfItem& item, int indent);
  void write_flattened(const IfItem& item, int indent);
  std::string zero_of(ValueType type) const;
  void line(int indent, const std::string& text);
  void close_guard();
  std::string converted(ValueId value, ScalarType memory);
  std::string fresh_name(ValueType type);
  bool reads_what_changes(const Instruction& instruction) const;
  bool must_be_opaque(ValueId index) const;
  bool are_read_together(ValueId a, ValueId b) const;

  EmitContext& context_;
  const CodeBody& body_;
  Uses uses_;
  VectorLayout layout_;
  ExpressionWriter expressions_;
  std::string text_;
  std::map<ValueId, std::shared_ptr<const VectorLoad>> vector_loads_;  // of the open blocks
  std::map<ValueId, std::string> escape_names_;  // declared before their branch
  std::vector<const CodeItem*> uniform_items_;   // written by uniform_block()
  int num_reals_ = 0, num_scalars_ = 0, num_indices_ = 0, num_bools_ = 0, num_loops_ = 0;
  int num_vectors_ = 0;
  bool is_vectorized_ = false;
  Threads threads_ = Threads::Single;
  std::string branch_condition_;  // the name of the condition of the flattened branch
  // The guard of the `if` that is open: neighboring additions under one guard share it.
  ValueId open_guard_;
  int open_indent_ = 0;
};

}  // namespace thallo
