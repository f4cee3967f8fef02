#include "core/base/sparse_matrix.h"

#include <gmock/gmock.h>

namespace thallo {
namespace {

using ::testing::ElementsAre;

// 1 0 2
// 0 0 0
SparseMatrix two_by_three() {
  SparseMatrix matrix{.num_columns = 3};
  matrix.add(0, 1);
  matrix.add(2, 2);
  matrix.end_row();
  matrix.end_row();
  return matrix;
}

TEST(SparseMatrix, IsMadeRowByRowAndTransposed) {
  SparseMatrix matrix = two_by_three();
  EXPECT_EQ(matrix.num_rows(), 2);
  EXPECT_EQ(matrix.num_entries(), 2u);
  EXPECT_THAT(matrix.to_dense(), ElementsAre(1, 0, 2, 0, 0, 0));
  matrix = two_by_three().transposed();
  EXPECT_EQ(matrix.num_rows(), 3);
  EXPECT_EQ(matrix.num_columns, 2);
  EXPECT_THAT(matrix.offsets, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(matrix.to_dense(), ElementsAre(1, 0, 0, 0, 2, 0));
  EXPECT_EQ(SparseMatrix().transposed().num_rows(), 0);
}

}  // namespace
}  // namespace thallo
