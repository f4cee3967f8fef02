#include "gui/workspace/workspace.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "gui/base/text.h"

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
      m_inspector(m_selection) {
  m_inspector.describeBy(Selection::Kind::Node,
                         [this](const QString& id) { return describeNode(id); });
  connect(&m_graph, &GraphModel::graphChanged, &m_inspector, &InspectorModel::update);
  m_inspector.describeBy(Selection::Kind::Site,
                         [this](const QString& id) { return describeSite(id); });
  m_inspector.describeBy(Selection::Kind::Step,
                         [this](const QString& id) { return describeStep(id); });
  m_inspector.describeBy(Selection::Kind::Candidate,
                         [this](const QString& hash) { return describeCandidate(hash); });
  m_inspector.describeBy(Selection::Kind::Line,
                         [this](const QString& line) { return describeLine(line); });
  // Of everything else the description does not say what belongs to it.
  connect(&m_links, &LinkModel::changed, &m_inspector, [this] {
    if (m_selection.current().kind == Selection::Kind::Line) m_inspector.refresh();
  });
  m_schedule.setMeasurements([this](const QString& hash) { return m_space.measured(hash); });
  connect(&m_space, &SpaceModel::spaceChanged, &m_schedule, &ScheduleModel::refreshMeasured);
  connect(&m_space, &SpaceModel::spaceChanged, &m_comparison, &ComparisonModel::refresh);
  connect(&m_space, &SpaceModel::spaceChanged, &m_inspector, &InspectorModel::update);
  connect(&m_space.beside(), &BesideSpaces::changed, &m_inspector, &InspectorModel::update);
  connect(&m_kernels, &KernelModel::kernelsChanged, &m_inspector, &InspectorModel::update);
  connect(&m_schedule, &ScheduleModel::scheduleChanged, &m_inspector, &InspectorModel::update);
  connect(&m_schedule, &ScheduleModel::sitesChanged, &m_inspector, &InspectorModel::update);
  connect(&m_problems, &ProblemModel::problemChanged, this, &Workspace::takeWanted);
  for (const QString& store : m_options.besideStores)
    m_space.beside().add({.store = store, .device = {}});
  connect(&m_pins, &PinModel::changed, this, [this] { m_space.setPins(m_pins.directives()); });
  addSearchEntries([this] { return ownSearchEntries(); });
  connect(&m_problems, &ProblemModel::problemChanged, this, &Workspace::remember);
  m_sessionParts = {{"comparison", sessionPart(m_comparison)},
                    {"graph", sessionPart(m_graph)},
                    {"pins", sessionPart(m_pins)},
                    {"selection", sessionPart(m_selection)},
                    {"solve", sessionPart(m_solve)},
                    {"space", sessionPart(m_space)}};
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

SessionData Workspace::session() const {
  SessionData session{.problem = m_problems.request(),
                      .problemFile = m_problems.file(),
                      .scheduleName = m_schedule.name(),
                      .scheduleText = {},
                      .isEdited = m_schedule.kept() != nullptr,
                      .previousName = {},
                      .previousText = {},
                      .page = {},
                      .parts = {}};
  if (m_schedule.schedule().value) session.scheduleText = m_schedule.text();
  if (const auto& previous = m_schedule.previous(); previous.snapshot) {
    session.previousName = previous.name;
    session.previousText = previous.snapshot->text;
  }
  for (const auto& [name, part] : m_sessionParts) session.parts.insert(name, part.save());
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
  for (const auto& [part, its] : m_sessionParts) {
    if (wanted.parts.contains(part)) its.restore(wanted.parts.value(part).toObject());
  }
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

Inspection Workspace::describeNode(const QString& id) const {
  if (auto known = m_graph.describe(id)) return *std::move(known);
  const bool isComing = m_graph.graph().state == RemoteState::Busy;
  return {.kind = tr("node of the graph"),
          .title = id.section(':', 1),
          .note = isComing ? tr("The graph is being laid out …")
                           : tr("The graph of this schedule has no such node.")};
}

Inspection Workspace::describeSite(const QString& id) const {
  const auto& [state, table, error] = m_schedule.sites();
  const SiteRow* row = table ? table->find(id) : nullptr;
  if (row == nullptr) {
    Inspection missing{.kind = tr("site of %1").arg(id.section('@', 0, 0)),
                       .title = id.section('@', 1)};
    if (state == RemoteState::Failed)
      missing.note = error;
    else if (state == RemoteState::Ready && !m_schedule.isChanging())
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

Inspection Workspace::describeStep(const QString& label) const {
  Inspection inspection{.kind = tr("step of the program"), .title = label};
  const auto& schedule = m_schedule.schedule().value;
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
    inspection.rows.emplace_back(tr("estimated"),
                                 tr("%1 before lowering").arg(secondsText(step->predicted)));
    inspection.rows.emplace_back(
        tr("share"), significant(100 * step->seconds() / schedule->time.seconds()) + " %");
  }
  std::ranges::move(m_kernels.describe(label), std::back_inserter(inspection.rows));
  if (inspection.rows.empty())
    inspection.note = tr("An iteration of this schedule has no such step.");
  return inspection;
}

Inspection Workspace::describeLine(const QString& line) const {
  Inspection inspection{.kind = tr("line of the energy"), .title = tr("line %1").arg(line)};
  if (const auto& problem = m_problems.problem().value)
    inspection.code =
        problem->source.text.section('\n', line.toInt() - 1, line.toInt() - 1).trimmed();
  const LinkedParts& linked = m_links.linked();
  QStringList nodes, steps;
  double seconds = 0;
  if (const auto& graph = m_graph.graph().value)
    for (const GraphNode& node : graph->nodes)
      if (linked.nodes.contains(node.id)) nodes << node.name;
  if (const auto& schedule = m_schedule.schedule().value) {
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

std::optional<Workspace::FoundCandidate> Workspace::findCandidate(const QString& hash) const {
  const auto& here = m_space.space().value;
  if (const auto found = here ? here->find(hash) : std::nullopt) return {{here, *found, {}}};
  const BesideSpaces& beside = m_space.beside();
  for (const BesideSpace& its : beside.all()) {
    const auto& there = its.space.value;
    if (const auto found = there ? there->find(hash) : std::nullopt)
      return {{there, *found, beside.nameOf(its)}};
  }
  return std::nullopt;
}

Inspection Workspace::describeCandidate(const QString& hash) const {
  const auto found = findCandidate(hash);
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
  for (const BesideSpace& beside : m_space.beside().all())
    if (beside.times && beside.isOf == space)
      add(tr("on %1").arg(m_space.beside().nameOf(beside)), beside.times->seconds[i]);
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

void Workspace::takeCandidate(const QString& hash) {
  const auto found = findCandidate(hash);
  if (!found) return;
  const auto& [space, i, elsewhere] = *found;
  const auto mark = std::ranges::find(space->marks, hash.toStdString(), &Mark::hash);
  QString name = mark == space->marks.end() ? hash.left(12) : toQt(mark->name);
  if (name == "best" && !elsewhere.isEmpty()) name = tr("best on %1").arg(elsewhere);
  m_selection.select({Selection::Kind::Candidate, hash});
  m_schedule.take(name, toQt(space->candidates[i].text));
}

}  // namespace thallo::gui
