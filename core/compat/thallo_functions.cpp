// The functions of Thallo.h.
#include "core/compat/Thallo.h"

#define THALLO_COMPAT(name) Thallo_##name
#include "core/compat/shared_functions.h"

namespace {

Thallo_PerformanceEntry entry_of(const thallo::SecondsSpread& spread) {
  constexpr double Milli = 1e3;
  return {static_cast<unsigned>(spread.count), Milli * spread.min, Milli * spread.max,
          Milli * spread.mean, Milli * spread.deviation};
}

}  // namespace

Thallo_State* Thallo_NewState(Thallo_InitializationParameters params) {
  compat::set_verbosity(params.verbosityLevel);
  return new Thallo_State{compat::value_or_end(__func__, [&] {
    return compat::make_settings(params.doublePrecision != 0, params.cpuOnly != 0,
                                 params.useAutoscheduler != 0);
  })};
}

Thallo_Problem* Thallo_ProblemDefine(Thallo_State* state, const char* filename,
                                     const char* solverkind) {
  compat::require(__func__, "state", state);
  return compat::made_or_null<Thallo_Problem>(__func__, [&] {
    return compat::make_problem(filename, solverkind,
                                {{"gauss_newton", SolverKind::GaussNewton},
                                 {"levenberg_marquardt", SolverKind::LevenbergMarquardt}});
  });
}

void Thallo_GetSolverParameter(Thallo_State*, Thallo_Plan* plan, const char* name, void* value) {
  const auto read = plan_of(__func__, plan).read_parameter(name, value);
  if (!read) compat::print_fault(__func__, read.error().message());
}

void Thallo_GetPerformanceSummary(Thallo_State*, Thallo_Plan* plan,
                                  Thallo_PerformanceSummary* summary) {
  const thallo::SolverTimes times = plan_of(__func__, plan).times();
  compat::require(__func__, "summary", summary) = {entry_of(times.total), entry_of(times.iteration),
                                                   entry_of(times.linearize),
                                                   entry_of(times.linear), entry_of(times.resolve)};
}
