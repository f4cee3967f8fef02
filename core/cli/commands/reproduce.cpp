// thallo reproduce [PAPER] [ITEM]: makes the tables and figures of papers again.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/backend_options.h"
#include "core/cli/flags/count_check.h"
#include "core/cli/flags/quantity_check.h"
#include "core/cli/reproduce/figure.h"
#include "core/cli/reproduce/output.h"
#include "core/cli/reproduce/page.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

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
  std::optional<std::string> out;
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

// The items, as far as they can be made; those that cannot say why.
std::vector<PageItem> items_of(const std::vector<const Paper*>& papers, bool is_tiny) {
  std::vector<PageItem> items;
  for (const Paper* paper : papers) {
    for (const PaperItem& item : paper->items) {
      const ItemState state = state_of(item, is_tiny);
      items.push_back({paper, &item, {}, state.is_makeable() ? "" : state.text, ""});
    }
  }
  return items;
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

void write_text(const std::string& flag, const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw UserError(fmt::format("{} {} cannot be written", flag, path.string()));
}

// Called before anything is measured, so that no result is lost.
void check_place_of(const char* flag, const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    throw UserError(fmt::format("{} {}: it is a folder; name a file", flag, file.string()));
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::is_directory(folder, error)) {
    throw UserError(
        fmt::format("{} {}: there is no folder {}", flag, file.string(), folder.string()));
  }
}

Reproducer reproducer_of(Session& session, const ReproduceFlags& flags) {
  return Reproducer(
      {.session = session,
       .backend = flags.backend,
       .device = flags.device,
       .num_threads = flags.num_threads,
       .is_tiny = flags.is_tiny,
       .measurements =
           flags.store ? std::optional(fs::path(*flags.store + ".measured")) : std::nullopt},
      KeptCases(flags.store ? std::optional(fs::path(*flags.store)) : std::nullopt), flags.budget);
}

ExitCode exit_code_of(bool has_failed) { return has_failed ? ExitCode::GoalMissed : ExitCode::Ok; }

// One table or figure.
ExitCode reproduce_item(Session& session, const ReproduceFlags& flags, const Paper& paper) {
  const PaperItem& item = paper.item(fmt::format("{}", fmt::join(flags.item, " ")));
  if (flags.svg) check_place_of("--svg", *flags.svg);
  const Reproduction made = reproducer_of(session, flags).make(paper, item);
  const DataTable table = reproduction_table(made);
  fmt::print("{}", flags.json       ? reproduction_json({&made, 1}) + "\n"
                   : flags.markdown ? table.markdown()
                                    : table.text());
  if (flags.svg) {
    const auto picture = reproduction_svg(made);
    if (!picture)
      throw UserError(fmt::format("--svg: nothing of {} was measured yet", item.number));
    write_text("--svg", *flags.svg, *picture);
  }
  return exit_code_of(made.num_failed > 0);
}

// Makes the folder that pictures of a page are written into: of its name, beside it.
fs::path make_picture_folder(const fs::path& page) {
  fs::path folder = page;
  folder.replace_extension();
  if (folder == page)
    throw UserError(fmt::format("--out {}: name a file, e.g. page.md", page.string()));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw UserError(fmt::format("--out {}: the folder {} cannot be made: {}", page.string(),
                                folder.string(), error.message()));
  }
  check_place_of("--out", page);
  return folder;
}

// Writes the page, and the pictures into their folder.
void write_page(const fs::path& path, const fs::path& folder, std::vector<PageItem>& items) {
  for (PageItem& item : items) {
    const auto picture = item.made ? reproduction_svg(*item.made) : std::nullopt;
    if (!picture) continue;
    const std::string name = item.name() + ".svg";
    write_text("--out", folder / name, *picture);
    item.picture = (folder.filename() / name).string();
  }
  write_text("--out", path, page_markdown(items));
}

// All of papers, on one page. What takes longer is made later.
ExitCode reproduce_all(Session& session, const ReproduceFlags& flags,
                       const std::vector<const Paper*>& papers) {
  std::vector<PageItem> items = items_of(papers, flags.is_tiny);
  std::vector<PageItem*> makeable;
  for (PageItem& item : items)
    if (item.why_not.empty()) makeable.push_back(&item);
  if (makeable.empty())
    throw UserError(fmt::format("nothing of {} can be made here; thallo reproduce --list says why",
                                flags.paper));
  std::ranges::stable_sort(makeable, {}, [](const PageItem* item) {
    return order_of(*find_method(item->item->method));
  });
  fs::path folder;
  if (flags.out) folder = make_picture_folder(*flags.out);
  Reproducer reproducer = reproducer_of(session, flags);
  for (PageItem* item : makeable) item->made = reproducer.make(*item->paper, *item->item);
  if (flags.out) {
    write_page(*flags.out, folder, items);
    fmt::print("Made {}. {}\n", *flags.out, remainder_text(items));
  } else if (flags.json) {
    std::vector<Reproduction> made;
    for (const PageItem& item : items)
      if (item.made) made.push_back(*item.made);
    fmt::print("{}\n", reproduction_json(made));
  } else {
    fmt::print("{}", flags.markdown ? page_markdown(items) : page_text(items));
  }
  return exit_code_of(std::ranges::any_of(
      items, [](const PageItem& item) { return item.made && item.made->num_failed > 0; }));
}

ExitCode run_reproduce(Session& session, const ReproduceFlags& flags) {
  require(check_backend_name(flags.backend));
  if (flags.json && flags.markdown) throw UserError("--json and --markdown exclude each other");
  if (flags.out && flags.json) throw UserError("--json and --out exclude each other");
  const std::vector<Paper> papers = shipped_papers();
  const std::vector<const Paper*> named = chosen_papers(papers, flags.paper);
  if (flags.is_list || flags.paper.empty()) return list_papers(named, flags);
  if (flags.item.empty()) {
    if (flags.svg) throw UserError("--svg takes one table or figure; name it after the paper");
    return reproduce_all(session, flags, named);
  }
  if (flags.out)
    throw UserError("--out takes the page of all tables and figures; name none after the paper");
  if (named.size() != 1)
    throw UserError("a table or figure is one of a paper; name the paper before it");
  return reproduce_item(session, flags, *named.front());
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
      ->transform(CLI::Validator(read_time, ""))
      ->type_name("TIME");
  add_backend_options(*command, flags->backend, flags->device, "Options");
  command->add_option("--threads", flags->num_threads, "threads of the cpu backend; 0 = all [0]")
      ->type_name("INT")
      ->check(count_check(MaxThreads));
  command->add_flag("--json", flags->json, "one JSON text on stdout instead of tables");
  command->add_flag("--markdown", flags->markdown, "tables in markdown");
  command->add_option("--svg", flags->svg, "draw one table or figure")->type_name("FILE");
  command
      ->add_option("--out", flags->out,
                   "write the page as markdown, and its pictures into a folder beside it")
      ->type_name("FILE.md");
  command->footer(R"(Data are read from the folder that THALLO_DATA_DIR names.

Examples:
  thallo reproduce --list
  thallo reproduce thallo table 5
  thallo reproduce thallo table 1 --store thallo.jsonl --budget 8min
  thallo reproduce caspar figure 3 --svg error.svg
  thallo reproduce all --store all.jsonl --budget 8min --out reproduction.md

Exit code: 0, or 1 when a case could not be run.)");
  return {command, [&session, flags] { return run_reproduce(session, *flags); }};
}

}  // namespace thallo::cli
