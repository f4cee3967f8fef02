#include "core/explore/store/sqlite/search_runs.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/explore/store/sqlite/leases.h"
#include "core/explore/store/sqlite/references.h"

namespace thallo {
namespace {

// A run with its row, and who writes it.
struct StoredRun {
  std::int64_t row = 0;
  SearchRunRecord record;
  std::string writer;
};

constexpr const char* RunsQuery =
    "SELECT runs.id, runs.name, problems.signature, devices.signature, search, space, seed, kind, "
    "budget, revision, unix_seconds, uuid, seconds, ending, writer FROM runs "
    "JOIN problems ON problems.id = runs.problem JOIN devices ON devices.id = runs.device "
    "WHERE {} ORDER BY problems.signature, devices.signature, unix_seconds, runs.name";

StoredRun run_of(Transaction& transaction, const Rows& row) {
  StoredRun run{
      .row = row.integer(0),
      .record = {.id = row.text(1),
                 .request = {.problem = row.text(2),
                             .device = row.text(3),
                             .search = row.text(4),
                             .space = row.text(5),
                             .seed = std::bit_cast<std::uint64_t>(row.integer(6)),
                             .kind = transaction.checked(parse_result_kind(row.text(7)))},
                 .origin = {row.text(9), row.integer(10), row.text(11)},
                 .state = {.seconds = row.real(12),
                           .ending = transaction.checked(parse_search_ending(row.text(13)))}},
      .writer = row.text(14)};
  if (!row.is_null(8)) run.record.budget = row.real(8);
  return run;
}

void read_settings(Transaction& transaction, StoredRun& run) {
  Rows rows =
      transaction.query("SELECT is_option, name, value FROM run_settings WHERE run = ?", {run.row});
  SearchRequest& request = run.record.request;
  while (rows.next())
    (rows.integer(0) != 0 ? request.options : request.settings)[rows.text(1)] = rows.text(2);
}

void read_figures(Transaction& transaction, StoredRun& run) {
  Rows rows = transaction.query(
      "SELECT name, value, unit FROM run_figures WHERE run = ? ORDER BY position", {run.row});
  while (rows.next()) {
    run.record.state.figures.push_back(
        {.name = rows.text(0),
         .value = rows.is_null(1) ? std::numeric_limits<double>::quiet_NaN() : rows.real(1),
         .unit = transaction.checked(parse_figure_unit(rows.text(2)))});
  }
}

void read_events(Transaction& transaction, StoredRun& run) {
  Rows rows = transaction.query(
      "SELECT at, schedules.hash, seconds, was_known FROM run_events "
      "JOIN schedules ON schedules.id = run_events.schedule WHERE run = ? ORDER BY position",
      {run.row});
  while (rows.next()) {
    run.record.events.push_back({.at = rows.real(0),
                                 .schedule = rows.text(1),
                                 .seconds = rows.real(2),
                                 .was_known = rows.integer(3) != 0});
  }
}

std::vector<StoredRun> read_runs(Transaction& transaction, const std::string& where,
                                 std::initializer_list<SqlValue> values) {
  std::vector<StoredRun> runs;
  {
    Rows rows = transaction.query(fmt::format(fmt::runtime(RunsQuery), where), values);
    while (rows.next()) runs.push_back(run_of(transaction, rows));
  }
  for (StoredRun& run : runs) {
    read_settings(transaction, run);
    read_figures(transaction, run);
    read_events(transaction, run);
  }
  return runs;
}

// Writes the rows of a run without its events.
std::int64_t insert_run(Transaction& transaction, const SearchRunRecord& run,
                        std::string_view writer) {
  const SearchRequest& request = run.request;
  transaction.run(
      "INSERT INTO runs (name, problem, device, search, space, seed, kind, budget, revision, "
      "unix_seconds, uuid, seconds, ending, writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?)",
      {run.id, problem_id(transaction, request.problem), device_id(transaction, request.device),
       request.search, request.space, std::bit_cast<std::int64_t>(request.seed),
       to_string(request.kind), run.budget ? SqlValue(*run.budget) : SqlValue(), run.origin.commit,
       run.origin.unix_seconds, run.origin.uuid, run.state.seconds, to_string(run.state.ending),
       writer});
  const std::int64_t row = transaction.last_row_id();
  for (const auto* settings : {&request.options, &request.settings}) {
    for (const auto& [name, value] : *settings) {
      transaction.run("INSERT INTO run_settings (run, is_option, name, value) VALUES (?, ?, ?, ?)",
                      {row, std::int64_t{settings == &request.options}, name, value});
    }
  }
  return row;
}

void write_figures(Transaction& transaction, std::int64_t row, const SearchFigures& figures) {
  transaction.run("DELETE FROM run_figures WHERE run = ?", {row});
  std::int64_t position = 0;
  for (const SearchFigure& figure : figures) {
    transaction.run(
        "INSERT INTO run_figures (run, position, name, value, unit) "
        "VALUES (?, ?, ?, ?, ?)",
        {row, position++, figure.name,
         std::isnan(figure.value) ? SqlValue() : SqlValue(figure.value), to_string(figure.unit)});
  }
}

void append_events(Transaction& transaction, std::int64_t row, const std::string& problem,
                   std::span<const SearchEvent> events) {
  std::int64_t position = 0;
  {
    Rows rows = transaction.query(
        "SELECT coalesce(max(position) + 1, 0) FROM run_events WHERE run = ?", {row});
    if (rows.next()) position = rows.integer(0);
  }
  for (const SearchEvent& event : events) {
    transaction.run(
        "INSERT INTO run_events (run, position, at, schedule, seconds, was_known) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        {row, position++, event.at, schedule_id(transaction, problem, event.schedule),
         event.seconds, std::int64_t{event.was_known}});
  }
}

void delete_run(Transaction& transaction, std::int64_t row) {
  for (const char* table : {"run_events", "run_figures", "run_settings"})
    transaction.run(fmt::format("DELETE FROM {} WHERE run = ?", table), {row});
  transaction.run("DELETE FROM runs WHERE id = ?", {row});
}

// A run that was ended or killed before its search had finished goes on.
bool goes_on(const StoredRun& run, const SearchRequest& request) {
  if (run.record.request != request || run.record.state.ending == SearchEnding::Finished)
    return false;
  return run.record.state.ending != SearchEnding::Open || run.writer.empty() ||
         holder_has_ended(run.writer);
}

}  // namespace

