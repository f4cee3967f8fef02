// The current schedule, the same on all pages, and how it is changed: by a choice at a site, by a
// text that was typed, or by another schedule that takes its place. Every change can be undone.
//
// A change is made where the analysis runs and arrives a moment later. Changes that are asked for
// in the meantime wait, so that each begins with the schedule that the one before it made.
//
// What a person makes of a schedule is on the shelf from its first change on: the schedule as it is
// now, and what is typed while it has faults. The changes of a problem that was left can be undone
// when it is open again.
#pragma once

#include <deque>
#include <functional>
#include <map>

#include <QUndoGroup>
#include <QUndoStack>

#include "gui/models/problem_model.h"
#include "gui/models/schedule_data.h"
#include "gui/models/schedule_shelf.h"

namespace thallo::gui {

class ScheduleModel final : public QObject {
  Q_OBJECT

 public:
  ScheduleModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleShelf& shelf,
                QObject* parent = nullptr);

  // Ready: the schedule that all pages show. Failed: there is none, or the last change was refused
  // and the one before it stays.
  const Remote<ScheduleSnapshot>& schedule() const { return m_schedule; }
  // Of `auto`, `opt` ... as it was taken; that on the shelf after a change; empty
  // without a schedule.
  const QString& name() const { return m_now.kept ? m_now.kept->name : m_now.name; }
  // The current one on the shelf; null when it is none of those.
  const Kept& kept() const { return m_now.kept; }
  ScheduleShelf& shelf() { return m_shelf; }
  const ScheduleShelf& shelf() const { return m_shelf; }
  // What is known of a text on the shelf, for this problem on this device.
  struct ShelfTime {
    QString hash;
    std::optional<double> seconds = {};  // estimated, of a nonlinear iteration
    QString illegal = {};                // why it cannot be taken here; empty when it can
  };
  const ShelfTime* timeOf(const Kept& kept) const;  // null before it is known
  // Does it have a text, typed last, that has faults?
  bool hasFaults(const Kept& kept) const {
    return !kept->draft.isEmpty() && (kept != m_draftOf || !m_faults.empty());
  }
  // The sites of the schedule with their choices. First without times, then with them.
  const Remote<SiteTable>& sites() const { return m_sites; }
  struct Named {
    QString name;
    std::shared_ptr<const ScheduleSnapshot> snapshot;  // null: there is none
  };
  // The schedule before the last change, to compare with.
  const Named& previous() const { return m_previous; }
  // Its times; null when there is none.
  const TimeEstimate* before() const {
    return m_previous.snapshot ? &m_previous.snapshot->time : nullptr;
  }
  // From that schedule to the current one, in times of one kind.
  std::optional<TimeChange> change() const;
  // The schedule as it was written, with comments, when it came from a text; else in normal form.
  const QString& text() const { return m_now.text; }
  // The text as typed, while it has faults; they belong to it. Empty when there are none.
  const QString& draft() const { return m_draft; }
  const std::vector<TextFault>& faults() const { return m_faults; }
  // Of the open problem.
  QUndoGroup& history() { return m_history; }

  // Who knows the measured times of a schedule, by its hash.
  using Measurements = std::function<std::optional<MeasuredTimes>(const QString& hash)>;
  void setMeasurements(Measurements measurements) { m_measurements = std::move(measurements); }
  // Asks again, since more is known.
  void refreshMeasured();
  // What predicted times are multiplied by wherever they are shown: the ratio of the measured to
  // the predicted time of the schedule that was the current one last of those that were measured; 1
  // where none was.
  double timeScale() const;
  // The snapshot with the times that are known of it.
  std::shared_ptr<const ScheduleSnapshot> withMeasured(
      const std::shared_ptr<const ScheduleSnapshot>& snapshot) const;

  // Is a change under way or waiting?
  bool isChanging() const;
  // What would become of the last edit that was tried out; Empty once the schedule is another.
  const Remote<Trial>& trial() const { return m_trial; }

