#include "core/kernel/bind/tables.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/bytes_text.h"
#include "core/base/stop_scope.h"
#include "core/kernel/bind/block_products.h"
#include "core/kernel/bind/csr_tables.h"
#include "core/kernel/bind/index_evaluator.h"
#include "core/kernel/multigrid.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;  // of elements

constexpr std::int64_t MaxEntry = std::numeric_limits<std::int32_t>::max();
constexpr double MaxBytes = sizeof(std::int32_t) * static_cast<double>(MaxEntry);
constexpr Pair OutsidePair{-1, -1};

class TableMaker {
 public:
  TableMaker(const KernelProgram& program, const Binding& binding,
             const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& offsets)
      : program_(program),
        extents_(extents),
        offsets_(offsets),
        evaluator_(program, binding, extents),
        csr_(program, extents, offsets, tables_),
        products_(program, extents, tables_) {}

  // Bytes of the tables over points, as a double because they may be more than any table can have.
  double bytes() const {
    double total = 0;
    const auto add = [&](const std::vector<DomainId>& domains) {
      double points = sizeof(std::int32_t);
      for (const DomainId domain : domains) {
        const DimId dim = program_.graph.indices().domain(domain).dim;
        points *= static_cast<double>(extents_[dim.index()]);
      }
      total += points;
    };
    for (const ColumnTable& table : program_.columns) add(table.domains);
    for (const BlockPattern& pattern : program_.patterns)
      for (const BlockPattern::Meeting& meeting : pattern.meetings) add(meeting.domains);
    for (const CsrRows& rows : program_.csr_rows) total += csr_.bytes(rows);
    return total;
  }

  Expected<BoundTables> run(std::int64_t memory_limit, TableContents contents) {
    double total = bytes();
    if (auto fits = check(total, memory_limit); !fits) return fail(fits.error());
    const std::int64_t num_unknowns = extents_[program_.unknown_scalars.index()];
    if (num_unknowns > MaxEntry) return fail("{} unknowns are too many for a table", num_unknowns);
    const bool makes_all = contents == TableContents::All;
    for (const ColumnTable& table : program_.columns) {
      if (makes_all) add_columns(table);
    }
    for (const BlockPattern& pattern : program_.patterns) {
      // No bound of the pairs of blocks is close to their number.
      if (contents == TableContents::Bounds && program_.block_products.empty()) {
        bound_pattern(pattern);
      } else {
        add_pattern(pattern);
      }
    }
    for (const BlockProducts& products : program_.block_products) {
      total += products_.bytes(products);
      if (auto fits = check(total, memory_limit); !fits) return fail(fits.error());
      if (products_.num_pairs(products) > static_cast<double>(MaxEntry))
        return fail("a Schur complement has too many products for a table");
      products_.add(products);
    }
    for (const CsrRows& rows : program_.csr_rows) {
      if (csr_.bytes(rows) > MaxBytes) return fail("a stored J has too many entries for a table");
      csr_.measure(rows);
      if (makes_all) csr_.add(rows, evaluator_);
    }
    for (const MirroredBlocks& blocks : program_.mirrored_blocks) {
      total += csr_.bytes(blocks);
      if (auto fits = check(total, memory_limit); !fits) return fail(fits.error());
      if (csr_.bytes(blocks) > 3 * MaxBytes)
        return fail("a stored JtJ has too many entries for a table");
      if (contents == TableContents::Bounds) {
        csr_.bound(blocks);
      } else {
        csr_.add(blocks);
      }
    }
    tables_.bytes = total;
    return std::move(tables_);
  }

 private:
  static Expected<void> check(double bytes, std::int64_t memory_limit) {
    if (bytes <= static_cast<double>(memory_limit)) return {};
    return refuse_tables(bytes, memory_limit);
  }

  void add_columns(const ColumnTable& table) {
    const FieldId unknown = table.scalar.unknown;
    const auto access = evaluator_.access(unknown, table.scalar.index);
    const ChannelPlace column = VectorLayout(program_).column(unknown, table.scalar.channel);
    std::vector<std::int32_t>& columns = tables_.maps[table.map];
    evaluator_.for_each_point(table.domains, [&] {
      const auto element = evaluator_.element(access);
      columns.push_back(
          element ? static_cast<std::int32_t>(offsets_[unknown.index()] + column.of(*element))
                  : -1);
    });
  }

