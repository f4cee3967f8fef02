#include "gui/workspace/workspace.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <QJsonArray>
#include <QJsonObject>

#include "gui/base/text.h"

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

// The parts of a session that models save, besides the problem and its schedule: what is expanded,
// selected, filtered and set. A model gets its part back once the session's problem is open.
QJsonObject saveParts(Workspace& workspace) {
  QJsonObject parts;
  visitParts(workspace,
             [&](const char* name, const auto& model) { parts.insert(name, save(model)); });
  return parts;
}

// Leaves alone what the session has no part of.
void restoreParts(Workspace& workspace, const QJsonObject& parts) {
  visitParts(workspace, [&](const char* name, auto& model) {
    if (parts.contains(name)) restore(model, parts.value(name).toObject());
  });
}

}  // namespace

Workspace::Workspace(WorkspaceOptions options)
    : m_options(std::move(options)),
      m_analysisRunner(1),
      m_problems(m_analysisRunner, m_options.pluginPath, m_options.workerCommand.front()),
      m_energyText(m_options.energyCopies),
      m_shelf(m_options.shelf),
      m_schedule(m_analysisRunner, m_problems, m_shelf),
      m_comparison(m_analysisRunner, m_problems, m_schedule),
      m_graph(m_analysisRunner, m_problems, m_schedule),
      m_kernels(m_options.workerCommand, m_analysisRunner, m_problems, m_schedule),
      m_otherKernels(m_options.workerCommand, m_problems, m_comparison),
      m_solve(m_options.workerCommand, m_problems, m_schedule),
      m_space(m_problems, m_options.workerCommand, m_options.store),
      m_inspector(*this, m_selection) {
  connect(&m_graph, &GraphModel::graphChanged, &m_inspector, &InspectorModel::update);
  // Of everything else the description does not say what belongs to it.
  connect(&m_links, &LinkModel::changed, &m_inspector, [this] {
    if (m_selection.current().kind == Selection::Kind::Line) m_inspector.refresh();
  });
  m_schedule.times().setMeasurements(
      [this](const QString& hash) { return m_space.measured(hash); });
  connect(&m_space, &SpaceModel::spaceChanged, &m_schedule, &ScheduleModel::refreshMeasured);
  connect(&m_space, &SpaceModel::spaceChanged, &m_comparison, &ComparisonModel::refresh);
  connect(&m_space, &SpaceModel::spaceChanged, &m_inspector, &InspectorModel::update);
  connect(&m_space.beside(), &BesideSpaces::changed, &m_inspector, &InspectorModel::update);
  connect(&m_kernels, &KernelModel::kernelsChanged, &m_inspector, &InspectorModel::update);
  connect(&m_schedule, &ScheduleModel::scheduleChanged, &m_inspector, &InspectorModel::update);
  connect(&m_schedule, &ScheduleModel::sitesChanged, &m_inspector, &InspectorModel::update);
  connect(&m_problems, &ProblemModel::problemChanged, this, &Workspace::takeWanted);
  for (const QString& store : m_options.besideStores) m_space.beside().add({.store = store});
  connect(&m_pins, &PinModel::changed, this, [this] { m_space.setPins(m_pins.directives()); });
  addSearchEntries([this] { return ownSearchEntries(); });
  connect(&m_problems, &ProblemModel::problemChanged, this, &Workspace::remember);
}

void Workspace::leave(std::function<void()> proceed, std::function<void()> begun) {
  handOver();
  const auto go = [proceed = std::move(proceed), begun = std::move(begun)] {
    proceed();
    if (begun) begun();
  };
  m_guard ? m_guard(go) : go();
}

void Workspace::open(const ProblemRequest& request, const QString& schedule,
                     std::function<void()> begun) {
  leave([this, request, schedule] { begin(request, schedule); }, std::move(begun));
}

void Workspace::begin(const ProblemRequest& request, const QString& schedule) {
  m_selection.clear();
  m_openFile.clear();
  m_wanted = Wanted{schedule};
  m_problems.open(request);
}

