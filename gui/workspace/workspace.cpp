#include "gui/workspace/workspace.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gui/base/text.h"
#include "gui/workspace/session_parts.h"

namespace thallo::gui {

Workspace::Workspace(WorkspaceOptions options, QObject* parent)
    : QObject(parent),
      m_options(std::move(options)),
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

void Workspace::leave(std::function<void()> proceed) {
  handOver();
  if (m_guard)
    m_guard(std::move(proceed));
  else
    proceed();
}

void Workspace::open(const ProblemRequest& request, const QString& schedule,
                     std::function<void()> begun) {
  leave([this, request, schedule, begun = std::move(begun)] {
    begin(request, schedule);
    if (begun) begun();
  });
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
  leave([this, session, begun = std::move(begun)] {
    beginSession(session);
    if (begun) begun();
  });
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
