// The current schedule, which is the same on all pages, and the ways to change it: by a choice at a
// site, by typed text, or by taking another schedule. Every change can be undone.
//
// Changes are made on the analysis thread and arrive a moment later. Changes requested meanwhile
// wait, so that each starts from the result of the previous one.
//
// An edited schedule is on the shelf from its first change on: its current state, and what is typed
// while that has faults. When a problem is opened again, its earlier changes can still be undone.
#pragma once

#include <deque>
#include <functional>
#include <map>

#include <QUndoGroup>
#include <QUndoStack>

#include "gui/problem/problem_model.h"
#include "gui/schedule/schedule_data.h"
#include "gui/schedule/schedule_times.h"

namespace thallo::gui {

class ScheduleModel final : public QObject {
  Q_OBJECT

 public:
  ScheduleModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleShelf& shelf);

  // Ready: the schedule that all pages show. Failed: there is none, or the last change was refused
  // and the previous schedule is still shown.
  const Remote<ScheduleSnapshot>& schedule() const { return m_schedule; }
  // The name of the taken schedule (`auto`, `opt` ...); after a change, the name on the shelf;
  // empty without a schedule.
  const QString& name() const { return m_now.kept ? m_now.kept->name : m_now.name; }
  // The current schedule's entry on the shelf; null if it has none.
  const Kept& kept() const { return m_now.kept; }
  // True if the schedule was taken as it is, false if an edit made it.
  bool isTaken() const { return m_now.isTaken; }
  ScheduleShelf& shelf() { return m_shelf; }
  const ScheduleShelf& shelf() const { return m_shelf; }
  const ShelfTimes& shelfTimes() const { return m_shelfTimes; }
  // True if the entry's last typed text has faults.
  bool hasFaults(const Kept& kept) const {
    return !kept->draft.isEmpty() && (kept != m_draftOf || !m_faults.empty());
  }
  // The sites of the schedule with their choices, first without times, later with them.
  const Remote<SiteTable>& sites() const { return m_sites; }
  // True if the sites have their times, or cannot have them.
  bool areSitesWeighed() const { return m_areSitesWeighed; }
  struct Named {
    QString name;
    std::shared_ptr<const ScheduleSnapshot> snapshot;  // null if there is none
    Kept kept = {};                                    // null if it is not on the shelf
  };
  // The schedule before the last change, for comparison.
  const Named& previous() const { return m_previous; }
  // Its times; null if there is none.
  const TimeEstimate* before() const {
    return m_previous.snapshot ? &m_previous.snapshot->time : nullptr;
  }
  // Returns the change of the time from the previous schedule to the current one.
  std::optional<TimeChange> change() const {
    if (!m_schedule.value || !m_previous.snapshot) return std::nullopt;
    return changeBetween(m_previous.snapshot->time, m_schedule.value->time);
  }
  // The schedule as written, including comments, if it came from a text; otherwise in normal form.
  const QString& text() const { return m_now.text; }
  // The typed text while it has faults, which are listed by the function below. Empty if there are
  // none.
  const QString& draft() const { return m_draft; }
  const std::vector<TextFault>& faults() const { return m_faults; }
  // Counts the problems that were opened. A snapshot belongs to the opening in which it was made.
  int opening() const { return m_opening; }
  // True while undo or redo waits for a schedule of an earlier opening, which is read again.
  bool isRestoring() const { return m_numRestoring > 0; }
  // The undo history of the open problem.
  QUndoGroup& history() { return m_history; }

  // What was measured of schedules, by which all times are shown.
  ScheduleTimes& times() { return m_times; }
  const ScheduleTimes& times() const { return m_times; }
  // Queries the measurements again, because new ones have arrived.
  void refreshMeasured();

  // True if a change is in progress or waiting.
  bool isChanging() const { return !m_waiting.empty() || m_schedule.state == RemoteState::Busy; }
  // The effect of the edits that were tried out last; Empty once the schedule changes.
  const Remote<Trial>& trial() const { return m_trial; }

