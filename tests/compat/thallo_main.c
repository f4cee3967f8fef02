#include "tests/compat/mains.h"

#include "Thallo.h"

int smooth_by_thallo(const char* file, float* image, const float* noisy, unsigned width,
                     unsigned height, int iterations, double* cost) {
  Thallo_InitializationParameters init = {0};
  Thallo_State* state;
  Thallo_Problem* problem;
  Thallo_Plan* plan;
  Thallo_PerformanceSummary times;
  unsigned dimensions[2];
  void* params[3];
  float weight = 1;
  int inner = 20, steps = 0;

  init.cpuOnly = 1;
  state = Thallo_NewState(init);
  problem = Thallo_ProblemDefine(state, file, "gauss_newton");
  dimensions[0] = width;
  dimensions[1] = height;
  plan = Thallo_ProblemPlan(state, problem, dimensions);
  if (!plan) return -1;
  Thallo_SetSolverParameter(state, plan, "nIterations", &iterations);
  Thallo_SetSolverParameter(state, plan, "lIterations", &inner);
  params[0] = image;
  params[1] = (void*)noisy;
  params[2] = &weight;
  Thallo_ProblemInit(state, plan, params);
  while (Thallo_ProblemStep(state, plan, params)) {
    ++steps;
    weight *= 2;
  }
  *cost = Thallo_ProblemCurrentCost(state, plan);
  Thallo_GetPerformanceSummary(state, plan, &times);
  if (times.total.count != 1 || (int)times.nonlinearIteration.count != steps) steps = -2;
  Thallo_PlanFree(state, plan);
  Thallo_ProblemDelete(state, problem);
  return steps;
}
