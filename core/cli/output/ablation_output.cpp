#include "core/cli/output/ablation_output.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/json_fields.h"
#include "core/base/quantity_text.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/search_output.h"
#include "core/cli/output/table.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? quantity_text(seconds, "s") : "-";
}
std::string off_text(double seconds, double best) {
  return std::isfinite(seconds) ? fmt::format("{:.2f} %", 100 * (seconds / best - 1)) : "-";
}

// Where a store was asked: the time, "failed" or "unknown", and how far it is off the best known.
std::vector<std::string> stored_cells(const std::optional<double>& stored, double best_known) {
  if (!stored) return {"unknown", "-"};
  if (!std::isfinite(*stored)) return {"failed", "-"};
  return {seconds_text(*stored), off_text(*stored, best_known)};
}

std::string title_of(const ExplorationRequest& request) {
  return fmt::format("{}: the search {} by predicted times ({})", request.target.problem,
                     request.search, request.target.model);
}

Table table_of(const Ablation& ablation) {
  const std::vector<AblationRow>& rows = ablation.rows;
  const bool is_stored = std::isfinite(ablation.best_known);
  std::vector<Table::Column> columns;
  for (const auto& [name, is_on] : rows.front().switches) columns.push_back(left(name));
  for (const SearchFigure& figure : rows.front().figures) columns.push_back(figure.name);
  const std::size_t num_figures = columns.size();
  columns.insert(columns.end(), {"seconds", "chosen", "off the best"});
  if (is_stored) columns.insert(columns.end(), {"measured", "off the best known"});
  columns.push_back(left(""));
  Table table(columns);
  const double best = ablation.best();
  for (const AblationRow& row : rows) {
    std::vector<std::string> cells;
    for (const auto& [name, is_on] : row.switches) cells.emplace_back(is_on ? "on" : "off");
    for (const SearchFigure& figure : row.figures) cells.push_back(figure_text(figure));
    cells.resize(num_figures);
    cells.push_back(fmt::format("{:.2f}", row.searched));
    cells.push_back(seconds_text(row.best));
    cells.push_back(off_text(row.best, best));
    if (is_stored) {
      for (std::string& cell : stored_cells(row.stored, ablation.best_known))
        cells.push_back(std::move(cell));
    }
    cells.emplace_back(row.has_ended ? "" : "ended by the budget");
    table.add(std::move(cells));
  }
  return table;
}

Json json_of(const ExplorationRequest& request, const std::vector<std::string>& pins,
             const Ablation& ablation) {
  Json json = {{"problem", request.target.problem},
               {"pins", pins},
               {"search", request.search},
               {"model", request.target.model},
               {"best", plain(ablation.best())},
               {"best_known", plain(ablation.best_known)},
               {"runs", Json::array()}};
  for (const AblationRow& row : ablation.rows) {
    Json switches = Json::object();
    for (const auto& [name, is_on] : row.switches) switches[name] = is_on;
    json["runs"].push_back({{"switches", switches},
                            {"figures", figures_json(row.figures)},
                            {"seconds", row.searched},
                            {"ended", row.has_ended},
                            {"chosen", row.chosen.empty() ? Json() : Json(row.chosen)},
                            {"predicted", plain(row.best)},
                            {"measured", plain(row.stored)}});
  }
  return json;
}

}  // namespace

void print_ablation(const ExplorationRequest& request, const std::vector<std::string>& pins,
                    const Ablation& ablation, AblationFormat format) {
  if (format == AblationFormat::Json) {
    print_json(json_of(request, pins, ablation));
    return;
  }
  const bool is_markdown = format == AblationFormat::Markdown;
  fmt::print("{}{}\n\n", is_markdown ? "## " : "", title_of(request));
  print_pins(pins);
  if (!pins.empty()) fmt::print("\n");
  if (ablation.rows.empty()) return;
  const Table table = table_of(ablation);
  fmt::print("{}", is_markdown ? table.markdown() : table.text(2));
  if (std::isfinite(ablation.best_known))
    fmt::print("\nThe best known takes {}.\n", seconds_text(ablation.best_known));
}

}  // namespace thallo::cli
