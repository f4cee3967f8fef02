// Thallo for programs in C and in languages that call C: an energy, the arrays of the program, and
// a solver. docs/c_api.md has a whole program.
//
//   thallo_solver* solver = NULL;
//   thallo_create_from_file("denoise.lua", NULL, 0, &solver);
//   const int64_t extents[] = {640, 480};
//   thallo_bind_unknown(solver, "X", THALLO_FLOAT, picture, extents, 2);
//   thallo_bind_array(solver, "A", THALLO_FLOAT, noisy, extents, 2);
//   thallo_bind_number(solver, "w", 0.5);
//   if (thallo_solve(solver) != THALLO_OK) puts(thallo_error_text(solver));
//   thallo_free(solver);
//
// Every function that can fail returns a thallo_status; none ends the program or throws. After a
// failure, thallo_error_text() says what was found and what would be legal. A function that fails
// changes neither the solver nor its output arguments, unless it says so.
//
// Handles. A thallo_solver* is no address but a number that is never used twice. Functions refuse
// NULL, handles that were freed, and any other value (THALLO_INVALID_HANDLE).
//
// Threads. Solvers are independent of each other. While a function works on a solver, another call
// with it, from another thread or from its callback, is refused (THALLO_BUSY).
//
// Arrays stay the program's: binding copies nothing. Every solve and every step reads what they
// hold then and writes the unknowns into theirs. They must live until then. The first extent varies
// fastest, the channels of an element are adjacent: of X = Unknown(float2, {W, H}), channel c at
// (x, y) is number 2 * (x + W * y) + c.
//
// Texts that are passed in are UTF-8 and end in a zero. Texts that are returned belong to the
// library. Those of a solver are valid until the next call with it, errors until the next call of
// an error function by the same thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define THALLO_API __attribute__((visibility("default")))
#else
#define THALLO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thallo_solver thallo_solver;

typedef enum thallo_status {
  THALLO_OK = 0,
  THALLO_INVALID_ARGUMENT = 1,  // a NULL pointer, or a number outside of its range
  THALLO_INVALID_HANDLE = 2,    // no solver, or one that was freed
  THALLO_BUSY = 3,              // another call is working on the solver
  THALLO_WRONG_ORDER = 4,       // such as a step before thallo_begin()
  THALLO_INVALID_ENERGY = 5,    // the text cannot be read or has a fault
  THALLO_INVALID_OPTION = 6,    // an option has an unknown name or no legal value
  THALLO_INVALID_INPUT = 7,     // what is bound does not fit the energy
  THALLO_SOLVE_FAILED = 8,      // no such backend, no memory, a device fault, a cost not finite
  THALLO_INTERNAL_ERROR = 9,    // a bug of Thallo; the text asks to report it
  THALLO_CANCELLED = 10         // thallo_cancel() ended the call before it had a result
} thallo_status;

// The types of values in arrays: float, double, int32_t, uint8_t.
typedef int32_t thallo_type;
enum { THALLO_FLOAT = 0, THALLO_DOUBLE = 1, THALLO_INT32 = 2, THALLO_UINT8 = 3 };

// Returns "0.2.0".
THALLO_API const char* thallo_version(void);

// Return the code and the text of the last failure of a call with this solver; THALLO_OK and "" if
// there was none. For NULL, for what is no solver and while another call works on the solver, they
// return those of the last failure of any call by this thread.
THALLO_API thallo_status thallo_error_code(const thallo_solver* solver);
THALLO_API const char* thallo_error_text(const thallo_solver* solver);

// ---- Create ----

// An option by name, with its value as text. Options of creation:
//
//   backend        "auto" (the default), "cuda", "cpu", "interpreter"
//   device         the ordinal of a GPU, from 0
//   precision      "float" or "double"; by default double if an unknown is an array of doubles
//   schedule       "auto", "default", another name, or the path of a .sched file
//   schedule_text  the text of a schedule, in place of a name
//   threads        host threads of backend cpu; 0 (the default) means all
//   memory_limit   bytes that stored products may take
typedef struct thallo_option {
  const char* name;
  const char* value;
} thallo_option;

