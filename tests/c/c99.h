// What c99.c has for the tests.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Fits slope and offset of a line to the heights 1, 3, 5 at the times 0, 1, 2. Returns the status
// of the first call that fails, or THALLO_OK.
int fit_line_in_c(double line[2]);

#ifdef __cplusplus
}
#endif
