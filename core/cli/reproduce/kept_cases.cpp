#include "core/cli/reproduce/kept_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/io/file.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int Version = 2;
constexpr std::string_view Start = R"({"thallo_reproduce":)";  // of each line

// How a line says what became of something.
constexpr const char* Begun = "begun";
constexpr const char* Left = "left";
constexpr const char* Failure = "failure";

constexpr std::array BoundNames = {std::pair(Bound::AtLeast, std::string_view("at least")),
                                   std::pair(Bound::AtMost, std::string_view("at most"))};

Json line_of(const std::string& what, const MadeBy& by) {
  return {{"thallo_reproduce", Version},
          {"of", Json::parse(what)},
          {"device", by.device},
          {"core", by.core}};
}

Json measured_line(const std::string& what, const MadeBy& by, const MeasuredCase& measured) {
  Json line = line_of(what, by);
  line["values"] = Json::object();
  for (const auto& [name, value] : measured.values)
    if (std::isfinite(value)) line["values"][name] = value;
  line["bounds"] = Json::object();
  for (const auto& [name, bound] : measured.bounds)
    line["bounds"][name] =
        std::ranges::find(BoundNames, bound, [](const auto& pair) { return pair.first; })->second;
  line["curve"] = measured.curve;
  line["limit"] = measured.limit;
  line["conditions"] = measured.conditions;
  return line;
}

// True for what is left of a line that could not be written to its end.
bool is_beginning_of_line(std::string_view text) {
  return text.starts_with(Start) || Start.starts_with(text);
}

MeasuredCase measured_of(const Json& line) {
  MeasuredCase measured;
  for (const auto& [name, value] : line.at("values").items())
    measured.values[name] = value.get<double>();
  for (const auto& [name, bound] : line.at("bounds").items()) {
    const auto found = std::ranges::find(BoundNames, bound.get<std::string>(),
                                         [](const auto& p) { return p.second; });
    if (found != BoundNames.end()) measured.bounds[name] = found->first;
  }
  measured.curve = line.at("curve").get<std::vector<std::pair<double, double>>>();
  measured.limit = line.at("limit").get<double>();
  measured.conditions = line.at("conditions").get<std::string>();
  return measured;
}

}  // namespace

KeptCases::KeptCases(std::optional<std::filesystem::path> path) : path_(std::move(path)) {
  if (!path_) return;
  require(check_plain_file(*path_));  // which may not be there yet
  std::ifstream file(*path_, std::ios::binary);
  std::uintmax_t num_whole_bytes = 0;
  int number = 0;
  bool lacks_end = false;  // of its last line
  for (std::string text; std::getline(file, text);) {
    ++number;
    const bool is_cut_off = file.eof();  // no end of line
    try {
      if (!read(text))
        throw UserError(
            fmt::format("{}:{}: written by another version of thallo", path_->string(), number));
    } catch (const Json::exception&) {
      // Another file is left as it is.
      if (!is_cut_off || !is_beginning_of_line(text))
        throw UserError(
            fmt::format("{}:{}: this is no line of thallo reproduce", path_->string(), number));
      break;
    }
    num_whole_bytes += text.size() + (is_cut_off ? 0 : 1);
    lacks_end = is_cut_off;
  }
  file.close();
  std::error_code ignored;
  if (!std::filesystem::exists(*path_, ignored)) return;
  std::filesystem::resize_file(*path_, num_whole_bytes, ignored);
  if (lacks_end) write("");
}

// What is kept moves to the end, so that the last one is the newest.
KeptCase& KeptCases::entry(const std::string& what, const MadeBy& by) {
  std::vector<KeptCase>& all = kept_[what];
  const auto found = std::ranges::find(all, by, &KeptCase::by);
  if (found == all.end())
    return all.emplace_back(KeptCase{.by = by, .measured = {}, .failure = {}});
  std::rotate(found, found + 1, all.end());
  return all.back();
}

bool KeptCases::read(const std::string& text) {
  const Json line = Json::parse(text);
  if (line.at("thallo_reproduce").get<int>() != Version) return false;
  KeptCase& kept = entry(line.at("of").dump(), {line.at("device").get<std::string>(),
                                                line.at("core").get<std::string>()});
  if (line.contains(Begun)) {
    ++kept.num_begun;
    return true;
  }
  kept.num_begun = 0;
  if (line.contains(Left)) return true;
  kept.failure = line.value(Failure, std::string());
  if (kept.failure.empty()) kept.measured = measured_of(line);
  return true;
}

const KeptCase* KeptCases::find(const std::string& what, const MadeBy& by) const {
  const auto all = kept_.find(what);
  if (all == kept_.end()) return nullptr;
  const auto found = std::ranges::find(all->second, by, &KeptCase::by);
  return found == all->second.end() ? nullptr : &*found;
}

const KeptCase* KeptCases::find_other(const std::string& what, const MadeBy& by) const {
  const auto all = kept_.find(what);
  if (all == kept_.end()) return nullptr;
  const auto found = std::find_if(all->second.rbegin(), all->second.rend(), [&](const KeptCase& k) {
    return k.by != by && !k.measured.values.empty();
  });
  return found == all->second.rend() ? nullptr : &*found;
}

void KeptCases::begin(const std::string& what, const MadeBy& by) {
  ++entry(what, by).num_begun;
  Json line = line_of(what, by);
  line[Begun] = true;
  write(line.dump());
}

void KeptCases::leave(const std::string& what, const MadeBy& by) {
  entry(what, by).num_begun = 0;
  Json line = line_of(what, by);
  line[Left] = true;
  write(line.dump());
}

void KeptCases::keep(const std::string& what, const MadeBy& by, const MeasuredCase& measured) {
  KeptCase& kept = entry(what, by);
  kept = {.by = by, .measured = measured, .failure = {}};
  write(measured_line(what, by, measured).dump());
}

void KeptCases::fail(const std::string& what, const MadeBy& by, const std::string& failure) {
  KeptCase& kept = entry(what, by);
  kept.num_begun = 0;
  kept.failure = failure;
  Json line = line_of(what, by);
  line[Failure] = failure;
  write(line.dump());
}

void KeptCases::write(const std::string& line) const {
  if (!path_) return;
  std::ofstream file(*path_, std::ios::binary | std::ios::app);
  file << line + "\n";
  file.close();
  if (!file) throw UserError(fmt::format("--store {} cannot be written", path_->string()));
}

}  // namespace thallo::cli