SessionData Workspace::session() {
  SessionData session{.problem = m_problems.request(),
                      .problemFile = m_problems.file(),
                      .scheduleName = m_schedule.name(),
                      .isEdited = m_schedule.kept() != nullptr};
  if (m_schedule.schedule().value) session.scheduleText = m_schedule.text();
  if (const auto& previous = m_schedule.previous(); previous.snapshot) {
    session.previousName = previous.name;
    session.previousText = previous.snapshot->text;
  }
  session.parts = saveParts(*this);
  return session;
}

void Workspace::restore(const SessionData& session, std::function<void()> begun) {
  leave([this, session] { beginSession(session); }, std::move(begun));
}

void Workspace::beginSession(const SessionData& session) {
  beginRecent({session.problem, session.problemFile});
  m_wanted = Wanted{session.scheduleName, session.scheduleText, session.isEdited,
                    session.previousName, session.previousText, session.parts};
}

void Workspace::lookOn(const QString& device) {
  if (!m_problems.problem().isReady()) return;
  leave([this, device] {
    SessionData now = session();
    now.problem.device = device;
    const bool hasName = findNamed(now.scheduleName) != nullptr;
    beginSession(now);
    if (hasName) m_wanted->text.reset();
  });
}

void Workspace::measure() {
  if (m_space.measurement().isRunning()) return m_space.measurement().cancel();
  if (!whyNotMeasured().isEmpty()) return;
  const ScheduleSnapshot& now = *m_schedule.schedule().value;
  m_space.measure(
      m_schedule.name(),
      {.schedule = now.schedule, .text = now.text.toStdString(), .hash = now.hash.toStdString()});
}

QString Workspace::whyNotMeasured() const {
  const auto& problem = m_problems.problem();
  if (!problem.isReady() || !m_schedule.schedule().value)
    return tr("There is no schedule to measure. Open a problem.");
  if (m_space.exploration().isRunning())
    return tr("An exploration is measuring on this machine. Pause it on the Space page.");
  // A CPU is always here, also before its name is known.
  if (problem.value->backend == "cpu" || m_problems.measuringDevice() != nullptr) return {};
  return tr("%1 is not in this machine, so its times are only predicted here.")
      .arg(m_problems.deviceName());
}

const DeviceChoice* Workspace::deviceToMeasureOn() const {
  const auto& catalog = m_problems.catalog().value;
  if (!catalog || m_problems.measuringDevice() != nullptr) return nullptr;
  return catalog->findDevice(&DeviceChoice::isHere);
}

const NamedSchedule* Workspace::findNamed(const QString& name) const {
  const auto& schedules = m_problems.problem().value->schedules;
  const auto named = std::ranges::find(schedules, name, &NamedSchedule::name);
  return named == schedules.end() ? nullptr : &*named;
}

std::vector<SearchEntry> Workspace::searchEntries() const {
  std::vector<SearchEntry> all;
  for (const Entries& entries : m_searchEntries)
    std::ranges::move(entries(), std::back_inserter(all));
  return all;
}

