// thallo_covariance().
#include <algorithm>
#include <vector>

#include <fmt/format.h>

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

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the function below is outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_covariance(thallo_solver* solver, const thallo_element* elements,
                                size_t num_elements, double* values, size_t max_rows,
                                size_t* rows) {
  return run_on(solver, {{"rows", rows}}, [&](Handle& handle) -> Fault {
    const Energy& energy = handle.solver.energy();
    std::vector<UnknownElement> wanted;
    if (auto bad = read_elements(energy, elements, num_elements, wanted); failed(bad)) return bad;
    const auto data = handle.solver.binding();
    if (!data) return fault(THALLO_INVALID_INPUT, data.error());
    const auto count = count_rows(energy, *data, wanted);
    if (!count) return fault(THALLO_INVALID_INPUT, count.error());
    if (values == nullptr) {
      *rows = *count;
      return {};
    }
    if (*count > max_rows) {
      return {
          THALLO_INVALID_ARGUMENT,
          fmt::format("the covariance has {} rows, and there is room for {}", *count, max_rows)};
    }
    return handle.cancellation.run([&]() -> Fault {
      const auto found = covariance(energy, *data, wanted);
      if (!found) return fault(THALLO_SOLVE_FAILED, found.error());
      *rows = found->num_rows();
      std::ranges::copy(found->values, values);
      return {};
    });
  });
}
