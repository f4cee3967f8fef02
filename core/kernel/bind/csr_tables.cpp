#include "core/kernel/bind/csr_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace thallo {
namespace {

// Appends the columns of a row. Entries outside of their unknown get the column of another entry.
void give_columns(std::span<std::optional<std::int32_t>> row, std::vector<std::int32_t>& to) {
  const auto inside =
      std::ranges::find_if(row, [](const auto& column) { return column.has_value(); });
  const std::int32_t any = inside == row.end() ? 0 : **inside;
  for (const auto& column : row) to.push_back(column.value_or(any));
}

}  // namespace

double CsrTables::num_points(const std::vector<DomainId>& domains) const {
  double points = 1;
  for (const DomainId domain : domains)
    points *= static_cast<double>(extents_[program_.graph.indices().domain(domain).dim.index()]);
  return points;
}

double CsrTables::num_entries(const CsrRows& rows) const {
  double accesses = 0;
  for (const auto& of_residual : rows.accesses) accesses += static_cast<double>(of_residual.size());
  return accesses * num_points(rows.loops) * num_points(rows.points);
}

double CsrTables::num_rows(DimId rows) const {
  const auto num_columns = static_cast<double>(extents_[program_.unknown_scalars.index()]);
  double most = 0;
  for (const CsrRows& matrix : program_.csr_rows) {
    if (matrix.rows != rows) continue;
    most = std::max(most, static_cast<double>(matrix.accesses.size()) * num_points(matrix.points));
    if (num_columns > 0) most = std::max(most, std::ceil(num_entries(matrix) / num_columns));
  }
  return most;
}

double CsrTables::bytes(const CsrRows& rows) const {
  return sizeof(std::int32_t) * (num_entries(rows) + num_rows(rows.rows) + 1);
}

double CsrTables::num_halves(const MirroredBlocks& blocks) const {
  double halves = 0;
  for (const MirroredBlocks::Half& half : blocks.halves) {
    const std::int64_t num_blocks = tables_.extents.at(program_.patterns[half.pattern].blocks);
    halves += static_cast<double>(num_blocks) * static_cast<double>(half.channels.size());
  }
  return halves;
}

double CsrTables::bytes(const MirroredBlocks& blocks) const {
  const double halves = num_halves(blocks);
  const auto rows = static_cast<double>(extents_[blocks.rows.index()]);
  return sizeof(std::int32_t) * (3 * 2 * halves + rows + 1);
}

CsrTables::Column CsrTables::column(FieldId unknown, int channel) const {
  const auto has_unknown = [&](const UnknownSpace& space) {
    return std::ranges::find(space.unknowns, unknown) != space.unknowns.end();
  };
  const UnknownSpace& space = *std::ranges::find_if(program_.spaces, has_unknown);
  auto of = std::ranges::find(space.unknowns, unknown);
  for (; channel >= program_.field(*of).tangent_channels(); ++of)
    channel -= program_.field(*of).tangent_channels();
  return {offsets_[of->index()], VectorLayout(program_).column(*of, channel)};
}

void CsrTables::measure(const CsrRows& rows) {
  tables_.extents[rows.rows] = static_cast<std::int64_t>(num_rows(rows.rows));
  tables_.extents[rows.entries] = static_cast<std::int64_t>(num_entries(rows));
}

void CsrTables::add(const CsrRows& rows, IndexEvaluator& evaluator) {
  std::vector<std::int32_t>& offsets = tables_.maps[rows.offsets];
  std::vector<std::int32_t>& columns = tables_.maps[rows.columns];
  offsets.push_back(0);
  for (const std::vector<UnknownScalar>& accesses : rows.accesses) {
    std::vector<IndexEvaluator::Access> reads;
    std::vector<Column> of_reads;
    for (const UnknownScalar& scalar : accesses) {
      reads.push_back(evaluator.access(scalar.unknown, scalar.index));
      of_reads.push_back(column(scalar.unknown, scalar.channel));
    }
    std::vector<std::optional<std::int32_t>> row;
    evaluator.for_each_point(rows.points, [&] {
      row.clear();
      evaluator.for_each_point(rows.loops, [&] {
        for (std::size_t i = 0; i < reads.size(); ++i) {
          const auto element = evaluator.element(reads[i]);
          row.push_back(element ? std::optional(of_reads[i].of(*element)) : std::nullopt);
        }
      });
      give_columns(row, columns);
      offsets.push_back(static_cast<std::int32_t>(columns.size()));
    });
  }
  offsets.resize(static_cast<std::size_t>(tables_.extents.at(rows.rows)) + 1, offsets.back());
}

