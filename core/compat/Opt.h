// The C interface of Opt, for programs that were written for it: they compile against this header
// and link libOpt. docs/migrating.md says what each function does. New programs are better served
// by thallo.h.
#pragma once

#if defined(__GNUC__)
#define OPT_COMPAT_API __attribute__((visibility("default")))
#else
#define OPT_COMPAT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Opt_State Opt_State;
typedef struct Opt_Problem Opt_Problem;
typedef struct Opt_Plan Opt_Plan;

typedef struct Opt_InitializationParameters {
  int doublePrecision;             // 1: unknowns and arrays of opt_float are double; 0: float
  int verbosityLevel;              // 0: warnings; 1: iterations; above: more of the log, on stderr
  int collectPerKernelTimingInfo;  // ignored
  int threadsPerBlock;             // ignored
} Opt_InitializationParameters;

OPT_COMPAT_API Opt_State* Opt_NewState(Opt_InitializationParameters params);

// `solverkind` is "gaussNewtonGPU" or "LMGPU".
OPT_COMPAT_API Opt_Problem* Opt_ProblemDefine(Opt_State* state, const char* filename,
                                              const char* solverkind);
OPT_COMPAT_API void Opt_ProblemDelete(Opt_State* state, Opt_Problem* problem);

// `dimensions[i]` is the extent of the dim that the text numbers i. NULL after a fault.
OPT_COMPAT_API Opt_Plan* Opt_ProblemPlan(Opt_State* state, Opt_Problem* problem,
                                         unsigned int* dimensions);
OPT_COMPAT_API void Opt_PlanFree(Opt_State* state, Opt_Plan* plan);

// `value` points to an int for nIterations, lIterations and residual_reset_period, else to a float.
OPT_COMPAT_API void Opt_SetSolverParameter(Opt_State* state, Opt_Plan* plan, const char* name,
                                           void* value);

// `problemparams[i]` is what the text declares at position i: an array, or a pointer to a number.
OPT_COMPAT_API void Opt_ProblemSolve(Opt_State* state, Opt_Plan* plan, void** problemparams);
OPT_COMPAT_API void Opt_ProblemInit(Opt_State* state, Opt_Plan* plan, void** problemparams);
// Returns 1 if it has made an iteration, and 0 if the solve had ended.
OPT_COMPAT_API int Opt_ProblemStep(Opt_State* state, Opt_Plan* plan, void** problemparams);
OPT_COMPAT_API double Opt_ProblemCurrentCost(Opt_State* state, Opt_Plan* plan);

#ifdef __cplusplus
}
#endif
