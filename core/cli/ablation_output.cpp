#include "core/cli/ablation_output.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/quantity_text.h"
#include "core/cli/search_output.h"
#include "core/cli/table.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

double best_of(const std::vector<AblationRow>& rows) {
  double best = std::numeric_limits<double>::infinity();
  for (const AblationRow& row : rows) best = std::min(best, row.best);
  return best;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

void print_ablation(const ExplorationRequest& request, const std::vector<AblationRow>& rows) {
  fmt::print("{}: the search {} by predicted times ({})\n\n", request.target.problem,
             request.search, request.target.model);
  if (rows.empty()) return;
  std::vector<Table::Column> columns;
  for (const auto& [name, is_on] : rows.front().switches)
    columns.push_back({name, Table::Align::Left});
  for (const SearchFigure& figure : rows.front().figures) columns.push_back({figure.name});
  columns.insert(columns.end(),
                 {{"seconds"}, {"chosen"}, {"off the best"}, {"", Table::Align::Left}});
  Table table(columns);
  const double best = best_of(rows);
  for (const AblationRow& row : rows) {
    std::vector<std::string> cells;
    for (const auto& [name, is_on] : row.switches) cells.emplace_back(is_on ? "on" : "off");
    for (const SearchFigure& figure : row.figures) cells.push_back(figure_text(figure));
    cells.resize(columns.size() - 4);
    cells.push_back(fmt::format("{:.2f}", row.searched));
    cells.push_back(std::isfinite(row.best) ? quantity_text(row.best, "s") : "-");
    cells.push_back(std::isfinite(row.best) ? fmt::format("{:.2f} %", 100 * (row.best / best - 1))
                                            : "-");
    cells.emplace_back(row.has_ended ? "" : "ended by the budget");
    table.add(std::move(cells));
  }
  fmt::print("{}", table.text(2));
}

void print_ablation_json(const ExplorationRequest& request, const std::vector<AblationRow>& rows) {
  Json json = {{"problem", request.target.problem},
               {"search", request.search},
               {"model", request.target.model},
               {"best", number(best_of(rows))},
               {"runs", Json::array()}};
  for (const AblationRow& row : rows) {
    Json switches = Json::object();
    for (const auto& [name, is_on] : row.switches) switches[name] = is_on;
    Json figures = Json::object();
    for (const SearchFigure& figure : row.figures) figures[figure.name] = number(figure.value);
    json["runs"].push_back({{"switches", switches},
                            {"figures", figures},
                            {"seconds", row.searched},
                            {"ended", row.has_ended},
                            {"predicted", number(row.best)}});
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace thallo::cli
