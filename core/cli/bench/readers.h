// thallo bench readers: measures how fast text files are read, and how the time grows with their
// size.
#pragma once

#include "core/cli/output/data_table.h"

namespace thallo::cli {

// For each text format, writes one file of about `num_lines` lines and one with a tenth of them,
// reads both, and deletes them. Times are processor times.
DataTable bench_readers(int num_lines);

}  // namespace thallo::cli
