// The functions of thallo.h about schedules.
#include <nlohmann/json.hpp>

#include "core/c/handle.h"
#include "core/c/thallo.h"

namespace thallo::c_api {
namespace {

// `set` hands the schedule on to the solver.
template <class Set>
thallo_status change_schedule(thallo_solver* solver, const char* argument, const char* text,
                              const Set& set) {
  return run_on(solver, {{argument, text}}, [&](Handle& handle) -> Fault {
    const bool is_stepping = handle.solver.is_stepping();
    const auto done = set(handle.solver);
    if (done) return {};
    return fault(is_stepping ? THALLO_WRONG_ORDER : THALLO_INVALID_ENERGY, done.error());
  });
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the functions below are outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_set_schedule(thallo_solver* solver, const char* schedule) {
  return change_schedule(solver, "schedule", schedule,
                         [&](EnergySolver& of_energy) { return of_energy.set_schedule(schedule); });
}

thallo_status thallo_set_schedule_text(thallo_solver* solver, const char* text) {
  return change_schedule(solver, "text", text, [&](EnergySolver& of_energy) {
    return of_energy.set_schedule_text(text);
  });
}

thallo_status thallo_explain(thallo_solver* solver, const char** json) {
  return run_on(solver, {{"json", json}}, [&](Handle& handle) -> Fault {
    if (handle.solver.is_stepping())
      return {THALLO_WRONG_ORDER,
              "thallo_explain() is no part of a step; call it after thallo_finish()"};
    const auto explained = handle.solver.explain(handle.options);
    if (!explained) {
      return fault(handle.solver.binding() ? THALLO_SOLVE_FAILED : THALLO_INVALID_INPUT,
                   explained.error());
    }
    handle.text = json_of(*explained).dump();
    *json = handle.text.c_str();
    return {};
  });
}