void CsrTables::bound(const MirroredBlocks& blocks) {
  const auto halves = static_cast<std::int64_t>(num_halves(blocks));
  tables_.extents[blocks.num_halves] = halves;
  tables_.extents[blocks.entries] = 2 * halves;
}

// Calls visit(row, column, place in H) for every entry of H.
template <class Visit>
void CsrTables::for_each_half(const MirroredBlocks& blocks, Visit visit) const {
  const auto element_of = [&](FieldId unknown, MapId elements, std::size_t block) {
    const std::vector<DimId>& dims = program_.field(unknown).dims;
    const std::vector<std::int32_t>& table = tables_.maps.at(elements);
    std::int64_t element = 0;
    for (std::size_t d = dims.size(); d-- > 0;)
      element = element * extents_[dims[d].index()] + table[block * dims.size() + d];
    return element;
  };
  std::int32_t place = 0;
  for (const MirroredBlocks::Half& half : blocks.halves) {
    const BlockPattern& pattern = program_.patterns[half.pattern];
    const auto num_blocks = static_cast<std::size_t>(tables_.extents.at(pattern.blocks));
    std::vector<std::pair<Column, Column>> entries;
    for (const auto& [i, j] : half.channels)
      entries.emplace_back(column(pattern.row, i), column(pattern.col, j));
    for (std::size_t block = 0; block < num_blocks; ++block) {
      const std::int64_t row = element_of(pattern.row, pattern.row_element, block);
      const std::int64_t col = element_of(pattern.col, pattern.col_element, block);
      for (const auto& [of_row, of_col] : entries) visit(of_row.of(row), of_col.of(col), place++);
    }
  }
}

void CsrTables::add(const MirroredBlocks& blocks) {
  const auto num_rows = static_cast<std::size_t>(extents_[blocks.rows.index()]);
  // A counting sort by row.
  std::vector<std::int32_t> begin(num_rows + 1, 0);
  std::int64_t num_halves = 0;
  for_each_half(blocks, [&](std::int32_t i, std::int32_t j, std::int32_t) {
    ++begin[static_cast<std::size_t>(i) + 1];
    ++begin[static_cast<std::size_t>(j) + 1];
    ++num_halves;
  });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Half> sorted(static_cast<std::size_t>(2 * num_halves));
  std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
  for_each_half(blocks, [&](std::int32_t i, std::int32_t j, std::int32_t place) {
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++)] = {j, place, false};
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++)] = {i, place, true};
  });

  std::vector<std::int32_t>& offsets = tables_.maps[blocks.offsets];
  std::vector<std::int32_t>& columns = tables_.maps[blocks.columns];
  std::vector<std::int32_t>& first = tables_.maps[blocks.first];
  std::vector<std::int32_t>& second = tables_.maps[blocks.second];
  offsets.push_back(0);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const auto entries =
        std::span(sorted).subspan(static_cast<std::size_t>(begin[row]),
                                  static_cast<std::size_t>(begin[row + 1] - begin[row]));
    std::ranges::sort(entries, {},
                      [](const Half& half) { return std::tuple(half.column, half.is_mirrored); });
    const std::size_t row_begin = columns.size();
    for (const Half& half : entries) {
      if (columns.size() == row_begin || columns.back() != half.column) {
        columns.push_back(half.column);
        first.push_back(-1);
        second.push_back(-1);
      }
      (half.is_mirrored ? second : first).back() = half.place;
    }
    offsets.push_back(static_cast<std::int32_t>(columns.size()));
  }
  tables_.extents[blocks.num_halves] = num_halves;
  tables_.extents[blocks.entries] = static_cast<std::int64_t>(columns.size());
}

}  // namespace thallo
