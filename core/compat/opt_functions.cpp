// The functions of Opt.h.
#include "core/compat/Opt.h"

#include "core/compat/calls.h"
#include "core/compat/plan.h"

struct Opt_State {
  thallo::compat::Settings settings;
};
struct Opt_Problem {
  thallo::compat::Problem problem;
};
struct Opt_Plan {
  std::unique_ptr<thallo::compat::Plan> plan;
};

namespace compat = thallo::compat;
using thallo::Expected;
using thallo::SolverKind;

namespace {

compat::Plan& plan_of(const char* function, Opt_Plan* plan) {
  return *compat::require_live(function, "plan", plan).plan;
}

}  // namespace

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

void Opt_ProblemDelete(Opt_State*, Opt_Problem* problem) {
  compat::free_handle(__func__, "problem", problem);
}

Opt_Plan* Opt_ProblemPlan(Opt_State* state, Opt_Problem* problem, unsigned int* dimensions) {
  compat::require(__func__, "state", state);
  return compat::made_or_null<Opt_Plan>(__func__, [&]() -> Expected<std::unique_ptr<compat::Plan>> {
    if (problem == nullptr) return thallo::fail("the problem is NULL");
    if (!compat::live_handles().has(problem)) return thallo::fail("the problem was deleted");
    return compat::Plan::make(state->settings, problem->problem, dimensions);
  });
}

void Opt_PlanFree(Opt_State*, Opt_Plan* plan) { compat::free_handle(__func__, "plan", plan); }

void Opt_SetSolverParameter(Opt_State*, Opt_Plan* plan, const char* name, void* value) {
  const auto set = plan_of(__func__, plan).set_parameter(name, value);
  if (!set) compat::print_fault(__func__, set.error().message());
}

void Opt_ProblemSolve(Opt_State*, Opt_Plan* plan, void** problemparams) {
  compat::Plan& solved = plan_of(__func__, plan);
  compat::do_or_end(__func__, [&] { return solved.solve(problemparams); });
}

void Opt_ProblemInit(Opt_State*, Opt_Plan* plan, void** problemparams) {
  compat::Plan& begun = plan_of(__func__, plan);
  compat::do_or_end(__func__, [&] { return begun.begin(problemparams); });
}

int Opt_ProblemStep(Opt_State*, Opt_Plan* plan, void** problemparams) {
  compat::Plan& stepped = plan_of(__func__, plan);
  return compat::value_or_end(__func__, [&] { return stepped.step(problemparams); }) ? 1 : 0;
}

double Opt_ProblemCurrentCost(Opt_State*, Opt_Plan* plan) {
  compat::Plan& asked = plan_of(__func__, plan);
  return compat::value_or_end(__func__, [&] { return asked.cost(); });
}
