#include "core/explore/store/sqlite/search_runs.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "core/explore/store/sqlite/leases.h"
#include "core/explore/store/sqlite/record_rows.h"
#include "core/explore/store/sqlite/references.h"

namespace thallo {
namespace {

struct StoredRun {
  std::int64_t row = 0;
  SearchRunRecord record;
};

void read_settings(Transaction& transaction, StoredRun& run) {
  Rows rows =
      transaction.query("SELECT is_option, name, value FROM run_settings WHERE run = ?", {run.row});
  SearchRequest& request = run.record.request;
  while (rows.next())
    (rows.integer(0) != 0 ? request.options : request.settings)[rows.text(1)] = rows.text(2);
}

std::vector<StoredRun> read_runs(Transaction& transaction, const RowCondition& condition) {
  std::vector<StoredRun> runs;
  for_each_record<SearchRunRecord>(transaction, "runs.id", condition,
                                   [&](std::int64_t row, SearchRunRecord& record) {
                                     runs.push_back({row, std::move(record)});
                                   });
  for (StoredRun& run : runs) {
    read_settings(transaction, run);
    const RowCondition of_run = {"run = ?", {run.row}};
    for_each_record<SearchFigure>(transaction, "run", of_run,
                                  [&](std::int64_t, SearchFigure& figure) {
                                    run.record.state.figures.push_back(std::move(figure));
                                  });
    for_each_record<SearchEvent>(transaction, "run", of_run, [&](std::int64_t, SearchEvent& event) {
      run.record.events.push_back(std::move(event));
    });
  }
  return runs;
}

// Writes the rows of a run without its figures and events.
std::int64_t insert_run(Transaction& transaction, const SearchRunRecord& run,
                        std::string_view writer) {
  const SearchRequest& request = run.request;
  write_row(transaction, run,
            {{"problem", problem_id(transaction, request.problem)},
             {"device", device_id(transaction, request.device)},
             {"writer", writer}});
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
  for (const SearchFigure& figure : figures)
    write_row(transaction, figure, {{"run", row}, {"position", position++}});
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
    write_row(transaction, event,
              {{"run", row},
               {"position", position++},
               {"schedule", schedule_id(transaction, problem, event.schedule)}});
  }
}

void delete_run(Transaction& transaction, std::int64_t row) {
  for (const char* table : {"run_events", "run_figures", "run_settings"})
    transaction.run(fmt::format("DELETE FROM {} WHERE run = ?", table), {row});
  transaction.run("DELETE FROM runs WHERE id = ?", {row});
}

// A run that was ended or killed before its search had finished goes on.
bool goes_on(Transaction& transaction, const StoredRun& run, const SearchRequest& request) {
  const SearchEnding ending = run.record.state.ending;
  if (run.record.request != request || ending == SearchEnding::Finished) return false;
  if (ending != SearchEnding::Open) return true;
  Rows rows = transaction.query("SELECT writer FROM runs WHERE id = ?", {run.row});
  return rows.next() && (rows.text(0).empty() || holder_has_ended(rows.text(0)));
}

}  // namespace

SearchRunRecord begin_run(Transaction& transaction, const SearchRunRecord& asked,
                          std::string_view holder, Existing existing) {
  if (existing != Existing::Replace) {
    std::vector<StoredRun> runs = read_runs(
        transaction, {"problems.signature = ? AND devices.signature = ? AND search = ?",
                      {asked.request.problem, asked.request.device, asked.request.search}});
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      if (!goes_on(transaction, *run, asked.request)) continue;
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
  const std::vector<StoredRun> old = read_runs(transaction, {"runs.name = ?", {record.id}});
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

template <>
std::vector<SearchRunRecord> read_records(Transaction& transaction,
                                          const StoreSelection& selection) {
  std::vector<SearchRunRecord> records;
  for (StoredRun& run : read_runs(transaction, selected_rows<SearchRunRecord>(selection)))
    records.push_back(std::move(run.record));
  return records;
}

}  // namespace thallo
