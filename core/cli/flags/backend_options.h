// The options that select a backend and a device of it, shared by commands that run something.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace thallo::cli {

// Adds --backend and --device to a command, in a group of its help. The referenced variables hold
// the defaults and must live as long as the parser.
void add_backend_options(CLI::App& command, std::string& backend, int& device,
                         const std::string& group);

// Throws UserError if the text is not the name of an architecture such as sm_90.
void check_architecture(const std::string& architecture);

}  // namespace thallo::cli
