#include "core/kernel/tables.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/energy/access.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;  // of elements

constexpr std::int64_t MaxEntry = std::numeric_limits<std::int32_t>::max();
constexpr Pair OutsidePair{-1, -1};

// Index expressions at points of domains.
class IndexEvaluator {
 public:
  IndexEvaluator(const KernelProgram& program, const Binding& binding,
                 const std::vector<std::int64_t>& extents)
      : program_(program),
        indices_(program.graph.indices()),
        binding_(binding),
        extents_(extents) {}

  std::int64_t num_points(const std::vector<DomainId>& domains) const {
    std::int64_t count = 1;
    for (const DomainId domain : domains) count *= extent(indices_.domain(domain).dim);
    return count;
  }

  // Runs `visit` at every point, the first domain fastest.
  template <class Visit>
  void for_each_point(const std::vector<DomainId>& domains, Visit visit) {
    const std::int64_t count = num_points(domains);
    for (const DomainId domain : domains) coordinates_[domain] = 0;
    for (std::int64_t point = 0; point < count; ++point) {
      visit();
      for (const DomainId domain : domains) {
        std::int64_t& coordinate = coordinates_[domain];
        if (++coordinate < extent(indices_.domain(domain).dim)) break;
        coordinate = 0;
      }
    }
  }

  // A read of the unknown at `index`, with the tests that say where it is outside.
  struct Access {
    std::vector<DimId> dims;
    IndexId index;
    std::vector<BoundsTest> tests;
  };
  Access access(FieldId unknown, IndexId index) const {
    const std::vector<DimId>& dims = program_.field(unknown).dims;
    return {dims, index, bounds_tests(indices_, program_.maps, dims, index)};
  }

  // The element at the point; none outside.
  std::optional<std::int64_t> element(const Access& access) const {
    for (const BoundsTest& test : access.tests) {
      const std::int64_t value = at_point(test.component);
      if (value < 0 || value >= extent(test.dim)) return {};
    }
    return linear(access.dims, access.index);
  }

 private:
  std::int64_t extent(DimId dim) const { return extents_[dim.index()]; }

  std::int64_t linear(const std::vector<DimId>& dims, IndexId index) const {
    const MultiIndex& components = indices_[index];
    std::int64_t element = 0;
    for (std::size_t d = dims.size(); d-- > 0;)
      element = element * extent(dims[d]) + at_point(components[d]);
    return element;
  }

  std::int64_t at_point(const Affine& affine) const {
    std::int64_t value = affine.constant;
    for (const AffineTerm& term : affine.terms)
      value += term.coefficient * at_point(indices_.atom(term.atom));
    return value;
  }

  // Tests of the argument were made before.
  std::int64_t at_point(const Atom& atom) const {
    if (atom.is_domain()) return coordinates_.at(atom.domain);
    const SparseMap& map = program_.maps[atom.map.index()];
    const std::int64_t entry =
        linear(map.in, atom.argument) * static_cast<std::int64_t>(map.out.size()) + atom.output;
    return binding_.map(atom.map)[static_cast<std::size_t>(entry)];
  }

  const KernelProgram& program_;
  const IndexTable& indices_;
  const Binding& binding_;
  const std::vector<std::int64_t>& extents_;
  std::map<DomainId, std::int64_t> coordinates_;
};

class TableMaker {
 public:
  TableMaker(const KernelProgram& program, const Binding& binding,
             const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& offsets)
      : program_(program),
        extents_(extents),
        offsets_(offsets),
        evaluator_(program, binding, extents) {}

  // What tables over these points take, in numbers that may be larger than any table.
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
    return total;
  }

  Expected<BoundTables> run() {
    const std::int64_t num_unknowns = extents_[program_.unknown_scalars.index()];
    if (num_unknowns > MaxEntry) return fail("{} unknowns are too many for a table", num_unknowns);
    for (const ColumnTable& table : program_.columns) add_columns(table);
    for (const BlockPattern& pattern : program_.patterns) add_pattern(pattern);
    return std::move(tables_);
  }

 private:
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

  void add_pattern(const BlockPattern& pattern) {
    std::vector<std::vector<Pair>> met;  // by meeting, point by point
    std::vector<Pair> blocks;
    for (const BlockPattern::Meeting& meeting : pattern.meetings) {
      met.push_back(pairs_of(pattern, meeting));
      std::ranges::copy_if(met.back(), std::back_inserter(blocks),
                           [](const Pair& pair) { return pair != OutsidePair; });
      sort_unique(blocks);
    }
    tables_.num_blocks.push_back(static_cast<std::int64_t>(blocks.size()));
    for (std::size_t i = 0; i < met.size(); ++i) {
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
};

}  // namespace

Expected<BoundTables> make_tables(const KernelProgram& program, const Binding& binding,
                                  const std::vector<std::int64_t>& extents,
                                  const std::vector<std::int64_t>& offsets,
                                  std::int64_t memory_limit) {
  if (program.columns.empty() && program.patterns.empty()) return BoundTables{};
  TableMaker maker(program, binding, extents, offsets);
  if (maker.bytes() > static_cast<double>(memory_limit)) {
    return fail("the tables of a stored J or JtJ take {:.3g} bytes, the memory limit is {} bytes",
                maker.bytes(), memory_limit);
  }
  return maker.run();
}

}  // namespace thallo
