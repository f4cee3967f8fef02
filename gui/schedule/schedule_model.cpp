#include "gui/schedule/schedule_model.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>
#include <QUndoCommand>

#include "core/frontend/source_file.h"
#include "gui/base/text.h"
#include "gui/schedule/schedule_analyst.h"
#include "gui/schedule/schedule_text.h"

namespace thallo::gui {

namespace {

// Returns what a person saw of it last.
const QString& lastOf(const KeptSchedule& kept) {
  return kept.draft.isEmpty() ? kept.text : kept.draft;
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
                             ScheduleShelf& shelf, QObject* parent)
    : QObject(parent), m_runner(analysisRunner), m_problems(problems), m_shelf(shelf) {
  connect(&m_problems, &ProblemModel::problemChanged, this, &ScheduleModel::onProblemChanged);
  connect(&m_shelf, &ScheduleShelf::renamed, this, [this] {
    if (m_previous.kept) m_previous.name = m_previous.kept->name;
    Q_EMIT scheduleChanged();
  });
}

void ScheduleModel::onProblemChanged() {
  for (const char* slot : {"schedule", "previous", "sites", "weights", "trial", "shelf", "load"})
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
  m_reference.reset();
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
  timeShelf();
}

bool ScheduleModel::isChanging() const {
  return !m_waiting.empty() || m_schedule.state == RemoteState::Busy;
}

void ScheduleModel::change(const std::vector<ScheduleEdit>& edits) {
  submit({{}, [edits](ScheduleAnalyst& analysis, const Schedule& schedule) {
            return analysis.edit(schedule, edits);
          }});
}

void ScheduleModel::tryOut(const std::vector<ScheduleEdit>& edits) {
  const auto now = m_schedule.value;
  if (!m_problems.analysis() || !now) return;
  setTrial(m_trial.busy());
  m_runner.start(
      "trial",
      [analysis = m_problems.analysis(), now, edits](const std::stop_token&) -> Expected<Trial> {
        return analysis->tryOut(now->schedule, edits);
      },
      [this](Expected<Trial> trial) {
        if (trial) addTimes(*trial);
        setTrial(trial ? Remote<Trial>::ready(*std::move(trial))
                       : m_trial.failed(toQt(trial.error())));
      });
}

void ScheduleModel::endTrial() {
  m_runner.cancel("trial");
  setTrial({});
}

void ScheduleModel::setText(const QString& text) {
  if (!m_problems.analysis()) return;
  Kept kept = m_draftOf ? m_draftOf : m_now.kept;
  type(text, kept ? kept : placeForEdit(m_now.text));
}

// Puts the text on the shelf before it is checked for faults.
void ScheduleModel::type(const QString& text, const Kept& kept) {
  m_shelf.change(kept, kept->text, text);
  m_draftOf = kept;
  submit({{},
          [text](ScheduleAnalyst& analysis, const Schedule&) { return analysis.read(text); },
          text,
          kept,
          /*isTyped=*/true});
}

void ScheduleModel::take(const QString& name, const QString& text) {
  submit({name, [text](ScheduleAnalyst& analysis, const Schedule&) { return analysis.read(text); },
          text});
}

void ScheduleModel::take(const Kept& kept) {
  if (kept == m_draftOf) return;
  submit({kept->name,
          [text = kept->text](ScheduleAnalyst& analysis, const Schedule&) {
            return analysis.read(text);
          },
          kept->text, kept});
}

void ScheduleModel::takeEdited(const QString& name, const QString& text) {
  const auto& all = m_shelf.all();
  const auto same = std::ranges::find(all, text, [](const Kept& kept) { return kept->text; });
  take(same != all.end() ? *same : m_shelf.add(name, text));
}

void ScheduleModel::load(const QString& file) {
  if (!m_problems.analysis()) return;
  struct Loaded {
    QString text;
  };
  m_runner.start(
      "load",
      [analysis = m_problems.analysis(), file](const std::stop_token&) -> Expected<Loaded> {
        const auto content = read_source(file.toStdString(), "a schedule");
        if (!content) return fail(content.error());
        Loaded loaded{toQt(*content)};
        if (const auto read = analysis->read(loaded.text, file); !read) return fail(read.error());
        return loaded;
      },
      [this, file](const Expected<Loaded>& loaded) {
        if (!loaded) return Q_EMIT notLoaded(toQt(loaded.error()));
        take(m_shelf.add(QFileInfo(file).completeBaseName(), loaded->text));
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
  if (!m_problems.analysis()) return;
  m_runner.start(
      "previous",
      [analysis = m_problems.analysis(), text](const std::stop_token&) {
        return analysis->read(text);
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
  if (!m_problems.analysis()) return;
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
      [analysis = m_problems.analysis(), make = change.make, now](const std::stop_token&) {
        return make(*analysis, now ? now->schedule : Schedule());
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
  submit({state.kept ? state.kept->name : state.name,
          [text = state.text](ScheduleAnalyst& analysis, const Schedule&) {
            return analysis.read(text);
          },
          state.text, state.kept, /*isTyped=*/false, /*isOfHistory=*/true, state.isTaken});
}

void ScheduleModel::show(const State& state) {
  const bool isOther = m_schedule.value && m_schedule.value->hash != state.snapshot->hash;
  if (isOther) m_previous = {name(), m_schedule.value, kept()};
  keep(state);
  m_now = state;
  m_now.snapshot.reset();
  m_shelfTimes[state.text] = {state.snapshot->hash, state.snapshot->time.nonlinear};
  referTo(*state.snapshot);
  m_schedule = {RemoteState::Ready, withMeasured(state.snapshot), {}};
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
  if (!m_schedule.value || !m_problems.analysis()) return;
  m_sites = m_sites.busy();
  m_areSitesWeighed = false;
  Q_EMIT sitesChanged();
  const auto failed = [this](const Diagnostic& why) {
    m_sites = m_sites.failed(toQt(why));
    m_areSitesWeighed = true;
    Q_EMIT sitesChanged();
  };
  m_runner.start(
      "sites",
      [analysis = m_problems.analysis(), now = m_schedule.value](const std::stop_token& stop) {
        return analysis->sites(now->schedule, stop);
      },
      [this, failed](Expected<SiteTable> table) {
        if (!table) return failed(table.error());
        m_sites = Remote<SiteTable>::ready(*std::move(table));
        Q_EMIT sitesChanged();
        m_runner.start(
            "weights",
            [analysis = m_problems.analysis(), now = m_schedule.value,
             sites = m_sites.value](const std::stop_token& stop) {
              return analysis->weigh(now->schedule, *sites, stop);
            },
            [this, failed](Expected<SiteTable> weighed) {
              if (!weighed) return failed(weighed.error());
              addChanges(*weighed);
              m_sites = Remote<SiteTable>::ready(*std::move(weighed));
              m_areSitesWeighed = true;
              Q_EMIT sitesChanged();
            });
      });
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
