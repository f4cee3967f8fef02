#include "gui/schedule/schedule_model.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>
#include <QUndoCommand>

#include "core/frontend/source_file.h"
#include "gui/base/text.h"
#include "gui/schedule/schedule_edits.h"
#include "gui/schedule/schedule_text.h"
#include "gui/schedule/site_lists.h"

namespace thallo::gui {

namespace {

// Returns what a person saw of it last.
const QString& lastOf(const KeptSchedule& kept) {
  return kept.draft.isEmpty() ? kept.text : kept.draft;
}

// Makes a change to the schedule of a text, whatever the current one is.
auto reading(const QString& text) {
  return [text](OpenProblem& problem, const Schedule&) { return readSchedule(problem, text); };
}

}  // namespace

// Changes from one schedule to the next, and back.
class ChangeSchedule final : public QUndoCommand {
 public:
  ChangeSchedule(ScheduleModel& model, ScheduleModel::State before, ScheduleModel::State after)
      : QUndoCommand(after.name),
        m_model(model),
        m_before(std::move(before)),
        m_after(std::move(after)) {}

  void undo() override { m_model.restore(m_before); }
  void redo() override { m_model.restore(m_after); }

  // Returns the shelf entry that the change created, or null.
  Kept begun() const { return m_after.isBegun ? m_after.kept : nullptr; }

