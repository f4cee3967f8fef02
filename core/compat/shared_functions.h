// The functions that both published interfaces have. The source of each defines THALLO_COMPAT,
// which makes their names, before it includes this file.
#pragma once

#include <memory>

#include "core/compat/calls.h"
#include "core/compat/plan.h"

struct THALLO_COMPAT(State) {
  thallo::compat::Settings settings;
};
struct THALLO_COMPAT(Problem) {
  thallo::compat::Problem problem;
};
struct THALLO_COMPAT(Plan) {
  std::unique_ptr<thallo::compat::Plan> plan;
};

namespace compat = thallo::compat;
using thallo::Expected;
using thallo::SolverKind;

using State = THALLO_COMPAT(State);
using Problem = THALLO_COMPAT(Problem);
using Plan = THALLO_COMPAT(Plan);

inline compat::Plan& plan_of(const char* function, Plan* plan) {
  return *compat::require_live(function, "plan", plan).plan;
}

void THALLO_COMPAT(ProblemDelete)(State*, Problem* problem) {
  compat::free_handle(__func__, "problem", problem);
}

Plan* THALLO_COMPAT(ProblemPlan)(State* state, Problem* problem, unsigned int* dimensions) {
  compat::require(__func__, "state", state);
  return compat::made_or_null<Plan>(__func__, [&]() -> Expected<std::unique_ptr<compat::Plan>> {
    if (problem == nullptr) return thallo::fail("the problem is NULL");
    if (!compat::live_handles().has(problem)) return thallo::fail("the problem was deleted");
    return compat::Plan::make(state->settings, problem->problem, dimensions);
  });
}

void THALLO_COMPAT(PlanFree)(State*, Plan* plan) { compat::free_handle(__func__, "plan", plan); }

void THALLO_COMPAT(SetSolverParameter)(State*, Plan* plan, const char* name, void* value) {
  const auto set = plan_of(__func__, plan).set_parameter(name, value);
  if (!set) compat::print_fault(__func__, set.error().message());
}

void THALLO_COMPAT(ProblemSolve)(State*, Plan* plan, void** problemparams) {
  compat::Plan& solved = plan_of(__func__, plan);
  compat::do_or_end(__func__, [&] { return solved.solve(problemparams); });
}

void THALLO_COMPAT(ProblemInit)(State*, Plan* plan, void** problemparams) {
  compat::Plan& begun = plan_of(__func__, plan);
  compat::do_or_end(__func__, [&] { return begun.begin(problemparams); });
}

int THALLO_COMPAT(ProblemStep)(State*, Plan* plan, void** problemparams) {
  compat::Plan& stepped = plan_of(__func__, plan);
  return compat::value_or_end(__func__, [&] { return stepped.step(problemparams); }) ? 1 : 0;
}

double THALLO_COMPAT(ProblemCurrentCost)(State*, Plan* plan) {
  compat::Plan& asked = plan_of(__func__, plan);
  return compat::value_or_end(__func__, [&] { return asked.cost(); });
}
