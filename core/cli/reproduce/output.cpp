#include "core/cli/reproduce/output.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"
#include "core/cli/reproduce/makers.h"
#include "core/plugin/loader.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<QuantityValue> ours_of(const ReproducedCase& one, const Quantity& quantity) {
  return one.measured ? value_of(quantity, *one.measured) : std::nullopt;
}

bool has_published(const Reproduction& made, const Quantity& quantity) {
  return quantity.is_shown() && std::ranges::any_of(made.cases, [&](const ReproducedCase& one) {
           return value_of(quantity, one.one->published).has_value();
         });
}

bool has_ours(const Reproduction& made, const Quantity& quantity) {
  return quantity.is_shown() && std::ranges::any_of(made.cases, [&](const ReproducedCase& one) {
           return ours_of(one, quantity).has_value();
         });
}

DataTable::Cell cell(const std::optional<double>& value) {
  return value ? DataTable::Cell(*value) : DataTable::Cell();
}
DataTable::Cell cell(const std::optional<QuantityValue>& value) {
  if (!value) return {};
  if (value->bound == Bound::Exact) return value->value;
  return DataTable::Bounded{std::string(sign_of(value->bound)), value->value};
}

// How a case was measured, or why it was not.
std::string conditions_of(const ReproducedCase& one) {
  if (!one.measured) return "not made: " + one.why_not + ".";
  std::string text = one.measured->conditions;
  for (const std::string& failure : one.failures) text += " Not made: " + failure + ".";
  for (const MadeBy& other : one.others)
    text += fmt::format(" Made earlier, on {} by thallo {}.", other.device, other.core);
  return text;
}

// Says how the cases were measured; those with the same conditions together.
void add_conditions(const Reproduction& made, DataTable& table) {
  std::vector<std::pair<std::string, std::string>> names_by_conditions;
  for (const ReproducedCase& one : made.cases) {
    const std::string conditions = conditions_of(one);
    const auto found =
        std::ranges::find(names_by_conditions, conditions, [](const auto& e) { return e.first; });
    if (found == names_by_conditions.end()) {
      names_by_conditions.emplace_back(conditions, one.one->name);
    } else {
      found->second += ", " + one.one->name;
    }
  }
  for (const auto& [conditions, names] : names_by_conditions)
    table.note(names_by_conditions.size() == 1 ? conditions : names + ": " + conditions);
}

Json published_json(const Reproduction& made, const ReproducedCase& one) {
  Json json = Json::object();
  for (const Quantity& quantity : made.item->quantities)
    if (const auto value = value_of(quantity, one.one->published)) json[quantity.key] = *value;
  return json;
}

Json ours_json(const Reproduction& made, const ReproducedCase& one) {
  Json json = Json::object();
  for (const Quantity& quantity : made.item->quantities)
    if (const auto value = ours_of(one, quantity)) json[quantity.key] = value->value;
  return json;
}

// The values of ours that are bounds: {"seconds": "at least"}.
Json bounds_json(const Reproduction& made, const ReproducedCase& one) {
  Json json = Json::object();
  for (const Quantity& quantity : made.item->quantities)
    if (const auto value = ours_of(one, quantity); value && value->bound != Bound::Exact)
      json[quantity.key] = value->bound == Bound::AtLeast ? "at least" : "at most";
  return json;
}

Json json_of(const Reproduction& made) {
  Json cases = Json::array();
  for (const ReproducedCase& one : made.cases) {
    Json json = {{"case", one.one->name},
                 {"published", published_json(made, one)},
                 {"ours", ours_json(made, one)}};
    if (one.measured) {
      json["conditions"] = conditions_of(one);
      if (const Json bounds = bounds_json(made, one); !bounds.empty()) json["bounds"] = bounds;
      if (!one.measured->curve.empty()) json["curve"] = one.measured->curve;
    } else {
      json["why_not"] = one.why_not;
    }
    cases.push_back(std::move(json));
  }
  return {{"paper", made.paper->name},
          {"item", made.item->number},
          {"title", made.item->title},
          {"published_on", made.paper->hardware},
          {"published_numbers", made.item->published_numbers},
          {"device", made.device},
          {"core", std::string(core_build_id())},
          {"is_tiny", made.is_tiny},
          {"differs", made.item->differs},
          {"left", made.num_left},
          {"failed", made.num_failed},
          {"cases", std::move(cases)}};
}

Table list_table(const Paper& paper) {
  Table table({{"item", Table::Align::Left},
               {"what it shows", Table::Align::Left},
               {"here", Table::Align::Left}});
  for (const PaperItem& item : paper.items)
    table.add({item.number, item.title, state_of(item, false).text});
  return table;
}

