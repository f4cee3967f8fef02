#include "core/cli/reproduce/paper.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/io/toml.h"
#include "core/base/suggest.h"
#include "core/cli/reproduce/methods.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

class PaperReader {
 public:
  explicit PaperReader(fs::path path) : path_(std::move(path)) {}

  Paper read() const {
    const toml::table table = require(read_toml(path_));
    allow(table, {"title", "hardware", "item"});
    Paper paper;
    paper.name = path_.stem().string();
    paper.title = text(table, "title");
    paper.hardware = text(table, "hardware");
    each(table, "item", [&](const toml::table& item) { paper.items.push_back(read_item(item)); });
    return paper;
  }

 private:
  [[noreturn]] void fault(const toml::node& node, const std::string& what,
                          std::vector<std::string> legal = {}) const {
    throw UserError(Diagnostic{what, location_of(path_, node), std::move(legal)});
  }

  void allow(const toml::table& table, const std::vector<std::string>& keys) const {
    for (const auto& [key, node] : table) {
      if (std::ranges::find(keys, key.str()) == keys.end())
        fault(node, fmt::format("unknown key '{}'{}", key.str(), did_you_mean(key.str(), keys)),
              keys);
    }
  }

  std::string text(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return "";
    const auto value = node->value_exact<std::string>();
    if (!value) fault(*node, fmt::format("'{}' must be a text", key));
    return *value;
  }

