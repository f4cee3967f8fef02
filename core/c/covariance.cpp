// thallo_covariance().
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/c/arguments.h"
#include "core/c/handle.h"
#include "core/c/thallo.h"
#include "core/embed/covariance.h"

namespace thallo::c_api {
namespace {

// The elements as C++ has them; fails for a NULL among them, or an unknown that there is not.
Fault read_elements(const Energy& energy, const thallo_element* elements, size_t count,
                    std::vector<UnknownElement>& result) {
  if (count > 0) {
    if (auto null = find_null({{"elements", elements}}); failed(null)) return null;
  }
  for (size_t i = 0; i < count; ++i) {
    if (elements[i].unknown == nullptr)
      return {THALLO_INVALID_ARGUMENT, fmt::format("elements[{}] has no name", i)};
    UnknownElement& element = result.emplace_back();
    element.unknown = elements[i].unknown;
    const FieldId field = energy.find_field(element.unknown);
    // covariance() says what is wrong with others.
    if (!field.valid() || energy.field(field).kind != FieldKind::Unknown) continue;
    const size_t num_dims = energy.field(field).dims.size();
    if (num_dims > 0 && elements[i].coordinates == nullptr)
      return {THALLO_INVALID_ARGUMENT, fmt::format("elements[{}] has no coordinates", i)};
    element.at.assign(elements[i].coordinates, elements[i].coordinates + num_dims);
  }
  return {};
}

// The number of rows that the elements have; nothing if one of them is no unknown.
std::optional<size_t> count_rows(const Energy& energy,
                                 const std::vector<UnknownElement>& elements) {
  size_t rows = 0;
  for (const UnknownElement& element : elements) {
    const FieldId field = energy.find_field(element.unknown);
    if (!field.valid() || energy.field(field).kind != FieldKind::Unknown) return {};
    rows += static_cast<size_t>(energy.field(field).tangent_channels());
  }
  return rows;
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the function below is outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_covariance(thallo_solver* solver, const thallo_element* elements,
                                size_t num_elements, double* values, size_t max_rows,
                                size_t* rows) {
  return run_on(solver, [&](Handle& handle) -> Fault {
    if (auto null = find_null({{"rows", rows}}); failed(null)) return null;
    const Energy& energy = handle.solver.energy();
    std::vector<UnknownElement> wanted;
    if (auto bad = read_elements(energy, elements, num_elements, wanted); failed(bad)) return bad;
    const auto count = count_rows(energy, wanted);
    if (count && values == nullptr) {
      *rows = *count;
      return {};
    }
    if (count && *count > max_rows) {
      return {
          THALLO_INVALID_ARGUMENT,
          fmt::format("the covariance has {} rows, and there is room for {}", *count, max_rows)};
    }
    if (const auto data = handle.solver.binding(); !data)
      return fault(THALLO_INVALID_INPUT, data.error());
    const auto found = handle.solver.covariance(wanted);
    if (!found) return fault(count ? THALLO_SOLVE_FAILED : THALLO_INVALID_INPUT, found.error());
    *rows = found->num_rows();
    std::ranges::copy(found->values, values);
    return {};
  });
}
