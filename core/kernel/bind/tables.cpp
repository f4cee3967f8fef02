#include "core/kernel/bind/tables.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/bytes_text.h"
#include "core/base/stop_scope.h"
#include "core/kernel/bind/addition_tables.h"
#include "core/kernel/bind/csr_tables.h"
#include "core/kernel/bind/index_evaluator.h"
#include "core/kernel/bind/lists.h"
#include "core/kernel/multigrid.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

using Elements = std::vector<std::int32_t>;  // linear numbers

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::int64_t num_elements(const KernelProgram& program, FieldId unknown,
                          const std::vector<std::int64_t>& extents) {
  std::int64_t elements = 1;
  for (const DimId dim : program.field(unknown).dims) elements *= extents[dim.index()];
  return elements;
}

std::vector<std::int64_t> extents_of(const KernelProgram& program, FieldId unknown,
                                     const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> of_dims;
  for (const DimId dim : program.field(unknown).dims) of_dims.push_back(extents[dim.index()]);
  return of_dims;
}

// Computes the pairs of blocks in one column (BlockProducts) for one bound instance.
class BlockProductTables {
 public:
  // All arguments must outlive this object; `extents` is indexed by DimId.
  BlockProductTables(const KernelProgram& program, const std::vector<std::int64_t>& extents,
                     BoundTables& tables)
      : program_(program), extents_(extents), tables_(tables), lists_(program.patterns.size()) {}

  // Keeps the blocks of a pattern.
  void keep(std::size_t pattern, BlockList list) { lists_[pattern] = std::move(list); }
  // Return the number of pairs, and the bytes of their tables, as doubles because they may exceed
  // the size of any table. Both patterns must have been kept.
  double num_pairs(const BlockProducts& products) const;
  double bytes(const BlockProducts& products) const;
  void add(const BlockProducts& products);

 private:
  const KernelProgram& program_;
  const std::vector<std::int64_t>& extents_;
  BoundTables& tables_;
  std::vector<BlockList> lists_;  // by pattern
};

double BlockProductTables::num_pairs(const BlockProducts& products) const {
  const auto counts = [this](std::size_t pattern) {
    std::vector<double> blocks(
        static_cast<std::size_t>(num_elements(program_, program_.patterns[pattern].col, extents_)));
    for (const std::int32_t column : lists_[pattern].cols) ++blocks[at(column)];
    return blocks;
  };
  const std::vector<double> first = counts(products.first);
  const std::vector<double> second = counts(products.second);
  double pairs = 0;
  for (std::size_t column = 0; column < first.size(); ++column) {
    pairs += products.first == products.second ? first[column] * (first[column] - 1) / 2
                                               : first[column] * second[column];
  }
  return pairs;
}

double BlockProductTables::bytes(const BlockProducts& products) const {
  const auto dims = [&](std::size_t pattern) {
    return program_.field(program_.patterns[pattern].row).dims.size();
  };
  const auto entries = static_cast<double>(2 + dims(products.first) + dims(products.second));
  return num_pairs(products) * entries * double{sizeof(std::int32_t)};
}

void BlockProductTables::add(const BlockProducts& products) {
  const BlockPattern& first = program_.patterns[products.first];
  const BlockPattern& second = program_.patterns[products.second];
  const BlockList& firsts = lists_[products.first];
  const BlockList& seconds = lists_[products.second];
  BlockPairs pairs =
      pair_blocks(firsts, seconds, num_elements(program_, second.col, extents_),
                  num_elements(program_, second.row, extents_), [] { check_stop(); });
  tables_.extents[products.products] = std::ssize(pairs.first);
  tables_.maps[products.first_row] =
      coordinates_of(picked(firsts.rows, pairs.first), extents_of(program_, first.row, extents_));
  tables_.maps[products.second_row] = coordinates_of(picked(seconds.rows, pairs.second),
                                                     extents_of(program_, second.row, extents_));
  tables_.maps[products.first_block] = std::move(pairs.first);
  tables_.maps[products.second_block] = std::move(pairs.second);
}

constexpr std::int64_t MaxEntry = std::numeric_limits<std::int32_t>::max();
constexpr double MaxBytes = sizeof(std::int32_t) * static_cast<double>(MaxEntry);

