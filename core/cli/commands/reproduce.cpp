// thallo reproduce [PAPER] [ITEM]: makes the tables and figures of papers again.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/backend_options.h"
#include "core/cli/commands/command.h"
#include "core/cli/count_check.h"
#include "core/cli/reproduce/figure.h"
#include "core/cli/reproduce/output.h"

namespace thallo::cli {
namespace {

struct ReproduceFlags {
  std::string paper;
  std::vector<std::string> item;  // the words of "table 5"
  bool is_list = false;
  bool is_tiny = false;
  std::string backend = "auto";
  int device = 0;
  int num_threads = 0;
  std::optional<std::string> store;
  std::optional<double> budget;
  bool json = false;
  bool markdown = false;
  std::optional<std::string> svg;
};

// A table or figure with the paper that it is of.
struct Chosen {
  const Paper* paper = nullptr;
  const PaperItem* item = nullptr;
};

// Without a name, or with "all", all papers.
std::vector<const Paper*> chosen_papers(const std::vector<Paper>& papers, const std::string& name) {
  std::vector<const Paper*> chosen;
  std::vector<std::string> known;
  for (const Paper& paper : papers) {
    known.push_back(paper.name);
    if (name.empty() || name == "all" || name == paper.name) chosen.push_back(&paper);
  }
  known.emplace_back("all");
  if (chosen.empty())
    throw UserError(
        Diagnostic{fmt::format("no paper '{}'{}", name, did_you_mean(name, known)), {}, known});
  return chosen;
}

// The item that is named, or all that can be made.
std::vector<Chosen> chosen_items(const std::vector<const Paper*>& papers,
                                 const ReproduceFlags& flags) {
  std::vector<Chosen> chosen;
  if (!flags.item.empty()) {
    if (papers.size() != 1)
      throw UserError("a table or figure is one of a paper; name the paper before it");
    chosen.push_back(
        {papers.front(), &papers.front()->item(fmt::format("{}", fmt::join(flags.item, " ")))});
    return chosen;
  }
  for (const Paper* paper : papers)
    for (const PaperItem& item : paper->items)
      if (state_of(item, flags.is_tiny).is_makeable()) chosen.push_back({paper, &item});
  return chosen;
}

ExitCode list_papers(const std::vector<const Paper*>& chosen, const ReproduceFlags& flags) {
  std::vector<Paper> papers;
  for (const Paper* paper : chosen) papers.push_back(*paper);
  fmt::print("{}{}",
             flags.json       ? list_json(papers)
             : flags.markdown ? list_markdown(papers)
                              : list_text(papers),
             flags.json ? "\n" : "");
  return ExitCode::Ok;
}

void write_svg(const std::string& path, const Reproduction& made) {
  std::ofstream file(path, std::ios::binary);
  file << reproduction_svg(made);
  file.close();
  if (!file) throw UserError(fmt::format("--svg {} cannot be written", path));
}

ExitCode run_reproduce(Session& session, const ReproduceFlags& flags) {
  if (flags.json && flags.markdown) throw UserError("--json and --markdown exclude each other");
  const std::vector<Paper> papers = shipped_papers();
  const std::vector<const Paper*> named = chosen_papers(papers, flags.paper);
  if (flags.is_list || flags.paper.empty()) return list_papers(named, flags);
  const std::vector<Chosen> chosen = chosen_items(named, flags);
  if (chosen.empty())
    throw UserError(fmt::format("nothing of {} can be made here; thallo reproduce --list says why",
                                flags.paper));
  if (flags.svg && chosen.size() != 1)
    throw UserError("--svg takes one table or figure; name it after the paper");

  Reproducer reproducer(
      {.session = session,
       .backend = flags.backend,
       .device = flags.device,
       .num_threads = flags.num_threads,
       .is_tiny = flags.is_tiny,
       .measurements = flags.store
                           ? std::optional(std::filesystem::path(*flags.store + ".measured"))
                           : std::nullopt},
      KeptCases(flags.store ? std::optional(std::filesystem::path(*flags.store)) : std::nullopt),
      flags.budget);
  std::vector<Reproduction> all;
  for (const Chosen& one : chosen) {
    all.push_back(reproducer.make(*one.paper, *one.item));
    if (flags.json) continue;
    const DataTable table = reproduction_table(all.back());
    fmt::print("{}{}", all.size() > 1 ? "\n" : "",
               flags.markdown ? table.markdown() : table.text());
    std::fflush(stdout);
  }
  if (flags.json) fmt::print("{}\n", reproduction_json(all));
  if (flags.svg) write_svg(*flags.svg, all.front());
  const bool has_failed =
      std::ranges::any_of(all, [](const Reproduction& made) { return made.num_failed > 0; });
  return has_failed ? ExitCode::GoalMissed : ExitCode::Ok;
}

}  // namespace

Command add_reproduce_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<ReproduceFlags>();
  CLI::App* command =
      app.add_subcommand("reproduce", "make the tables and figures of papers again");
  command->add_option("PAPER", flags->paper, "thallo, opt, caspar, anderson, or all");
  command->add_option("ITEM", flags->item,
                      "one of its tables or figures, e.g. table 5; all that can be made otherwise");
  command->add_flag("--list", flags->is_list, "say what can be made here and what is missing");
  command->add_flag("--tiny", flags->is_tiny, "on inputs that take seconds on a cpu");
  command
      ->add_option("--store", flags->store,
                   "a file that keeps what was measured; the same command goes on from there")
      ->type_name("FILE");
  command
      ->add_option("--budget", flags->budget,
                   "begin no further case after this time; what is left is said")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  add_backend_options(*command, flags->backend, flags->device, "Options");
  command->add_option("--threads", flags->num_threads, "threads of the cpu backend; 0 = all [0]")
      ->type_name("INT")
      ->check(count_check(MaxThreads));
  command->add_flag("--json", flags->json, "one JSON text on stdout instead of tables");
  command->add_flag("--markdown", flags->markdown, "tables in markdown");
  command->add_option("--svg", flags->svg, "draw one table or figure")->type_name("FILE");
  command->footer(R"(Data are read from the folder that THALLO_DATA_DIR names.

Examples:
  thallo reproduce --list
  thallo reproduce thallo table 5
  thallo reproduce thallo table 1 --store thallo.jsonl --budget 480
  thallo reproduce caspar figure 3 --svg error.svg
  thallo reproduce all --markdown --store all.jsonl

Exit code: 0, or 1 when a case could not be run.)");
  return {command, [&session, flags] { return run_reproduce(session, *flags); }};
}

}  // namespace thallo::cli