std::vector<SearchEntry> Workspace::ownSearchEntries() {
  std::vector<SearchEntry> entries;
  if (const auto& problem = m_problems.problem().value) {
    for (const NamedSchedule& named : problem->schedules) {
      entries.push_back({tr("schedule"), named.name, named.text,
                         [this, named] { m_schedule.take(named.name, named.text); }});
    }
  }
  for (const Kept& kept : m_shelf.all())
    entries.push_back(
        {tr("schedule"), kept->name, kept->text, [this, kept] { m_schedule.take(kept); }});
  if (const auto& schedule = m_schedule.schedule().value) {
    for (const TimeSegment& segment : schedule->time.segments) {
      entries.push_back({tr("step"), segment.shown, secondsText(segment.seconds()),
                         [this, label = segment.label] {
                           m_selection.select({Selection::Kind::Step, label});
                         }});
    }
  }
  if (const auto& graph = m_graph.graph().value) {
    for (const GraphNode& node : graph->nodes) {
      if (node.kind == DagKind::Expression) continue;
      entries.push_back({tr("node"), node.name, node.text, [this, id = node.id] {
                           m_selection.select({Selection::Kind::Node, id});
                         }});
    }
  }
  if (const auto& table = m_schedule.sites().value) {
    for (const SiteRow& site : table->sites) {
      entries.push_back({tr("site"), site.construct + ' ' + site.shown,
                         site.choices[site.chosen].directive, [this, id = site.id()] {
                           m_selection.select({Selection::Kind::Site, id});
                         }});
    }
  }
  if (const auto& catalog = m_problems.catalog().value) {
    for (const ProblemCard& card : catalog->problems) {
      entries.push_back({tr("problem"), card.name, card.title, [this, name = card.name] {
                           open({.problem = name,
                                 .device = m_problems.request().device,
                                 .model = m_problems.request().model});
                         }});
    }
  }
  return entries;
}

void Workspace::openFile(const QString& file, const ProblemRequest& request) {
  leave([this, file, request] { beginFile(file, request); });
}

void Workspace::beginFile(const QString& file, const ProblemRequest& request) {
  m_selection.clear();
  m_wanted = Wanted{};
  m_openFile = file;
  m_problems.openFile(file, request);
}

void Workspace::openRecent(const RecentProblem& recent) {
  leave([this, recent] { beginRecent(recent); });
}

void Workspace::beginRecent(const RecentProblem& recent) {
  if (recent.file.isEmpty())
    begin(recent.request, {});
  else
    beginFile(recent.file, recent.request);
}

void Workspace::retry() { openRecent({m_problems.request(), m_openFile}); }

void Workspace::remember() {
  if (!m_problems.problem().isReady()) return;
  m_recent.add({m_problems.request(), m_problems.file()});
}

void Workspace::takeWanted() {
  if (!m_problems.problem().isReady() || !m_wanted) return;
  const Wanted wanted = *std::exchange(m_wanted, {});
  takeSchedule(wanted);
  if (!wanted.previousName.isEmpty())
    m_schedule.restorePrevious(wanted.previousName, wanted.previousText);
  restoreParts(*this, wanted.parts);
}

void Workspace::takeSchedule(const Wanted& wanted) {
  if (wanted.text && wanted.isEdited) return m_schedule.takeEdited(wanted.name, *wanted.text);
  if (wanted.text) return m_schedule.take(wanted.name, *wanted.text);
  if (!wanted.name.isEmpty()) return takeNamed(wanted.name);
  if (!m_schedule.resume()) takeNamed(QStringLiteral("auto"));
}

void Workspace::takeNamed(const QString& name) {
  if (const NamedSchedule* named = findNamed(name)) return m_schedule.take(name, named->text);
  const auto& schedules = m_problems.problem().value->schedules;
  QStringList legal;
  for (const NamedSchedule& schedule : schedules) legal.append(schedule.name);
  m_schedule.refuse(tr("%1 has no schedule '%2' (legal: %3)")
                        .arg(m_problems.request().problem, name, legal.join(", ")));
  if (!schedules.empty()) m_schedule.take(schedules.front().name, schedules.front().text);
}

void Workspace::takeCandidate(const QString& hash) {
  const auto found = m_space.findCandidate(hash);
  if (!found) return;
  const auto& [space, i, elsewhere] = *found;
  const auto mark = std::ranges::find(space->marks, hash.toStdString(), &Mark::hash);
  QString name = mark == space->marks.end() ? hash.left(12) : toQt(mark->name);
  if (name == "best" && !elsewhere.isEmpty()) name = tr("best on %1").arg(elsewhere);
  m_selection.select({Selection::Kind::Candidate, hash});
  m_schedule.take(name, toQt(space->candidates[i].text));
}

}  // namespace thallo::gui
