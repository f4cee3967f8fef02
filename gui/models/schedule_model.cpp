#include "gui/models/schedule_model.h"

#include <utility>

#include <QUndoCommand>

#include "gui/models/analysis.h"
#include "gui/models/schedule_text.h"
#include "gui/models/text.h"

namespace thallo::gui {

// From one schedule to the next and back.
class ChangeSchedule final : public QUndoCommand {
 public:
  ChangeSchedule(ScheduleModel& model, ScheduleModel::State before, ScheduleModel::State after)
      : QUndoCommand(after.name),
        m_model(model),
        m_before(std::move(before)),
        m_after(std::move(after)) {}

  void undo() override { m_model.show(m_before); }
  void redo() override { m_model.show(m_after); }

 private:
  ScheduleModel& m_model;
  ScheduleModel::State m_before, m_after;
};

ScheduleModel::ScheduleModel(JobRunner& analysisRunner, ProblemModel& problems, QObject* parent)
    : QObject(parent), m_runner(analysisRunner), m_problems(problems) {
  connect(&m_problems, &ProblemModel::problemChanged, this, &ScheduleModel::onProblemChanged);
}

void ScheduleModel::onProblemChanged() {
  for (const char* slot : {"schedule", "previous", "sites", "weights", "trial"})
    m_runner.cancel(slot);
  m_waiting.clear();
  m_undoStack.clear();
  m_previous = {};
  m_reference.reset();
  m_name.clear();
  m_text.clear();
  m_schedule = {};
  m_sites = {};
  setFaults({}, {});
  setTrial({});
  Q_EMIT scheduleChanged();
  Q_EMIT sitesChanged();
}

bool ScheduleModel::isChanging() const {
  return !m_waiting.empty() || m_schedule.state == RemoteState::Busy;
}

void ScheduleModel::change(const ScheduleEdit& edit) {
  submit({{}, [edit](Analysis& analysis, const Schedule& schedule) {
            return analysis.edit(schedule, edit);
          }});
}

void ScheduleModel::tryOut(const ScheduleEdit& edit) {
  const auto now = m_schedule.value;
  if (!m_problems.analysis() || !now) return;
  setTrial(m_trial.busy());
  m_runner.start(
      "trial",
      [analysis = m_problems.analysis(), now, edit](const std::stop_token&) -> Expected<Trial> {
        return analysis->tryOut(now->schedule, edit);
      },
      [this](Expected<Trial> trial) {
        if (trial) addChange(*trial);
        setTrial(trial ? Remote<Trial>::ready(*std::move(trial))
                       : m_trial.failed(toQt(trial.error())));
      });
}

void ScheduleModel::setText(const QString& text) {
  submit({{},
          [text](Analysis& analysis, const Schedule&) { return analysis.read(text); },
          text,
          /*isTyped=*/true});
}

void ScheduleModel::take(const QString& name, const QString& text) {
  submit({name, [text](Analysis& analysis, const Schedule&) { return analysis.read(text); }, text});
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
        const bool isChanged = isChanging() || m_undoStack.count() > 0;
        if (!made || !now || isChanged || made->hash == now->hash) return;
        m_previous = {name, std::make_shared<const ScheduleSnapshot>(*std::move(made))};
        refreshMeasured();
        m_undoStack.push(new ChangeSchedule(*this, {name, text, m_previous.snapshot},
                                            {m_name, m_text, m_schedule.value}));
      });
}

void ScheduleModel::submit(Change change) {
  if (!m_problems.analysis()) return;
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
  if (!made) {
    if (change.isTyped)
      setFaults(*change.text, readFaults(made.error()));
    else
      Q_EMIT refused(toQt(made.error()));
    if (beginWithout(change)) return;
    if (m_schedule.value)
      m_schedule.state = RemoteState::Ready;
    else
      m_schedule = m_schedule.failed(toQt(made.error()));
    Q_EMIT scheduleChanged();
    refreshSites();
    return;
  }
  setFaults({}, {});
  const State before{m_name, m_text, m_schedule.value};
  const bool isSame = before.snapshot && before.snapshot->hash == made->hash;
  // What a person wrote stays as long as it means the schedule.
  const QString text = change.text ? *change.text : isSame ? m_text : made->text;
  const QString name = !change.name.isEmpty() ? change.name : isSame ? m_name : tr("edited");
  const State after{name, text, std::make_shared<const ScheduleSnapshot>(*std::move(made))};
  // The first schedule of a problem is nothing to undo.
  if (!before.snapshot || isSame)
    show(after);
  else
    m_undoStack.push(new ChangeSchedule(*this, before, after));
}

