#include "core/base/io/matrix_market.h"

#include <gtest/gtest.h>

#include <vector>

namespace thallo {
namespace {

// 1   0.1
// 0.1 3
SparseMatrix symmetric() {
  SparseMatrix matrix{.num_columns = 2};
  matrix.add(0, 1);
  matrix.add(1, 0.1);
  matrix.end_row();
  matrix.add(0, 0.1);
  matrix.add(1, 3);
  matrix.end_row();
  return matrix;
}

TEST(MatrixMarket, HasEntriesOfAMatrixOneTriangleOrOneColumn) {
  EXPECT_EQ(matrix_market_text(symmetric(), Symmetry::General, "a\nb\n"),
            "%%MatrixMarket matrix coordinate real general\n"
            "% a\n"
            "% b\n"
            "2 2 4\n"
            "1 1 1\n"
            "1 2 0.1\n"
            "2 1 0.1\n"
            "2 2 3\n");
  EXPECT_EQ(matrix_market_text(std::vector<double>{1.0 / 3, -2}, ""),
            "%%MatrixMarket matrix array real general\n"
            "2 1\n"
            "0.3333333333333333\n"
            "-2\n");
  EXPECT_EQ(matrix_market_text(symmetric(), Symmetry::Symmetric, ""),
            "%%MatrixMarket matrix coordinate real symmetric\n"
            "2 2 3\n"
            "1 1 1\n"
            "2 1 0.1\n"
            "2 2 3\n");
}

}  // namespace
}  // namespace thallo
