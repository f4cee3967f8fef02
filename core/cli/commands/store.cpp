// thallo store WHAT FILE...: shows the contents of measurement stores, and moves results between
// them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/bytes_text.h"
#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/base/json_fields.h"
#include "core/base/overloaded.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/flags/value_option.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/steps_output.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/explore/store/store.h"
#include "core/explore/store/store_json.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;
using json_fields::Json;
using json_fields::plain;
using Access = MeasurementStore::Access;

struct StoreFlags {
  std::string what;
  std::vector<std::string> files;
  std::string problem;
  std::string out;
  std::string device;
  std::vector<std::string> models;  // [PROBLEM=]NAME
  bool check = false;
  bool json = false;
};

// Counts the results of one problem on one device.
struct ResultCounts {
  std::int64_t steps = 0;  // timed steps, counting each state of the caches
  std::int64_t composed = 0;
  std::int64_t end_to_end = 0;
  std::int64_t failed = 0;  // failures of all three kinds
  std::int64_t runs = 0;    // of searches
};
THALLO_FIELDS(ResultCounts, steps, composed, end_to_end, failed, runs)

// Counts the kernels of one compiler.
struct KernelCounts {
  std::int64_t kernels = 0;
  std::int64_t spilling = 0;  // among kernels whose registers are known
  std::optional<std::int64_t> most_registers;
  std::optional<double> compile_seconds;

  void add(const KernelRecord& kernel) {
    ++kernels;
    if (kernel.registers) most_registers = std::max(most_registers.value_or(0), *kernel.registers);
    if (kernel.spill_bytes.value_or(0) > 0) ++spilling;
    if (kernel.compile_seconds)
      compile_seconds = compile_seconds.value_or(0) + *kernel.compile_seconds;
  }
};
THALLO_FIELDS(KernelCounts, kernels, spilling, most_registers, compile_seconds)

struct StoreInfo {
  fs::path path;
  std::uintmax_t bytes = 0;  // without the log file that SQLite keeps beside it
  std::vector<DeviceRecord> devices;
  std::vector<ProblemRecord> problems;
  std::size_t num_kernels = 0;
  std::map<std::string, KernelCounts> kernels;       // by compiler
  std::map<std::string, std::size_t> num_schedules;  // by problem
  // Keyed by the signatures of problem and device.
  std::map<std::pair<std::string, std::string>, ResultCounts> results;
  std::vector<Lease> leases;
};

StoreInfo read_info(const fs::path& path, bool checks_records) {
  const MeasurementStore store = require(MeasurementStore::open(path, Access::Read));
  require(checks_records ? store.check_records() : store.check());
  StoreInfo info;
  info.path = path;
  info.bytes = fs::file_size(path);
  info.leases = require(store.leases());
  const auto counts_of = [&](const auto& slot) -> ResultCounts& {
    return info.results[{slot.problem, slot.device}];
  };
  const auto count =
      Overloaded{[&](const DeviceRecord& device) { info.devices.push_back(device); },
                 [&](const ProblemRecord& problem) { info.problems.push_back(problem); },
                 [&](const KernelRecord& kernel) {
                   ++info.num_kernels;
                   info.kernels[kernel.compiler].add(kernel);
                 },
                 [&](const ScheduleRecord& schedule) { ++info.num_schedules[schedule.problem]; },
                 [&](const StepSamples& samples) {
                   ResultCounts& counts = counts_of(samples.slot);
                   ++(samples.is_ok() ? counts.steps : counts.failed);
                 },
                 [&](const ScheduleResult& result) {
                   ResultCounts& counts = counts_of(result.slot);
                   const bool is_composed = result.slot.kind == ResultKind::Composed;
                   std::int64_t& ok = is_composed ? counts.composed : counts.end_to_end;
                   ++(result.is_ok() ? ok : counts.failed);
                 },
                 [&](const SearchRunRecord& run) { ++counts_of(run.request).runs; },
                 [](const SpaceRecord&) {},
                 [](const StepRecord&) {}};
  for (const StoreRecord& record : require(store.records())) std::visit(count, record);
  return info;
}

std::chrono::seconds time_left(const Lease& lease) {
  return std::chrono::duration_cast<std::chrono::seconds>(lease.expires -
                                                          std::chrono::system_clock::now());
}

Json json_of(const StoreInfo& info) {
  Json devices = Json::array();
  for (const DeviceRecord& device : info.devices) {
    devices.push_back(
        {{"signature", device.signature}, {"name", device.name}, {"backend", device.backend}});
  }
  Json problems = Json::array();
  for (const ProblemRecord& problem : info.problems) {
    Json results = Json::array();
    for (const auto& [slot, counts] : info.results) {
      if (slot.first != problem.signature) continue;
      results.push_back({{"device", slot.second}});
      results.back().update(plain(counts));
    }
    const auto schedules = info.num_schedules.find(problem.signature);
    problems.push_back(
        {{"signature", problem.signature},
         {"name", problem.name},
         {"options", problem.options},
         {"title", problem.title},
         {"schedules", schedules == info.num_schedules.end() ? 0 : schedules->second},
         {"results", std::move(results)}});
  }
  Json kernels = Json::array();
  for (const auto& [compiler, counts] : info.kernels) {
    kernels.push_back({{"compiler", compiler}});
    kernels.back().update(plain(counts));
  }
  Json leases = Json::array();
  for (const Lease& lease : info.leases) {
    leases.push_back({{"problem", lease.problem},
                      {"device", lease.device},
                      {"work", lease.work},
                      {"holder", lease.holder},
                      {"seconds_left", time_left(lease).count()}});
  }
  return {{"file", info.path.string()},    {"bytes", info.bytes},
          {"kernels", info.num_kernels},   {"compiled", std::move(kernels)},
          {"devices", std::move(devices)}, {"problems", std::move(problems)},
          {"leases", std::move(leases)}};
}

