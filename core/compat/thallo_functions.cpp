// The functions of Thallo.h.
#include "core/compat/Thallo.h"

#include "core/compat/calls.h"
#include "core/compat/plan.h"

struct Thallo_State {
  thallo::compat::Settings settings;
};
struct Thallo_Problem {
  thallo::compat::Problem problem;
};
struct Thallo_Plan {
  std::unique_ptr<thallo::compat::Plan> plan;
};

namespace compat = thallo::compat;
using thallo::Expected;
using thallo::SolverKind;

namespace {

compat::Plan& plan_of(const char* function, Thallo_Plan* plan) {
  return *compat::require_live(function, "plan", plan).plan;
}

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

void Thallo_ProblemDelete(Thallo_State*, Thallo_Problem* problem) {
  compat::free_handle(__func__, "problem", problem);
}

Thallo_Plan* Thallo_ProblemPlan(Thallo_State* state, Thallo_Problem* problem,
                                unsigned int* dimensions) {
  compat::require(__func__, "state", state);
  return compat::made_or_null<Thallo_Plan>(
      __func__, [&]() -> Expected<std::unique_ptr<compat::Plan>> {
        if (problem == nullptr) return thallo::fail("the problem is NULL");
        if (!compat::live_handles().has(problem)) return thallo::fail("the problem was deleted");
        return compat::Plan::make(state->settings, problem->problem, dimensions);
      });
}

void Thallo_PlanFree(Thallo_State*, Thallo_Plan* plan) {
  compat::free_handle(__func__, "plan", plan);
}

void Thallo_SetSolverParameter(Thallo_State*, Thallo_Plan* plan, const char* name, void* value) {
  const auto set = plan_of(__func__, plan).set_parameter(name, value);
  if (!set) compat::print_fault(__func__, set.error().message());
}

void Thallo_GetSolverParameter(Thallo_State*, Thallo_Plan* plan, const char* name, void* value) {
  const auto read = plan_of(__func__, plan).read_parameter(name, value);
  if (!read) compat::print_fault(__func__, read.error().message());
}

void Thallo_ProblemSolve(Thallo_State*, Thallo_Plan* plan, void** problemparams) {
  compat::Plan& solved = plan_of(__func__, plan);
  compat::do_or_end(__func__, [&] { return solved.solve(problemparams); });
}

void Thallo_ProblemInit(Thallo_State*, Thallo_Plan* plan, void** problemparams) {
  compat::Plan& begun = plan_of(__func__, plan);
  compat::do_or_end(__func__, [&] { return begun.begin(problemparams); });
}

int Thallo_ProblemStep(Thallo_State*, Thallo_Plan* plan, void** problemparams) {
  compat::Plan& stepped = plan_of(__func__, plan);
  return compat::value_or_end(__func__, [&] { return stepped.step(problemparams); }) ? 1 : 0;
}

double Thallo_ProblemCurrentCost(Thallo_State*, Thallo_Plan* plan) {
  compat::Plan& asked = plan_of(__func__, plan);
  return compat::value_or_end(__func__, [&] { return asked.cost(); });
}

void Thallo_GetPerformanceSummary(Thallo_State*, Thallo_Plan* plan,
                                  Thallo_PerformanceSummary* summary) {
  const thallo::SolverTimes times = plan_of(__func__, plan).times();
  compat::require(__func__, "summary", summary) = {entry_of(times.total), entry_of(times.iteration),
                                                   entry_of(times.linearize),
                                                   entry_of(times.linear), entry_of(times.resolve)};
}
