#include "core/kernel/codegen/slots.h"

#include <algorithm>
#include <vector>

namespace thallo {
namespace {

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
    // An element offset, i0 + n0 * (i1 + n1 * i2), does not contain the last extent.
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
    if (!loop.begin.valid()) {
      for (const DimId dim : loop.extents) add(code_.slots.dims, dim);
    }
    block(b, loop.body);
  }
  void visit(const CodeBody& b, const IfItem& branch) { block(b, branch.body); }

  const KernelProgram& program_;
  VectorLayout layout_;
  KernelCode& code_;
};

}  // namespace

void list_slots(const KernelProgram& program, KernelCode& code) {
  SlotCollector slots(program, code);
  for (const CodeBody& section : code.sections) slots.body(section);
  if (code.has_epilogue) slots.body(code.epilogue);
}

}  // namespace thallo
