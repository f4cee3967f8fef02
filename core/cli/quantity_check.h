// Reads sizes and times on the command line, like count_check.h: the complaint says what would be
// legal, where those of CLI11's own readers print their tables of units.
#pragma once

#include <string>

namespace thallo::cli {

// For CLI::Option::transform(): makes "8GiB", "512mb" or "1000" the number of bytes, and returns
// ""; else the complaint. A unit counts in powers of 1024, with and without the i.
std::string read_size(std::string& text);

// The same for a time: makes "90", "1ms", "10min" or "2h" the number of seconds.
std::string read_time(std::string& text);

}  // namespace thallo::cli
