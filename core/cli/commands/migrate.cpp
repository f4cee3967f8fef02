// thallo migrate FILE: writes the energy of a text, in whatever dialect that is, as a text in
// Thallo's own.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/log.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/require.h"
#include "core/language/energy_text.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

struct MigrateFlags {
  fs::path file;
  fs::path out;
};

std::string text_of(const MigrateFlags& flags, const EnergyFile& file) {
  std::string text =
      fmt::format("-- Written by thallo migrate, from {}.\n", flags.file.filename().string());
  if (!file.schedule_name.empty())
    text += fmt::format(
        "-- That text means the schedule {0}: thallo run ... --schedule {0}. This one means "
        "auto.\n",
        file.schedule_name);
  return text + require(energy_text(file.energy, file.defaults, WrittenInputs::All));
}

void write_new(const fs::path& path, const std::string& text) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw UserError(
        fmt::format("--out {}: it is there already; nothing is overwritten", path.string()));
  require(write_file(path, text));
}

ExitCode run_migrate(Session& session, const MigrateFlags& flags) {
  const EnergyFile file = require(load_energy_file(session.front_ends(), flags.file));
  const std::string text = text_of(flags, file);
  if (flags.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_new(flags.out, text);
    fmt::print("{}\n", flags.out.string());
  }
  if (!file.schedule.empty())
    logger("cli").warn("the schedule in {} is not written; thallo print schedule shows it",
                       flags.file.string());
  return ExitCode::Ok;
}

}  // namespace

Command add_migrate_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<MigrateFlags>();
  CLI::App* command =
      app.add_subcommand("migrate", "write an energy of Opt's dialect as a text in Thallo's own");
  command->add_option("FILE", flags->file, "the energy text, FILE.t or FILE.lua")->required();
  add_value(*command, "--out", flags->out, "FILE", "the text to write, in place of printing it");
  command->footer(R"(Examples:
  thallo migrate warp.t
  thallo migrate warp.t --out warp.lua)");
  return {command, [flags, &session] { return run_migrate(session, *flags); }};
}

}  // namespace thallo::cli