// Load an energy from a file, or from a text that messages refer to as `name` ("fit.lua"), and
// store a new solver in *solver, NULL after a failure. `options` may be NULL if num_options is 0.
THALLO_API thallo_status thallo_create_from_file(const char* path, const thallo_option* options,
                                                 size_t num_options, thallo_solver** solver);
THALLO_API thallo_status thallo_create_from_text(const char* text, const char* name,
                                                 const thallo_option* options, size_t num_options,
                                                 thallo_solver** solver);
THALLO_API thallo_status thallo_free(thallo_solver* solver);

// ---- Problems ----

// The applications that come with Thallo and its plugins, sorted by name. Texts about them are
// valid until the process ends.
typedef struct thallo_problem {
  const char* name;      // "image_warping"
  const char* title;     // "Image warping with as-rigid-as-possible deformation"
  const char* shows;     // what it exercises, a sentence
  const char* citation;  // of the method or the data; may be ""
  size_t num_options;
} thallo_problem;
typedef struct thallo_problem_option {
  const char* name;           // "size"
  const char* type;           // "bool", "int", "double" or "string"
  const char* default_value;  // as text
  const char* legal;          // "an integer from 1 to 4096"
  const char* doc;            // a sentence
} thallo_problem_option;
THALLO_API thallo_status thallo_count_problems(size_t* count);
THALLO_API thallo_status thallo_get_problem(size_t number, thallo_problem* problem);
THALLO_API thallo_status thallo_get_problem_option(size_t problem, size_t number,
                                                   thallo_problem_option* option);

// Makes an instance of a problem, and a solver of its energy with the options that the problem
// wants. The arrays and numbers of the instance are bound to all inputs; they live as long as the
// solver. Others may be bound in their place. `problem_options` are those of the problem, by name;
// `options` are those of creation.
THALLO_API thallo_status thallo_create_from_problem(const char* problem,
                                                    const thallo_option* problem_options,
                                                    size_t num_problem_options,
                                                    const thallo_option* options,
                                                    size_t num_options, thallo_solver** solver);

// What the instance of a problem has under the name of an input, until thallo_advance().
typedef struct thallo_value {
  thallo_type type;   // of the values
  void* values;       // of an unknown, an array or a sparse map; may be changed; NULL for a number
  size_t num_values;  // 0 for a number
  double number;      // of a param or a dim, which is an extent
} thallo_value;
THALLO_API thallo_status thallo_get_instance_value(thallo_solver* solver, const char* name,
                                                   thallo_value* value);
// Some problems are several solves, with data that change in between. After a solve, takes the data
// that are bound now and prepares the next solve: stores 1 in *goes_on, and the arrays and
// numbers of the new instance are bound to all inputs. If there is no further solve, stores 0 and
// changes nothing, and so does each further call. Once it has stored 1 it needs a solve before it
// is called again (THALLO_WRONG_ORDER).
THALLO_API thallo_status thallo_advance(thallo_solver* solver, int* goes_on);

// ---- What the energy declares ----

typedef int32_t thallo_kind;
enum { THALLO_DIM = 0, THALLO_UNKNOWN = 1, THALLO_ARRAY = 2, THALLO_PARAM = 3, THALLO_SPARSE = 4 };
// The type of values that have the precision of the solve. Nothing can be bound as such.
enum { THALLO_WORKING = 4 };

typedef struct thallo_declaration {
  const char* name;  // valid as long as the solver
  thallo_kind kind;
  thallo_type type;  // of its values; of a dim and a sparse map THALLO_INT32
  int64_t channels;  // adjacent numbers of an element: of a sparse map the dims that it maps to
  size_t num_dims;   // that it is over
} thallo_declaration;

// Counts the dims, unknowns, arrays, params and sparse maps, in this order and each in the order of
// the text. Unknowns and arrays take turns as in the text.
THALLO_API thallo_status thallo_count_declarations(thallo_solver* solver, size_t* count);
THALLO_API thallo_status thallo_get_declaration(thallo_solver* solver, size_t number,
                                                thallo_declaration* declaration);
