#pragma once

// The statements of one body as C text, the same in both dialects but for how a scatter adds. The
// shells (c.h, cuda.h) put the loop over points and the declarations round it.

#include <map>
#include <string>
#include <vector>

#include "core/kernel/emit/expression.h"
#include "core/kernel/emit/vector_access.h"

namespace thallo {

class BodyWriter {
 public:
  // `extra_roots`: values the shell asks for by expression() after block().
  BodyWriter(EmitContext& context, const CodeBody& body,
             const std::vector<ValueId>& extra_roots = {});

  // Name of the d-th parallel coordinate: i0, i1, ...
  static std::string coordinate(std::size_t d);

  // The body's block, each line indented. Call once.
  std::string block(int indent);
  std::string condition(ValueId value) { return expressions_.condition(value).in(Precedence::Or); }

 private:
  void write(const CodeBlock& block, int indent);
  void write_let(ValueId value, int indent);
  void write_vector_load(const VectorLoad& load, int indent);
  // The stores of a block from `first` on, up to the next item that is none; how many.
  std::size_t write_stores(const CodeBlock& block, std::size_t first, int indent);
  // One for all channels of the first store's vector, if they are all there; takes them out.
  bool write_vector_store(std::vector<StoreItem>& stores, int indent);
  void write_store(const StoreItem& item, int indent);
  // `same`: name of the flag that all lanes of a warp add to one place; empty: not known.
  // The scatters that begin at `first`; how many they are.
  std::size_t write_adds(const CodeBlock& block, std::size_t first, const std::string& same,
                         int indent);
  void open_guard(ValueId guard, int indent);
  void write_add(const std::string& target, ScalarType memory, ValueId value, ValueId guard,
                 const std::string& same, int indent);
  bool may_be_shared(ValueId element) const;
  bool comes_from_map(ValueId element) const;
  bool varies_with(ValueId element, ValueId coordinate) const;
  std::string same_element(ValueId element, std::map<ValueId, std::string>& flags, int indent);
  void write_reduce(const ReduceItem& item, int indent);
  void write_loop(const LoopItem& item, int indent);
  void write_branch(const IfItem& item, int indent);
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
  int num_reals_ = 0, num_scalars_ = 0, num_indices_ = 0, num_bools_ = 0, num_loops_ = 0;
  int num_vectors_ = 0;
  // Neighboring guarded adds share one `if`.
  ValueId open_guard_;
  int open_indent_ = 0;
};

}  // namespace thallo
