#include "core/energy/linearization.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace thallo {
namespace {

double identity(double x) { return x; }
double magnitude(double x) { return std::abs(x); }

// Jᵀ w v for a value v of each row.
template <class F, class Value>
std::vector<double> transposed_product(const std::vector<ResidualRow>& rows, std::int64_t columns,
                                       const F& f, const Value& value) {
  std::vector<double> result(static_cast<std::size_t>(columns));
  for (const ResidualRow& row : rows) {
    const double wv = row.weight * value(row);
    for (const AccessPartial& partial : row.partials)
      result[static_cast<std::size_t>(partial.column)] += f(partial.value) * wv;
  }
  return result;
}

template <class F>
double row_product(const ResidualRow& row, const std::vector<double>& p, const F& f) {
  double sum = 0;
  for (const AccessPartial& partial : row.partials)
    sum += f(partial.value) * f(p[static_cast<std::size_t>(partial.column)]);
  return sum;
}

}  // namespace

SparseRow sparse_row(const ResidualRow& row) {
  std::map<std::int64_t, double> columns;
  for (const AccessPartial& partial : row.partials) columns[partial.column] += partial.value;
  SparseRow result;
  for (const auto& [column, value] : columns) result.push_back({column, value});
  return result;
}

std::vector<double> Linearization::residuals() const {
  std::vector<double> result;
  for (const ResidualRow& row : rows_) result.push_back(row.residual);
  return result;
}

std::vector<SparseRow> Linearization::jacobian() const {
  std::vector<SparseRow> result;
  for (const ResidualRow& row : rows_) result.push_back(sparse_row(row));
  return result;
}

std::vector<double> Linearization::jtf() const {
  return transposed_product(rows_, layout_.size(), identity,
                            [](const ResidualRow& row) { return row.residual; });
}

std::vector<double> Linearization::jtf_magnitude() const {
  return transposed_product(rows_, layout_.size(), magnitude,
                            [](const ResidualRow& row) { return std::abs(row.residual); });
}

std::vector<double> Linearization::diagonal() const {
  return transposed_product(
      rows_, layout_.size(), [](double v) { return v * v; },
      [](const ResidualRow&) { return 1.0; });
}

std::vector<double> Linearization::jtjp(const std::vector<double>& p) const {
  return transposed_product(rows_, layout_.size(), identity,
                            [&](const ResidualRow& row) { return row_product(row, p, identity); });
}

std::vector<double> Linearization::jtjp_magnitude(const std::vector<double>& p) const {
  return transposed_product(rows_, layout_.size(), magnitude,
                            [&](const ResidualRow& row) { return row_product(row, p, magnitude); });
}

template <class F>
std::vector<double> Linearization::sum_blocks(std::size_t space, const F& product) const {
  const UnknownLayout::Space& own = layout_.spaces()[space];
  const std::int64_t size = own.channels * (own.channels + 1) / 2;
  std::vector<double> result(static_cast<std::size_t>(own.elements * size));
  for (const ResidualRow& row : rows_) {
    for (const AccessPartial& a : row.partials) {
      if (layout_.space(a.at.unknown) != space) continue;
      const int i = layout_.first_channel(a.at.unknown) + a.at.channel;
      for (const AccessPartial& b : row.partials) {
        if (b.access != a.access || layout_.space(b.at.unknown) != space) continue;
        const int j = layout_.first_channel(b.at.unknown) + b.at.channel;
        if (j > i) continue;
        result[static_cast<std::size_t>(a.at.element * size + i * (i + 1) / 2 + j)] +=
            row.weight * product(a.value, b.value);
      }
    }
  }
  return result;
}

std::vector<double> Linearization::blocks(std::size_t space) const {
  return sum_blocks(space, [](double a, double b) { return a * b; });
}

std::vector<double> Linearization::blocks_magnitude(std::size_t space) const {
  return sum_blocks(space, [](double a, double b) { return std::abs(a * b); });
}

}  // namespace thallo
