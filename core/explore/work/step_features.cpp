#include "core/explore/work/step_features.h"

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

StepFeatures StepFeatures::of(const StepWork& step) {
  const KernelFeatures& features = step.features;
  return {.points = static_cast<double>(features.points),
          .flops = features.flops.total(),
          .loads = features.loads,
          .reads = features.reads.total(),
          .writes = features.writes.total(),
          .scatters = features.scatters.total(),
          .atomics = features.atomics,
          .must_read = features.must_read,
          .must_write = features.must_write};
}

std::string StepFeatures::json() const {
  const Json json = {{"points", static_cast<std::int64_t>(points)},
                     {"flops", flops},
                     {"loads", loads},
                     {"reads", reads},
                     {"writes", writes},
                     {"scatters", scatters},
                     {"atomics", atomics},
                     {"must_read", must_read},
                     {"must_write", must_write}};
  return json.dump();
}

StepFeatures StepFeatures::from_json(const std::string& text) {
  const Json json = Json::parse(text);
  return {.points = json.at("points"),
          .flops = json.at("flops"),
          .loads = json.at("loads"),
          .reads = json.at("reads"),
          .writes = json.at("writes"),
          .scatters = json.at("scatters"),
          .atomics = json.at("atomics"),
          .must_read = json.at("must_read"),
          .must_write = json.at("must_write")};
}

}  // namespace thallo