  // Calls `use` with each table of an array of tables, which may be absent.
  template <class Use>
  void each(const toml::table& table, std::string_view key, const Use& use) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) fault(*node, fmt::format("'{}' must be a list of tables", key));
    for (const toml::node& entry : *list) {
      if (!entry.is_table()) fault(entry, fmt::format("'{}' must be a list of tables", key));
      use(*entry.as_table());
    }
  }

  const toml::table* sub_table(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) fault(*node, fmt::format("'{}' must be a table", key));
    return node->as_table();
  }

  PaperItem read_item(const toml::table& table) const {
    allow(table, {"number", "title", "method", "why_not", "differs", "device_spec",
                  "published_numbers", "quantities", "case"});
    PaperItem item;
    item.number = text(table, "number");
    item.title = text(table, "title");
    item.method = text(table, "method");
    item.why_not = text(table, "why_not");
    item.differs = text(table, "differs");
    item.device_spec = text(table, "device_spec");
    item.published_numbers = text(table, "published_numbers");
    if (item.number.empty()) fault(table, "an item has a number, e.g. \"Table 1\"");
    if (item.method.empty() && item.why_not.empty())
      fault(table, fmt::format("{} has neither a method nor a why_not", item.number));
    if (!item.method.empty() && find_method(item.method) == nullptr)
      fault(*table.get("method"), fmt::format("no method '{}'", item.method), method_names());
    each(table, "quantities",
         [&](const toml::table& entry) { item.quantities.push_back(read_quantity(entry)); });
    each(table, "case",
         [&](const toml::table& entry) { item.cases.push_back(read_case(entry, item)); });
    return item;
  }

  Quantity read_quantity(const toml::table& table) const {
    allow(table, {"key", "title", "format", "ratio", "passes", "search", "figure", "options"});
    Quantity quantity;
    quantity.key = text(table, "key");
    quantity.title = text(table, "title");
    if (table.contains("format")) quantity.format = text(table, "format");
    if (const toml::node* ratio = table.get("ratio")) {
      const toml::array* keys = ratio->as_array();
      if (keys == nullptr || keys->size() != 2 || !keys->is_homogeneous<std::string>())
        fault(*ratio, "'ratio' must be a list of two keys");
      quantity.ratio = {*(*keys)[0].value<std::string>(), *(*keys)[1].value<std::string>()};
    }
    if (const toml::node* passes = table.get("passes")) {
      const auto read = parse_passes(text(table, "passes"));
      if (!read) fault(*passes, read.error().what, read.error().alternatives);
      quantity.passes = *read;
    }
    quantity.search = text(table, "search");
    quantity.figure = text(table, "figure");
    quantity.options = options(table, "options");
    if (!quantity.search.empty() && quantity.figure.empty())
      fault(table, "what a search finds has a figure, e.g. \"states priced\"");
    return quantity;
  }

  PaperCase read_case(const toml::table& table, const PaperItem& item) const {
    allow(table, {"name", "problem", "mean", "why_not", "schedule", "unknowns_per_element",
                  "published", "options", "files", "set", "samples", "search", "seconds", "tiny"});
    PaperCase one;
    one.name = text(table, "name");
    one.problem = text(table, "problem");
    if (const toml::node* mean = table.get("mean")) {
      one.is_mean = mean->value_exact<bool>().value_or(false);
      if (!one.is_mean) fault(*mean, "'mean' is true or not there");
    }
    if (table.contains("why_not")) one.why_not = text(table, "why_not");
    one.schedule = text(table, "schedule");
    if (const toml::node* count = table.get("unknowns_per_element"))
      one.unknowns_per_element = number(*count);
    one.input = read_input(table);
    if (const toml::table* tiny = sub_table(table, "tiny")) {
      allow(*tiny, {"options", "files", "set", "samples", "search", "seconds"});
      one.tiny = read_input(*tiny);
    }
    if (const toml::table* published = sub_table(table, "published")) {
      std::vector<std::string> keys;
      for (const Quantity& quantity : item.quantities) keys.push_back(quantity.key);
      allow(*published, keys);
      for (const auto& [key, node] : *published)
        one.published[std::string(key.str())] = number(node);
    }
    return one;
  }

  double number(const toml::node& node) const {
    const auto value = node.value<double>();
    if (!value) fault(node, "expected a number");
    return *value;
  }

  CaseInput read_input(const toml::table& table) const {
    CaseInput input;
    input.options = options(table, "options");
    input.search = options(table, "search");
    if (const toml::table* files = sub_table(table, "files"))
      for (const auto& [key, node] : *files)
        input.files.emplace_back(key.str(), text(*files, key.str()));
    if (const toml::table* set = sub_table(table, "set"))
      for (const auto& [key, node] : *set)
        input.settings.emplace_back(key.str(), to_string(property(node)));
    if (const toml::node* samples = table.get("samples"))
      input.samples = static_cast<std::int64_t>(number(*samples));
    if (const toml::node* seconds = table.get("seconds")) input.seconds = number(*seconds);
    return input;
  }

  Options options(const toml::table& table, std::string_view key) const {
    Options read;
    if (const toml::table* entries = sub_table(table, key))
      for (const auto& [name, node] : *entries) read.set(name.str(), property(node));
    return read;
  }

  PropertyValue property(const toml::node& node) const {
    if (const auto flag = node.value_exact<bool>()) return *flag;
    if (const auto integer = node.value_exact<std::int64_t>()) return *integer;
    if (const auto real = node.value_exact<double>()) return *real;
    if (const auto word = node.value_exact<std::string>()) return *word;
    fault(node, "expected a text, a number, true or false");
  }

  fs::path path_;
};

// "Fig. 3" and "figure 3" are "figure3".
std::string normalized_number(std::string_view number) {
  std::string result;
  for (const char c : number)
    if (c != ' ' && c != '.')
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (result.starts_with("fig") && !result.starts_with("figure")) result.insert(3, "ure");
  return result;
}

}  // namespace

const PaperItem& Paper::item(std::string_view number) const {
  const auto found = std::ranges::find(items, normalized_number(number), [](const PaperItem& item) {
    return normalized_number(item.number);
  });
  if (found != items.end()) return *found;
  std::vector<std::string> numbers;
  for (const PaperItem& one : items) numbers.push_back(one.number);
  throw UserError(Diagnostic{fmt::format("{} has no '{}'", name, number), {}, numbers});
}

Paper read_paper(const fs::path& path) { return PaperReader(path).read(); }

std::vector<Paper> shipped_papers() {
  const auto folder = find_asset("papers");
  std::vector<fs::path> files;
  std::error_code error;
  if (folder)
    for (const auto& entry : fs::directory_iterator(*folder, error))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
  if (files.empty()) throw UserError("the folder assets/papers is not there, or has no papers");
  std::ranges::sort(files);
  std::vector<Paper> papers;
  for (const fs::path& file : files) papers.push_back(read_paper(file));
  return papers;
}

}  // namespace thallo::cli
