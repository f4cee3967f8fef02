// Reads sizes and times on the command line. As in count_check.h, the message says what would be
// legal; CLI11's own readers print their tables of units.
#pragma once

#include <string>

namespace thallo::cli {

// For CLI::Option::transform(): replaces "8GiB", "512mb" or "1000" by the number of bytes and
// returns "", or returns a message. Units are powers of 1024, with and without the i.
std::string read_size(std::string& text);

// The same for times: replaces "90", "1ms", "10min" or "2h" by the number of seconds.
std::string read_time(std::string& text);

}  // namespace thallo::cli