// Prints "-" if the registers are unknown, or if all kernels were in the cache.
void print_kernels(const StoreInfo& info,
                   const std::map<std::string, const DeviceRecord*>& devices) {
  Table table({left("kernels for"), "kernels", "compiled in", "most registers", "spilling"});
  for (const auto& [compiler, counts] : info.kernels) {
    const auto device = devices.find(compiler);
    const bool is_loaded = counts.most_registers.has_value();
    table.add({device == devices.end() ? compiler : device->second->name,
               fmt::to_string(counts.kernels),
               counts.compile_seconds ? fmt::format("{:.1f} s", *counts.compile_seconds) : "-",
               is_loaded ? fmt::to_string(*counts.most_registers) : "-",
               is_loaded ? fmt::to_string(counts.spilling) : "-"});
  }
  if (!table.empty()) fmt::print("\n{}", table.text(2));
}

void print_text(const StoreInfo& info) {
  fmt::print("{}: {}, problems: {}, devices: {}, kernels: {}\n", info.path.string(),
             bytes_text(static_cast<double>(info.bytes)), info.problems.size(), info.devices.size(),
             info.num_kernels);
  std::map<std::string, const DeviceRecord*> devices;
  for (const DeviceRecord& device : info.devices) devices[device.signature] = &device;
  Table table({left("problem"), left("signature"), left("options"), "schedules", left("device"),
               "steps", "composed", "end to end", "failed", "searches"});
  for (const ProblemRecord& problem : info.problems) {
    const auto schedules = info.num_schedules.find(problem.signature);
    std::vector<std::string> cells = {
        problem.name, problem.signature, problem.options,
        fmt::to_string(schedules == info.num_schedules.end() ? 0 : schedules->second)};
    bool has_results = false;
    for (const auto& [slot, counts] : info.results) {
      if (slot.first != problem.signature) continue;
      has_results = true;
      std::vector<std::string> row = cells;
      row.insert(row.end(), {devices.at(slot.second)->name, fmt::to_string(counts.steps),
                             fmt::to_string(counts.composed), fmt::to_string(counts.end_to_end),
                             fmt::to_string(counts.failed), fmt::to_string(counts.runs)});
      table.add(std::move(row));
    }
    if (has_results) continue;
    cells.resize(10);
    table.add(std::move(cells));
  }
  if (!table.empty()) fmt::print("\n{}", table.text(2));
  print_kernels(info, devices);
  struct Held {
    std::int64_t count = 0;
    std::chrono::seconds left{0};
  };
  std::map<std::string, Held> by_holder;
  for (const Lease& lease : info.leases) {
    Held& held = by_holder[lease.holder];
    ++held.count;
    held.left = std::max(held.left, time_left(lease));
  }
  for (const auto& [holder, held] : by_holder) {
    fmt::print("  {} is measuring, results to come: {}, at most for another {} s\n", holder,
               held.count, held.left.count());
  }
}

void run_info(const StoreFlags& flags) {
  Json all = Json::array();
  for (const std::string& file : flags.files) {
    const StoreInfo info = read_info(file, flags.check);
    if (flags.json) {
      all.push_back(json_of(info));
      continue;
    }
    print_text(info);
    if (flags.check) fmt::print("\n  every record has its checksum\n");
  }
  if (flags.json) print_json(all);
}

// Returns what is of the problem with that name or signature, or of the only one if none is named.
StoreSelection selection_of(const MeasurementStore& store, const StoreFlags& flags) {
  const std::string& name = flags.problem;
  std::vector<std::string> legal;
  std::vector<std::string> matching;
  for (const ProblemRecord& problem : require(store.list<ProblemRecord>())) {
    legal.push_back(fmt::format("{} ({} {})", problem.signature, problem.name, problem.options));
    if (name.empty() || name == problem.name || name == problem.signature)
      matching.push_back(problem.signature);
  }
  if (matching.size() == 1) return {matching.front(), ""};
  const std::string found =
      matching.empty() ? name.empty() ? "has no problem" : fmt::format("has no problem '{}'", name)
                       : fmt::format("has {} problems{}; choose one by --problem", matching.size(),
                                     name.empty() ? "" : fmt::format(" '{}'", name));
  throw UserError(Diagnostic{found, {store.path()}, legal});
}

