// Matrices as text, in the exchange format of the Matrix Market (.mtx), which SciPy, Julia, MATLAB
// and Eigen read: a line for each entry of a sparse matrix in coordinates, a line for each
// number of a vector. Rows and columns count from 1. Numbers are written with the digits that
// give them back.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/sparse_matrix.h"

namespace thallo {

// Of a symmetric matrix the lower triangle alone is written, as the format wants it.
enum class Symmetry { General, Symmetric };

// `comment` has any number of lines, which are put below the first line of the text.
std::string matrix_market_text(const SparseMatrix& matrix, Symmetry symmetry,
                               std::string_view comment);
std::string matrix_market_text(std::span<const double> vector, std::string_view comment);

}  // namespace thallo
