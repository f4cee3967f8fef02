#pragma once

// Defines the formats that a stored J or JtJ can have, and the form of a JtJ in memory.
//
//   J    structured   always; the only one where Jt is gathered at the output
//        csr, dense   elsewhere
//   JtJ  dense        always; the only one that a dense J allows
//        structured   elsewhere: diagonals where entries are at fixed offsets (check_jtj), else a
//                     matrix
//        blocks, csr  elsewhere
//
// A format that does not fit in memory is refused once extents are known: by constructs if the plan
// has a limit (storage_limit.h), and when a program is bound (CompileOptions::memory_limit).

#include <string>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

enum class StoredProduct { J, JtJ };

// A J or JtJ that a part stores.
struct StoredProductOf {
  std::size_t part = 0;  // index into plan.parts
  StoredProduct product = StoredProduct::J;
};
// Returns the stored products in the order of parts, J before JtJ.
std::vector<StoredProductOf> stored_products_of(const Plan& plan);

// Fails with the reason if the product, which the part's strategy must store, cannot have the
// format.
Expected<void> check_format(const Part& part, StoredProduct product, StorageFormat format);

// Stores the product in the format, which must pass check_format(). Changing J's format can change
// the default format of a JtJ that is made from it.
void set_format(Part& part, StoredProduct product, StorageFormat format);

// Returns the formats that pass check_format(), the default first: structured if it is legal, else
// dense.
std::vector<StorageFormat> legal_formats(const Part& part, StoredProduct product);

// Describes, for messages, how the product is stored if its columns are numbered like a plain
// vector: "stored csr", "a full matrix". Empty if its format has no such columns or it is not
// stored.
std::string columns_of(const Energy& energy, const Part& part, StoredProduct product);

// The form of a stored JtJ in memory. Matrix: N x N, shared by all parts that have this form.
enum class JtJForm { Diagonals, Matrix, Blocks, Csr };
// The part must store its JtJ.
JtJForm jtj_form(const Energy& energy, const Part& part);

}  // namespace thallo