  // Applies edits, one after the other; they are undone together. If one of them is illegal,
  // refused() is emitted with the reason.
  void change(const std::vector<ScheduleEdit>& edits);
  void choose(const QString& construct, const QString& site, const QString& label) {
    change({{.construct = construct, .site = site, .label = label}});
  }
  // Finds the effect of edits without changing anything.
  void tryOut(const std::vector<ScheduleEdit>& edits);
  // Forgets what was tried out, or is being tried out.
  void endTrial() {
    m_runner.cancel("trial");
    setTrial({});
  }
  // Takes a text. If it has faults, the schedule stays unchanged until a text without faults is
  // typed.
  void setText(const QString& text);
  // Reports that a request cannot be carried out, and why.
  void refuse(const QString& why) { Q_EMIT refused(why); }
  // Takes a named schedule.
  void take(const QString& name, const QString& text);
  // Takes a schedule from the shelf, including the text with faults that was being typed when it
  // was left.
  void take(const Kept& kept);
  // Takes the schedule on the shelf that has this text. If there is none, adds it under that name.
  void takeEdited(const QString& name, const QString& text);
  // Adds the schedule of a .sched file to the shelf under the file's name, and takes it.
  void load(const QString& file);
  // Takes the schedule that was current when this problem was last left. Returns false if it was
  // not open before.
  bool resume();
  // Inserts a schedule from a session before the current one, to undo to and to compare with.
  // Ignored if it is no longer legal.
  void restorePrevious(const QString& name, const QString& text);

 Q_SIGNALS:
  // Emitted when the schedule, its name, or whether a change is in progress has changed.
  void scheduleChanged();
  void sitesChanged();
  void draftChanged();
  void trialChanged();
  // Emitted when a change was refused.
  void refused(const QString& why);
  // Emitted when a file contains no schedule of this problem. The text has the file's name, the
  // line, what was found, and what would be legal.
  void notLoaded(const QString& why);
  // Emitted when times of schedules on the shelf have arrived.
  void shelfTimed();

 private:
  friend class ChangeSchedule;
  struct Change {
    QString name;  // name of the schedule to take; empty for an edit
    std::function<Expected<ScheduleSnapshot>(OpenProblem&, const Schedule&)> make;
    std::optional<QString> text = {};  // the text to read
    Kept kept = {};                    // the entry to take, or in which the text was typed
    bool isTyped = false;
    bool isOfHistory = false;  // true for undo and redo
    bool wasTaken = false;     // State::isTaken of what they go to
  };
  struct State {
    QString name;
    QString text;
    std::shared_ptr<const ScheduleSnapshot> snapshot;
    Kept kept = {};        // then it provides the name
    int opening = 0;       // counts openings; the snapshot belongs to this one
    bool isBegun = false;  // true if this change created the shelf entry
    bool isTaken = false;
  };
  // What is remembered about a problem in this session.
  struct Past {
    QUndoStack changes;
    std::optional<State> left;  // the current state when the problem was left
  };

  void onProblemChanged();
  void leaveProblem();
  void enterProblem();
  void submit(Change change);
  void startNext();
  void type(const QString& text, const Kept& kept);
  bool beginWithout(const Change& change);
  void finish(const Change& change, Expected<ScheduleSnapshot> made);
  void failTo(const Change& change, const Diagnostic& why);
  // Returns the state that results from a change, with its name and its entry on the shelf.
  State stateAfter(const Change& change, ScheduleSnapshot made);
  // Returns the shelf entry for an edit of the current schedule.
  Kept placeForEdit(const QString& text);
  // Restores a state for undo or redo. Reads the text again if the problem was reopened meanwhile.
  void restore(const State& state);
  State now() const;
  void show(const State& state);
  void keep(const State& state);
  void refreshSites();
  void weigh();
  void setSites(Expected<SiteTable> sites, bool areWeighed);
  void setFaults(const QString& draft, std::vector<TextFault> faults);
  void setTrial(Remote<Trial> trial);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleShelf& m_shelf;
  std::map<QString, std::unique_ptr<Past>> m_pasts;  // by ProblemModel::key()
  QUndoGroup m_history;
  Past* m_past = nullptr;  // of the open problem
  int m_opening = 0;
  ShelfTimes m_shelfTimes;
  ScheduleTimes m_times;
  std::deque<Change> m_waiting;
  int m_numRestoring = 0;               // changes of the history that wait or are made
  State m_now;                          // its snapshot is not set
  Remote<ScheduleSnapshot> m_schedule;  // the schedule of m_now
  Named m_previous;
  Remote<SiteTable> m_sites;
  bool m_areSitesWeighed = false;
  QString m_draft;
  std::vector<TextFault> m_faults;
  Kept m_draftOf;  // the entry being typed in, or null
  Remote<Trial> m_trial;
};

}  // namespace thallo::gui
