#pragma once

// Which formats a stored J or JtJ can have.
//
//   J    structured  always; the only one where Jt is gathered at the output
//        csr, dense
//   JtJ  structured  where entries are at fixed offsets (check_jtj)
//        dense       always; the only one of a J that is not structured
//        csr
//
// What does not fit in memory is found when extents are known (CompileOptions::memory_limit).

#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

enum class StoredProduct { J, JtJ };

// Of a part whose strategy stores the product. The message says why not.
Expected<void> check_format(const Energy& energy, const Part& part, StoredProduct product,
                            StorageFormat format);

// Those that pass, the default first: structured where it can be, else dense.
std::vector<StorageFormat> legal_formats(const Energy& energy, const Part& part,
                                         StoredProduct product);

}  // namespace thallo
