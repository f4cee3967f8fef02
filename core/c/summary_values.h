// The values of a finished solve, by the names that thallo.h lists.
#pragma once

#include <string>
#include <string_view>

#include "core/base/diagnostic.h"
#include "core/c/thallo.h"
#include "core/embed/energy_solver.h"

namespace thallo::c_api {

// Fail for an unknown name, with the nearest one. `summary` is of the last solve by `solver`.
Expected<double> summary_number(const EnergySolver& solver, const SolverSummary& summary,
                                std::string_view name);
Expected<std::string> summary_text(const EnergySolver& solver, const SolverSummary& summary,
                                   std::string_view name);
Expected<thallo_times> summary_times(const EnergySolver& solver, const SolverSummary& summary,
                                     std::string_view name);

thallo_iteration to_c(const IterationRecord& record);

}  // namespace thallo::c_api
