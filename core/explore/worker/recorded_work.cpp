#include "core/explore/worker/recorded_work.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/json_fields.h"

namespace thallo {
template <class Fields>
void visit_fields(Flops& r, Fields&& fields) {
  fields("adds", r.adds);
  fields("multiplies", r.multiplies);
  fields("fused", r.fused);
  fields("divisions", r.divisions);
  fields("transcendentals", r.transcendentals);
}
template <class Fields>
void visit_fields(AccessBytes& r, Fields&& fields) {
  fields("coalesced", r.coalesced);
  fields("gathered", r.gathered);
  fields("uniform", r.uniform);
}
template <class Fields>
void visit_fields(Access& r, Fields&& fields) {
  fields("kind", r.kind);
  fields("motion", r.motion);
  fields("map", r.map);
  fields("count", r.count);
  fields("bytes", r.bytes);
  fields("scalars", r.scalars);
  fields("pieces", r.pieces);
  fields("element", r.element);
  fields("table", r.table);
}
// The visits are in WorkFields.
template <class Fields>
void visit_fields(KernelFeatures& r, Fields&& fields) {
  fields("points", r.points);
  fields("flops", r.flops);
  fields("index_operations", r.index_operations);
  fields("loads", r.loads);
  fields("reads", r.reads);
  fields("writes", r.writes);
  fields("scatters", r.scatters);
  fields("atomics", r.atomics);
  fields("index_bytes", r.index_bytes);
  fields("reductions", r.reductions);
  fields("accesses", r.accesses);
  fields("chained_loads", r.chained_loads);
  fields("passes", r.passes);
  fields("must_read", r.must_read);
  fields("must_write", r.must_write);
}
template <class Fields>
void visit_fields(StepWork& r, Fields&& fields) {
  fields("phase", r.phase);
  fields("kind", r.kind);
  fields("label", r.label);
  fields("features", r.features);
  fields("in_double", r.in_double);
  fields("threads_per_block", r.threads_per_block);
  fields("points_per_thread", r.points_per_thread);
  fields("team", r.team);
  fields("aggregates", r.aggregates);
  fields("reduces", r.reduces);
  fields("registers", r.registers);
}
template <class Fields>
void visit_fields(MapStatistics& r, Fields&& fields) {
  fields("points", r.points);
  fields("elements", r.elements);
  fields("largest_degree", r.largest_degree);
  fields("spread", r.spread);
}
namespace {

// The maps as a list, since the names of JSON are texts.
struct WorkFields {
  StepWork step;
  std::vector<std::pair<MapId, MapStatistics>> maps;
  std::vector<std::pair<MapId, double>> visits;  // of the step's features
};

template <class Fields>
void visit_fields(WorkFields& r, Fields&& fields) {
  fields("step", r.step);
  fields("maps", r.maps);
  fields("visits", r.visits);
}

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
  // What was recorded before there were teams had none.
  if (json.contains("step") && json["step"].is_object() && !json["step"].contains("team"))
    json["step"]["team"] = 1;
  WorkFields fields;
  if (const std::string fault = json_fields::read(json, fields); !fault.empty())
    return fail("the work of a step {}", fault);
  fields.step.features.visits = {fields.visits.begin(), fields.visits.end()};
  return RecordedWork{std::move(fields.step), {fields.maps.begin(), fields.maps.end()}};
}

}  // namespace thallo
