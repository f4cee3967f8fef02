#include "gui/app/benchmark_data.h"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/explore/report/statistics_of_results.h"

namespace thallo::gui {
namespace {

// The distance between copies of a graph.
constexpr double Gap = 40;

// Adds a moved copy of the graph, without the nodes from position `end` on.
void addCopy(GraphSnapshot& to, const GraphSnapshot& graph, QPointF by, std::size_t end) {
  const std::size_t first = to.nodes.size();
  const QString copy = QString::number(first);
  for (std::size_t i = 0; i < end; ++i) {
    GraphNode node = graph.nodes[i];
    node.id += '@' + copy;
    node.box.translate(by);
    to.nodes.push_back(std::move(node));
  }
  for (GraphEdge edge : graph.edges) {
    if (edge.from >= end || edge.to >= end) continue;
    edge.from += first;
    edge.to += first;
    for (QPointF& point : edge.spline) point += by;
    to.edges.push_back(std::move(edge));
  }
  for (GraphCluster cluster : graph.clusters) {
    cluster.box.translate(by);
    to.clusters.push_back(std::move(cluster));
  }
}

}  // namespace

DeviceReport manyCandidates(std::size_t count) {
  DeviceReport report{.device = {"cuda test sm_90", "Test GPU", "cuda"},
                      .model = std::string(default_cost_model().name())};
  Random random(1);
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    DecisionTable::Schedule& decided = report.decisions.schedules.emplace_back();
    double seconds = 1e-4;
    for (int number = 0; number < 8; ++number) {
      const std::string part = fmt::format("part_{}", number);
      const auto choice = random.below(5);
      seconds *= 1 + 0.2 * static_cast<double>(choice) / (1 + number);
      if (choice > 0) {
        const std::string label = fmt::format("choice {}", choice);
        text += fmt::format("r.{}:way(\"{}\")\n", part, label);
        decided.said.push_back(report.decisions.number_of({"way", part, label}));
      }
      if (random.below(2) > 0) {
        text += fmt::format("r.{}:order{{h, w}}\n", part);
        decided.said.push_back(report.decisions.number_of({"order", part, "h, w"}));
      }
    }
    seconds *= 1 + 0.05 * random.uniform();
    const std::string hash = fmt::format("{:032x}", i);
    Candidate candidate{.hash = hash, .text = text, .index = fmt::format("s0123456789ab:{}", i)};
    candidate.predictions[report.model] = {report.device.signature, report.model, 1.1 * seconds, 0};
    candidate.composed =
        ScheduleResult{.slot = {"p", report.device.signature, hash}, .nonlinear_seconds = seconds};
    report.candidates.push_back(std::move(candidate));
  }
  report.marks = marks_of(report.candidates, report.kind, {});
  report.models = accuracy_of_models(report.candidates, report.kind);
  return report;
}

void addEffects(DeviceReport& report) {
  std::vector<double> seconds;
  for (const Candidate& candidate : report.candidates)
    seconds.push_back(candidate.composed->nonlinear_seconds);
  report.effects = effects_of_choices(report.decisions, seconds, 48);
}

std::shared_ptr<const GraphSnapshot> manyNodes(const GraphSnapshot& graph, std::size_t count) {
  auto result = std::make_shared<GraphSnapshot>();
  result->scheduleHash = graph.scheduleHash;
  const double numCopies = static_cast<double>(count) / static_cast<double>(graph.nodes.size());
  // Makes the result about as wide as it is high.
  const double aspect = graph.bounds.height() / std::max(1.0, graph.bounds.width());
  const int perRow = std::max(1, static_cast<int>(std::ceil(std::sqrt(numCopies * aspect))));
  const QSizeF step = graph.bounds.size() + QSizeF(Gap, Gap);
  for (int copy = 0; result->nodes.size() < count; ++copy) {
    const QPointF by(step.width() * (copy % perRow), step.height() * (copy / perRow));
    addCopy(*result, graph, by, std::min(graph.nodes.size(), count - result->nodes.size()));
    result->bounds |= graph.bounds.translated(by);
  }
  return result;
}

}  // namespace thallo::gui
