// Writes matrices and vectors as text in the Matrix Market exchange format (.mtx), which SciPy,
// Julia, MATLAB and Eigen read: a line for each entry of a sparse matrix with its coordinates, or
// for each number of a vector. Rows and columns count from 1. Numbers have enough digits to be read
// back exactly.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/sparse_matrix.h"

namespace thallo {

// For a symmetric matrix, only the lower triangle is written, as the format requires.
enum class Symmetry { General, Symmetric };

// `comment` may have any number of lines, which follow the first line of the text.
std::string matrix_market_text(const SparseMatrix& matrix, Symmetry symmetry,
                               std::string_view comment);
std::string matrix_market_text(std::span<const double> vector, std::string_view comment);

}  // namespace thallo
