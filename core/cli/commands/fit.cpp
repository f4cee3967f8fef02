// thallo fit STORE...: fits a cost model to measured steps, and says how well it predicts problems
// that it was not fitted to.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "core/base/io/file.h"
#include "core/base/suggest.h"
#include "core/cli/commands/command.h"
#include "core/cli/interrupt.h"
#include "core/cli/output/data_table.h"
#include "core/cli/require.h"
#include "core/cost/learned/fit.h"
#include "core/explore/learn/fit_quality.h"
#include "core/explore/learn/stored_training_set.h"
#include "core/explore/measure/statistics.h"

namespace thallo::cli {
namespace {

struct FitFlags {
  std::vector<std::filesystem::path> stores;
  std::string model{fitted_model_names().back()};
  std::string device;
  std::string left_out;  // a problem; empty: each in turn
  std::filesystem::path out;
  std::uint64_t seed = 1;
  bool json = false;
};

// The problems that are judged.
std::vector<std::size_t> judged_problems(const TrainingSet& set, const std::string& only) {
  std::vector<std::size_t> problems(set.problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) problems[i] = i;
  std::ranges::sort(problems, {}, [&](std::size_t i) { return set.problems[i]; });
  if (only.empty()) return problems;
  return {require(set.problem_number(only))};
}

// What is known of one model about all problems that were judged.
struct JudgedModel {
  std::string name;
  std::vector<FitQuality> qualities;
};

DataTable::Cell cell_of(const std::optional<double>& value) {
  return value ? DataTable::Cell(*value) : DataTable::Cell();
}

// Returns the median of what is there.
DataTable::Cell median_cell(const std::vector<FitQuality>& qualities,
                            const std::function<std::optional<double>(const FitQuality&)>& of) {
  std::vector<double> values;
  for (const FitQuality& quality : qualities)
    if (const auto value = of(quality)) values.push_back(*value);
  return values.empty() ? DataTable::Cell() : DataTable::Cell(median(values));
}

double error_percent(const FitQuality& quality) { return 100 * std::expm1(quality.step_error); }
std::optional<double> off_percent(const FitQuality& quality) {
  if (!quality.first_off_best) return {};
  return 100 * *quality.first_off_best;
}

DataTable table_of(const TrainingSet& set, const std::vector<std::size_t>& problems,
                   const std::vector<JudgedModel>& models) {
  std::vector<DataTable::Column> columns = {
      {"problem", "problem"}, {"steps", "steps"}, {"schedules", "schedules"}};
  for (const JudgedModel& model : models) {
    columns.push_back({model.name + "_error_percent", model.name + " error %", "{:.0f}"});
    columns.push_back({model.name + "_rho", "ρ", "{:.3f}"});
    columns.push_back({model.name + "_off_percent", "first % off", "{:.1f}"});
  }
  DataTable table("fit",
                  fmt::format("Predictions of problems that were left out, on {}", set.device.name),
                  std::move(columns));
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const FitQuality& counted = models.front().qualities[i];
    std::vector<DataTable::Cell> cells = {set.problems[problems[i]],
                                          static_cast<std::int64_t>(counted.num_steps),
                                          static_cast<std::int64_t>(counted.num_schedules)};
    for (const JudgedModel& model : models) {
      const FitQuality& quality = model.qualities[i];
      cells.emplace_back(error_percent(quality));
      cells.push_back(cell_of(quality.rank_correlation));
      cells.push_back(cell_of(off_percent(quality)));
    }
    table.add(std::move(cells));
  }
  std::vector<DataTable::Cell> medians = {std::string("median"), {}, {}};
  for (const JudgedModel& model : models) {
    medians.push_back(median_cell(model.qualities, error_percent));
    medians.push_back(median_cell(
        model.qualities, [](const FitQuality& quality) { return quality.rank_correlation; }));
    medians.push_back(median_cell(model.qualities, off_percent));
  }
  table.add(std::move(medians));
  table.note(fmt::format(
      "error: by how much half of the steps are mispredicted at least; ρ: of the predicted and the "
      "measured times of schedules, where an input has {} of them; first: the schedule that is "
      "predicted to be the fastest, by the fastest.",
      LeastRanked));
  return table;
}

ExitCode run_fit(const FitFlags& flags, Session& session) {
  static InterruptWatch interrupt;
  require(check_fitted_model(flags.model));
  LeftOutRecords left_out;
  const TrainingSet set = require(read_training_set(flags.stores, flags.device, left_out));
  const std::vector<std::size_t> problems = judged_problems(set, flags.left_out);
  const FitOptions options{.seed = flags.seed, .stop = interrupt.stop()};
  const LearnedModel fitted = require(fit_model(flags.model, set, {}, options));
  if (!flags.out.empty()) require(write_file(flags.out, model_text(fitted)));

  std::vector<JudgedModel> judged;
  for (const auto* entry : session.cost_models().entries()) {
    if (entry->item->is_fitted()) continue;
    JudgedModel& its = judged.emplace_back(JudgedModel{entry->name, {}});
    for (const std::size_t problem : problems)
      its.qualities.push_back(quality_of(*entry->item, set, problem));
  }
  if (set.problems.size() > 1) {
    JudgedModel& its = judged.emplace_back(JudgedModel{flags.model, {}});
    for (const std::size_t problem : problems) {
      const auto model =
          make_learned_model(flags.model, require(fit_model(flags.model, set, problem, options)));
      its.qualities.push_back(quality_of(*model, set, problem));
    }
  }
  DataTable table = table_of(set, problems, judged);
  table.note(fmt::format("{} was fitted to {}.", flags.model, fitted.fitted_to));
  if (set.problems.size() == 1) {
    table.note(fmt::format("Only {} was measured, so that no problem is left to judge {} by.",
                           set.problems.front(), flags.model));
  }
  if (left_out.steps + left_out.schedules > 0) {
    table.note(
        fmt::format("Left out, as stores say too little about them: {} times of steps, {} "
                    "schedules.",
                    left_out.steps, left_out.schedules));
  }
  fmt::print("{}\n", flags.json ? table.json() : table.markdown());
  return ExitCode::Ok;
}

}  // namespace

Command add_fit_command(CLI::App& app, Session& session) {
  auto flags = std::make_shared<FitFlags>();
  CLI::App* command = app.add_subcommand("fit", "fit a cost model to measurements");
  command
      ->add_option("STORE", flags->stores,
                   "what `thallo explore` measured; it may be compressed (.gz, .bz2, .xz)")
      ->required();
  command
      ->add_option("--model", flags->model,
                   fmt::format("what is fitted: {}", fmt::join(fitted_model_names(), " or ")))
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--device", flags->device,
                   "a part of the device's name, where stores have measurements of several")
      ->type_name("NAME");
  command
      ->add_option("--leave-out", flags->left_out,
                   "the only problem to be predicted by a model that is fitted to the others "
                   "[each in turn]")
      ->type_name("PROBLEM");
  command->add_option("--out", flags->out, "the file that the model is written to")
      ->type_name("FILE");
  command->add_option("--seed", flags->seed, "of the network's first weights")
      ->type_name("INT")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "a JSON object");
  command->footer(
      R"(A model predicts the times of steps on the device whose measurements it was fitted to. The table says
how well models predict each problem after they were fitted to all others.

Examples:
  thallo fit warp.store adjustment.store --out mine.json
  thallo fit *.store --model learned-linear --leave-out image_warping
  thallo explore optical_flow --model mine.json)");
  return {command, [flags, &session] { return run_fit(*flags, session); }};
}

}  // namespace thallo::cli
