#include "core/kernel/lowering/preconditioners/block_jacobi.h"

#include <utility>

namespace thallo {

namespace {

struct Factor {
  std::vector<ExprId> l;              // lower triangle
  std::vector<ExprId> inverse_pivot;  // 1 / l_jj
  ExprId is_valid;
};

Factor factor(ExprGraph& g, std::size_t n, const std::vector<ExprId>& block) {
  const auto position = triangle_position<std::size_t>;
  Factor factor{std::vector<ExprId>(block.size()), std::vector<ExprId>(n), g.boolean(true)};
  auto& [l, inverse_pivot, ok] = factor;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      const ExprId a = block[position(i, j)];
      std::vector<ExprId> terms = {a};
      for (std::size_t k = 0; k < j; ++k)
        terms.push_back(g.neg(g.mul(l[position(i, k)], l[position(j, k)])));
      const ExprId reduced = g.add(terms);
      if (i == j) {
        // A pivot that lost all its digits to cancellation does not count as positive.
        ok = g.mul(ok, g.binary(Op::Less, g.mul(g.constant(1e-14), a), reduced));
        l[position(j, j)] = g.unary(Op::Sqrt, reduced);
        inverse_pivot[j] = g.powi(l[position(j, j)], -1);
      } else {
        l[position(i, j)] = g.mul(reduced, inverse_pivot[j]);
      }
    }
  }
  return factor;
}

}  // namespace

CholeskySolution solve_by_cholesky(ExprGraph& g, const std::vector<ExprId>& block,
                                   std::vector<ExprId> b) {
  const auto position = triangle_position<std::size_t>;
  const std::size_t n = b.size();
  const auto [l, inverse_pivot, is_valid] = factor(g, n, block);
  const auto solve_row = [&](std::size_t i, std::size_t first, std::size_t last, bool transposed) {
    std::vector<ExprId> terms = {b[i]};
    for (std::size_t k = first; k < last; ++k)
      terms.push_back(g.neg(g.mul(l[transposed ? position(k, i) : position(i, k)], b[k])));
    b[i] = g.mul(g.add(terms), inverse_pivot[i]);
  };
  for (std::size_t i = 0; i < n; ++i) solve_row(i, 0, i, false);
  for (std::size_t i = n; i-- > 0;) solve_row(i, i + 1, n, true);
  return {std::move(b), is_valid};
}

BlockInverse invert_by_cholesky(ExprGraph& g, std::size_t n, const std::vector<ExprId>& block) {
  const auto position = triangle_position<std::size_t>;
  const auto [l, inverse_pivot, ok] = factor(g, n, block);
  std::vector<ExprId> li(block.size());  // the inverse of the factor
  for (std::size_t j = 0; j < n; ++j) {
    li[position(j, j)] = inverse_pivot[j];
    for (std::size_t i = j + 1; i < n; ++i) {
      std::vector<ExprId> terms;
      for (std::size_t k = j; k < i; ++k)
        terms.push_back(g.mul(l[position(i, k)], li[position(k, j)]));
      li[position(i, j)] = g.neg(g.mul(inverse_pivot[i], g.add(terms)));
    }
  }
  BlockInverse inverse{.is_valid = ok};  // L^-T L^-1
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      std::vector<ExprId> terms;
      for (std::size_t k = i; k < n; ++k)
        terms.push_back(g.mul(li[position(k, i)], li[position(k, j)]));
      inverse.entries.push_back(g.add(terms));
    }
  }
  return inverse;
}

}  // namespace thallo
