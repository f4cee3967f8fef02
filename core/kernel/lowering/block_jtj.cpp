// A sparse JtJ is stored by blocks: for two unknowns and every pair of their elements that meet in
// some residual, a value for each pair of channels that occurs. Which pairs of elements there are
// follows from the maps when they are bound (BlockPattern), and so does the block that a residual
// point adds to. The tables run only over the domains that occur in the two accesses, not over all
// residual points.
//
// As for a dense JtJ, only a half is stored: H with JtJ = H + H^T. A half of this kind needs no
// order of rows and columns, and it is right even where two maps lead to the same element.
//
// Format blocks: a product uses each block twice, as it is and transposed. It reads half as much as
// the product with a symmetric matrix in CSR, and scatters into rows in ascending order.
//
// Format csr: JtJ = H + H^T is stored with both triangles in CSR (MirroredBlocks), since cuSPARSE
// has no symmetric SpMV. A generated kernel fills H even where J is a CSR matrix (it reads J's
// entries): SpGEMM would need J^T, a pass to find the pattern, which the maps give already, and
// workspaces whose sizes are not known in advance.

#include "core/kernel/lowering/block_jtj.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/kernel/lowering/accumulate.h"

namespace thallo {
namespace {

using Channels = std::pair<int, int>;

class BlockJtJLowering {
 public:
  BlockJtJLowering(ProgramBuilder& builder, const PartExpressions& e, const std::string& buffer)
      : b_(builder), g_(builder.graph()), e_(e), buffer_(buffer) {}

  // Stores H.
  void fill() {
    collect();
    if (is_empty()) return;
    Kernel fill = part_kernel(*e_.part, Role::FillJtJ, "fill_block_jtj");
    std::vector<Addend> stored;
    for (auto& [unknowns, blocks] : blocks_) {
      blocks.values = b_.stored_field(BufferKind::Product, buffer_, {blocks.here},
                                      static_cast<int>(blocks.entries.size()));
      int channel = 0;
      for (auto& [channels, addends] : blocks.entries) {
        for (Addend& addend : addends) {
          addend.field = blocks.values;
          addend.channel = channel;
          stored.push_back(std::move(addend));
        }
        ++channel;
      }
    }
    scatter(fill, e_.domains(), stored);
    b_.step(Phase::Linearize, ClearBuffer{b_.program().find_buffer(buffer_)});
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(fill)));
  }
  bool is_empty() const { return blocks_.empty(); }

  // Ap += (H + H^T) p, by a kernel.
  void multiply() {
    if (is_empty()) return;
    Kernel apply = part_kernel(*e_.part, Role::JtJp, "apply_block_jtj");
    for (const auto& [unknowns, blocks] : blocks_) add_product(blocks, apply);
    b_.launch_apply(std::move(apply));
  }

  // JtJ = H + H^T as CSR matrix, filled by one thread per entry.
  void mirror(const std::string& whole) {
    KernelProgram& program = b_.program();
    MirroredBlocks mirrored{.name = whole};
    for (const auto& [unknowns, blocks] : blocks_) {
      mirrored.halves.push_back({blocks.pattern, {}});
      for (const auto& [channels, addends] : blocks.entries)
        mirrored.halves.back().channels.push_back(channels);
    }
    mirrored.num_halves = b_.add_dim("halves of " + whole);
    mirrored.entries = b_.add_dim("entries of " + whole);
    const auto table = [&](const char* name, DimId in, DimId out, bool optional) {
      return b_.add_table(whole + name, std::vector{in}, {out}, optional);
    };
    mirrored.offsets = table(".offsets", program.unknown_scalars, mirrored.entries, false);
    mirrored.columns = table(".columns", mirrored.entries, program.unknown_scalars, false);
    mirrored.first = table(".first", mirrored.entries, mirrored.num_halves, true);
    mirrored.second = table(".second", mirrored.entries, mirrored.num_halves, true);

    const FieldId halves = b_.flat_view(buffer_, mirrored.num_halves);
    const std::vector<DomainId> entry = {b_.fresh_domain(mirrored.entries, "k")};
    const IndexId here = g_.indices().intern(entry);
    const auto half = [&](MapId place) {
      return b_.read(halves,
                     g_.indices().intern(MultiIndex{g_.indices().component(place, 0, here)}));
    };
    const FieldId values = b_.stored_field(BufferKind::Product, whole, entry, 1);
    Kernel kernel{.role = "mirror_jtj", .label = fmt::format("mirror_jtj [{}]", e_.part->name)};
    kernel.sections.push_back(
        {.domains = entry,
         .body = {{Store{values, here, 0, g_.add(half(mirrored.first), half(mirrored.second))}}}});
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
    program.matrices.push_back({.kind = MatrixKind::Csr,
                                .values = program.find_buffer(whole),
                                .offsets = mirrored.offsets,
                                .columns = mirrored.columns});
    program.mirrored_blocks.push_back(std::move(mirrored));
  }

 private:
  struct Blocks {
    std::size_t pattern = 0;  // into program.patterns
    DomainId here;            // over the blocks
    FieldId values;
    std::map<std::pair<IndexId, IndexId>, MapId> meetings;
    std::map<Channels, std::vector<Addend>> entries;
  };