class TableMaker {
 public:
  TableMaker(const KernelProgram& program, const Binding& binding,
             const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& offsets)
      : program_(program),
        extents_(extents),
        offsets_(offsets),
        binding_(binding),
        evaluator_(program, binding, extents, tables_),
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
    for (const BlockPattern& pattern : program_.patterns) {
      if (pattern.has_products) continue;
      for (const BlockPattern::Meeting& meeting : pattern.meetings) add(meeting.domains);
    }
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
      if (pattern.has_products) continue;
      // No bound of the pairs of blocks is close to their number.
      if (contents == TableContents::Bounds && program_.block_products.empty()) {
        bound_pattern(pattern);
      } else {
        add_pattern(pattern, evaluator_);
      }
    }
    for (const BlockProducts& products : program_.block_products) {
      total += products_.bytes(products);
      if (auto fits = check(total, memory_limit); !fits) return fail(fits.error());
      if (products_.num_pairs(products) > static_cast<double>(MaxEntry))
        return fail("a Schur complement has too many products for a table");
      products_.add(products);
    }
    if (auto done = add_patterns_of_products(total, memory_limit); !done) return fail(done.error());
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
    if (auto done = add_orders(total, memory_limit, contents); !done) return fail(done.error());
    tables_.bytes = total;
    return std::move(tables_);
  }

 private:
  static Expected<void> check(double bytes, std::int64_t memory_limit) {
    if (bytes <= static_cast<double>(memory_limit)) return {};
    return refuse_tables(bytes, memory_limit);
  }

  // Those of the dims of tables that there are included.
  std::vector<std::int64_t> known_extents() const {
    std::vector<std::int64_t> extents = extents_;
    extents.resize(program_.dims.size());
    for (const auto& [dim, extent] : tables_.extents) extents[dim.index()] = extent;
    return extents;
  }

  Expected<void> add_patterns_of_products(double& total, std::int64_t memory_limit) {
    const std::vector<std::int64_t> extents = known_extents();
    IndexEvaluator evaluator(program_, binding_, extents, tables_);
    for (const BlockPattern& pattern : program_.patterns) {
      if (!pattern.has_products) continue;
      for (const BlockPattern::Meeting& meeting : pattern.meetings)
        total += sizeof(std::int32_t) * static_cast<double>(evaluator.num_points(meeting.domains));
      if (auto fits = check(total, memory_limit); !fits) return fits;
      add_pattern(pattern, evaluator);
    }
    return {};
  }

  // The last tables: additions may go over what others have found.
  Expected<void> add_orders(double& total, std::int64_t memory_limit, TableContents contents) {
    if (program_.addition_orders.empty()) return {};
    const std::vector<std::int64_t> extents = known_extents();
    AdditionTables additions(program_, binding_, extents, tables_);
    for (const AdditionOrder& order : program_.addition_orders) {
      total += additions.bytes(order);
      if (auto fits = check(total, memory_limit); !fits) return fits;
      if (additions.num_points(order) > static_cast<double>(MaxEntry))
        return fail("too many points add to the same elements for a table of their order");
      if (contents == TableContents::All) {
        additions.add(order);
      } else {
        additions.bound(order);
      }
    }
    return {};
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

  void add_pattern(const BlockPattern& pattern, IndexEvaluator& evaluator) {
    Elements rows, cols;  // of all meetings, point by point; -1 outside
    for (const BlockPattern::Meeting& meeting : pattern.meetings) {
      check_stop();
      append_pairs(pattern, meeting, evaluator, rows, cols);
    }
    BlockList list =
        find_blocks(rows, cols, num_elements(program_, pattern.row, extents_),
                    num_elements(program_, pattern.col, extents_), [] { check_stop(); });
    tables_.maps[pattern.row_element] =
        coordinates_of(list.rows, extents_of(program_, pattern.row, extents_));
    tables_.maps[pattern.col_element] =
        coordinates_of(list.cols, extents_of(program_, pattern.col, extents_));
    tables_.extents[pattern.blocks] = std::ssize(list.rows);
    auto first = list.block_of.begin();
    for (const BlockPattern::Meeting& meeting : pattern.meetings) {
      const auto end = first + evaluator.num_points(meeting.domains);
      tables_.maps[meeting.block].assign(first, end);
      first = end;
    }
    products_.keep(static_cast<std::size_t>(&pattern - program_.patterns.data()), std::move(list));
  }

  static void append_pairs(const BlockPattern& pattern, const BlockPattern::Meeting& meeting,
                           IndexEvaluator& evaluator, Elements& rows, Elements& cols) {
    const auto row = evaluator.access(pattern.row, meeting.row);
    const auto col = evaluator.access(pattern.col, meeting.col);
    evaluator.for_each_point(meeting.domains, [&] {
      const auto i = evaluator.element(row);
      const auto j = evaluator.element(col);
      rows.push_back(i && j ? static_cast<std::int32_t>(*i) : -1);
      cols.push_back(i && j ? static_cast<std::int32_t>(*j) : -1);
    });
  }

  const KernelProgram& program_;
  const std::vector<std::int64_t>& extents_;
  const std::vector<std::int64_t>& offsets_;
  const Binding& binding_;
  BoundTables tables_;
  IndexEvaluator evaluator_;
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
      !program.mirrored_blocks.empty() || !program.addition_orders.empty()) {
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
