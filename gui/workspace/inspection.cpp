#include "gui/workspace/inspection.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <QCoreApplication>

#include "gui/base/text.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Inspection", text); }

Inspection describeNode(Workspace& workspace, const QString& id) {
  const GraphModel& model = workspace.graph();
  const auto& [state, graph, error] = model.graph();
  const GraphNode* node = graph ? graph->find(id) : nullptr;
  if (node == nullptr) {
    return {.kind = tr("node of the graph"),
            .title = id.section(':', 1),
            .note = state == RemoteState::Busy
                        ? tr("The graph is being laid out …")
                        : tr("The graph of this schedule has no such node.")};
  }
  Inspection inspection{.kind = toQt(to_string(node->kind)), .title = node->name};
  if (!node->domains.isEmpty()) inspection.rows.emplace_back(tr("over"), node->domains);
  if (node->flops) inspection.rows.emplace_back(tr("work"), quantityText(*node->flops, "flop"));
  if (node->bytes) inspection.rows.emplace_back(tr("size"), bytesText(*node->bytes));
  inspection.rows.emplace_back(tr("computed"), tr("once a %1").arg(node->frequency));
  QString stored = tr("nothing");
  if (node->storesValue)
    stored = node->storesGradient ? tr("value and gradient") : tr("value");
  else if (node->storesGradient)
    stored = tr("gradient");
  inspection.rows.emplace_back(tr("stored"), stored);
  QStringList readers;
  for (const GraphEdge& edge : graph->edges)
    if (graph->nodes[edge.from].id == id) readers << graph->nodes[edge.to].name;
  if (!readers.isEmpty()) inspection.rows.emplace_back(tr("read by"), readers.join(", "));
  inspection.code = node->text;
  for (const SiteRow* site : model.sitesOf(*node)) inspection.sites.push_back(*site);
  return inspection;
}

Inspection describeSite(Workspace& workspace, const QString& id) {
  const auto& [state, table, error] = workspace.schedule().sites();
  const SiteRow* row = table ? table->find(id) : nullptr;
  if (row == nullptr) {
    Inspection missing{.kind = tr("site of %1").arg(id.section('@', 0, 0)),
                       .title = id.section('@', 1)};
    if (state == RemoteState::Failed)
      missing.note = error;
    else if (state == RemoteState::Ready && !workspace.schedule().isChanging())
      missing.note = tr("This schedule has nothing to decide there.");
    else
      missing.note = tr("What can be decided there is being found …");
    return missing;
  }
  Inspection inspection{.kind = toQt(to_string(row->site.kind)), .title = row->shown};
  if (row->shown != row->name) inspection.rows.emplace_back(tr("in schedules"), row->name);
  inspection.rows.emplace_back(tr("stage"), toQt(to_string(row->stage)));
  inspection.sites.push_back(*row);
  return inspection;
}

Inspection describeStep(Workspace& workspace, const QString& label) {
  Inspection inspection{.kind = tr("step of the program"), .title = label};
  const auto& schedule = workspace.schedule().schedule().value;
  if (!schedule) {
    inspection.note = tr("The schedule is on its way …");
    return inspection;
  }
  if (Selection{Selection::Kind::Step, label} == besideStepsSelection()) {
    inspection.kind = tr("part of the time");
    inspection.title = tr("beside the steps");
    for (const NamedSeconds& part : schedule->time.besideParts()) {
      const QString sign = part.seconds < 0 ? QStringLiteral("−") : QString();
      inspection.rows.emplace_back(part.name, sign + secondsText(std::abs(part.seconds)));
    }
    if (inspection.rows.empty())
      inspection.note = tr("All of the time of this schedule is spent in its steps.");
    return inspection;
  }
  const auto& segments = schedule->time.segments;
  const auto step = std::ranges::find(segments, label, &TimeSegment::label);
  if (step != segments.end()) {
    inspection.title = step->shown;
    if (step->shown != label) inspection.rows.emplace_back(tr("in full"), label);
    inspection.rows.emplace_back(
        tr("runs"), step->isLinear ? tr("%1 a nonlinear iteration").arg(countText(step->runs))
                                   : tr("once a nonlinear iteration"));
    if (step->measured) inspection.rows.emplace_back(tr("measured"), secondsText(*step->measured));
    inspection.rows.emplace_back(tr("predicted"), secondsText(step->predicted));
    inspection.rows.emplace_back(
        tr("share"), significant(100 * step->seconds() / schedule->time.seconds()) + " %");
  }
  std::ranges::move(workspace.kernels().describe(label), std::back_inserter(inspection.rows));
  if (inspection.rows.empty())
    inspection.note = tr("An iteration of this schedule has no such step.");
  return inspection;
}