  void collect() {
    const std::vector<Target> cols = with_fresh_loops(b_, e_.targets);
    for (std::size_t i = 0; i < e_.targets.size(); ++i) {
      for (std::size_t j = i; j < cols.size(); ++j) {
        const ExprId value = normal_entry(g_, e_, e_.targets[i], cols[j]);
        if (g_.is_constant(value, 0)) continue;
        add(e_.targets[i], cols[j], i == j ? g_.mul(g_.constant(0.5), value) : value);
      }
    }
  }

  void add(const Target& row, const Target& col, ExprId value) {
    if (col.unknown < row.unknown) return add(col, row, value);  // H + H^T stays the same
    std::vector<DomainId> loops = row.loops;
    loops.insert(loops.end(), col.loops.begin(), col.loops.end());
    Blocks& blocks = blocks_of(row.unknown, col.unknown);
    blocks.entries[{row.channel, col.channel}].push_back(
        {{}, block_of(blocks, row.index, col.index), 0, e_.domains(), loops, value});
  }

  Blocks& blocks_of(FieldId row, FieldId col) {
    const auto [it, inserted] = blocks_.try_emplace({row, col});
    if (!inserted) return it->second;
    KernelProgram& program = b_.program();
    const DimId dim = b_.add_dim(fmt::format("blocks.{}", e_.part->name));
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
  IndexId block_of(Blocks& blocks, IndexId row, IndexId col) {
    IndexTable& indices = g_.indices();
    std::vector<DomainId> domains = merge_domains(indices.domains_of(row), indices.domains_of(col));
    if (domains.empty()) domains = {e_.domains().front()};  // constant, but tables need a domain
    const auto [it, inserted] = blocks.meetings.try_emplace({row, col});
    if (inserted) {
      BlockPattern& pattern = b_.program().patterns[blocks.pattern];
      it->second = b_.add_table(buffer_, domains, {pattern.blocks}, true);
      pattern.meetings.push_back({it->second, domains, row, col});
    }
    return indices.intern(MultiIndex{indices.component(it->second, 0, indices.intern(domains))});
  }

  // Ap += (H + H^T) p, with one thread per block of H.
  void add_product(const Blocks& blocks, Kernel& kernel) {
    const std::vector<DomainId> here = {blocks.here};
    const IndexId block = g_.indices().intern(here);
    const BlockPattern pattern = b_.program().patterns[blocks.pattern];
    const IndexId row = element(pattern.row, pattern.row_element, block);
    const IndexId col = element(pattern.col, pattern.col_element, block);
    const FieldId p_row = b_.vector_view(SolverVector::P, pattern.row);
    const FieldId p_col = b_.vector_view(SolverVector::P, pattern.col);
    std::map<int, std::vector<ExprId>> of_row;
    std::map<int, std::vector<ExprId>> of_col;
    std::vector<ExprId> shares;
    int channel = 0;
    for (const auto& [channels, addends] : blocks.entries) {
      const ExprId value = b_.read(blocks.values, block, channel++);
      of_row[channels.first].push_back(g_.mul(value, b_.read(p_col, col, channels.second)));
      of_col[channels.second].push_back(g_.mul(value, b_.read(p_row, row, channels.first)));
    }
    std::vector<Addend> sums;
    for (const auto& [c, terms] : of_row) {
      const ExprId sum = g_.add(terms);
      sums.push_back({b_.vector_view(SolverVector::Ap, pattern.row), row, c, here, {}, sum});
      shares.push_back(g_.mul(b_.read(p_row, row, c), sum));
    }
    for (const auto& [c, terms] : of_col)
      sums.push_back(
          {b_.vector_view(SolverVector::Ap, pattern.col), col, c, here, {}, g_.add(terms)});
    const ExprId share = g_.mul(g_.constant(2), g_.add(shares));
    scatter(kernel, here, sums, b_.share_of_product(share));
  }

  IndexId element(FieldId unknown, MapId elements, IndexId block) {
    MultiIndex index;
    for (std::size_t d = 0; d < b_.energy().field(unknown).dims.size(); ++d)
      index.push_back(g_.indices().component(elements, static_cast<int>(d), block));
    return g_.indices().intern(std::move(index));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const PartExpressions& e_;
  std::string buffer_;
  std::map<std::pair<FieldId, FieldId>, Blocks> blocks_;
};

}  // namespace

void lower_block_jtj(ProgramBuilder& builder, const PartExpressions& e) {
  BlockJtJLowering jtj(builder, e, fmt::format("JtJ.{}", e.part->name));
  jtj.fill();
  jtj.multiply();
}

void lower_csr_jtj(ProgramBuilder& builder, const PartExpressions& e) {
  const std::string whole = fmt::format("JtJ.{}", e.part->name);
  BlockJtJLowering jtj(builder, e, whole + ".half");
  jtj.fill();
  if (jtj.is_empty()) return;
  jtj.mirror(whole);
  builder.multiply({.matrix = builder.program().matrices.size() - 1,
                    .adds = true,
                    .x = builder.vector(SolverVector::P),
                    .y = builder.vector(SolverVector::Ap)});
}

}  // namespace thallo