// Returns the name of dim `dim` that the declaration is over; dim 0 varies fastest. The name is
// valid as long as the solver.
THALLO_API thallo_status thallo_get_declared_dim(thallo_solver* solver, size_t number, size_t dim,
                                                 const char** name);

// ---- Inputs ----

// Bind an array to an unknown, or to an array or sparse map of the energy, by its name; it
// replaces what was bound to the name. `extents` lists the extents of the dims in the energy's
// order, without channels. An extent may be 0; then `values` may be NULL. Values are converted to
// the types of the energy; those of a sparse map must be THALLO_INT32.
THALLO_API thallo_status thallo_bind_unknown(thallo_solver* solver, const char* name,
                                             thallo_type type, void* values, const int64_t* extents,
                                             size_t num_extents);
THALLO_API thallo_status thallo_bind_array(thallo_solver* solver, const char* name,
                                           thallo_type type, const void* values,
                                           const int64_t* extents, size_t num_extents);
// The same for arrays in the memory of the GPU that the solver computes on (backend "cuda").
// `address` is what cudaMalloc() returns, or a CUdeviceptr. `strides` are the distances between
// neighbors along each dim, then between the channels of an element, counted in values; with
// num_strides 0 the values are adjacent, in the order of an array on the host. `stream` is the
// CUstream (cudaStream_t) whose work is waited for before the array is read; NULL is the default
// stream. When a call with the solver returns, the array is not used any more, whatever the stream.
//
// An array is used where it is if it has the type of the input (for THALLO_WORKING that of the
// precision), its values are adjacent and the address is a multiple of 16; otherwise it is copied
// on the device by each solve. Sparse maps are copied to the host once, and again when their
// values have changed. What is no memory of that GPU is refused by the solve, by its name.
THALLO_API thallo_status thallo_bind_device_unknown(thallo_solver* solver, const char* name,
                                                    thallo_type type, void* address,
                                                    const int64_t* extents, size_t num_extents,
                                                    const int64_t* strides, size_t num_strides,
                                                    void* stream);
THALLO_API thallo_status thallo_bind_device_array(thallo_solver* solver, const char* name,
                                                  thallo_type type, const void* address,
                                                  const int64_t* extents, size_t num_extents,
                                                  const int64_t* strides, size_t num_strides,
                                                  void* stream);
// Binds a number to a param, or an extent to a dim.
THALLO_API thallo_status thallo_bind_number(thallo_solver* solver, const char* name, double number);
// Forgets what is bound to a name, if anything is.
THALLO_API thallo_status thallo_unbind(thallo_solver* solver, const char* name);

// ---- Schedules ----

// Sets the schedule of the next solves: a name or the path of a .sched file, as the option
// `schedule` takes them, or the text of one. The next solve compiles it. Refused between begin and
// finish.
THALLO_API thallo_status thallo_set_schedule(thallo_solver* solver, const char* schedule);
THALLO_API thallo_status thallo_set_schedule_text(thallo_solver* solver, const char* text);
// Predicts what the schedule that the next solve has costs for the data that are bound. *json is
// a text in JSON: "schedule" (its text, "" for the default one), "directives" (one a directive),
// "device", "model" (of costs), "linear_iterations" (of a nonlinear one, as assumed), "seconds" (of
// a nonlinear iteration), "steps" with "step" (its label), "runs", "seconds" (of a run),
// "waits" (seconds of it by what is waited for) and "remedy" (what would help), the longest step
// first, and "beside_steps". Measures the device if it was never measured.
THALLO_API thallo_status thallo_explain(thallo_solver* solver, const char** json);

// ---- Solve ----

// Sets an option of the next solves by its published name: "nIterations", "solver", "q_tolerance";
// `thallo solve --help` lists them. A new solver has options that solve an energy until its
// cost settles.
THALLO_API thallo_status thallo_set_option(thallo_solver* solver, const char* name,
                                           const char* value);