// For each quantity a column of what is published and one of ours.
DataTable table_side_by_side(const Reproduction& made, const std::string& title) {
  std::vector<DataTable::Column> columns = {{"case", "case"}};
  for (const Quantity& quantity : made.item->quantities) {
    if (has_published(made, quantity))
      columns.push_back(
          {quantity.key + "_published", quantity.title + ", published", quantity.format});
    if (has_ours(made, quantity))
      columns.push_back({quantity.key + "_ours", quantity.title + ", ours", quantity.format});
  }
  DataTable table(made.item->number, title, columns);
  for (const ReproducedCase& one : made.cases) {
    std::vector<DataTable::Cell> row = {one.one->name};
    for (const Quantity& quantity : made.item->quantities) {
      if (has_published(made, quantity))
        row.push_back(cell(value_of(quantity, one.one->published)));
      if (has_ours(made, quantity)) row.push_back(cell(ours_of(one, quantity)));
    }
    table.add(std::move(row));
  }
  return table;
}

// Where little is published, mostly means: a row of its own for what is.
DataTable table_below_each_other(const Reproduction& made, const std::string& title) {
  std::vector<const Quantity*> shown;
  std::vector<DataTable::Column> columns = {{"case", "case"}};
  for (const Quantity& quantity : made.item->quantities) {
    if (!has_published(made, quantity) && !has_ours(made, quantity)) continue;
    shown.push_back(&quantity);
    columns.push_back({quantity.key, quantity.title, quantity.format});
  }
  DataTable table(made.item->number, title, columns);
  for (const ReproducedCase& one : made.cases) {
    std::vector<DataTable::Cell> published = {one.one->name + ", published"};
    std::vector<DataTable::Cell> ours = {one.one->name};
    for (const Quantity* quantity : shown) {
      published.push_back(cell(value_of(*quantity, one.one->published)));
      ours.push_back(cell(ours_of(one, *quantity)));
    }
    table.add(std::move(ours));
    if (!one.one->published.empty()) table.add(std::move(published));
  }
  return table;
}

}  // namespace

DataTable reproduction_table(const Reproduction& made, TableTitle title) {
  const std::string its_title = fmt::format("{}: {}", made.item->number, made.item->title);
  const std::string whole_title =
      title == TableTitle::OnPage ? its_title : made.paper->title + ", " + its_title;
  const bool has_mean =
      std::ranges::any_of(made.item->cases, [](const PaperCase& one) { return one.is_mean; });
  DataTable table =
      has_mean ? table_below_each_other(made, whole_title) : table_side_by_side(made, whole_title);
  const bool is_printed = std::ranges::any_of(
      made.item->cases, [](const PaperCase& one) { return !one.published.empty(); });
  table.note(fmt::format("Published: {}{}",
                         is_printed ? fmt::format("on {}. ", made.paper->hardware) : "",
                         made.item->published_numbers));
  table.note(fmt::format("Ours: {}{}.", makers_text(made),
                         made.is_tiny ? ", on tiny inputs, which say nothing of speed" : ""));
  if (!made.item->differs.empty()) table.note("What differs: " + made.item->differs);
  if (!made.item->why_not.empty()) table.note("Only in part: " + made.item->why_not + ".");
  add_conditions(made, table);
  if (made.num_left > 0)
    table.note(fmt::format(
        "{} cases are left. The same command goes on with them if it has a store.", made.num_left));
  return table;
}

std::string reproduction_json(std::span<const Reproduction> all) {
  Json json = Json::array();
  for (const Reproduction& made : all) json.push_back(json_of(made));
  return dumped(json);
}

std::string list_text(std::span<const Paper> papers) {
  std::string text;
  for (const Paper& paper : papers)
    text += fmt::format("{}{}: {}\n{}", text.empty() ? "" : "\n", paper.name, paper.title,
                        list_table(paper).text(2));
  return text;
}

std::string list_markdown(std::span<const Paper> papers) {
  std::string text;
  for (const Paper& paper : papers)
    text += fmt::format("{}## {}\n\n{}", text.empty() ? "" : "\n", paper.title,
                        list_table(paper).markdown());
  return text;
}

std::string list_json(std::span<const Paper> papers) {
  Json json = Json::array();
  for (const Paper& paper : papers) {
    Json items = Json::array();
    for (const PaperItem& item : paper.items) {
      const ItemState state = state_of(item, false);
      items.push_back({{"item", item.number},
                       {"title", item.title},
                       {"can_be_made", state.is_makeable()},
                       {"missing", state.missing},
                       {"state", state.text}});
    }
    json.push_back({{"paper", paper.name}, {"title", paper.title}, {"items", std::move(items)}});
  }
  return dumped(json);
}

}  // namespace thallo::cli
