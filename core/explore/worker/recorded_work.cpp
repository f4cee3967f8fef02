#include "core/explore/worker/recorded_work.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/json_fields.h"

namespace thallo {

THALLO_FIELDS(Flops, adds, multiplies, fused, divisions, transcendentals)
THALLO_FIELDS(AccessBytes, coalesced, gathered, uniform)
THALLO_FIELDS(Access, kind, motion, map, count, bytes, scalars, pieces, element, table)
// The visits are in WorkFields.
THALLO_FIELDS(KernelFeatures, points, flops, index_operations, loads, window_loads, reads, writes,
              scatters, atomics, index_bytes, reductions, accesses, chained_loads, passes,
              must_read, must_write)
THALLO_FIELDS(StepWork, phase, kind, label, features, in_double, threads_per_block,
              points_per_thread, team, aggregates, reduces, registers)
THALLO_FIELDS(MapStatistics, points, elements, largest_degree, spread)

namespace {

// The maps as a list, since the names of JSON are texts.
struct WorkFields {
  StepWork step;
  std::vector<std::pair<MapId, MapStatistics>> maps;
  std::vector<std::pair<MapId, double>> visits;  // of the step's features
};
THALLO_FIELDS(WorkFields, step, maps, visits)

bool are_alike(const Access& a, const Access& b) {
  const auto kind_of = [](const Access& access) {
    return std::tie(access.kind, access.motion, access.map, access.bytes, access.scalars,
                    access.pieces, access.element, access.table);
  };
  return kind_of(a) == kind_of(b);
}

std::vector<Access> together(const std::vector<Access>& accesses) {
  std::vector<Access> result;
  for (const Access& access : accesses) {
    const auto same =
        std::ranges::find_if(result, [&](const Access& its) { return are_alike(its, access); });
    if (same == result.end()) {
      result.push_back(access);
    } else {
      same->count += access.count;
    }
  }
  return result;
}

}  // namespace

std::string text_of(const StepWork& step, const std::map<MapId, MapStatistics>& maps) {
  WorkFields fields{.step = step};
  KernelFeatures& features = fields.step.features;
  features.accesses = together(features.accesses);
  fields.visits.assign(features.visits.begin(), features.visits.end());
  for (const auto& [map, statistics] : maps) {
    const bool is_used = features.visits.contains(map) ||
                         std::ranges::any_of(features.accesses, [&](const Access& access) {
                           return access.map == map;
                         });
    if (is_used) fields.maps.emplace_back(map, statistics);
  }
  return json_fields::write(fields, Fidelity::Exact).dump();
}

Expected<RecordedWork> parse_recorded_work(const std::string& text) {
  auto json = json_fields::Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail("the work of a step is no JSON");
  // What was recorded before there were teams and windows had none.
  if (json.contains("step") && json["step"].is_object()) {
    json_fields::Json& step = json["step"];
    if (!step.contains("team")) step["team"] = 1;
    if (step.contains("features") && !step["features"].contains("window_loads"))
      step["features"]["window_loads"] = 0;
  }
  WorkFields fields;
  if (const std::string fault = json_fields::read(json, fields); !fault.empty())
    return fail("the work of a step {}", fault);
  fields.step.features.visits = {fields.visits.begin(), fields.visits.end()};
  return RecordedWork{std::move(fields.step), {fields.maps.begin(), fields.maps.end()}};
}

}  // namespace thallo
