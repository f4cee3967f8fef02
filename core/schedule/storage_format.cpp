#include "core/schedule/storage_format.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

Expected<void> check_j_format(const Part& part, StorageFormat format) {
  if (format == StorageFormat::Structured) return {};
  if (format == StorageFormat::Blocks)
    return fail("only JtJ has them, one for each two elements that meet");
  if (!stores_jp(part.strategy) || !part.jt.gathers()) return {};
  return fail("its Jt is gathered at the output, which follows the accesses backwards");
}

Expected<void> check_jtj_format(const Part& part, StorageFormat format) {
  if (format == StorageFormat::Dense) return {};
  if (stores_j(part.strategy) && part.j_format == StorageFormat::Dense)
    return fail("of a J stored dense the accesses are not known, only columns");
  return {};
}

}  // namespace

std::vector<StoredProductOf> stored_products_of(const Plan& plan) {
  std::vector<StoredProductOf> products;
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    if (stores_j(plan.parts[p].strategy)) products.push_back({p, StoredProduct::J});
    if (stores_jtj(plan.parts[p].strategy)) products.push_back({p, StoredProduct::JtJ});
  }
  return products;
}

void set_format(Part& part, StoredProduct product, StorageFormat format) {
  if (product == StoredProduct::JtJ) {
    part.jtj_format = format;
    return;
  }
  part.j_format = format;
  // The default of what is made of it may be another now.
  part.jtj_format = legal_formats(part, StoredProduct::JtJ).front();
}

Expected<void> check_format(const Part& part, StoredProduct product, StorageFormat format) {
  return product == StoredProduct::J ? check_j_format(part, format)
                                     : check_jtj_format(part, format);
}

std::vector<StorageFormat> legal_formats(const Part& part, StoredProduct product) {
  std::vector<StorageFormat> formats;
  for (const StorageFormat format : AllStorageFormats) {
    if (check_format(part, product, format)) formats.push_back(format);
  }
  return formats;
}

std::string columns_of(const Energy& energy, const Part& part, StoredProduct product) {
  const auto stored = [](StorageFormat format) {
    return fmt::format("stored {}", to_string(format));
  };
  if (product == StoredProduct::J) {
    const bool has_columns = stores_j(part.strategy) && part.j_format != StorageFormat::Structured;
    return has_columns ? stored(part.j_format) : std::string();
  }
  if (!stores_jtj(part.strategy)) return {};
  switch (jtj_form(energy, part)) {
    case JtJForm::Diagonals:
    case JtJForm::Blocks: return {};
    case JtJForm::Matrix: return "a full matrix";
    case JtJForm::Csr: return stored(part.jtj_format);
  }
  THALLO_UNREACHABLE();
}

JtJForm jtj_form(const Energy& energy, const Part& part) {
  switch (part.jtj_format) {
    case StorageFormat::Structured:
      return check_jtj(energy, part.residuals) ? JtJForm::Diagonals : JtJForm::Matrix;
    case StorageFormat::Blocks: return JtJForm::Blocks;
    case StorageFormat::Csr: return JtJForm::Csr;
    case StorageFormat::Dense: return JtJForm::Matrix;
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo
