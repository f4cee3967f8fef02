#pragma once

// Which formats a stored J or JtJ can have, and in which form a JtJ lies in memory.
//
//   J    structured   always; the only one where Jt is gathered at the output
//        csr, dense   elsewhere
//   JtJ  dense        always; the only one that a dense J allows
//        structured   elsewhere: diagonals where entries are at fixed offsets (check_jtj), else a
//                     matrix
//        blocks, csr  elsewhere
//
// A format that does not fit in memory is refused when extents are known: by constructs of a plan
// that has a limit (storage_limit.h), and when a program is bound (CompileOptions::memory_limit).

#include <string>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

enum class StoredProduct { J, JtJ };

// A J or JtJ that a part stores.
struct StoredProductOf {
  std::size_t part = 0;  // into plan.parts
  StoredProduct product = StoredProduct::J;
};
// In the order of parts, J before JtJ.
std::vector<StoredProductOf> stored_products_of(const Plan& plan);

// Fails with the reason when the product, which the part's strategy must store, cannot have the
// format.
Expected<void> check_format(const Part& part, StoredProduct product, StorageFormat format);

// Stores the product in the format, which must pass check_format. A JtJ that is made of a J gets
// its default format with that of the J.
void set_format(Part& part, StoredProduct product, StorageFormat format);

// The formats that pass check_format, the default first: structured where it is legal, else dense.
std::vector<StorageFormat> legal_formats(const Part& part, StoredProduct product);

// How the product is stored, for messages, if it has columns that are numbered as plain vectors
// are: "stored csr", "a full matrix". Empty if its format has no such columns or it is not stored.
std::string columns_of(const Energy& energy, const Part& part, StoredProduct product);

// How a stored JtJ lies in memory. Matrix: N x N, shared by all parts that have this form.
enum class JtJForm { Diagonals, Matrix, Blocks, Csr };
// The part must store its JtJ.
JtJForm jtj_form(const Energy& energy, const Part& part);

}  // namespace thallo
