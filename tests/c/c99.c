// A program in C99 against thallo.h, which must be a header of C.
#include "tests/c/c99.h"

#include "thallo.h"

static const char Line[] =
    "local N, U = Dims('N', 'U')\n"
    "Inputs { line = Unknown(float2, {U}), time = Array(double, {N}), height = Array(double, {N}) "
    "}\n"
    "local n = N()\n"
    "local p = line(0)\n"
    "Residuals { fit = p(0) * time(n) + p(1) - height(n) }\n";

int fit_line_in_c(double line[2]) {
  const thallo_option options[] = {{"backend", "interpreter"}};
  const double time[] = {0, 1, 2}, height[] = {1, 3, 5};
  const int64_t three[] = {3}, one[] = {1};
  thallo_solver* solver = NULL;
  thallo_status status = thallo_create_from_text(Line, "line.lua", options, 1, &solver);
  if (status == THALLO_OK)
    status = thallo_bind_unknown(solver, "line", THALLO_DOUBLE, line, one, 1);
  if (status == THALLO_OK)
    status = thallo_bind_array(solver, "time", THALLO_DOUBLE, time, three, 1);
  if (status == THALLO_OK)
    status = thallo_bind_array(solver, "height", THALLO_DOUBLE, height, three, 1);
  if (status == THALLO_OK) status = thallo_solve(solver);
  if (solver != NULL) thallo_free(solver);
  return status;
}
