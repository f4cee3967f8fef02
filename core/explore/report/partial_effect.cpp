#include "core/explore/report/partial_effect.h"

#include <algorithm>
#include <map>

#include <boost/math/special_functions/beta.hpp>

namespace thallo {
namespace {

// What is left of a column's square, or of the values' variance, below which it is rounding.
constexpr double LeastLeft = 1e-9;

// The columns of a linear model as products with each other, and with the values in the last row.
class NormalEquations {
 public:
  explicit NormalEquations(std::size_t num_columns)
      : size_(num_columns + 1), products_(size_ * size_), squares_(num_columns) {}

  // Of a row that has 1 in these columns and 0 in the others.
  void add(const std::vector<std::size_t>& columns, double value) {
    for (const std::size_t i : columns) {
      for (const std::size_t k : columns) at(i, k) += 1;
      at(i, size_ - 1) += value;
      at(size_ - 1, i) += value;
      squares_[i] += 1;
    }
    at(size_ - 1, size_ - 1) += value * value;
  }

  // Takes what the column explains off all others and off the values. Returns false if earlier
  // columns determine it.
  bool eliminate(std::size_t column) {
    const double pivot = at(column, column);
    if (!(pivot > LeastLeft * squares_[column])) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      if (i == column || at(i, column) == 0) continue;
      const double factor = at(i, column) / pivot;
      for (std::size_t k = 0; k < size_; ++k) at(i, k) -= factor * at(column, k);
    }
    for (std::size_t i = 0; i < size_; ++i) at(column, i) = at(i, column) = 0;
    return true;
  }

  // The sum of squares of the values that no eliminated column explains.
  double left() const { return std::max(0.0, products_.back()); }

 private:
  double& at(std::size_t i, std::size_t k) { return products_[i * size_ + k]; }

  std::size_t size_;
  std::vector<double> products_;
  std::vector<double> squares_;
};

}  // namespace

PartialEffect partial_effect(std::span<const double> values, const Levels& feature,
                             std::span<const Levels* const> others) {
  std::vector<const Levels*> features(others.begin(), others.end());
  features.push_back(&feature);
  std::vector<std::size_t> rows;
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::ranges::any_of(features, [&](const Levels* its) { return (*its)[i] == NoLevel; }))
      continue;
    rows.push_back(i);
    mean += (values[i] - mean) / static_cast<double>(rows.size());
  }
  // Column 0 is of the mean.
  std::vector<std::map<std::uint32_t, std::size_t>> columns(features.size());
  std::size_t num_columns = 1;
  std::size_t first_own = 1;
  for (std::size_t f = 0; f < features.size(); ++f) {
    first_own = num_columns;
    for (const std::size_t i : rows)
      if (columns[f].try_emplace((*features[f])[i], num_columns).second) ++num_columns;
  }
  NormalEquations equations(num_columns);
  for (const std::size_t i : rows) {
    std::vector<std::size_t> ones = {0};
    for (std::size_t f = 0; f < features.size(); ++f)
      ones.push_back(columns[f].at((*features[f])[i]));
    equations.add(ones, values[i] - mean);
  }
  const double total = equations.left();
  double num_spent = 0;
  for (std::size_t c = 0; c < first_own; ++c) num_spent += equations.eliminate(c) ? 1 : 0;
  const double without = equations.left();
  PartialEffect effect;
  for (std::size_t c = first_own; c < num_columns; ++c)
    effect.num_free += equations.eliminate(c) ? 1 : 0;
  const auto num_free = static_cast<double>(effect.num_free);
  const double num_left = static_cast<double>(rows.size()) - num_spent - num_free;
  const double least = LeastLeft * total;
  if (effect.num_free == 0 || !(num_left > 0) || !(without > least)) return effect;
  const double with = equations.left() > least ? equations.left() : 0;
  const double noise = with / num_left;
  effect.explained = std::clamp((without - with - num_free * noise) / (total + noise), 0.0, 1.0);
  // The tail of F, by the share that is left.
  effect.chance = boost::math::ibeta(num_left / 2, num_free / 2, std::min(1.0, with / without));
  return effect;
}

}  // namespace thallo
