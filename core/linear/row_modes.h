// What a solver of sparse systems may be told of the rows beside the matrix: which of them belong
// to one element, and vectors that the matrix nearly sends to 0.
#pragma once

#include <cstdint>
#include <vector>

namespace thallo {

struct RowModes {
  std::vector<std::int32_t> element_of;  // by row: the number of its element, from 0
  // By element: the kind of its unknowns. Elements of different kinds have nothing in common.
  std::vector<std::int32_t> kind_of;
  // Vectors that a matrix of the kind's elements alone, without what holds them in place, sends to
  // 0: of points the constants, of poses the motions of all as one body. n x num_modes, row by
  // row. Rows without modes have zeros.
  int num_modes = 0;
  std::vector<double> values;
  // Modes that may be the right ones instead, in the same order; empty if there are none. A solver
  // takes those that the matrix sends nearer to 0.
  std::vector<double> alternative;
};

}  // namespace thallo
