// Parts that are tables of numbers or of indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/files/data_part.h"

namespace thallo {

// Makes a part of rows, arrays or numbers, with these channels.
template <class Row>
DataPart table_part(const std::vector<Row>& rows, std::vector<std::string> channels) {
  DataPart part;
  part.extents = {static_cast<std::int64_t>(rows.size())};
  part.channels = std::move(channels);
  part.values.reserve(rows.size() * part.num_channels());
  for (const Row& row : rows) {
    if constexpr (requires { row.begin(); })
      part.values.insert(part.values.end(), row.begin(), row.end());
    else
      part.values.push_back(static_cast<double>(row));
  }
  return part;
}

// Makes a part of indices of `num_targets` elements, with numbers as channels.
template <class Row>
DataPart index_part(const std::vector<Row>& rows, std::size_t num_targets) {
  std::vector<std::string> channels;
  for (std::size_t k = 0; k < sizeof(Row) / sizeof(std::int32_t); ++k)
    channels.push_back(std::to_string(k));
  DataPart part = table_part(rows, std::move(channels));
  part.num_targets = static_cast<std::int64_t>(num_targets);
  return part;
}

}  // namespace thallo