Inspection describeLine(Workspace& workspace, const QString& line) {
  Inspection inspection{.kind = tr("line of the energy"), .title = tr("line %1").arg(line)};
  if (const auto& problem = workspace.problems().problem().value)
    inspection.code =
        problem->source.text.section('\n', line.toInt() - 1, line.toInt() - 1).trimmed();
  const LinkedParts& linked = workspace.links().linked();
  QStringList nodes, steps;
  double seconds = 0;
  if (const auto& graph = workspace.graph().graph().value)
    for (const GraphNode& node : graph->nodes)
      if (linked.nodes.contains(node.id)) nodes << node.name;
  if (const auto& schedule = workspace.schedule().schedule().value) {
    for (const TimeSegment& segment : schedule->time.segments) {
      if (!linked.hasStep(segment.label)) continue;
      steps << segment.shown;
      seconds += segment.seconds();
    }
  }
  if (!nodes.isEmpty()) inspection.rows.emplace_back(tr("in the graph"), nodes.join(", "));
  if (!steps.isEmpty()) {
    inspection.rows.emplace_back(tr("in the steps"), steps.join(", "));
    inspection.rows.emplace_back(tr("their time"), secondsText(seconds));
  }
  if (inspection.rows.empty())
    inspection.note = tr("Nothing in the graph and in the program comes from this line.");
  return inspection;
}

Inspection describeCandidate(Workspace& workspace, const QString& hash) {
  const auto found = workspace.space().findCandidate(hash);
  if (!found) {
    return {.kind = tr("schedule that was measured"),
            .title = hash.left(12),
            .note = tr("The store has no such schedule.")};
  }
  const auto& [space, i, elsewhere] = *found;
  QStringList names;
  for (const Mark& mark : space->marks)
    if (mark.hash == hash.toStdString()) names.append(toQt(mark.name));
  Inspection inspection{.kind = elsewhere.isEmpty()
                                    ? tr("schedule that was measured")
                                    : tr("schedule that was measured on %1").arg(elsewhere),
                        .title = names.isEmpty() ? hash.left(12) : names.join(", ")};
  const auto add = [&](const QString& name, std::optional<double> seconds) {
    if (seconds && !std::isnan(*seconds)) inspection.rows.emplace_back(name, secondsText(*seconds));
  };
  const Candidate& candidate = space->candidates[i];
  add(tr("composed"), measured_seconds(candidate, ResultKind::Composed));
  add(tr("end to end"), measured_seconds(candidate, ResultKind::EndToEnd));
  for (const TimeColumn& column : space->predicted) {
    if (std::isnan(column.seconds[i])) continue;
    inspection.rows.emplace_back(
        column.name, tr("%1 of the generated kernels").arg(secondsText(column.seconds[i])));
  }
  for (const BesideSpace& beside : workspace.space().beside().all())
    if (beside.times && beside.isOf == space)
      add(tr("on %1").arg(workspace.space().beside().nameOf(beside)), beside.times->seconds[i]);
  if (const auto best = space->best(); best && !std::isnan(space->seconds[i]))
    inspection.rows.emplace_back(tr("than best"),
                                 ratioText(space->seconds[*best], space->seconds[i]));
  if (candidate.bytes > 0)
    inspection.rows.emplace_back(tr("memory"), bytesText(static_cast<double>(candidate.bytes)));
  if (candidate.index) inspection.rows.emplace_back(tr("number"), toQt(*candidate.index));
  if (const ScheduleResult* outcome = candidate.outcome(); outcome && !outcome->is_ok())
    inspection.rows.emplace_back(toQt(to_string(outcome->status)), toQt(outcome->reason));
  inspection.code = space->text(i);
  return inspection;
}

}  // namespace

InspectorModel::InspectorModel(Workspace& workspace, SelectionModel& selection)
    : m_workspace(workspace), m_selection(selection) {
  connect(&selection, &SelectionModel::changed, this, &InspectorModel::update);
}

void InspectorModel::update() {
  if (m_current || m_selection.current().kind != Selection::Kind::None) refresh();
}

void InspectorModel::refresh() {
  m_current = describe();
  Q_EMIT changed();
}

std::optional<Inspection> InspectorModel::describe() const {
  const auto& [kind, id] = m_selection.current();
  switch (kind) {
    case Selection::Kind::None: break;
    case Selection::Kind::Node: return describeNode(m_workspace, id);
    case Selection::Kind::Site: return describeSite(m_workspace, id);
    case Selection::Kind::Step: return describeStep(m_workspace, id);
    case Selection::Kind::Candidate: return describeCandidate(m_workspace, id);
    case Selection::Kind::Line: return describeLine(m_workspace, id);
  }
  return std::nullopt;
}

}  // namespace thallo::gui
