// thallo_pull_back().
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/c/handle.h"
#include "core/c/thallo.h"

namespace thallo::c_api {
namespace {

// Fails for a NULL in a list, which is called `argument`.
Fault check_values(const char* argument, const thallo_values* list, size_t count) {
  if (count > 0) {
    if (auto null = find_null({{argument, list}}); failed(null)) return null;
  }
  for (size_t i = 0; i < count; ++i) {
    if (list[i].name == nullptr || (list[i].values == nullptr && list[i].num_values > 0))
      return {THALLO_INVALID_ARGUMENT, fmt::format("{}[{}] has no name or no values", argument, i)};
  }
  return {};
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the function below is outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_pull_back(thallo_solver* solver, const thallo_values* by_unknowns,
                               size_t num_unknowns, const thallo_values* by_inputs,
                               size_t num_inputs) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    if (auto bad = check_values("by_unknowns", by_unknowns, num_unknowns); failed(bad)) return bad;
    if (auto bad = check_values("by_inputs", by_inputs, num_inputs); failed(bad)) return bad;
    FieldValues given;
    for (size_t i = 0; i < num_unknowns; ++i) {
      const thallo_values& one = by_unknowns[i];
      given[one.name].assign(one.values, one.values + one.num_values);
    }
    std::vector<std::string> names;
    for (size_t i = 0; i < num_inputs; ++i) names.emplace_back(by_inputs[i].name);
    if (const auto data = handle.solver.binding(); !data)
      return fault(THALLO_INVALID_INPUT, data.error());
    return handle.cancellation.run([&]() -> Fault {
      const auto found = handle.solver.pull_back(given, names);
      if (!found) return fault(THALLO_SOLVE_FAILED, found.error());
      for (size_t i = 0; i < num_inputs; ++i) {
        const std::vector<double>& values = found->at(names[i]);
        if (values.size() != by_inputs[i].num_values) {
          return {THALLO_INVALID_ARGUMENT,
                  fmt::format("'{}' has {} numbers, and there is room for {}", names[i],
                              values.size(), by_inputs[i].num_values)};
        }
        std::ranges::copy(values, by_inputs[i].values);
      }
      return {};
    });
  });
}
