#include "core/cli/reproduce/kept_cases.h"

#include <cstdint>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/plugin/loader.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int Version = 1;

Json line_of(const std::string& key, const MeasuredCase& measured) {
  Json values = Json::object();
  for (const auto& [name, value] : measured.values) values[name] = value;
  return {{"thallo_reproduce", Version},
          {"of", Json::parse(key)},
          {"values", values},
          {"curve", measured.curve},
          {"conditions", measured.conditions}};
}

MeasuredCase measured_of(const Json& line) {
  MeasuredCase measured;
  for (const auto& [name, value] : line.at("values").items())
    measured.values[name] = value.get<double>();
  measured.curve = line.at("curve").get<std::vector<std::pair<double, double>>>();
  measured.conditions = line.at("conditions").get<std::string>();
  return measured;
}

}  // namespace

KeptCases::KeptCases(std::optional<std::filesystem::path> path) : path_(std::move(path)) {
  if (!path_) return;
  std::ifstream file(*path_, std::ios::binary);
  std::uintmax_t num_whole_bytes = 0;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    const bool is_cut_off = file.eof();  // no end of line
    try {
      const Json line = Json::parse(text);
      if (line.at("thallo_reproduce").get<int>() != Version)
        throw UserError(
            fmt::format("{}:{}: written by another version of thallo", path_->string(), number));
      kept_[line.at("of").dump()] = measured_of(line);
    } catch (const Json::exception&) {
      if (!is_cut_off)
        throw UserError(
            fmt::format("{}:{}: this is no line of thallo reproduce", path_->string(), number));
      break;
    }
    num_whole_bytes += text.size() + (is_cut_off ? 0 : 1);
  }
  file.close();
  std::error_code ignored;  // the file may not be there yet
  if (std::filesystem::exists(*path_, ignored))
    std::filesystem::resize_file(*path_, num_whole_bytes, ignored);
}

const MeasuredCase* KeptCases::find(const std::string& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : &found->second;
}

void KeptCases::keep(const std::string& key, const MeasuredCase& measured) {
  if (!path_) return;
  std::ofstream file(*path_, std::ios::binary | std::ios::app);
  file << line_of(key, measured).dump() + "\n";
  file.close();
  if (!file) throw UserError(fmt::format("--store {} cannot be written", path_->string()));
}

std::string case_key(const Paper& paper, const PaperItem& item, const PaperCase& one,
                     const CaseInput& input, const std::string& device) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : input.settings) settings.push_back(name + "=" + value);
  std::vector<std::string> quantities;
  for (const Quantity& quantity : item.quantities) quantities.push_back(quantity.key);
  return Json({{"paper", paper.name},
               {"item", item.number},
               {"case", one.name},
               {"method", item.method},
               {"quantities", quantities},
               {"problem", one.problem},
               {"schedule", one.schedule},
               {"options", input.options.text()},
               {"settings", settings},
               {"samples", input.samples},
               {"device", device},
               {"core", std::string(core_build_id())}})
      .dump();
}

}  // namespace thallo::cli
