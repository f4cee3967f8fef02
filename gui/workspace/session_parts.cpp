#include "gui/workspace/session_parts.h"

#include <array>

#include <QJsonArray>

#include "gui/graph/graph_model.h"
#include "gui/schedule/comparison_model.h"
#include "gui/schedule/pin_model.h"
#include "gui/solve/solve_model.h"
#include "gui/space/space_model.h"
#include "gui/workspace/selection.h"

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

}  // namespace

SessionPart sessionPart(ComparisonModel& comparison) {
  return {.save =
              [&comparison] {
                return QJsonObject{{"with", wordOf(CompareWords, comparison.with().kind)},
                                   {"name", comparison.with().name},
                                   {"isShown", comparison.isShown()}};
              },
          .restore =
              [&comparison](const QJsonObject& json) {
                comparison.setWith({readWord<CompareWith::Kind>(CompareWords, json.value("with")),
                                    json.value("name").toString()});
                comparison.setShown(json.value("isShown").toBool());
              }};
}

SessionPart sessionPart(GraphModel& graph) {
  return {.save =
              [&graph] {
                return QJsonObject{{"expanded", QJsonArray::fromStringList(graph.expanded())}};
              },
          .restore =
              [&graph](const QJsonObject& json) {
                QStringList ids;
                for (const auto& id : json.value("expanded").toArray()) ids.append(id.toString());
                graph.setExpanded(ids);
              }};
}

SessionPart sessionPart(PinModel& pins) {
  return {.save =
              [&pins] {
                return QJsonObject{{"directives", QJsonArray::fromStringList(pins.directives())}};
              },
          .restore =
              [&pins](const QJsonObject& json) {
                QStringList directives;
                for (const auto& directive : json.value("directives").toArray())
                  directives.append(directive.toString());
                pins.restore(directives);
              }};
}

SessionPart sessionPart(SpaceModel& space) {
  return {.save =
              [&space] {
                QJsonArray beside;
                for (const SpaceSource& source : space.beside().sources())
                  beside.append(QJsonObject{{"store", source.store}, {"device", source.device}});
                return QJsonObject{{"store", space.openedStore()},
                                   {"device", space.device()},
                                   {"beside", beside},
                                   {"filter", toJson(space.filter())}};
              },
          .restore =
              [&space](const QJsonObject& json) {
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
              }};
}

SessionPart sessionPart(SolveModel& solve) {
  return {.save =
              [&solve] {
                QJsonArray options;
                for (const auto& [name, value] : solve.settings().solverOptions)
                  options.append(QJsonArray{name, value});
                return QJsonObject{{"backend", solve.settings().backend}, {"options", options}};
              },
          .restore =
              [&solve](const QJsonObject& json) {
                SolveSettings settings;
                settings.backend = json.value("backend").toString(settings.backend);
                for (const auto& option : json.value("options").toArray()) {
                  const QJsonArray pair = option.toArray();
                  settings.solverOptions.emplace_back(pair[0].toString(), pair[1].toString());
                }
                solve.setSettings(settings);
              }};
}

SessionPart sessionPart(SelectionModel& selection) {
  return {
      .save =
          [&selection] {
            const Selection& current = selection.current();
            return QJsonObject{{"kind", wordOf(SelectionWords, current.kind)}, {"id", current.id}};
          },
      .restore =
          [&selection](const QJsonObject& json) {
            selection.select({readWord<Selection::Kind>(SelectionWords, json.value("kind")),
                              json.value("id").toString()});
          }};
}

}  // namespace thallo::gui
