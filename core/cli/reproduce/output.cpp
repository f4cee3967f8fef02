#include "core/cli/reproduce/output.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cli/table.h"
#include "core/plugin/loader.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, double>& values_of(const ReproducedCase& one) {
  static const std::map<std::string, double> None;
  return one.measured ? one.measured->values : None;
}

bool has_published(const Reproduction& made, const Quantity& quantity) {
  return std::ranges::any_of(made.cases, [&](const ReproducedCase& one) {
    return Reproduction::value_of(quantity, one.one->published).has_value();
  });
}

bool has_ours(const Reproduction& made, const Quantity& quantity) {
  return std::ranges::any_of(made.cases, [&](const ReproducedCase& one) {
    return Reproduction::value_of(quantity, values_of(one)).has_value();
  });
}

DataTable::Cell cell(const std::optional<double>& value) {
  return value ? DataTable::Cell(*value) : DataTable::Cell();
}

// Says how the cases were measured; those with the same conditions together.
void add_conditions(const Reproduction& made, DataTable& table) {
  std::vector<std::pair<std::string, std::string>> names_by_conditions;
  for (const ReproducedCase& one : made.cases) {
    const std::string conditions =
        one.measured ? one.measured->conditions : "not made: " + one.why_not + ".";
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

Json json_values(const Reproduction& made, const std::map<std::string, double>& values) {
  Json json = Json::object();
  for (const Quantity& quantity : made.item->quantities)
    if (const auto value = Reproduction::value_of(quantity, values)) json[quantity.key] = *value;
  return json;
}

Json json_of(const Reproduction& made) {
  Json cases = Json::array();
  for (const ReproducedCase& one : made.cases) {
    Json json = {{"case", one.one->name},
                 {"published", json_values(made, one.one->published)},
                 {"ours", json_values(made, values_of(one))}};
    if (one.measured) {
      json["conditions"] = one.measured->conditions;
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

}  // namespace

DataTable reproduction_table(const Reproduction& made) {
  std::vector<DataTable::Column> columns = {{"case", "case"}};
  for (const Quantity& quantity : made.item->quantities) {
    if (has_published(made, quantity))
      columns.push_back(
          {quantity.key + "_published", quantity.title + ", published", quantity.format});
    if (has_ours(made, quantity))
      columns.push_back({quantity.key + "_ours", quantity.title + ", ours", quantity.format});
  }
  DataTable table(made.item->number,
                  fmt::format("{}, {}: {}", made.paper->title, made.item->number, made.item->title),
                  columns);
  for (const ReproducedCase& one : made.cases) {
    std::vector<DataTable::Cell> row = {one.one->name};
    for (const Quantity& quantity : made.item->quantities) {
      if (has_published(made, quantity))
        row.push_back(cell(Reproduction::value_of(quantity, one.one->published)));
      if (has_ours(made, quantity))
        row.push_back(cell(Reproduction::value_of(quantity, values_of(one))));
    }
    table.add(std::move(row));
  }
  const bool is_printed = std::ranges::any_of(
      made.item->cases, [](const PaperCase& one) { return !one.published.empty(); });
  table.note(fmt::format("Published: {}{}",
                         is_printed ? fmt::format("on {}. ", made.paper->hardware) : "",
                         made.item->published_numbers));
  table.note(fmt::format("Ours: {}, thallo {}{}.", made.device, core_build_id(),
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
  return json.dump(2);
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
  return json.dump(2);
}

}  // namespace thallo::cli
