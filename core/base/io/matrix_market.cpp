#include "core/base/io/matrix_market.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace thallo {
namespace {

// The first line and the comment, each of whose lines begins with %.
std::string head(std::string_view kind, std::string_view comment) {
  std::string text = fmt::format("%%MatrixMarket matrix {}\n", kind);
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    text += fmt::format("% {}\n", comment.substr(0, end));
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return text;
}

}  // namespace

std::string matrix_market_text(const SparseMatrix& matrix, Symmetry symmetry,
                               std::string_view comment) {
  const bool is_symmetric = symmetry == Symmetry::Symmetric;
  std::string lines;
  std::size_t num_lines = 0;
  for (std::size_t row = 0; row + 1 < matrix.offsets.size(); ++row) {
    for (std::size_t k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const std::int64_t column = matrix.columns[k];
      if (is_symmetric && column > static_cast<std::int64_t>(row)) break;
      fmt::format_to(std::back_inserter(lines), "{} {} {}\n", row + 1, column + 1,
                     matrix.values[k]);
      ++num_lines;
    }
  }
  return head(is_symmetric ? "coordinate real symmetric" : "coordinate real general", comment) +
         fmt::format("{} {} {}\n", matrix.num_rows(), matrix.num_columns, num_lines) + lines;
}

std::string matrix_market_text(std::span<const double> vector, std::string_view comment) {
  std::string text = head("array real general", comment);
  fmt::format_to(std::back_inserter(text), "{} 1\n", vector.size());
  for (const double value : vector) fmt::format_to(std::back_inserter(text), "{}\n", value);
  return text;
}

}  // namespace thallo
