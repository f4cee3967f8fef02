// The C interface of the published Thallo, for programs that were written for it: they compile
// against this header and link libThallo. docs/migrating.md says what each function does. New
// programs are better served by thallo.h.
#pragma once

#if defined(__GNUC__)
#define THALLO_COMPAT_API __attribute__((visibility("default")))
#else
#define THALLO_COMPAT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Thallo_State Thallo_State;
typedef struct Thallo_Problem Thallo_Problem;
typedef struct Thallo_Plan Thallo_Plan;

typedef struct Thallo_InitializationParameters {
  int doublePrecision;   // 1: unknowns and arrays of thallo_float are double; 0: float
  int verbosityLevel;    // 0: warnings; 1: iterations; above: more of the log, on stderr
  int timingLevel;       // ignored: the performance summary is always there
  int threadsPerBlock;   // ignored
  int useAutoscheduler;  // not 0: the schedule is chosen; 0: the one in the text if there is one
  int cpuOnly;           // not 0: arrays are in host memory; 0: in that of the GPU
} Thallo_InitializationParameters;

typedef struct Thallo_PerformanceEntry {
  unsigned int count;
  double minMS;
  double maxMS;
  double meanMS;
  double stddevMS;
} Thallo_PerformanceEntry;

typedef struct Thallo_PerformanceSummary {
  Thallo_PerformanceEntry total;
  Thallo_PerformanceEntry nonlinearIteration;
  Thallo_PerformanceEntry nonlinearSetup;
  Thallo_PerformanceEntry linearSolve;
  Thallo_PerformanceEntry nonlinearResolve;
} Thallo_PerformanceSummary;

THALLO_COMPAT_API Thallo_State* Thallo_NewState(Thallo_InitializationParameters params);

// `solverkind` is "gauss_newton" or "levenberg_marquardt".
THALLO_COMPAT_API Thallo_Problem* Thallo_ProblemDefine(Thallo_State* state, const char* filename,
                                                       const char* solverkind);
THALLO_COMPAT_API void Thallo_ProblemDelete(Thallo_State* state, Thallo_Problem* problem);

// `dimensions[i]` is the extent of the dim that the text numbers i. NULL after a fault.
THALLO_COMPAT_API Thallo_Plan* Thallo_ProblemPlan(Thallo_State* state, Thallo_Problem* problem,
                                                  unsigned int* dimensions);
THALLO_COMPAT_API void Thallo_PlanFree(Thallo_State* state, Thallo_Plan* plan);

// `value` points to an int for nIterations, lIterations and residual_reset_period, else to a float.
THALLO_COMPAT_API void Thallo_SetSolverParameter(Thallo_State* state, Thallo_Plan* plan,
                                                 const char* name, void* value);
THALLO_COMPAT_API void Thallo_GetSolverParameter(Thallo_State* state, Thallo_Plan* plan,
                                                 const char* name, void* value);

// `problemparams[i]` is what the text declares at position i: an array, or a pointer to a number.
THALLO_COMPAT_API void Thallo_ProblemSolve(Thallo_State* state, Thallo_Plan* plan,
                                           void** problemparams);
THALLO_COMPAT_API void Thallo_ProblemInit(Thallo_State* state, Thallo_Plan* plan,
                                          void** problemparams);
// Returns 1 if it has made an iteration, and 0 if the solve had ended.
THALLO_COMPAT_API int Thallo_ProblemStep(Thallo_State* state, Thallo_Plan* plan,
                                         void** problemparams);
THALLO_COMPAT_API double Thallo_ProblemCurrentCost(Thallo_State* state, Thallo_Plan* plan);

THALLO_COMPAT_API void Thallo_GetPerformanceSummary(Thallo_State* state, Thallo_Plan* plan,
                                                    Thallo_PerformanceSummary* summary);

#ifdef __cplusplus
}
#endif
