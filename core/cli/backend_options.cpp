#include "core/cli/backend_options.h"

#include <limits>

#include <CLI/CLI.hpp>

#include "core/cli/count_check.h"

namespace thallo::cli {

void add_backend_options(CLI::App& command, std::string& backend, int& device,
                         const std::string& group) {
  command
      .add_option("--backend", backend,
                  "auto (cuda, else cpu, else interpreter), cpu, cuda or interpreter [auto]")
      ->type_name("NAME")
      ->group(group);
  command.add_option("--device", device, "which GPU, by its ordinal in `thallo devices` [0]")
      ->type_name("INT")
      ->check(count_check(std::numeric_limits<int>::max()))
      ->group(group);
}

}  // namespace thallo::cli
