#include "gui/graph/graph_preview.h"

#include <algorithm>

#include <QObject>

#include "gui/schedule/choice_text.h"

namespace thallo::gui {

QString GraphPreview::words() const {
  QStringList edits;
  for (const ScheduleEdit& edit : trial.edits) {
    const auto name = names.find(edit.site);
    edits << (edit.site.isEmpty()
                  ? QObject::tr("%1 changed").arg(edit.construct)
                  : QObject::tr("%1: %2").arg(name == names.end() ? edit.site : name->second,
                                              edit.label));
  }
  const QString words = edits.join(QStringLiteral(", "));
  const QString cost = costWords(trial.change, trial.bytes()).sentence();
  return cost.isEmpty() ? words : words + QStringLiteral(" · ") + cost;
}

GraphPreview makePreview(const GraphSnapshot& now, const GraphSnapshot& then, const Trial& trial) {
  GraphPreview preview{.trial = trial};
  for (const GraphNode& node : now.nodes) {
    if (!node.siteName.isEmpty()) preview.names[node.siteName] = node.name;
    const auto other = std::ranges::find(then.nodes, node.id, &GraphNode::id);
    if (other == then.nodes.end()) {
      preview.changes[node.id] = {.isGone = true};
      continue;
    }
    const GraphPreview::Change change{
        .isFar = other->isFar,
        .isStored = other->isStored(),
        .movesSide = other->isFar != node.isFar,
        .changesStored =
            other->storesValue != node.storesValue || other->storesGradient != node.storesGradient};
    if (change.movesSide || change.changesStored) preview.changes[node.id] = change;
  }
  for (const GraphEdge& edge : then.edges)
    if (edge.isCut) preview.cut.emplace(then.nodes[edge.from].id, then.nodes[edge.to].id);
  return preview;
}

}  // namespace thallo::gui
