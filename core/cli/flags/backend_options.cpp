#include "core/cli/flags/backend_options.h"

#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/cli/flags/count_check.h"
#include "core/cli/flags/help_formatter.h"

namespace thallo::cli {

void add_backend_options(CLI::App& command, std::string& backend, int& device,
                         const std::string& group) {
  const HelpGroup in_group(command, group);
  command
      .add_option("--backend", backend,
                  "auto (cuda, else cpu, else interpreter), cpu, cuda or interpreter [auto]")
      ->type_name("NAME");
  command.add_option("--device", device, "which GPU, by its ordinal in `thallo devices` [0]")
      ->type_name("INT")
      ->check(count_check(std::numeric_limits<int>::max()));
}

void check_architecture(const std::string& architecture) {
  const std::string_view text = architecture;
  const std::string_view number = text.starts_with("sm_") ? text.substr(3) : std::string_view();
  if (number.empty() || number.find_first_not_of("0123456789af") != std::string_view::npos) {
    throw UserError(fmt::format(
        "--arch {}: write sm_ and the compute capability, e.g. sm_80 or sm_90", architecture));
  }
}

}  // namespace thallo::cli
