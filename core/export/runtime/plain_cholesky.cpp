#include "core/export/runtime/plain_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

namespace thallo {
namespace {

using Index = std::ptrdiff_t;

// Doubles that are computed at once.
typedef double Lanes __attribute__((vector_size(32)));
constexpr Index NumLanes = 4;
// Rows and columns of a tile of the factor, whose sums are in registers.
constexpr Index TileRows = 2, TileColumns = 4;
// Columns that are factored at a time, and those of them whose rows stay in the cache meanwhile.
constexpr Index PanelWidth = 64;
constexpr Index BlockWidth = 256;

Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

// Subtracts from a tile at `to` the products of the rows at `left` with those at `right`, along
// `count` numbers, a multiple of NumLanes.
void subtract_products(double* to, Index stride, const double* left, const double* right,
                       Index count) {
  Lanes sums[TileRows][TileColumns] = {};
  for (Index k = 0; k < count; k += NumLanes) {
    Lanes a[TileRows], b[TileColumns];
    for (Index i = 0; i < TileRows; ++i) std::memcpy(&a[i], left + i * stride + k, sizeof(Lanes));
    for (Index j = 0; j < TileColumns; ++j)
      std::memcpy(&b[j], right + j * stride + k, sizeof(Lanes));
    for (Index i = 0; i < TileRows; ++i)
      for (Index j = 0; j < TileColumns; ++j) sums[i][j] += a[i] * b[j];
  }
  for (Index i = 0; i < TileRows; ++i) {
    for (Index j = 0; j < TileColumns; ++j) {
      const Lanes& sum = sums[i][j];
      to[i * stride + j] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
}

class PlainFactor final : public Factorization {
 public:
  explicit PlainFactor(Index n)
      : n_(n), stride_(round_up(n, TileColumns)), l_(static_cast<std::size_t>(stride_ * stride_)) {}

  bool factorize(std::span<const double> values) override {
    for (Index i = 0; i < n_; ++i) std::copy_n(values.data() + i * n_, i + 1, row(i));
    // What fills the last tile is the identity.
    for (Index i = n_; i < stride_; ++i) {
      std::fill_n(row(i), i, 0.0);
      row(i)[i] = 1;
    }
    for (Index first = 0; first < stride_; first += PanelWidth) {
      const Index end = std::min(first + PanelWidth, stride_);
      for (Index k = 0; k < first; k += BlockWidth)
        subtract(first, end, k, std::min(k + BlockWidth, first));
      for (Index tile = first; tile < end; tile += TileColumns) {
        subtract(tile, tile + TileColumns, first, tile);
        if (!factor_tile(tile)) return false;
      }
    }
    return true;
  }

  void solve(std::span<double> right) override {
    double* const x = right.data();
    for (Index i = 0; i < n_; ++i) {
      for (Index j = 0; j < i; ++j) x[i] -= row(i)[j] * x[j];
      x[i] /= row(i)[i];
    }
    for (Index i = n_; i-- > 0;) {
      x[i] /= row(i)[i];
      for (Index j = 0; j < i; ++j) x[j] -= row(i)[j] * x[i];
    }
  }

 private:
  double* row(Index i) { return l_.data() + i * stride_; }

  // From the columns [first, end), at the diagonal and below, what the columns [from, to) have to
  // do with them.
  void subtract(Index first, Index end, Index from, Index to) {
    if (from == to) return;
    for (Index i = first; i < stride_; i += TileRows) {
      for (Index j = first; j < end; j += TileColumns)
        subtract_products(row(i) + j, stride_, row(i) + from, row(j) + from, to - from);
    }
  }

  // Factors the columns of a tile, in which nothing is left of those before.
  bool factor_tile(Index first) {
    for (Index i = first; i < stride_; ++i) {
      for (Index j = first; j < std::min(first + TileColumns, i + 1); ++j) {
        double sum = row(i)[j];
        for (Index k = first; k < j; ++k) sum -= row(i)[k] * row(j)[k];
        if (i == j && !(sum > 0)) return false;
        row(i)[j] = i == j ? std::sqrt(sum) : sum / row(j)[j];
      }
    }
    return true;
  }

  Index n_, stride_;
  std::vector<double> l_;  // row by row, in the lower triangle
};

}  // namespace

std::unique_ptr<Factorization> PlainCholesky::analyze(const MatrixPattern& pattern) const {
  return std::make_unique<PlainFactor>(pattern.n);
}

}  // namespace thallo