// Adds the records of all other files to the store in the first one. Reads everything before
// writing anything. Removes a new store to which nothing could be added.
void run_merge(const StoreFlags& flags) {
  std::vector<std::vector<StoreRecord>> files;
  for (std::size_t i = 1; i < flags.files.size(); ++i) {
    const MeasurementStore from = require(MeasurementStore::open(flags.files[i], Access::Read));
    files.push_back(
        require(flags.problem.empty() ? from.records() : from.records(selection_of(from, flags))));
  }
  const fs::path into = flags.files.front();
  std::error_code error;
  const bool is_new = !fs::exists(into, error);
  std::optional<MeasurementStore> store = require(MeasurementStore::open(into, Access::Write));
  Json all = Json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto added = store->add(files[i], Existing::KeepMoreSamples);
    if (!added) {
      store.reset();
      if (is_new && i == 0) fs::remove(into, error);
      throw UserError(added.error());
    }
    const StoreChanges& changes = *added;
    const std::string& from = flags.files[i + 1];
    if (flags.json) {
      all.push_back({{"file", from},
                     {"added", changes.added},
                     {"same", changes.same},
                     {"kept", changes.kept},
                     {"replaced", changes.replaced}});
    } else {
      fmt::print("{}: results added: {}, already there: {}, conflicts: {}\n", from, changes.added,
                 changes.same, changes.kept + changes.replaced);
      if (changes.kept > 0) fmt::print("  {} kept, with as many samples or more\n", changes.kept);
      if (changes.replaced > 0) fmt::print("  {} replaced, by more samples\n", changes.replaced);
    }
  }
  if (flags.json) print_json(all);
}

void run_export(const StoreFlags& flags) {
  const MeasurementStore store = require(MeasurementStore::open(flags.files.front(), Access::Read));
  const std::string lines = to_json_lines(require(store.records(selection_of(store, flags))));
  if (flags.out.empty()) {
    fmt::print("{}", lines);
  } else {
    require(write_file(flags.out, lines));
  }
}

void check_flags(const StoreFlags& flags) {
  const bool is_export = flags.what == "export";
  const bool is_merge = flags.what == "merge";
  const std::vector<std::string> legal = {"info", "merge", "export", "steps"};
  if (std::ranges::find(legal, flags.what) == legal.end()) {
    throw UserError(unknown_name("there is no thallo store", flags.what, legal));
  }
  if (is_merge && flags.files.size() < 2)
    throw UserError("thallo store merge takes two files at least: merge INTO FROM...");
  if (is_export && flags.files.size() > 1)
    throw UserError("thallo store export takes one file; merge several first");
  if (is_export && flags.json) throw UserError("--json has no effect: export writes JSON anyway");
  for (const auto& [name, is_given, of] :
       {std::tuple("--problem", !flags.problem.empty(), is_merge ? "merge" : "export"),
        {"--out", !flags.out.empty(), "export"},
        {"--device", !flags.device.empty(), "steps"},
        {"--model", !flags.models.empty(), "steps"},
        {"--check", flags.check, "info"}}) {
    if (is_given && flags.what != of)
      throw UserError(fmt::format("{} has no effect on thallo store {}", name, flags.what));
  }
}

ExitCode run_store(const StoreFlags& flags, Session& session) {
  check_flags(flags);
  if (flags.what == "info") run_info(flags);
  if (flags.what == "merge") run_merge(flags);
  if (flags.what == "export") run_export(flags);
  if (flags.what == "steps") {
    const std::vector<fs::path> stores(flags.files.begin(), flags.files.end());
    print_steps(session, stores, flags.device, flags.models);
  }
  return ExitCode::Ok;
}

}  // namespace

Command add_store_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<StoreFlags>();
  CLI::App* command =
      app.add_subcommand("store", "show what was measured, and move it between files");
  command
      ->add_option(
          "WHAT", flags->what,
          "info: counts of results, by problem and device; checks the files\n"
          "merge: adds the results of other stores to the first\n"
          "export: writes the results of a problem as lines of JSON\n"
          "steps: writes the measured steps and schedules, as what cost models are fitted\n"
          "to and judged by, as JSON")
      ->required();
  command->add_option("FILE", flags->files, "a store")->required();
  add_value(*command, "--problem", flags->problem, "NAME",
            "of export and merge: this one alone, by name or signature");
  add_value(*command, "--out", flags->out, "FILE", "of export: a file instead of stdout");
  add_value(*command, "--device", flags->device, "NAME",
            "of steps: a part of the device's name, where stores have several");
  add_value(*command, "--model", flags->models, "[PROBLEM=]NAME",
            "of steps: a cost model, or its file, whose predictions are written in place of\n"
            "what models read of a step; of all problems, or of one");
  command->add_flag("--check", flags->check,
                    "of info: compare each record with its checksum; fails if one is damaged");
  command->add_flag("--json", flags->json, "a JSON array with an object for each file");
  command->footer(R"(Of two results for the same thing, the one with more samples stays.

Examples:
  thallo store info --check warp.store
  thallo store merge all.store warp.store other.store
  thallo store export all.store --problem image_warping --out warp.jsonl.gz)");
  return {command, [flags, &session] { return run_store(*flags, session); }};
}

}  // namespace thallo::cli
