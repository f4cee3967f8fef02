#include "core/kernel/bind/block_products.h"

#include "core/base/stop_scope.h"
#include "core/kernel/bind/inverse_map.h"

namespace thallo {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::int64_t BlockProductTables::num_elements(FieldId unknown) const {
  std::int64_t elements = 1;
  for (const DimId dim : program_.field(unknown).dims) elements *= extents_[dim.index()];
  return elements;
}

std::vector<std::int32_t> BlockProductTables::elements(FieldId unknown, MapId of_blocks) const {
  const std::vector<std::int32_t>& coordinates = tables_.maps.at(of_blocks);
  const std::vector<DimId>& dims = program_.field(unknown).dims;
  if (dims.size() == 1) return coordinates;
  std::vector<std::int32_t> elements;
  for (std::size_t i = 0; i < coordinates.size(); i += dims.size()) {
    std::int64_t element = 0;
    for (std::size_t d = dims.size(); d-- > 0;)
      element = element * extents_[dims[d].index()] + coordinates[i + d];
    elements.push_back(static_cast<std::int32_t>(element));
  }
  return elements;
}

double BlockProductTables::num_pairs(const BlockProducts& products) const {
  const auto counts = [this](const BlockPattern& pattern) {
    std::vector<double> blocks(static_cast<std::size_t>(num_elements(pattern.col)));
    for (const std::int32_t column : elements(pattern.col, pattern.col_element))
      ++blocks[at(column)];
    return blocks;
  };
  const std::vector<double> first = counts(program_.patterns[products.first]);
  const std::vector<double> second = counts(program_.patterns[products.second]);
  double pairs = 0;
  for (std::size_t column = 0; column < first.size(); ++column) {
    pairs += products.first == products.second ? first[column] * (first[column] - 1) / 2
                                               : first[column] * second[column];
  }
  return pairs;
}

double BlockProductTables::bytes(const BlockProducts& products) const {
  const auto dims = [&](std::size_t pattern) {
    return program_.field(program_.patterns[pattern].row).dims.size();
  };
  const auto entries = static_cast<double>(2 + dims(products.first) + dims(products.second));
  return num_pairs(products) * entries * double{sizeof(std::int32_t)};
}

// The pairs of each row of the first pattern are sorted by the row of the second.
void BlockProductTables::add(const BlockProducts& products) {
  const BlockPattern& first = program_.patterns[products.first];
  const BlockPattern& second = program_.patterns[products.second];
  const std::vector<std::int32_t> rows = elements(first.row, first.row_element);
  const std::vector<std::int32_t> columns = elements(first.col, first.col_element);
  const std::vector<std::int32_t> second_rows = elements(second.row, second.row_element);
  const CompressedInverse in_column =
      invert(elements(second.col, second.col_element), num_elements(second.col));
  std::vector<std::int32_t>& first_blocks = tables_.maps[products.first_block];
  std::vector<std::int32_t>& second_blocks = tables_.maps[products.second_block];
  for (std::size_t block = 0; block < rows.size();) {
    check_stop();
    std::vector<std::int32_t> in_row, met, met_rows;
    for (const std::int32_t row = rows[block]; block < rows.size() && rows[block] == row; ++block) {
      for (auto k = at(in_column.offsets[at(columns[block])]);
           k < at(in_column.offsets[at(columns[block]) + 1]); ++k) {
        const std::int32_t other = in_column.points[k];
        if (products.first == products.second && at(other) >= block) break;
        in_row.push_back(static_cast<std::int32_t>(block));
        met.push_back(other);
        met_rows.push_back(second_rows[at(other)]);
      }
    }
    for (const std::int32_t pair : invert(met_rows, num_elements(second.row)).points) {
      first_blocks.push_back(in_row[at(pair)]);
      second_blocks.push_back(met[at(pair)]);
    }
  }
  tables_.extents[products.products] = std::ssize(first_blocks);
  append(first.row, first.row_element, first_blocks, products.first_row);
  append(second.row, second.row_element, second_blocks, products.second_row);
}

void BlockProductTables::append(FieldId unknown, MapId of_blocks,
                                const std::vector<std::int32_t>& blocks, MapId to) {
  const std::vector<std::int32_t>& coordinates = tables_.maps.at(of_blocks);
  const std::size_t dims = program_.field(unknown).dims.size();
  std::vector<std::int32_t>& result = tables_.maps[to];
  result.reserve(blocks.size() * dims);
  for (const std::int32_t block : blocks)
    for (std::size_t d = 0; d < dims; ++d) result.push_back(coordinates[at(block) * dims + d]);
}

}  // namespace thallo
