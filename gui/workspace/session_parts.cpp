#include "gui/workspace/session_parts.h"

#include <array>

#include <QJsonArray>
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

constexpr std::array ShowWords = {"all", "timed", "failed"};    // indexed by SpaceFilter::Show
constexpr std::array CompareWords = {"", "named", "previous"};  // indexed by CompareWith::Kind
// Indexed by Selection::Kind.
constexpr std::array SelectionWords = {"", "node", "site", "step", "candidate", "line"};

template <class Enum, std::size_t N>
Enum readWord(const std::array<const char*, N>& words, const QJsonValue& json) {
  const QString word = json.toString();
  for (std::size_t i = 0; i < N; ++i)
    if (word == words[i]) return static_cast<Enum>(i);
  return Enum();
}

template <class Enum, std::size_t N>
const char* wordOf(const std::array<const char*, N>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

QJsonObject toJson(const SpaceFilter& filter) {
  QJsonObject choices;
  for (const auto& [site, choice] : filter.choices) choices.insert(site, choice);
  QJsonObject json{
      {"show", wordOf(ShowWords, filter.show)}, {"choices", choices}, {"words", filter.words}};
  if (filter.seconds)
    json.insert("seconds", QJsonArray{filter.seconds->first, filter.seconds->second});
  return json;
}

SpaceFilter readFilter(const QJsonObject& json) {
  SpaceFilter filter{.show = readWord<SpaceFilter::Show>(ShowWords, json.value("show")),
                     .words = json.value("words").toString()};
  const QJsonArray seconds = json.value("seconds").toArray();
  if (seconds.size() == 2) filter.seconds = {seconds[0].toDouble(), seconds[1].toDouble()};
  const QJsonObject choices = json.value("choices").toObject();
  for (const QString& site : choices.keys())
    filter.choices.emplace(site, choices.value(site).toString());
  return filter;
}

QStringList textsOf(const QJsonValue& json) { return json.toVariant().toStringList(); }

// The schedule that the current one is compared with, and whether the comparison is visible.
QJsonObject save(const ComparisonModel& comparison) {
  return {{"with", wordOf(CompareWords, comparison.with().kind)},
          {"name", comparison.with().name},
          {"isShown", comparison.isShown()}};
}

void restore(ComparisonModel& comparison, const QJsonObject& json) {
  comparison.setWith({readWord<CompareWith::Kind>(CompareWords, json.value("with")),
                      json.value("name").toString()});
  comparison.setShown(json.value("isShown").toBool());
}

// The expanded nodes.
QJsonObject save(const GraphModel& graph) {
  return {{"expanded", QJsonArray::fromStringList(graph.expanded())}};
}

void restore(GraphModel& graph, const QJsonObject& json) {
  graph.setExpanded(textsOf(json.value("expanded")));
}

// What is pinned, as a schedule writes it.
QJsonObject save(const PinModel& pins) {
  return {{"directives", QJsonArray::fromStringList(pins.directives())}};
}

void restore(PinModel& pins, const QJsonObject& json) {
  pins.restore(textsOf(json.value("directives")));
}

QJsonObject save(const SelectionModel& selection) {
  const Selection& current = selection.current();
  return {{"kind", wordOf(SelectionWords, current.kind)}, {"id", current.id}};
}

void restore(SelectionModel& selection, const QJsonObject& json) {
  selection.select(
      {readWord<Selection::Kind>(SelectionWords, json.value("kind")), json.value("id").toString()});
}

// The settings of the last run; not its results.
QJsonObject save(const SolveModel& solve) {
  QJsonArray options;
  for (const auto& [name, value] : solve.settings().solverOptions)
    options.append(QJsonArray{name, value});
  return {{"backend", solve.settings().backend}, {"options", options}};
}

void restore(SolveModel& solve, const QJsonObject& json) {
  SolveSettings settings;
  settings.backend = json.value("backend").toString(settings.backend);
  for (const auto& option : json.value("options").toArray()) {
    const QJsonArray pair = option.toArray();
    settings.solverOptions.emplace_back(pair[0].toString(), pair[1].toString());
  }
  solve.setSettings(settings);
}

// The store that was opened instead of the problem's own, the device, what is shown beside it, and
// the filter of candidates.
QJsonObject save(const SpaceModel& space) {
  QJsonArray beside;
  for (const SpaceSource& source : space.beside().sources())
    beside.append(QJsonObject{{"store", source.store}, {"device", source.device}});
  return {{"store", space.openedStore()},
          {"device", space.device()},
          {"beside", beside},
          {"filter", toJson(space.filter())}};
}

void restore(SpaceModel& space, const QJsonObject& json) {
  const QString store = json.value("store").toString();
  if (store != space.openedStore()) space.openStore(store);
  const QString device = json.value("device").toString();
  if (device != space.device()) space.showDevice(device);
  std::vector<SpaceSource> beside;
  for (const auto& value : json.value("beside").toArray()) {
    const QJsonObject its = value.toObject();
    beside.push_back({its["store"].toString(), its["device"].toString()});
  }
  space.beside().setSources(beside);
  space.setFilter(readFilter(json.value("filter").toObject()));
}

// Calls `visit` with the name of each part, and the model that it is of.
template <class Visit>
void visitParts(Workspace& workspace, const Visit& visit) {
  visit("comparison", workspace.comparison());
  visit("graph", workspace.graph());
  visit("pins", workspace.pins());
  visit("selection", workspace.selection());
  visit("solve", workspace.solve());
  visit("space", workspace.space());
}

}  // namespace

QJsonObject saveParts(Workspace& workspace) {
  QJsonObject parts;
  visitParts(workspace,
             [&](const char* name, const auto& model) { parts.insert(name, save(model)); });
  return parts;
}

void restoreParts(Workspace& workspace, const QJsonObject& parts) {
  visitParts(workspace, [&](const char* name, auto& model) {
    if (parts.contains(name)) restore(model, parts.value(name).toObject());
  });
}

}  // namespace thallo::gui
