#include "core/cli/output/dag_output.h"

#include <nlohmann/json.hpp>

#include "core/cli/output/json_text.h"
#include "core/cost/pricing/estimator.h"
#include "core/explore/dag/energy_dag.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const DagNode& node) {
  Json json = {{"id", node.id},
               {"kind", to_string(node.kind)},
               {"name", node.name},
               {"text", node.text},
               {"domains", node.domains},
               {"lines", node.lines},
               {"stores_value", node.stores_value},
               {"stores_gradient", node.stores_gradient},
               {"once_in_every", to_string(node.frequency)},
               {"can_expand", node.can_expand},
               {"is_expanded", node.is_expanded}};
  if (node.site) json["site"] = {{"kind", to_string(node.site->kind)}, {"name", node.site->name}};
  if (node.flops) json["flops"] = *node.flops;
  if (node.bytes) json["bytes"] = *node.bytes;
  if (!node.cluster.empty()) json["cluster"] = node.cluster;
  return json;
}

}  // namespace

Expected<DagView> dag_view(const Energy& energy, const Plan& plan,
                           const std::vector<std::string>& expanded, const AutoTarget& target) {
  Estimator estimator(energy, target.binding, map_statistics(energy, target.binding),
                      target.program);
  const DagSizes sizes{target.binding, target.program.precision, estimator};
  return EnergyDag(energy).view(plan, {.expanded = expanded, .sizes = &sizes});
}

std::string dag_json(const DagView& view) {
  Json json = {{"energy", view.name}, {"nodes", Json::array()}, {"edges", Json::array()}};
  for (const DagNode& node : view.nodes) json["nodes"].push_back(json_of(node));
  for (const DagEdge& edge : view.edges) {
    json["edges"].push_back({{"from", view.nodes[edge.from].id},
                             {"to", view.nodes[edge.to].id},
                             {"is_cut", edge.is_cut},
                             {"at", edge.label}});
  }
  return dumped(json) + "\n";
}

}  // namespace thallo::cli
