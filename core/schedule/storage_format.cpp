#include "core/schedule/storage_format.h"

#include "core/schedule/gather.h"

namespace thallo {
namespace {

Expected<void> check_j_format(const Part& part, StorageFormat format) {
  if (format == StorageFormat::Structured) return {};
  if (!stores_jp(part.strategy) || part.jt == ComputeAt::Residual) return {};
  return fail("its Jt is gathered at the output, which follows the accesses backwards");
}

Expected<void> check_jtj_format(const Energy& energy, const Part& part, StorageFormat format) {
  if (format == StorageFormat::Dense) return {};
  if (stores_j(part.strategy) && part.j_format != StorageFormat::Structured) {
    return fail("of a J stored {} the accesses are not known, only columns",
                to_string(part.j_format));
  }
  if (format == StorageFormat::Csr) return {};
  return check_jtj(energy, part.residuals);
}

}  // namespace

Expected<void> check_format(const Energy& energy, const Part& part, StoredProduct product,
                            StorageFormat format) {
  return product == StoredProduct::J ? check_j_format(part, format)
                                     : check_jtj_format(energy, part, format);
}

std::vector<StorageFormat> legal_formats(const Energy& energy, const Part& part,
                                         StoredProduct product) {
  std::vector<StorageFormat> formats;
  for (const StorageFormat format :
       {StorageFormat::Structured, StorageFormat::Dense, StorageFormat::Csr}) {
    if (check_format(energy, part, product, format)) formats.push_back(format);
  }
  return formats;
}

}  // namespace thallo
