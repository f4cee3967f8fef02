// Options that take a value. If it is not legal, the message says what would be; CLI11's own checks
// print the limits of double, and its readers their tables of units.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

namespace thallo::cli {

// More than any machine has. There must be a limit, because every requested thread is created.
inline constexpr std::int64_t MaxThreads = 1024;

inline constexpr std::int64_t Unlimited = std::numeric_limits<std::int64_t>::max();

// Adds an option, with the word that stands for its value in the help: "FILE".
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& flag, T& value,
                       const std::string& word, const std::string& help) {
  return command.add_option(flag, value, help)->type_name(word);
}

// Returns "" for a whole number from `least` to `most`, else a message.
std::string check_count(const std::string& text, std::int64_t most, std::int64_t least);

// Adds an option that takes a whole number from `least` to `most`.
template <class T>
CLI::Option* add_count(CLI::App& command, const std::string& flag, T& value,
                       const std::string& help, std::int64_t most = Unlimited,
                       std::int64_t least = 0) {
  return add_value(command, flag, value, "INT", help)
      ->check([most, least](const std::string& text) { return check_count(text, most, least); });
}

// For CLI::Option::transform(): replaces "8GiB", "512mb" or "1000" by the number of bytes and
// returns "", or returns a message. Units are powers of 1024, with and without the i.
std::string read_size(std::string& text);

// The same for times: replaces "90", "1ms", "10min" or "2h" by the number of seconds.
std::string read_time(std::string& text);

}  // namespace thallo::cli
