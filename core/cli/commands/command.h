// The subcommands of `thallo`, one file each. A command adds itself, with its options and its help,
// to the parser. If the user chose it, it is run with the parsed options.
#pragma once

#include <functional>
#include <string>

#include "core/cli/exit_code.h"
#include "core/cli/session.h"

namespace CLI {
class App;
}

namespace thallo::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<ExitCode()> run;
};

// Commands on a problem also have that problem's options. `problem` is the one that the command
// line names, or null.
Command add_problems_command(CLI::App& app, Session& session);
Command add_solve_command(CLI::App& app, Session& session, const Problem* problem);
Command add_run_command(CLI::App& app, Session& session);
Command add_check_command(CLI::App& app, Session& session, const Problem* problem);
Command add_export_command(CLI::App& app, Session& session, const Problem* problem);
Command add_print_command(CLI::App& app, Session& session, const Problem* problem);
Command add_explain_command(CLI::App& app, Session& session, const Problem* problem);
Command add_explore_command(CLI::App& app, Session& session, const Problem* problem);
Command add_report_command(CLI::App& app, Session& session, const Problem* problem);
Command add_verify_command(CLI::App& app, Session& session, const Problem* problem);
Command add_store_command(CLI::App& app, Session& session);
Command add_migrate_command(CLI::App& app, Session& session);
Command add_new_command(CLI::App& app, Session& session);
Command add_plugins_command(CLI::App& app, Session& session);
Command add_devices_command(CLI::App& app, Session& session);
Command add_worker_command(CLI::App& app, Session& session, const Problem* problem);
// A command that is written in Python, as core/python/thallo_tools/NAME.py. It parses its arguments
// itself.
Command add_python_part(CLI::App& app, Session& session, const std::string& name,
                        const std::string& help);

}  // namespace thallo::cli
