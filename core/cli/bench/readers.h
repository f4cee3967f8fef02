// thallo bench readers: how fast text files are read, and how their times grow with their size.
#pragma once

#include "core/cli/data_table.h"

namespace thallo::cli {

// Writes a file of about `num_lines` lines and one of a tenth of them for each text format, reads
// both, and deletes them. Times are those of the processor.
DataTable bench_readers(int num_lines);

}  // namespace thallo::cli
