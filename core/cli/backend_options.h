// The options that commands which run something share: on which backend, and on which device of it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace thallo::cli {

// Adds --backend and --device to a command, in a group of its help. The targets hold the defaults
// and must live as long as the parser.
void add_backend_options(CLI::App& command, std::string& backend, int& device,
                         const std::string& group);

}  // namespace thallo::cli
