#include "core/kernel/lowering/stored_blocks.h"

namespace thallo {

void StoredBlocks::add(const PartExpressions& piece, const UnknownScalar& row,
                       const UnknownScalar& col, std::vector<DomainId> loops, ExprId value) {
  Blocks& blocks = blocks_of(row.unknown, col.unknown);
  const IndexId block = block_of(blocks, row.index, col.index, piece.domains().front());
  blocks.entries[{row.channel, col.channel}].push_back(
      {&piece, {{}, block, 0, piece.domains(), std::move(loops), value}});
}

void StoredBlocks::declare() {
  if (is_empty()) return;
  for (auto& [unknowns, blocks] : blocks_) {
    blocks.values = b_.stored_field(BufferKind::Product, buffer_, {blocks.here},
                                    static_cast<int>(blocks.entries.size()), type_);
  }
}

void StoredBlocks::add_blocks(FieldId row, FieldId col, int rows, int cols) {
  Blocks& blocks = blocks_of(row, col);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) blocks.entries[{i, j}];
}

IndexId StoredBlocks::block(FieldId row, FieldId col, IndexId at_row, IndexId at_col,
                            DomainId any) {
  return block_of(blocks_.at({row, col}), at_row, at_col, any);
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
IndexId StoredBlocks::block_of(Blocks& blocks, IndexId row, IndexId col, DomainId any) {
  IndexTable& indices = g_.indices();
  std::vector<DomainId> domains = merge_domains(indices.domains_of(row), indices.domains_of(col));
  if (domains.empty()) domains = {any};  // constant, but tables need a domain
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

Kernel mirror_halves(ProgramBuilder& b, const StoredBlocks& half, const std::string& whole,
                     const std::string& label, DimId rows) {
  KernelProgram& program = b.program();
  MirroredBlocks mirrored{.name = whole, .rows = rows};
  for (const auto& [unknowns, blocks] : half.blocks()) {
    mirrored.halves.push_back({blocks.pattern, {}});
    for (const auto& [channels, addends] : blocks.entries)
      mirrored.halves.back().channels.push_back(channels);
  }
  mirrored.num_halves = b.add_dim("halves of " + whole);
  mirrored.entries = b.add_dim("entries of " + whole);
  const auto table = [&](const char* name, DimId in, DimId out, bool optional) {
    return b.add_table(whole + name, std::vector{in}, {out}, optional);
  };
  mirrored.offsets = table(".offsets", rows, mirrored.entries, false);
  mirrored.columns = table(".columns", mirrored.entries, rows, false);
  mirrored.first = table(".first", mirrored.entries, mirrored.num_halves, true);
  mirrored.second = table(".second", mirrored.entries, mirrored.num_halves, true);

  if (half.is_empty())  // no residual depends on an unknown
    b.stored_field(BufferKind::Product, half.buffer(), {b.fresh_domain(mirrored.num_halves, "k")},
                   1, half.type());
  ExprGraph& g = b.graph();
  const FieldId halves = b.flat_view(half.buffer(), mirrored.num_halves);
  const std::vector<DomainId> entry = {b.fresh_domain(mirrored.entries, "k")};
  const IndexId here = g.indices().intern(entry);
  const auto value = [&](MapId place) {
    return b.read(halves, g.indices().intern(MultiIndex{g.indices().component(place, 0, here)}));
  };
  const FieldId values = b.stored_field(BufferKind::Product, whole, entry, 1, half.type());
  Kernel kernel{.role = "mirror_jtj", .label = label};
  if (half.type() == ScalarType::Double) kernel.compute = ComputeType::Double;
  kernel.sections.push_back(
      {.domains = entry,
       .body = {{Store{values, here, 0, g.add(value(mirrored.first), value(mirrored.second))}}}});
  program.matrices.push_back({.kind = MatrixKind::Csr,
                              .values = program.find_buffer(whole),
                              .offsets = mirrored.offsets,
                              .columns = mirrored.columns});
  program.mirrored_blocks.push_back(std::move(mirrored));
  return kernel;
}

}  // namespace thallo
