// What the text of a kernel calls its slots. The text that is compiled calls them by their place
// (f0, m1, n0 ...), so that equal kernels of different energies are the same text; the view for
// people calls them what the energy calls them. Private to emission.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/code.h"
#include "core/kernel/program.h"

namespace thallo {

// One name for each entry of the lists of KernelSlots.
struct SlotNames {
  std::vector<std::string> fields, maps, dims, offsets, chunks;
  std::vector<std::string> lanes;  // of fields: the local array of a group of points (lanes.h)
  std::string num_unknowns;
};

SlotNames short_names(const KernelSlots& slots);

// Returns names that are made of the names of fields, maps and dims: legal identifiers of C++, all
// different, and none of them a word of `text`, which is the same kernel's text with short names.
// So they collide with no variable, function or type of it.
SlotNames readable_names(const KernelProgram& program, const KernelSlots& slots,
                         std::string_view text);

}  // namespace thallo
