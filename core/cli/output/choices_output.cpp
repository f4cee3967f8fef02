#include "core/cli/output/choices_output.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/json_fields.h"
#include "core/cli/output/number_text.h"

namespace thallo::cli {
namespace {

using json_fields::Json;
using json_fields::plain;

// If a site has no more alternatives than this, each gets a line.
constexpr std::size_t MostPrinted = 16;
// Otherwise, this many of the alternatives predicted to be faster than the chosen one are printed.
constexpr std::size_t MostFaster = 3;

std::string_view mark_of(const ChoiceSite& at, const Alternative& alternative) {
  if (&alternative == &at.alternatives[at.chosen]) return "*";
  if (!alternative.legal) return "-";
  return alternative.is_repeated ? "=" : " ";
}

// Returns the difference to the chosen alternative in percent; nothing if there is nothing to
// compare.
std::optional<double> difference(double seconds, double chosen) {
  if (!std::isfinite(seconds) || !std::isfinite(chosen)) return std::nullopt;
  return 100 * (seconds / chosen - 1);
}

std::string prediction_text(const std::string& device, double seconds, double linear_iterations) {
  return fmt::format("\npredicted for {}: {} in {}\n", device, time_text(seconds),
                     iteration_text(linear_iterations));
}
Json prediction_json(const std::string& device, double seconds, double linear_iterations) {
  return {
      {"device", device}, {"linear_iterations", linear_iterations}, {"seconds", plain(seconds)}};
}

class ChoicesText {
 public:
  explicit ChoicesText(const ShownChoices& shown) : shown_(shown) {}

  std::string run() && {
    if (shown_.weighed) text_ += predicted_text(shown_);
    std::optional<Stage> stage;
    for (std::size_t s = 0; s < shown_.sites.size(); ++s) {
      const ChoiceSite& at = shown_.sites[s];
      if (stage != at.construct->stage())
        text_ += fmt::format("\n{}\n", to_string(at.construct->stage()));
      stage = at.construct->stage();
      text_ += fmt::format("  {} of {}\n", at.construct->name(), at.site.name);
      at.alternatives.size() <= MostPrinted ? all_of(s) : some_of(s);
    }
    text_ +=
        "\n*: chosen; -: not legal, with the reason; =: the same program as one above. "
        "The first is the default.\n";
    if (shown_.weighed) {
      text_ +=
          "Times are those of a nonlinear iteration if only this were decided otherwise. Launch "
          "shapes, teams,\nlayouts, aggregation and directions of intermediates are not told "
          "apart.\n";
      text_ += left_out_text(*shown_.weighed);
    }
    return std::move(text_);
  }

 private:
  void all_of(std::size_t site) {
    for (std::size_t a = 0; a < shown_.sites[site].alternatives.size(); ++a) line(site, a);
  }

  // Prints the chosen alternative, those predicted to be faster, and the number of the others.
  void some_of(std::size_t site) {
    const ChoiceSite& at = shown_.sites[site];
    line(site, at.chosen);
    const std::size_t num_others = at.alternatives.size() - 1;
    if (!shown_.weighed) {
      text_ += fmt::format("      and {} others; --json lists them\n", num_others);
      return;
    }
    const double chosen = shown_.weighed->chosen.seconds;
    std::vector<std::pair<double, std::size_t>> faster;
    std::size_t num_equal = 0;
    std::size_t num_legal = 0;
    for (std::size_t a = 0; a < at.alternatives.size(); ++a) {
      const auto& cost = shown_.weighed->sites[site][a].cost;
      if (a == at.chosen || !at.alternatives[a].legal) continue;
      ++num_legal;
      if (!cost) continue;
      if (std::isfinite(chosen) && std::abs(cost->seconds - chosen) <= SmallestGain * chosen)
        ++num_equal;
      if (cost->seconds < chosen * (1 - SmallestGain)) faster.emplace_back(cost->seconds, a);
    }
    std::ranges::sort(faster);
    if (faster.size() > MostFaster) faster.resize(MostFaster);
    for (const auto& [seconds, a] : faster) line(site, a);
    text_ += fmt::format("      and {} others", num_others - faster.size());
    if (num_equal == num_others) {
      text_ += ", predicted to take as long";
    } else {
      if (num_equal > 0) text_ += fmt::format(", {} predicted to take as long", num_equal);
      if (num_legal < num_others) text_ += fmt::format(", {} not legal", num_others - num_legal);
    }
    text_ += "; --json lists them\n";
  }

  void line(std::size_t site, std::size_t a) {
    const ChoiceSite& at = shown_.sites[site];
    const Alternative& alternative = at.alternatives[a];
    text_ += fmt::format("    {} ", mark_of(at, alternative));
    if (shown_.weighed) text_ += prediction(site, a);
    text_ += at.text(alternative);
    if (changes_numerics(site, a)) text_ += "  (changes numerics)";
    text_ += "\n";
    if (!alternative.legal) text_ += fmt::format("        {}\n", alternative.legal.error().what);
  }

  bool changes_numerics(std::size_t site, std::size_t a) const {
    return shown_.weighed && shown_.weighed->sites[site][a].changes_numerics;
  }

  // "  123.4 µs   +5.2 %  ", as wide for all.
  std::string prediction(std::size_t site, std::size_t a) const {
    const auto& cost = shown_.weighed->sites[site][a].cost;
    if (!cost) return fmt::format("{:24}", "");
    const std::optional<double> percent = difference(cost->seconds, shown_.weighed->chosen.seconds);
    const bool is_chosen = a == shown_.sites[site].chosen;
    return fmt::format("{:>12} {:>9}  ", time_text(cost->seconds),
                       is_chosen || !percent ? "" : percent_text(percent));
  }

