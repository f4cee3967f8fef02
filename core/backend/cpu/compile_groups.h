#pragma once

// Which kernels are compiled in one text.

#include <cstddef>
#include <span>
#include <vector>

#include "core/backend/cpu/combine.h"

namespace thallo {

// What decides about the group of a text.
struct GroupedText {
  std::size_t bytes = 0;
  int level = 0;  // of optimization
  FileScope scope;
};

// Returns groups of positions in `texts`, the largest first. A group has up to eight texts without
// macros, of one level and with equal declarations: one that promises vector variants of a function
// holds for all of the text that it is in. There are at least as many groups as num_threads (0: one
// per core), if there are as many texts, of about the same size.
std::vector<std::vector<std::size_t>> compile_groups(std::span<const GroupedText> texts,
                                                     int num_threads);

}  // namespace thallo