// An iteration; iteration 0 is the start. (Structs never change: a version of Thallo that tells
// more has further functions for it.)
typedef struct thallo_iteration {
  int64_t iteration;
  int64_t linear_iterations;
  int64_t accepted;          // 1 if the step was taken, 0 if it was rejected
  double cost;               // after the iteration: 1/2 of the sum of squared residuals
  double cost_change;        // cost before - cost of the trial point
  double gradient_max;       // the largest entry of the gradient before the iteration
  double step_norm;          // the length of the step
  double relative_decrease;  // cost_change over what the model promised
  double radius;             // of the trust region in Levenberg-Marquardt, else 0
  double seconds;            // of this iteration
  double total_seconds;      // since the solve began
} thallo_iteration;

// Called after each iteration, by the thread that solves; the arrays of the unknowns have their
// values of then. Returns 0 to go on; any other value ends the solve, which keeps what was reached.
typedef int (*thallo_callback)(const thallo_iteration* iteration, void* user);
// Sets the callback of the next solves; NULL for none.
THALLO_API thallo_status thallo_set_callback(thallo_solver* solver, thallo_callback callback,
                                             void* user);

// Minimizes, starting from the values of the unknowns, and stores the solution in their arrays;
// after a failure they are unchanged.
THALLO_API thallo_status thallo_solve(thallo_solver* solver);

// Ends the solve that another thread is at, or that was begun, within an iteration; it keeps what
// was reached. If the other thread is at thallo_linearize(), thallo_covariance() or
// thallo_pull_back(), ends that call instead, with THALLO_CANCELLED, and leaves a solve that was
// begun as it is. May be called at any time, from any thread: the solver need not be free.
THALLO_API thallo_status thallo_cancel(const thallo_solver* solver);

// Solve step by step: begin, step until *goes_on is 0, finish. Each step reads all arrays and
// numbers as they are then, makes one iteration and writes the unknowns. Data in the memory of an
// unknown stay what they were when it was bound or the solve began. If a step fails with
// THALLO_INVALID_INPUT, the data do not fit or have no finite cost: they can be corrected and the
// step repeated. After any other failure of a step the solve is over.
THALLO_API thallo_status thallo_begin(thallo_solver* solver);
THALLO_API thallo_status thallo_step(thallo_solver* solver, int* goes_on);
THALLO_API thallo_status thallo_finish(thallo_solver* solver);
// Computes the cost at the current values of all arrays, between begin and finish.
THALLO_API thallo_status thallo_current_cost(thallo_solver* solver, double* cost);

// Computes the residuals F and their derivatives J at the current values of all arrays, in double
// and from the definition of the energy, and keeps them. Rows are in the order of the residual
// groups, the points of a group with its first dim fastest; columns are the unknowns in the order
// of the text. Meant for small energies: a residual takes microseconds.
typedef struct thallo_jacobian_size {
  int64_t rows, columns, entries;
} thallo_jacobian_size;
THALLO_API thallo_status thallo_linearize(thallo_solver* solver, thallo_jacobian_size* size);
// Copies what thallo_linearize() kept, in compressed rows: row_starts has rows + 1 numbers, columns
// and values have `entries`, residuals has `rows`. Any of them may be NULL.
THALLO_API thallo_status thallo_get_jacobian(thallo_solver* solver, int64_t* row_starts,
                                             int64_t* columns, double* values, double* residuals);

// An element of an unknown: as many coordinates as the unknown has dims, dim 0 first.
typedef struct thallo_element {
  const char* unknown;
  const int64_t* coordinates;
} thallo_element;
// Computes the covariance of some elements at the current values of all arrays: the rows and
// columns of (Jᵀ w J)⁻¹ that belong to them, in double and from the definition of the energy. An
// element has as many rows as a step of it has numbers: its channels, and 6 of an SE3 pose. Rows of
// what is excluded or held are 0. If J is rank-deficient it fails with THALLO_SOLVE_FAILED, and the
// text names an element that the residuals do not determine. An element that there is not is
// THALLO_INVALID_INPUT.
//
// *rows becomes the number of rows. `values` has room for max_rows * max_rows numbers, and gets
// rows * rows of them, row by row; it may be NULL, to learn the number of rows.
THALLO_API thallo_status thallo_covariance(thallo_solver* solver, const thallo_element* elements,
                                           size_t num_elements, double* values, size_t max_rows,
                                           size_t* rows);

