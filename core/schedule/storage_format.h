#pragma once

// Which formats a stored J or JtJ can have, and what lies in memory of a JtJ.
//
//   J    structured  always; the only one where Jt is gathered at the output
//        csr, dense
//   JtJ  structured  always: diagonals where entries are at fixed offsets (check_jtj), else a
//   matrix
//        dense       always; the only one of a dense J
//        blocks, csr
//
// What does not fit in memory is found when extents are known (CompileOptions::memory_limit).

#include <string>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

enum class StoredProduct { J, JtJ };

// Of a part whose strategy stores the product. The message says why not.
Expected<void> check_format(const Part& part, StoredProduct product, StorageFormat format);

// Those that pass, the default first: structured where it can be, else dense.
std::vector<StorageFormat> legal_formats(const Part& part, StoredProduct product);

// What the stored product of a part is when its columns are numbered as plain vectors are ("stored
// csr", "a full matrix"); empty when it has none, or is not stored.
std::string columns_of(const Energy& energy, const Part& part, StoredProduct product);

// Matrix: N x N, one for all parts that have theirs so.
enum class JtJForm { Diagonals, Matrix, Blocks, Csr };
// Of a part that stores its JtJ.
JtJForm jtj_form(const Energy& energy, const Part& part);

}  // namespace thallo