  void bound_pattern(const BlockPattern& pattern) {
    std::int64_t& most = tables_.extents[pattern.blocks];
    for (const BlockPattern::Meeting& meeting : pattern.meetings)
      most += evaluator_.num_points(meeting.domains);
  }

  void add_pattern(const BlockPattern& pattern) {
    std::vector<std::vector<Pair>> met;  // by meeting, point by point
    std::vector<Pair> blocks;
    std::size_t num_different = 0;  // when they were sorted last
    for (const BlockPattern::Meeting& meeting : pattern.meetings) {
      check_stop();
      met.push_back(pairs_of(pattern, meeting));
      std::ranges::copy_if(met.back(), std::back_inserter(blocks),
                           [](const Pair& pair) { return pair != OutsidePair; });
      // Not after each meeting: there may be many of few pairs.
      if (blocks.size() < 2 * num_different) continue;
      sort_unique(blocks);
      num_different = blocks.size();
    }
    sort_unique(blocks);
    tables_.extents[pattern.blocks] = static_cast<std::int64_t>(blocks.size());
    for (std::size_t i = 0; i < met.size(); ++i) {
      check_stop();
      std::vector<std::int32_t>& table = tables_.maps[pattern.meetings[i].block];
      for (const Pair& pair : met[i]) {
        const auto block = std::ranges::lower_bound(blocks, pair);
        table.push_back(pair == OutsidePair ? -1
                                            : static_cast<std::int32_t>(block - blocks.begin()));
      }
    }
    std::vector<std::int32_t>& rows = tables_.maps[pattern.row_element];
    std::vector<std::int32_t>& cols = tables_.maps[pattern.col_element];
    for (const auto& [row, col] : blocks) {
      append_coordinates(pattern.row, row, rows);
      append_coordinates(pattern.col, col, cols);
    }
  }

  std::vector<Pair> pairs_of(const BlockPattern& pattern, const BlockPattern::Meeting& meeting) {
    const auto row = evaluator_.access(pattern.row, meeting.row);
    const auto col = evaluator_.access(pattern.col, meeting.col);
    std::vector<Pair> pairs;
    pairs.reserve(static_cast<std::size_t>(evaluator_.num_points(meeting.domains)));
    evaluator_.for_each_point(meeting.domains, [&] {
      const auto i = evaluator_.element(row);
      const auto j = evaluator_.element(col);
      pairs.push_back(i && j ? Pair(static_cast<std::int32_t>(*i), static_cast<std::int32_t>(*j))
                             : OutsidePair);
    });
    return pairs;
  }

  static void sort_unique(std::vector<Pair>& blocks) {
    std::ranges::sort(blocks);
    const auto rest = std::ranges::unique(blocks);
    blocks.erase(rest.begin(), rest.end());
  }

  void append_coordinates(FieldId unknown, std::int64_t element, std::vector<std::int32_t>& to) {
    for (const DimId dim : program_.field(unknown).dims) {
      const std::int64_t extent = extents_[dim.index()];
      to.push_back(static_cast<std::int32_t>(element % extent));
      element /= extent;
    }
  }

  const KernelProgram& program_;
  const std::vector<std::int64_t>& extents_;
  const std::vector<std::int64_t>& offsets_;
  IndexEvaluator evaluator_;
  BoundTables tables_;
  CsrTables csr_;
  BlockProductTables products_;
};

}  // namespace

tl::unexpected<Diagnostic> refuse_tables(double bytes, std::int64_t memory_limit) {
  return fail("the tables of a stored J or JtJ take {}, the memory limit is {}", bytes_text(bytes),
              bytes_text(static_cast<double>(memory_limit)));
}

Expected<BoundTables> make_tables(const KernelProgram& program, const Binding& binding,
                                  const std::vector<std::int64_t>& extents,
                                  const std::vector<std::int64_t>& offsets,
                                  std::int64_t memory_limit, TableContents contents) {
  Expected<BoundTables> tables;
  if (!program.columns.empty() || !program.patterns.empty() || !program.csr_rows.empty() ||
      !program.mirrored_blocks.empty()) {
    tables = TableMaker(program, binding, extents, offsets).run(memory_limit, contents);
    if (!tables) return tables;
  }
  if (program.multigrid) {
    const auto extent = [&extents](DimId dim) { return extents[dim.index()]; };
    tables->extents[program.multigrid->scalars] = grid_levels(program, extent).scalars;
  }
  return tables;
}

}  // namespace thallo
