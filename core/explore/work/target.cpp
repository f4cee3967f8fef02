#include "core/explore/work/target.h"

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PropertyValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

PropertyValue value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

}  // namespace

std::string ExplorationTarget::json() const {
  Json given = Json::object();
  for (const std::string& name : options.names()) given[name] = json_of(*options.find_value(name));
  Json bound = Json::array();
  for (const auto& [name, source] : bindings) bound.push_back({name, source});
  Json settings = Json::array();
  for (const auto& [name, text] : solver_options) settings.push_back({name, text});
  const Json json = {{"problem", problem},
                     {"bindings", bound},
                     {"options", given},
                     {"backend", backend},
                     {"device", device},
                     {"device_spec", device_spec},
                     {"model", model},
                     {"precision", precision ? Json(to_string(*precision)) : Json()},
                     {"solver_options", settings},
                     {"sites", static_cast<int>(sites)},
                     {"memory_limit", memory_limit},
                     {"num_threads", num_threads},
                     {"plugin_path", plugin_path}};
  return json.dump();
}

Expected<ExplorationTarget> ExplorationTarget::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    ExplorationTarget target;
    target.problem = json.at("problem").get<std::string>();
    for (const Json& binding : json.at("bindings"))
      target.bindings.push_back(
          {binding.at(0).get<std::string>(), binding.at(1).get<std::string>()});
    for (const auto& [name, value] : json.at("options").items())
      target.options.set(name, value_of(value));
    target.backend = json.at("backend").get<std::string>();
    target.device = json.at("device").get<int>();
    target.device_spec = json.at("device_spec").get<std::string>();
    target.model = json.at("model").get<std::string>();
    if (const Json& precision = json.at("precision"); !precision.is_null()) {
      target.precision = precision.get<std::string>() == to_string(Precision::Double)
                             ? Precision::Double
                             : Precision::Float;
    }
    for (const Json& setting : json.at("solver_options"))
      target.solver_options.emplace_back(setting.at(0).get<std::string>(),
                                         setting.at(1).get<std::string>());
    target.sites = static_cast<FoundSites>(json.at("sites").get<int>());
    target.memory_limit = json.at("memory_limit").get<std::int64_t>();
    target.num_threads = json.at("num_threads").get<int>();
    target.plugin_path = json.at("plugin_path").get<std::vector<std::string>>();
    return target;
  } catch (const Json::exception& error) {
    return fail("what is to be explored cannot be read: {}", error.what());
  }
}

}  // namespace thallo
