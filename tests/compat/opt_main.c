#include "tests/compat/mains.h"

#include "Opt.h"

int smooth_by_opt(const char* file, float* image, const float* noisy, unsigned width,
                  unsigned height, float weight, double* cost) {
  Opt_InitializationParameters init = {0};
  Opt_State* state = Opt_NewState(init);
  Opt_Problem* problem = Opt_ProblemDefine(state, file, "gaussNewtonGPU");
  unsigned dimensions[2];
  void* params[3];
  int inner = 100;
  Opt_Plan* plan;

  dimensions[0] = width;
  dimensions[1] = height;
  plan = Opt_ProblemPlan(state, problem, dimensions);
  if (!plan) return -1;
  Opt_SetSolverParameter(state, plan, "lIterations", &inner);
  params[0] = image;
  params[1] = (void*)noisy;
  params[2] = &weight;
  Opt_ProblemSolve(state, plan, params);
  *cost = Opt_ProblemCurrentCost(state, plan);
  Opt_PlanFree(state, plan);
  Opt_ProblemDelete(state, problem);
  return 1;
}