// A schedule of a session, say, that is not legal any more. Another begins, and the text is there with
// its faults, as if it were typed.
bool ScheduleModel::beginWithout(const Change& change) {
  const auto& problem = m_problems.problem().value;
  if (m_schedule.value || !change.text || !problem || problem->schedules.empty()) return false;
  const NamedSchedule& first = problem->schedules.front();
  if (*change.text == first.text) return false;
  take(first.name, first.text);
  setText(*change.text);
  return true;
}

void ScheduleModel::show(const State& state) {
  const bool isOther = m_schedule.value && m_schedule.value->hash != state.snapshot->hash;
  if (isOther) m_previous = {m_name, m_schedule.value};
  m_name = state.name;
  m_text = state.text;
  referTo(*state.snapshot);
  m_schedule = {RemoteState::Ready, withMeasured(state.snapshot), {}};
  setFaults({}, {});
  m_runner.cancel("trial");
  setTrial({});
  Q_EMIT scheduleChanged();
  refreshSites();
}

std::shared_ptr<const ScheduleSnapshot> ScheduleModel::withMeasured(
    const std::shared_ptr<const ScheduleSnapshot>& snapshot) const {
  TimeEstimate time = snapshot->time;
  const auto measured = m_measurements ? m_measurements(snapshot->hash) : std::nullopt;
  time.measured = measured ? std::optional(measured->nonlinear) : std::nullopt;
  time.scale = timeScale();
  for (TimeSegment& segment : time.segments) {
    const bool isKnown = measured && measured->steps.contains(segment.label);
    segment.measured = isKnown ? std::optional(measured->steps.at(segment.label)) : std::nullopt;
  }
  time.fitSteps();
  if (time == snapshot->time) return snapshot;
  ScheduleSnapshot result = *snapshot;
  result.time = std::move(time);
  return std::make_shared<const ScheduleSnapshot>(std::move(result));
}

void ScheduleModel::refreshMeasured() {
  if (!m_schedule.value) return;
  const auto previous = m_previous.snapshot;
  if (previous) referTo(*previous);
  referTo(*m_schedule.value);
  if (previous) m_previous.snapshot = withMeasured(previous);
  const auto snapshot = withMeasured(m_schedule.value);
  if (snapshot != m_schedule.value || previous != m_previous.snapshot) {
    m_schedule.value = snapshot;
    Q_EMIT scheduleChanged();
  }
  if (!m_sites.value) return;
  SiteTable table = *m_sites.value;
  if (!addChanges(table)) return;
  m_sites.value = std::make_shared<const SiteTable>(std::move(table));
  Q_EMIT sitesChanged();
}

std::optional<double> ScheduleModel::measuredSeconds(const QString& hash) const {
  const auto measured = m_measurements ? m_measurements(hash) : std::nullopt;
  return measured ? std::optional(measured->nonlinear) : std::nullopt;
}

void ScheduleModel::referTo(const ScheduleSnapshot& snapshot) {
  if (measuredSeconds(snapshot.hash)) m_reference = {snapshot.hash, snapshot.time.nonlinear};
}

double ScheduleModel::timeScale() const {
  if (!m_reference) return 1;
  TimeEstimate time;
  time.nonlinear = m_reference->predicted;
  time.measured = measuredSeconds(m_reference->hash);
  return time.measuredRatio();
}

std::optional<TimeChange> ScheduleModel::change() const {
  if (!m_schedule.value || !m_previous.snapshot) return std::nullopt;
  return changeBetween(m_previous.snapshot->time, m_schedule.value->time);
}

bool ScheduleModel::addChanges(SiteTable& table) const {
  const auto& now = m_schedule.value;
  if (!now || table.hash != now->hash) return false;
  bool isChanged = false;
  for (SiteRow& site : table.sites) {
    for (ChoiceRow& choice : site.choices) {
      if (!choice.seconds) continue;
      const auto change = changeBetween(now->time, *choice.seconds, measuredSeconds(choice.hash));
      isChanged = isChanged || choice.change != change;
      choice.change = change;
    }
  }
  return isChanged;
}

void ScheduleModel::addChange(Trial& trial) const {
  if (trial.seconds && m_schedule.value)
    trial.change =
        changeBetween(m_schedule.value->time, *trial.seconds, measuredSeconds(trial.hash));
}

void ScheduleModel::refreshSites() {
  if (!m_schedule.value || !m_problems.analysis()) return;
  m_sites = m_sites.busy();
  Q_EMIT sitesChanged();
  const auto failed = [this](const Diagnostic& why) {
    m_sites = m_sites.failed(toQt(why));
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
