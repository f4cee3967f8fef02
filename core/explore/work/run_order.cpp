#include "core/explore/work/run_order.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string RunOrder::json() const {
  Json json = {{"do", "run"}, {"target", target.json()}, {"folder", folder}};
  if (schedule_text) {
    json["schedule"] = *schedule_text;
  } else {
    json["schedule_name"] = schedule;
  }
  return json.dump();
}

Expected<RunOrder> RunOrder::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    auto target = ExplorationTarget::from_json(json.at("target").get<std::string>());
    if (!target) return fail(target.error());
    RunOrder order{.target = *std::move(target), .folder = json.at("folder").get<std::string>()};
    if (json.contains("schedule")) {
      order.schedule_text = json["schedule"].get<std::string>();
    } else {
      order.schedule = json.at("schedule_name").get<std::string>();
    }
    return order;
  } catch (const Json::exception& error) {
    return fail("what is to be run cannot be read: {}", error.what());
  }
}

}  // namespace thallo
