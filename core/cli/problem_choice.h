// Which problem a command is about: one that is loaded, by its name, or an energy text with its
// bindings.
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
  std::vector<std::string> bindings;  // "NAME=SOURCE", of the text's inputs

  // PROBLEM and --bind; *this must live as long as the parser.
  void add_to(CLI::App& command);
  // The bindings; UserError for one that is no NAME=SOURCE, and for a name that is bound twice.
  std::vector<SourceText> sources() const;
  // The problem, which lives as long as the session. UserError when there is none.
  const Problem& open(Session& session) const;
  // The store of its measurements where none is named.
  std::string store() const;
};

// --bind alone, for ProblemChoice::bindings.
void add_bindings_to(CLI::App& command, std::vector<std::string>& bindings);

// "X=photo.png", as the flag takes it. UserError with the example for another text.
SourceText parse_pair(const std::string& flag, const std::string& text, const char* example);

}  // namespace thallo::cli