// Numbers of a field, in its order: the channels of an element adjacent, dim 0 fastest.
typedef struct thallo_values {
  const char* name;
  double* values;
  size_t num_values;
} thallo_values;
// Takes the gradients of a number by the unknowns, which are a solution, to those by arrays and
// params, whose solution follows them. `by_unknowns` are read, and those of others are zero;
// `by_inputs` are written. Computes in double on the solver's backend; second derivatives count
// (docs/differentiate.md). Unknowns that are no minimum, residuals that leave
// open what the number is made of, and energies without known second derivatives are
// THALLO_SOLVE_FAILED.
THALLO_API thallo_status thallo_pull_back(thallo_solver* solver, const thallo_values* by_unknowns,
                                          size_t num_unknowns, const thallo_values* by_inputs,
                                          size_t num_inputs);

// ---- Results of the last thallo_solve() or thallo_finish() that succeeded ----

// Return a value of the solve by its name, and THALLO_WRONG_ORDER if there was no solve.
//
// A number:
//   initial_cost, final_cost, gradient_max (the largest entry of the last gradient),
//   iterations, accepted, rejected, linear_iterations,
//   unknowns, free_unknowns (without excluded and held ones), residuals (numbers of scalars),
//   converged (1 if a tolerance ended it), seconds, compile_seconds (of all solves so far),
//   bytes_moved (of arrays, between the host and a GPU, in all solves so far),
//   threads (of the host), peak_memory (of the process on the host so far, in bytes),
//   cpu_seconds (of the process on the host, from the beginning of the solve to its end),
//   groups (residual groups), members (of a batch; 0 without one)
THALLO_API thallo_status thallo_summary_number(thallo_solver* solver, const char* name,
                                               double* number);
// A text:
//   energy, backend, schedule ("" for the default one), linear_solver, device,
//   precision ("float", "double"), commit (of Thallo), date (of the end, in UTC),
//   termination ("FunctionTolerance"), ending ("converged", "stopped", "diverged", "failed"),
//   why (a sentence), brief (a line), full (a page), warnings (one a line)
THALLO_API thallo_status thallo_summary_text(thallo_solver* solver, const char* name,
                                             const char** text);

// How long something took, in milliseconds; all are 0 if it never happened.
typedef struct thallo_times {
  int64_t count;
  double min_ms, max_ms, mean_ms, deviation_ms;
} thallo_times;
// The times of:
//   total, iteration (nonlinear iterations), linearize, linear (linear solves), resolve (trial
//   points with their costs)
THALLO_API thallo_status thallo_summary_times(thallo_solver* solver, const char* name,
                                              thallo_times* times);

// The iterations of the last solve, from 0; thallo_summary_number "iterations" is the last one.
THALLO_API thallo_status thallo_summary_iteration(thallo_solver* solver, int64_t iteration,
                                                  thallo_iteration* record);

// What a residual group has come to.
typedef struct thallo_group {
  const char* name;   // lives until the next solve by this solver
  double cost;        // 1/2 of the sum of squares, or of what the group's loss makes of them
  int64_t residuals;  // scalars, without those that are 0 whatever the unknowns are
  int64_t inliers;    // points at which residuals are no longer than the scale that the loss has
} thallo_group;
// The groups of the last solve, from 0; thallo_summary_number "groups" is their number.
THALLO_API thallo_status thallo_summary_group(thallo_solver* solver, int64_t number,
                                              thallo_group* group);

// What the last solve has come to for a member of a batch.
typedef struct thallo_member {
  double initial_cost, final_cost;
  int64_t iterations;  // accepted and rejected
  int64_t accepted;
  const char* termination;  // lives forever
} thallo_member;
// Writes the first `count` members; thallo_summary_number "members" is the number of all.
THALLO_API thallo_status thallo_summary_members(thallo_solver* solver, thallo_member* members,
                                                int64_t count);

#ifdef __cplusplus
}
#endif