  const ShownChoices& shown_;
  std::string text_;
};

// Adds the members that are specific to the editor's kind; "current" is the chosen value.
void add_members(Json& /*json*/, const OneOf& /*editor*/, const ChoiceSite& /*at*/) {}
void add_members(Json& json, const Toggle& toggle, const ChoiceSite& at) {
  json["off"] = at.alternatives[toggle.position(false)].choice.label;
  json["on"] = at.alternatives[toggle.position(true)].choice.label;
  json["current"] = toggle.is_on(at.chosen);
}
void add_members(Json& json, const Ordering& ordering, const ChoiceSite& at) {
  json["items"] = ordering.items;
  json["current"] = *ordering.order(at.alternatives[at.chosen].choice);
}
void add_members(Json& json, const Numbers& numbers, const ChoiceSite& at) {
  json["numbers"] = Json::array();
  json["current"] = Json::object();
  for (const Numbers::Number& number : numbers.numbers) {
    json["numbers"].push_back({{"name", number.name},
                               {"meaning", number.meaning},
                               {"values", number.values},
                               {"may_be_unset", number.may_be_unset}});
    const Properties& set = at.alternatives[at.chosen].choice.args;
    if (const auto value = set.find<std::int64_t>(number.name))
      json["current"][number.name] = *value;
  }
}
void add_members(Json& json, const Placement& placement, const ChoiceSite& at) {
  json["places"] = Json::array();
  for (const Placement::Place& place : placement.places)
    json["places"].push_back({{"label", place.choice.label}, {"with", place.with}});
  json["current"] = placement.find(at.alternatives[at.chosen].choice)->with;
}

Json editor_json(const ChoiceSite& at) {
  Json json = {{"kind", kind_of(at.editor)}};
  std::visit([&](const auto& editor) { add_members(json, editor, at); }, at.editor);
  return json;
}

}  // namespace

std::string iteration_text(double linear_iterations) {
  return linear_iterations == 0
             ? "a nonlinear iteration"
             : fmt::format("a nonlinear iteration of {:.0f} linear ones", linear_iterations);
}

std::string predicted_text(const ShownChoices& choices) {
  return prediction_text(choices.device, choices.weighed->chosen.seconds,
                         choices.linear_iterations);
}

std::string left_out_text(const WeighedChoices& weighed) {
  if (weighed.left_out == 0) return "";
  return fmt::format(
      "{} more alternatives were not weighed: with so many sites this takes long. Those at the "
      "first sites of\nevery construct were.\n",
      weighed.left_out);
}

std::string auto_text(const ShownAuto& shown) {
  std::string text = prediction_text(shown.device, shown.seconds, shown.linear_iterations);
  text +=
      "\ncompared, parts by estimates and the schedule by prices; the first of each line was "
      "chosen:\n";
  for (const AutoStep& step : shown.compared) text += fmt::format("  {}\n", to_string(step));
  return text;
}

void add_auto(Json& json, const ShownAuto& shown) {
  json["predicted"] = prediction_json(shown.device, shown.seconds, shown.linear_iterations);
  json["auto"] = Json::array();
  for (const AutoStep& step : shown.compared) {
    Json compared = Json::array();
    for (const auto& [name, seconds] : step.compared)
      compared.push_back({{"name", name}, {"seconds", plain(seconds)}});
    json["auto"].push_back({{"subject", step.subject}, {"compared", std::move(compared)}});
  }
}

std::string choices_text(const ShownChoices& choices) { return ChoicesText(choices).run(); }

void add_choices(Json& json, const ShownChoices& choices) {
  if (choices.weighed) {
    json["predicted"] =
        prediction_json(choices.device, choices.weighed->chosen.seconds, choices.linear_iterations);
    json["predicted"]["left_out"] = choices.weighed->left_out;
  }
  json["sites"] = Json::array();
  for (std::size_t s = 0; s < choices.sites.size(); ++s) {
    const ChoiceSite& at = choices.sites[s];
    Json alternatives = Json::array();
    for (std::size_t a = 0; a < at.alternatives.size(); ++a) {
      const Alternative& alternative = at.alternatives[a];
      Json item = {{"label", alternative.choice.label},
                   {"text", at.text(alternative)},
                   {"legal", alternative.legal.has_value()},
                   {"repeated", alternative.is_repeated}};
      if (!alternative.legal) item["why"] = alternative.legal.error().what;
      if (choices.weighed && choices.weighed->sites[s][a].why_not)
        item["why"] = choices.weighed->sites[s][a].why_not->what;
      // null means that the program does not fit into the device's memory.
      if (choices.weighed && choices.weighed->sites[s][a].cost)
        item["seconds"] = plain(choices.weighed->sites[s][a].cost->seconds);
      if (choices.weighed && choices.weighed->sites[s][a].changes_numerics)
        item["changes_numerics"] = true;
      alternatives.push_back(std::move(item));
    }
    json["sites"].push_back({{"stage", to_string(at.construct->stage())},
                             {"construct", at.construct->name()},
                             {"kind", to_string(at.site.kind)},
                             {"site", at.site.name},
                             {"editor", editor_json(at)},
                             {"chosen", at.chosen},
                             {"alternatives", std::move(alternatives)}});
  }
}

}  // namespace thallo::cli
