#include "core/kernel/lowering/stored_blocks.h"

namespace thallo {

void StoredBlocks::add(const PartExpressions& piece, const UnknownScalar& row,
                       const UnknownScalar& col, std::vector<DomainId> loops, ExprId value) {
  Blocks& blocks = blocks_of(row.unknown, col.unknown);
  const IndexId block = block_of(piece, blocks, row.index, col.index);
  blocks.entries[{row.channel, col.channel}].push_back(
      {&piece, {{}, block, 0, piece.domains(), std::move(loops), value}});
}

void StoredBlocks::declare() {
  if (is_empty()) return;
  for (auto& [unknowns, blocks] : blocks_) {
    blocks.values = b_.stored_field(BufferKind::Product, buffer_, {blocks.here},
                                    static_cast<int>(blocks.entries.size()), type_);
  }
  b_.step(Phase::Linearize, ClearBuffer{b_.program().find_buffer(buffer_)});
}

std::vector<Addend> StoredBlocks::additions(const PartExpressions& piece) const {
  std::vector<Addend> result;
  for (const auto& [unknowns, blocks] : blocks_) {
    int channel = 0;
    for (const auto& [channels, addends] : blocks.entries) {
      for (const auto& [adding, addend] : addends) {
        if (adding != &piece) continue;
        result.push_back(addend);
        result.back().field = blocks.values;
        result.back().channel = channel;
      }
      ++channel;
    }
  }
  return result;
}

void StoredBlocks::fill(const PartExpressions& piece, ComputeType compute) {
  const std::vector<Addend> added = additions(piece);
  if (added.empty()) return;
  Kernel fill = part_kernel(*piece.part, Role::FillJtJ, "fill_block_jtj");
  fill.compute = compute;
  scatter(fill, piece.domains(), added);
  b_.launch(Phase::Linearize, b_.add_kernel(std::move(fill)));
}

StoredBlocks::Blocks& StoredBlocks::blocks_of(FieldId row, FieldId col) {
  const auto [it, inserted] = blocks_.try_emplace({row, col});
  if (!inserted) return it->second;
  KernelProgram& program = b_.program();
  const DimId dim = b_.add_dim("blocks of " + buffer_);
  it->second.pattern = program.patterns.size();
  it->second.here = b_.fresh_domain(dim, "k");
  const std::vector<DomainId> here = {it->second.here};
  const auto elements = [&](FieldId unknown) {
    return b_.add_table(buffer_, here, b_.energy().field(unknown).dims, false);
  };
  const MapId row_element = elements(row);
  const MapId col_element = elements(col);
  program.patterns.push_back({buffer_, dim, row, col, row_element, col_element, {}});
  return it->second;
}

// The block of two accesses, as an index over the blocks.
IndexId StoredBlocks::block_of(const PartExpressions& e, Blocks& blocks, IndexId row, IndexId col) {
  IndexTable& indices = g_.indices();
  std::vector<DomainId> domains = merge_domains(indices.domains_of(row), indices.domains_of(col));
  if (domains.empty()) domains = {e.domains().front()};  // constant, but tables need a domain
  const auto [it, inserted] = blocks.meetings.try_emplace({row, col, domains});
  if (inserted) {
    BlockPattern& pattern = b_.program().patterns[blocks.pattern];
    it->second = b_.add_table(buffer_, domains, {pattern.blocks}, true);
    pattern.meetings.push_back({it->second, domains, row, col});
  }
  return indices.intern(MultiIndex{indices.component(it->second, 0, indices.intern(domains))});
}

IndexId StoredBlocks::row_element(const Blocks& blocks, IndexId block) {
  const BlockPattern& pattern = b_.program().patterns[blocks.pattern];
  return element(pattern.row, pattern.row_element, block);
}

IndexId StoredBlocks::col_element(const Blocks& blocks, IndexId block) {
  const BlockPattern& pattern = b_.program().patterns[blocks.pattern];
  return element(pattern.col, pattern.col_element, block);
}

IndexId StoredBlocks::element(FieldId unknown, MapId elements, IndexId block) {
  MultiIndex index;
  for (std::size_t d = 0; d < b_.energy().field(unknown).dims.size(); ++d)
    index.push_back(g_.indices().component(elements, static_cast<int>(d), block));
  return g_.indices().intern(std::move(index));
}

}  // namespace thallo