  // An edit that is not legal is refused, with the reason.
  void change(const ScheduleEdit& edit);
  void choose(const QString& construct, const QString& site, const QString& label) {
    change({.construct = construct, .site = site, .label = label});
  }
  // Finds what the edit would come to, and changes nothing.
  void tryOut(const ScheduleEdit& edit);
  // Takes the text. With faults, the schedule stays as it is until a text without faults is typed.
  void setText(const QString& text);
  // Tells that what was asked for cannot be, and why.
  void refuse(const QString& why) { Q_EMIT refused(why); }
  // Takes a schedule that has a name.
  void take(const QString& name, const QString& text);
  // Takes one of the shelf, and what was typed and had faults when it was left.
  void take(const Kept& kept);
  // Takes the one of the shelf that has the text, else puts it there under that name.
  void takeEdited(const QString& name, const QString& text);
  // Puts what a .sched file has on the shelf, named as the file, and takes it.
  void load(const QString& file);
  // Takes what was current when the open problem was left; false when it was not open before.
  bool resume();
  // Puts a schedule before the one that was taken, as a session knows it: to undo to, and to
  // compare with. One that is not legal any more is left out.
  void restorePrevious(const QString& name, const QString& text);

 Q_SIGNALS:
  // The schedule, its name, or that one is under way.
  void scheduleChanged();
  void sitesChanged();
  void draftChanged();
  void trialChanged();
  // A change was refused.
  void refused(const QString& why);
  // A file has no schedule of this problem: its name, the line, what was found, and what is legal.
  void notLoaded(const QString& why);
  // More is known of the times of the shelf.
  void shelfTimed();

 private:
  friend class ChangeSchedule;
  struct Change {
    QString name;  // of what it takes; empty if it edits
    std::function<Expected<ScheduleSnapshot>(Analysis&, const Schedule&)> make;
    std::optional<QString> text = {};  // that it reads
    Kept kept = {};                    // that it takes, or that the text was typed in
    bool isTyped = false;
    bool isOfHistory = false;  // undoes or redoes
  };
  struct State {
    QString name;
    QString text;
    std::shared_ptr<const ScheduleSnapshot> snapshot;
    Kept kept = {};        // has the name, then
    int opening = 0;       // of a problem, of which the snapshot is
    bool isBegun = false;  // Is it the first that is kept there?
  };
  // What is known of a problem in this session.
  struct Past {
    QUndoStack changes;
    std::optional<State> left;  // that was current when the problem was left
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
  // What a change came to, with its name and its place on the shelf.
  State stateAfter(const Change& change, ScheduleSnapshot made);
  // Where an edit of the current schedule is kept.
  Kept placeForEdit(const QString& text);
  // What was undone or redone; read anew if the problem was opened again meanwhile.
  void restore(const State& state);
  State now() const;
  void show(const State& state);
  void keep(const State& state);
  void refreshSites();
  // Takes the schedule as the one whose measured time predictions are scaled by, if it was
  // measured.
  void referTo(const ScheduleSnapshot& snapshot);
  // Adds to choices the change of the time; false if they have it already.
  bool addChanges(SiteTable& table) const;
  void addChange(Trial& trial) const;
  std::optional<double> measuredSeconds(const QString& hash) const;
  void timeShelf();
  void setFaults(const QString& draft, std::vector<TextFault> faults);
  void setTrial(Remote<Trial> trial);

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleShelf& m_shelf;
  std::map<QString, std::unique_ptr<Past>> m_pasts;  // by ProblemModel::key()
  QUndoGroup m_history;
  Past* m_past = nullptr;  // of the open problem
  int m_opening = 0;
  std::map<QString, ShelfTime> m_shelfTimes;  // by text
  Measurements m_measurements;
  struct Reference {
    QString hash;
    double predicted = 0;
  };
  std::optional<Reference> m_reference;  // what predictions are scaled by
  std::deque<Change> m_waiting;
  State m_now;                          // without its snapshot
  Remote<ScheduleSnapshot> m_schedule;  // that of m_now
  Named m_previous;
  Remote<SiteTable> m_sites;
  QString m_draft;
  std::vector<TextFault> m_faults;
  Kept m_draftOf;  // what is being typed in; null when nothing is
  Remote<Trial> m_trial;
};

}  // namespace thallo::gui
