#include "core/energy/evaluate/linearization.h"

#include <map>

#include "core/base/stop_scope.h"

namespace thallo {
namespace {

std::vector<double> values_of(const std::vector<Rounded>& entries) {
  std::vector<double> result;
  for (const Rounded& entry : entries) result.push_back(entry.value);
  return result;
}

std::vector<double> magnitudes_of(const std::vector<Rounded>& entries) {
  std::vector<double> result;
  for (const Rounded& entry : entries) result.push_back(entry.magnitude);
  return result;
}

// For each column, the sum of w term(row, partial) over the rows and their partials in that column.
template <class Term>
std::vector<Rounded> sum_columns(const std::vector<ResidualRow>& rows, std::int64_t columns,
                                 const Term& term) {
  std::vector<Rounded> result(static_cast<std::size_t>(columns));
  for (const ResidualRow& row : rows) {
    for (const AccessPartial& partial : row.partials)
      result[static_cast<std::size_t>(partial.column)] += row.weight * term(row, partial);
  }
  return result;
}

std::vector<Rounded> rounded_jtf(const std::vector<ResidualRow>& rows, std::int64_t columns) {
  return sum_columns(rows, columns, [](const ResidualRow& row, const AccessPartial& partial) {
    return partial.value * row.residual;
  });
}

std::vector<Rounded> rounded_diagonal(const std::vector<ResidualRow>& rows, std::int64_t columns) {
  return sum_columns(rows, columns, [](const ResidualRow&, const AccessPartial& partial) {
    return partial.value * partial.value;
  });
}

std::vector<Rounded> rounded_jtjp(const std::vector<ResidualRow>& rows, std::int64_t columns,
                                  const std::vector<double>& p) {
  std::vector<Rounded> result(static_cast<std::size_t>(columns));
  for (const ResidualRow& row : rows) {
    Rounded jp;
    for (const AccessPartial& partial : row.partials)
      jp += partial.value * p[static_cast<std::size_t>(partial.column)];
    const Rounded weighted = row.weight * jp;
    for (const AccessPartial& partial : row.partials)
      result[static_cast<std::size_t>(partial.column)] += partial.value * weighted;
  }
  return result;
}

}  // namespace

SparseRow sparse_row(const ResidualRow& row) {
  std::map<std::int64_t, double> columns;
  for (const AccessPartial& partial : row.partials) columns[partial.column] += partial.value.value;
  SparseRow result;
  for (const auto& [column, value] : columns) result.push_back({column, value});
  return result;
}

std::vector<double> Linearization::residuals() const {
  std::vector<double> result;
  for (const ResidualRow& row : rows_) result.push_back(row.residual.value);
  return result;
}

SparseMatrix Linearization::jacobian() const {
  SparseMatrix result;
  result.num_columns = layout_.size();
  for (const ResidualRow& row : rows_) {
    check_stop();
    for (const SparseEntry& entry : sparse_row(row)) result.add(entry.column, entry.value);
    result.end_row();
  }
  return result;
}

// Row i adds up the rows of J that have an entry in column i, times that entry and their weight.
std::optional<SparseMatrix> Linearization::jtj(std::size_t max_entries) const {
  const SparseMatrix j = jacobian();
  const SparseMatrix jt = j.transposed();
  SparseMatrix result;
  result.num_columns = layout_.size();
  std::map<std::int64_t, double> sums;
  for (std::size_t i = 0; i + 1 < jt.offsets.size(); ++i) {
    sums.clear();
    for (std::size_t a = jt.offsets[i]; a < jt.offsets[i + 1]; ++a) {
      check_stop();
      const auto row = static_cast<std::size_t>(jt.columns[a]);
      const double factor = rows_[row].weight.value * jt.values[a];
      for (std::size_t b = j.offsets[row]; b < j.offsets[row + 1]; ++b)
        sums[j.columns[b]] += factor * j.values[b];
      if (result.num_entries() + sums.size() > max_entries) return std::nullopt;
    }
    for (const auto& [column, value] : sums) result.add(column, value);
    result.end_row();
  }
  return result;
}

std::vector<double> Linearization::jtf() const {
  return values_of(rounded_jtf(rows_, layout_.size()));
}

std::vector<double> Linearization::jtf_magnitude() const {
  return magnitudes_of(rounded_jtf(rows_, layout_.size()));
}

std::vector<double> Linearization::diagonal() const {
  return values_of(rounded_diagonal(rows_, layout_.size()));
}

std::vector<double> Linearization::diagonal_magnitude() const {
  return magnitudes_of(rounded_diagonal(rows_, layout_.size()));
}

std::vector<double> Linearization::jtjp(const std::vector<double>& p) const {
  return values_of(rounded_jtjp(rows_, layout_.size(), p));
}

std::vector<double> Linearization::jtjp_magnitude(const std::vector<double>& p) const {
  return magnitudes_of(rounded_jtjp(rows_, layout_.size(), p));
}

std::vector<Rounded> Linearization::rounded_blocks(std::size_t space) const {
  const UnknownLayout::Space& own = layout_.spaces()[space];
  const std::int64_t size = own.channels * (own.channels + 1) / 2;
  std::vector<Rounded> result(static_cast<std::size_t>(own.elements * size));
  for (const ResidualRow& row : rows_) {
    for (const AccessPartial& a : row.partials) {
      if (layout_.space(a.at.unknown) != space) continue;
      const int i = layout_.first_channel(a.at.unknown) + a.at.channel;
      for (const AccessPartial& b : row.partials) {
        if (b.access != a.access || layout_.space(b.at.unknown) != space) continue;
        const int j = layout_.first_channel(b.at.unknown) + b.at.channel;
        if (j > i) continue;
        result[static_cast<std::size_t>(a.at.element * size + i * (i + 1) / 2 + j)] +=
            row.weight * (a.value * b.value);
      }
    }
  }
  return result;
}

std::vector<double> Linearization::blocks(std::size_t space) const {
  return values_of(rounded_blocks(space));
}

std::vector<double> Linearization::blocks_magnitude(std::size_t space) const {
  return magnitudes_of(rounded_blocks(space));
}

}  // namespace thallo
