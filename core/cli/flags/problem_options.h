// The options of a problem as flags. They are made from its OptionSpecs, shown in a separate group
// of the help, and read back as typed Options. `track_length` becomes --track-length.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/options.h"
#include "core/problem/problem.h"

namespace CLI {
class App;
}

namespace thallo::cli {

// Returns help lines for the flags of a problem.
std::string options_text(const Problem& problem);

// Returns the seed of a command that draws at random. If the problem draws its input, --seed is an
// option of the problem and serves both; otherwise it is the command's own. Throws UserError for a
// negative seed.
std::uint64_t drawing_seed(const Options& of_problem, std::uint64_t of_command);

class ProblemOptions {
 public:
  // Adds the flags of `problem` (null: none) to a subcommand.
  ProblemOptions(CLI::App& command, const Problem* problem);

  // Returns the values that the user gave, typed by the specs. Throws UserError if a text is not a
  // valid value.
  Options values() const;

 private:
  struct Given;
  std::vector<std::shared_ptr<Given>> given_;
};

}  // namespace thallo::cli
