#include "core/explore/work/kernel_text.h"

#include <nlohmann/json.hpp>

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

KernelResources resources_of(const Json& json) {
  return {.from_cache = json.at("from_cache"),
          .seconds = json.at("seconds"),
          .warnings = json.at("warnings"),
          .registers = json.at("registers"),
          .spill_bytes = json.at("spill_bytes"),
          .shared_bytes = json.at("shared_bytes")};
}

}  // namespace

KernelText read_kernel_text(const std::string& json) {
  const Json part = Json::parse(json);
  KernelText kernel{.kernel = part.at("kernel"),
                    .role = part.at("role"),
                    .label = part.at("label"),
                    .key = part.at("key"),
                    .text = part.at("text"),
                    .slots = part.at("slots"),
                    .block_threads = {},
                    .launches = {},
                    .compiled = {}};
  if (const Json& threads = part.at("block_threads"); !threads.is_null())
    kernel.block_threads = threads.get<int>();
  for (const Json& launch : part.at("launches")) {
    kernel.launches.push_back({.phase = static_cast<Phase>(launch.at("phase").get<int>()),
                               .label = launch.at("label"),
                               .features = StepFeatures::from_json(launch.at("features").dump())});
  }
  if (!part.at("compiled").is_null()) kernel.compiled = resources_of(part.at("compiled"));
  return kernel;
}

KernelsAnswer read_kernels_answer(const std::string& json) {
  const Json answer = Json::parse(json);
  return {.schedule = answer.at("text"),
          .backend = answer.at("backend"),
          .architecture = answer.at("architecture"),
          .num_kernels = answer.at("kernels")};
}

}  // namespace thallo