 private:
  ScheduleModel& m_model;
  ScheduleModel::State m_before, m_after;
};

ScheduleModel::ScheduleModel(JobRunner& analysisRunner, ProblemModel& problems,
                             ScheduleShelf& shelf)
    : m_runner(analysisRunner), m_problems(problems), m_shelf(shelf) {
  connect(&m_problems, &ProblemModel::problemChanged, this, &ScheduleModel::onProblemChanged);
  connect(&m_shelf, &ScheduleShelf::renamed, this, [this] {
    if (m_previous.kept) m_previous.name = m_previous.kept->name;
    Q_EMIT scheduleChanged();
  });
}

void ScheduleModel::onProblemChanged() {
  for (const char* slot :
       {"schedule", "previous", "sites", "weights", "trial", ShelfTimes::Slot, "load"})
    m_runner.cancel(slot);
  leaveProblem();
  if (m_problems.problem().isReady()) enterProblem();
  setFaults({}, {});
  setTrial({});
  Q_EMIT scheduleChanged();
  Q_EMIT sitesChanged();
}

void ScheduleModel::leaveProblem() {
  if (m_past != nullptr && m_schedule.value) {
    State left = now();
    if (m_draftOf) {
      left.kept = m_draftOf;
      left.text = m_draftOf->text;
    }
    m_past->left = std::move(left);
  }
  m_past = nullptr;
  m_history.setActiveStack(nullptr);
  m_shelf.close();
  m_shelfTimes.clear();
  m_waiting.clear();
  m_numRestoring = 0;
  m_draftOf.reset();
  m_previous = {};
  m_times.forgetReference();
  m_now = {};
  m_schedule = {};
  m_sites = {};
}

void ScheduleModel::enterProblem() {
  ++m_opening;
  auto& past = m_pasts[m_problems.key()];
  if (!past) {
    past = std::make_unique<Past>();
    m_history.addStack(&past->changes);
  }
  m_past = past.get();
  m_history.setActiveStack(&m_past->changes);
  QStringList taken;
  for (const NamedSchedule& named : m_problems.problem().value->schedules) taken.append(named.name);
  m_shelf.open(m_problems.key(), taken);
  m_shelfTimes.start(m_runner, m_problems.opened(), m_shelf, [this] { Q_EMIT shelfTimed(); });
}

void ScheduleModel::change(const std::vector<ScheduleEdit>& edits) {
  submit({{}, [edits](OpenProblem& problem, const Schedule& schedule) {
            return editSchedule(problem, schedule, edits);
          }});
}

void ScheduleModel::tryOut(const std::vector<ScheduleEdit>& edits) {
  const auto now = m_schedule.value;
  if (!m_problems.opened() || !now) return;
  setTrial(m_trial.busy());
  m_runner.start(
      "trial",
      [problem = m_problems.opened(), now, edits](const std::stop_token&) -> Expected<Trial> {
        return gui::tryOut(*problem, now->schedule, edits);
      },
      [this](Expected<Trial> trial) {
        if (trial) m_times.addTimes(*m_schedule.value, *trial);
        setTrial(m_trial.next(std::move(trial)));
      });
}

void ScheduleModel::setText(const QString& text) {
  if (!m_problems.opened()) return;
  Kept kept = m_draftOf ? m_draftOf : m_now.kept;
  type(text, kept ? kept : placeForEdit(m_now.text));
}

// Puts the text on the shelf before it is checked for faults.
void ScheduleModel::type(const QString& text, const Kept& kept) {
  m_shelf.change(kept, kept->text, text);
  m_draftOf = kept;
  submit({{}, reading(text), text, kept, /*isTyped=*/true});
}

void ScheduleModel::take(const QString& name, const QString& text) {
  submit({name, reading(text), text});
}

void ScheduleModel::take(const Kept& kept) {
  if (kept == m_draftOf) return;
  submit({kept->name, reading(kept->text), kept->text, kept});
}

void ScheduleModel::takeEdited(const QString& name, const QString& text) {
  const auto& all = m_shelf.all();
  const auto same = std::ranges::find(all, text, [](const Kept& kept) { return kept->text; });
  take(same != all.end() ? *same : m_shelf.add(name, text));
}

void ScheduleModel::load(const QString& file) {
  if (!m_problems.opened()) return;
  m_runner.start(
      "load",
      [problem = m_problems.opened(), file](const std::stop_token&) -> Expected<QString> {
        THALLO_TRY(const auto content, read_source(file.toStdString(), "a schedule"));
        const auto read = readSchedule(*problem, toQt(content), file);
        return read ? Expected<QString>(toQt(content)) : fail(read.error());
      },
      [this, file](const Expected<QString>& text) {
        if (!text) return Q_EMIT notLoaded(toQt(text.error()));
        take(m_shelf.add(QFileInfo(file).completeBaseName(), *text));
      });
}

bool ScheduleModel::resume() {
  if (m_past == nullptr || !m_past->left) return false;
  const State left = *m_past->left;
  if (left.kept) {
    take(left.kept);
    return true;
  }
  // On this device, the problem may have another schedule of that name.
  const auto& schedules = m_problems.problem().value->schedules;
  const auto named = std::ranges::find(schedules, left.name, &NamedSchedule::name);
  take(left.name, named == schedules.end() ? left.text : named->text);
  return true;
}

void ScheduleModel::restorePrevious(const QString& name, const QString& text) {
  if (!m_problems.opened()) return;
  m_runner.start(
      "previous",
      [problem = m_problems.opened(), text](const std::stop_token&) {
        return readSchedule(*problem, text);
      },
      [this, name, text](Expected<ScheduleSnapshot> made) {
        const auto& now = m_schedule.value;
        if (!made || !now || isChanging() || made->hash == now->hash) return;
        Kept kept = m_shelf.find(name);
        if (kept && kept->text != text) kept.reset();
        m_previous = {name, std::make_shared<const ScheduleSnapshot>(*std::move(made)), kept};
        refreshMeasured();
        if (m_past->changes.count() == 0) {
          m_past->changes.push(new ChangeSchedule(
              *this, {name, text, m_previous.snapshot, kept, m_opening}, this->now()));
        }
      });
}

void ScheduleModel::submit(Change change) {
  if (!m_problems.opened()) return;
  if (change.isOfHistory) ++m_numRestoring;
  m_waiting.push_back(std::move(change));
  startNext();
}

void ScheduleModel::startNext() {
  if (m_waiting.empty() || m_runner.isBusy("schedule")) return;
  Change change = std::move(m_waiting.front());
  m_waiting.pop_front();
  m_runner.cancel("sites");
  m_runner.cancel("weights");
  m_schedule = m_schedule.busy();
  Q_EMIT scheduleChanged();
  const auto now = m_schedule.value;
  m_runner.start(
      "schedule",
      [problem = m_problems.opened(), make = change.make, now](const std::stop_token&) {
        return make(*problem, now ? now->schedule : Schedule());
      },
      [this, change](Expected<ScheduleSnapshot> made) {
        finish(change, std::move(made));
        startNext();
      });
}

void ScheduleModel::finish(const Change& change, Expected<ScheduleSnapshot> made) {
  if (change.isOfHistory) --m_numRestoring;
  if (!made) return failTo(change, made.error());
  const State before = now();
  const bool isSame = before.snapshot && before.snapshot->hash == made->hash;
  const State after = stateAfter(change, *std::move(made));
  const auto left = before.snapshot ? std::nullopt : std::exchange(m_past->left, {});
  if (left && (left->kept != after.kept || (!left->kept && left->name != after.name)))
    m_past->changes.push(new ChangeSchedule(*this, *left, after));
  else if (!before.snapshot || isSame || change.isOfHistory)  // else there is nothing to undo
    show(after);
  else
    m_past->changes.push(new ChangeSchedule(*this, before, after));
}

void ScheduleModel::failTo(const Change& change, const Diagnostic& why) {
  if (change.isTyped) {
    m_draftOf = change.kept;
    setFaults(*change.text, readFaults(why));
  } else {
    Q_EMIT refused(toQt(why));
  }
  if (beginWithout(change)) return;
  if (m_schedule.value)
    m_schedule.state = RemoteState::Ready;
  else
    m_schedule = m_schedule.failed(toQt(why));
  // A schedule from the shelf that is illegal here can be viewed and repaired.
  const bool isOfShelf = change.kept && !change.isTyped && !change.isOfHistory;
  if (isOfShelf && m_schedule.value) type(lastOf(*change.kept), change.kept);
  Q_EMIT scheduleChanged();
  refreshSites();
}

// Handles a schedule that is no longer legal, for example from a session. Starts with another
// schedule, and shows the text with its faults as if it had been typed.
bool ScheduleModel::beginWithout(const Change& change) {
  const auto& problem = m_problems.problem().value;
  if (m_schedule.value || !change.text || !problem || problem->schedules.empty()) return false;
  const NamedSchedule& first = problem->schedules.front();
  if (*change.text == first.text) return false;
  take(first.name, first.text);
  if (change.kept)
    type(lastOf(*change.kept), change.kept);
  else
    type(*change.text, m_shelf.add(tr("edited"), first.text));
  return true;
}

ScheduleModel::State ScheduleModel::stateAfter(const Change& change, ScheduleSnapshot made) {
  const bool isSame = m_schedule.value && m_schedule.value->hash == made.hash;
  const bool isEdit = change.name.isEmpty();
  // The text that a person wrote is kept as long as it means the same schedule.
  State after{
      .name = isEdit ? m_now.name : change.name,
      .text = change.text ? *change.text
              : isSame    ? m_now.text
                          : made.text,
      .snapshot = std::make_shared<const ScheduleSnapshot>(std::move(made)),
      .kept = change.kept,
      .opening = m_opening,
      .isTaken = change.isOfHistory ? change.wasTaken : !isEdit || (isSame && m_now.isTaken)};
  if (change.isTyped) {
    m_draftOf.reset();
    setFaults({}, {});
    const bool isBack = isSame && !m_now.kept && after.text.trimmed() == m_now.text.trimmed();
    if (!isBack) {
      m_shelf.change(change.kept, after.text, {});
    } else {
      after.kept.reset();
      if (change.kept->text == m_now.text)
        m_shelf.remove(change.kept);
      else
        m_shelf.change(change.kept, change.kept->text, {});
    }
  } else if (isEdit) {
    after.kept = isSame ? m_now.kept : placeForEdit(after.text);
  }
  if (after.kept) after.name = after.kept->name;
  after.isBegun = isEdit && !m_now.kept && after.kept;
  return after;
}

Kept ScheduleModel::placeForEdit(const QString& text) {
  if (m_now.kept) return m_now.kept;
  // A new edit takes the shelf entry of the undone one, unless the user has named that entry.
  const QString name = tr("edited");
  const QUndoStack& changes = m_past->changes;
  if (changes.canRedo()) {
    const auto* undone = static_cast<const ChangeSchedule*>(changes.command(changes.index()));
    const Kept begun = undone->begun();
    if (begun && begun->name.startsWith(name)) return begun;
  }
  return m_shelf.add(name, text);
}

ScheduleModel::State ScheduleModel::now() const {
  State state = m_now;
  state.snapshot = m_schedule.value;
  return state;
}

void ScheduleModel::restore(const State& state) {
  if (state.opening == m_opening) return show(state);
  submit({state.kept ? state.kept->name : state.name, reading(state.text), state.text, state.kept,
          /*isTyped=*/false, /*isOfHistory=*/true, state.isTaken});
}

void ScheduleModel::show(const State& state) {
  const bool isOther = m_schedule.value && m_schedule.value->hash != state.snapshot->hash;
  if (isOther) m_previous = {name(), m_schedule.value, kept()};
  keep(state);
  m_now = state;
  m_now.snapshot.reset();
  m_shelfTimes.set(state.text, {state.snapshot->hash, state.snapshot->time.nonlinear});
  m_times.referTo(*state.snapshot);
  m_schedule = {RemoteState::Ready, m_times.withMeasured(state.snapshot), {}};
  m_areSitesWeighed = false;
  m_draftOf.reset();
  setFaults({}, {});
  endTrial();
  Q_EMIT scheduleChanged();
  refreshSites();
  if (state.kept && !state.kept->draft.isEmpty()) type(state.kept->draft, state.kept);
}

void ScheduleModel::keep(const State& state) {
  if (!state.kept) return;
  // If the change replaces a text with faults that was being typed, that text becomes an
  // entry of its own.
  const bool isReplaced = m_draftOf == state.kept && !m_faults.empty();
  if (isReplaced) m_shelf.add(state.kept->name, state.kept->text, m_draft);
  const bool isAsLeft = !isReplaced && state.kept->text == state.text;
  m_shelf.change(state.kept, state.text, isAsLeft ? state.kept->draft : QString());
}

void ScheduleModel::refreshSites() {
  if (!m_schedule.value || !m_problems.opened()) return;
  m_sites = m_sites.busy();
  m_areSitesWeighed = false;
  Q_EMIT sitesChanged();
  m_runner.start(
      "sites",
      [problem = m_problems.opened(), now = m_schedule.value](const std::stop_token& stop) {
        return listSites(*problem, now->schedule, stop);
      },
      [this](Expected<SiteTable> table) {
        setSites(std::move(table), false);
        if (m_sites.isReady()) weigh();
      });
}

void ScheduleModel::weigh() {
  m_runner.start(
      "weights",
      [problem = m_problems.opened(), now = m_schedule.value,
       sites = m_sites.value](const std::stop_token& stop) {
        return weighSites(*problem, now->schedule, *sites, stop);
      },
      [this](Expected<SiteTable> weighed) {
        if (weighed) m_times.addChanges(*m_schedule.value, *weighed);
        setSites(std::move(weighed), true);
      });
}

void ScheduleModel::setSites(Expected<SiteTable> sites, bool areWeighed) {
  m_areSitesWeighed = areWeighed || !sites;
  m_sites = m_sites.next(std::move(sites));
  Q_EMIT sitesChanged();
}

void ScheduleModel::refreshMeasured() {
  if (!m_schedule.value) return;
  const auto previous = m_previous.snapshot;
  if (previous) m_times.referTo(*previous);
  m_times.referTo(*m_schedule.value);
  if (previous) m_previous.snapshot = m_times.withMeasured(previous);
  const auto snapshot = m_times.withMeasured(m_schedule.value);
  if (snapshot != m_schedule.value || previous != m_previous.snapshot) {
    m_schedule.value = snapshot;
    Q_EMIT scheduleChanged();
  }
  if (m_trial.isReady()) {
    Trial trial = *m_trial.value;
    m_times.addTimes(*m_schedule.value, trial);
    if (trial.snapshot != m_trial.value->snapshot || trial.change != m_trial.value->change)
      setTrial(Remote<Trial>::ready(std::move(trial)));
  }
  if (!m_sites.value) return;
  SiteTable table = *m_sites.value;
  if (!m_times.addChanges(*m_schedule.value, table)) return;
  m_sites.value = std::make_shared<const SiteTable>(std::move(table));
  Q_EMIT sitesChanged();
}

void ScheduleModel::setFaults(const QString& draft, std::vector<TextFault> faults) {
  if (m_draft == draft && m_faults == faults) return;
  m_draft = draft;
  m_faults = std::move(faults);
  Q_EMIT draftChanged();
}

void ScheduleModel::setTrial(Remote<Trial> trial) {
  if (m_trial.state == RemoteState::Empty && trial.state == RemoteState::Empty) return;
  m_trial = std::move(trial);
  Q_EMIT trialChanged();
}

}  // namespace thallo::gui
