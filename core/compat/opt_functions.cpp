// The functions of Opt.h.
#include "core/compat/Opt.h"

#define THALLO_COMPAT(name) Opt_##name
#include "core/compat/shared_functions.h"

Opt_State* Opt_NewState(Opt_InitializationParameters params) {
  compat::set_verbosity(params.verbosityLevel);
  return new Opt_State{compat::value_or_end(
      __func__, [&] { return compat::make_settings(params.doublePrecision != 0, false, false); })};
}

Opt_Problem* Opt_ProblemDefine(Opt_State* state, const char* filename, const char* solverkind) {
  compat::require(__func__, "state", state);
  return compat::made_or_null<Opt_Problem>(__func__, [&] {
    return compat::make_problem(
        filename, solverkind,
        {{"gaussNewtonGPU", SolverKind::GaussNewton}, {"LMGPU", SolverKind::LevenbergMarquardt}});
  });
}
