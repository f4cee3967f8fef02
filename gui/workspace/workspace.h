// The whole state of the app: everything that pages show is here and nowhere else. Pages interact
// only through it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QStringList>

#include "gui/graph/graph_model.h"
#include "gui/jobs/job_runner.h"
#include "gui/kernels/kernel_model.h"
#include "gui/kernels/other_kernels.h"
#include "gui/problem/energy_text.h"
#include "gui/problem/problem_model.h"
#include "gui/problem/recent_problems.h"
#include "gui/schedule/comparison_model.h"
#include "gui/schedule/guide_model.h"
#include "gui/schedule/pin_model.h"
#include "gui/schedule/schedule_model.h"
#include "gui/schedule/way_model.h"
#include "gui/schedule/what_if_model.h"
#include "gui/solve/solve_model.h"
#include "gui/space/space_model.h"
#include "gui/workspace/inspection.h"
#include "gui/workspace/links.h"
#include "gui/workspace/log_model.h"
#include "gui/workspace/search_index.h"
#include "gui/workspace/selection.h"
#include "gui/workspace/session_file.h"

namespace thallo::gui {

struct WorkspaceOptions {
  std::vector<std::string> pluginPath;  // folders that are searched before the default ones
  QStringList workerCommand;            // starts a worker: "thallo", "worker"
  QString store = {};                   // measurement file; empty: one for each problem
  QStringList besideStores = {};        // stores that are shown beside it
  QString shelf = {};                   // folder of edited schedules; empty: keep them in memory
  QString energyCopies = {};            // folder of copies of unsaved energies; empty: keep none
};

class Workspace final : public QObject {
  Q_OBJECT

 public:
  explicit Workspace(WorkspaceOptions options);

  const WorkspaceOptions& options() const { return m_options; }
  JobRunner& analysisRunner() { return m_analysisRunner; }
  ProblemModel& problems() { return m_problems; }
  // The user's energy in the open problem, for the page that edits it.
  EnergyText& energyText() { return m_energyText; }
  ScheduleModel& schedule() { return m_schedule; }
  GuideModel& guide() { return m_guide; }
  WayModel& way() { return m_way; }
  PinModel& pins() { return m_pins; }
  ScheduleShelf& shelf() { return m_shelf; }
  WhatIfModel& whatIf() { return m_whatIf; }
  ComparisonModel& comparison() { return m_comparison; }
  GraphModel& graph() { return m_graph; }
  KernelModel& kernels() { return m_kernels; }
  OtherKernels& otherKernels() { return m_otherKernels; }
  SolveModel& solve() { return m_solve; }
  SpaceModel& space() { return m_space; }
  SelectionModel& selection() { return m_selection; }
  LinkModel& links() { return m_links; }
  InspectorModel& inspector() { return m_inspector; }
  RecentProblems& recent() { return m_recent; }
  LogModel& log() { return m_log; }

  // Asked before the open problem is left, because unsaved changes would be lost. The guard calls
  // `proceed` or does not. All functions below that open a problem use it.
  using Guard = std::function<void(std::function<void()> proceed)>;
  void setGuard(Guard guard) { m_guard = std::move(guard); }

  // Makes views hand over text that was typed a moment ago, because it is about to be left.
  void handOver() { Q_EMIT leaving(); }

  // Opens a problem and, once it is open, the schedule with that name. If the problem has no
  // schedule of that name, ScheduleModel::refused() is emitted. Without a name: the schedule that
  // was current when the problem was left, or else auto. `begun` is called unless the user refuses
  // to leave the open problem.
  void open(const ProblemRequest& request, const QString& schedule = {},
            std::function<void()> begun = {});
  // Opens the problem of a .toml file; see ProblemModel::openFile().
  void openFile(const QString& file, const ProblemRequest& request = {});
  void openRecent(const RecentProblem& recent);
  // Shows the open problem, and everything about it, on another device. A named schedule is
  // replaced by the schedule of that name on the new device: auto is the one predicted to be
  // fastest there.
  void lookOn(const QString& device);
  // Measures the current schedule on this machine, or cancels that while it goes on. Does nothing
  // if whyNotMeasured() is not empty.
  void measure();
  // Says why the current schedule cannot be measured here; empty if it can.
  QString whyNotMeasured() const;
  // The device of this machine to look on if that of the open problem is elsewhere; null if the
  // problem's device is here, and until devices are known.
  const DeviceChoice* deviceToMeasureOn() const;
  // Opens the last requested problem again, after it failed.
  void retry();

  // Does not set the page, which the window knows.
  SessionData session();
  // Opens the problem of the session and, once it is open, restores its schedule and the rest.
  // `begun` is called unless the user refuses to leave the open problem.
  void restore(const SessionData& session, std::function<void()> begun = {});

  // Returns everything that can be found by name. Models add their own entries.
  using Entries = std::function<std::vector<SearchEntry>()>;
  void addSearchEntries(Entries entries) { m_searchEntries.push_back(std::move(entries)); }
  std::vector<SearchEntry> searchEntries() const;

  // Selects a measured schedule, from the page or from beside it, and makes it current.
  void takeCandidate(const QString& hash);

 Q_SIGNALS:
  void leaving();

 private:
  // What to restore once the problem is open: a schedule, and the states of pages.
  struct Wanted {
    QString name;                                  // empty: what was current, else auto
    std::optional<QString> text = {};              // absent: the problem's schedule of that name
    bool isEdited = false;                         // true if the schedule is on the shelf
    QString previousName = {}, previousText = {};  // the schedule before it, if any
    QJsonObject parts = {};                        // SessionData::parts
  };

  void leave(std::function<void()> proceed, std::function<void()> begun = {});
  // Variants of open(), openFile(), openRecent() and restore() that do not ask the guard.
  void begin(const ProblemRequest& request, const QString& schedule);
  void beginFile(const QString& file, const ProblemRequest& request);
  void beginRecent(const RecentProblem& recent);
  void beginSession(const SessionData& session);
  void takeWanted();
  void takeSchedule(const Wanted& wanted);
  void takeNamed(const QString& name);
  // Returns the schedule of that name in the open problem, or null.
  const NamedSchedule* findNamed(const QString& name) const;
  std::vector<SearchEntry> ownSearchEntries();
  void remember();

  WorkspaceOptions m_options;
  LogModel m_log;
  RecentProblems m_recent;
  JobRunner m_analysisRunner;
  ProblemModel m_problems;
  EnergyText m_energyText;
  ScheduleShelf m_shelf;
  ScheduleModel m_schedule;
  GuideModel m_guide{m_schedule};
  WayModel m_way{m_analysisRunner, m_problems, m_schedule};
  PinModel m_pins{m_analysisRunner, m_problems, m_schedule};
  WhatIfModel m_whatIf{m_problems, m_schedule};
  ComparisonModel m_comparison;
  GraphModel m_graph;
  KernelModel m_kernels;
  OtherKernels m_otherKernels;
  SolveModel m_solve;
  SpaceModel m_space;
  SelectionModel m_selection;
  LinkModel m_links{m_selection, m_graph, m_kernels};
  InspectorModel m_inspector;
  std::optional<Wanted> m_wanted;
  std::vector<Entries> m_searchEntries;
  Guard m_guard;
  QString m_openFile;  // the last request's .toml file; empty if there was none
};

}  // namespace thallo::gui
