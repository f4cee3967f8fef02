// Selects the problem of a command: a loaded problem by name, or an energy text with its bindings.
#pragma once

#include <string>
#include <vector>

#include "core/cli/session.h"
#include "core/problem/files/bind_inputs.h"

namespace CLI {
class App;
}

namespace thallo::cli {

struct ProblemChoice {
  std::string name;                   // or the path of an energy text
  std::vector<std::string> bindings;  // "NAME=SOURCE", for the text's inputs

  // Adds PROBLEM, and with it --bind, to a command. *this must live as long as the parser.
  void add_name_to(CLI::App& command);
  void add_to(CLI::App& command);
  // Parses the bindings. Throws UserError if one is not NAME=SOURCE, or if a name is bound twice.
  std::vector<SourceText> sources() const;
  // Returns the problem, which lives as long as the session. Throws UserError if there is none.
  const Problem& open(Session& session) const;
  // Returns the default store for measurements of the problem.
  std::string store() const;
};

// Adds --bind alone, for ProblemChoice::bindings.
void add_bindings_to(CLI::App& command, std::vector<std::string>& bindings);

// Parses the value of a flag such as "X=photo.png". Throws UserError, with the hint what to write,
// for any other text.
SourceText parse_pair(const std::string& flag, const std::string& text, const std::string& hint);
// Parses all of them, and also throws UserError if a name is among them twice.
std::vector<SourceText> parse_pairs(const std::string& flag, const std::vector<std::string>& texts,
                                    const std::string& hint);

}  // namespace thallo::cli