SearchRunRecord begin_run(Transaction& transaction, const SearchRunRecord& asked,
                          std::string_view holder, Existing existing) {
  if (existing != Existing::Replace) {
    std::vector<StoredRun> runs =
        read_runs(transaction, "problems.signature = ? AND devices.signature = ? AND search = ?",
                  {asked.request.problem, asked.request.device, asked.request.search});
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      if (!goes_on(*run, asked.request)) continue;
      transaction.run("UPDATE runs SET writer = ?, ending = ? WHERE id = ?",
                      {holder, to_string(SearchEnding::Open), run->row});
      run->record.state.ending = SearchEnding::Open;
      return std::move(run->record);
    }
  }
  insert_run(transaction, asked, holder);
  return asked;
}

void extend_run(Transaction& transaction, const std::string& id,
                std::span<const SearchEvent> events, const SearchState& state) {
  std::int64_t row = 0;
  std::string problem;
  {
    Rows rows = transaction.query(
        "SELECT runs.id, problems.signature FROM runs JOIN problems ON problems.id = runs.problem "
        "WHERE runs.name = ?",
        {id});
    if (!rows.next())
      return transaction.fail({fmt::format("the store has no run '{}'", id), {}, {}});
    row = rows.integer(0);
    problem = rows.text(1);
  }
  append_events(transaction, row, problem, events);
  write_figures(transaction, row, state.figures);
  transaction.run("UPDATE runs SET seconds = ?, ending = ? WHERE id = ?",
                  {state.seconds, to_string(state.ending), row});
  if (state.ending != SearchEnding::Open)
    transaction.run("UPDATE runs SET writer = '' WHERE id = ?", {row});
}

void write_run(Transaction& transaction, const SearchRunRecord& record, Existing existing,
               StoreChanges& changes) {
  const std::vector<StoredRun> old = read_runs(transaction, "runs.name = ?", {record.id});
  if (!old.empty()) {
    const SearchRunRecord& its = old.front().record;
    if (its == record) {
      ++changes.same;
      return;
    }
    const bool is_longer =
        record.events.size() > its.events.size() ||
        (record.events.size() == its.events.size() && record.state.seconds > its.state.seconds);
    if (existing == Existing::Keep || (existing == Existing::KeepMoreSamples && !is_longer)) {
      ++changes.kept;
      return;
    }
    delete_run(transaction, old.front().row);
  }
  const std::int64_t row = insert_run(transaction, record, "");
  write_figures(transaction, row, record.state.figures);
  append_events(transaction, row, record.request.problem, record.events);
  ++(old.empty() ? changes.added : changes.replaced);
}

void read_records(Transaction& transaction, const StoreSelection& selection,
                  std::vector<SearchRunRecord>& records) {
  for (StoredRun& run : read_runs(transaction,
                                  "(?1 = '' OR problems.signature = ?1) AND "
                                  "(?2 = '' OR devices.signature = ?2)",
                                  {selection.problem, selection.device}))
    records.push_back(std::move(run.record));
}

}  // namespace thallo
