// The options of a problem as flags: made from its OptionSpecs, shown in a group of their own in
// the help, and read back as typed Options. `track_length` is written --track-length.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/problem/options.h"
#include "core/problem/problem.h"

namespace CLI {
class App;
}

namespace thallo::cli {

// The flags of a problem as lines of help.
std::string options_text(const Problem& problem);

// The seed of a command that draws: --seed is an option of problems whose input is drawn, and then
// serves both; else it is the command's own. UserError on a seed below 0.
std::uint64_t drawing_seed(const Options& of_problem, std::uint64_t of_command);

class ProblemOptions {
 public:
  // Adds the flags of `problem` (null: none) to a subcommand.
  ProblemOptions(CLI::App& command, const Problem* problem);

  // What the user gave, in the types of the specs. UserError on a text that is no such value.
  Options values() const;

 private:
  struct Given;
  std::vector<std::shared_ptr<Given>> given_;
};

}  // namespace thallo::cli
