// The whole state of the app: everything that pages show is here, and nothing else is kept
// anywhere. Pages know each other by it alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QStringList>

#include "gui/jobs/job_runner.h"
#include "gui/models/comparison_model.h"
#include "gui/models/energy_text.h"
#include "gui/models/graph_model.h"
#include "gui/models/inspection.h"
#include "gui/models/kernel_model.h"
#include "gui/models/log_model.h"
#include "gui/models/other_kernels.h"
#include "gui/models/problem_model.h"
#include "gui/models/recent_problems.h"
#include "gui/models/schedule_model.h"
#include "gui/models/search_index.h"
#include "gui/models/selection.h"
#include "gui/models/session_file.h"
#include "gui/models/session_parts.h"
#include "gui/models/solve_model.h"
#include "gui/models/space_model.h"

namespace thallo::gui {

struct WorkspaceOptions {
  std::vector<std::string> pluginPath;  // folders that are searched before the others
  QStringList workerCommand;            // how a worker is started: "thallo", "worker"
  QString store = {};                   // the file with measurements; empty: one for each problem
  QStringList besideStores = {};        // whose measurements are shown beside those
  QString shelf =
      {};  // the folder of edited schedules; empty: they are kept until the program ends
};

class Workspace final : public QObject {
  Q_OBJECT

 public:
  explicit Workspace(WorkspaceOptions options, QObject* parent = nullptr);

  const WorkspaceOptions& options() const { return m_options; }
  JobRunner& analysisRunner() { return m_analysisRunner; }
  ProblemModel& problems() { return m_problems; }
  // Of the open problem; for the page where it is edited.
  EnergyText& energyText() { return m_energyText; }
  ScheduleModel& schedule() { return m_schedule; }
  ScheduleShelf& shelf() { return m_shelf; }
  ComparisonModel& comparison() { return m_comparison; }
  GraphModel& graph() { return m_graph; }
  KernelModel& kernels() { return m_kernels; }
  OtherKernels& otherKernels() { return m_otherKernels; }
  SolveModel& solve() { return m_solve; }
  SpaceModel& space() { return m_space; }
  SelectionModel& selection() { return m_selection; }
  InspectorModel& inspector() { return m_inspector; }
  RecentProblems& recent() { return m_recent; }
  LogModel& log() { return m_log; }

  // Who is asked before the open problem is left, calls `proceed` or does not: what is not saved
  // would be lost. All the ways to another problem below lead through this.
  using Guard = std::function<void(std::function<void()> proceed)>;
  void setGuard(Guard guard) { m_guard = std::move(guard); }

  // Views hand over what was typed a moment ago; it is about to be left.
  void handOver() { Q_EMIT leaving(); }

  // Opens a problem and, when it is open, the schedule of that name; one that the problem has
  // not is told by ScheduleModel::refused(). Without a name: what was current when it was
  // left, or else auto.
  void open(const ProblemRequest& request, const QString& schedule = {});
  // Opens the problem of a .toml file; see ProblemModel::openFile().
  void openFile(const QString& file, const ProblemRequest& request = {});
  void openRecent(const RecentProblem& recent);
  // The open problem, and all that is shown of it, on another device. A schedule that the
  // problem has by name becomes that of the name there: auto is what is predicted to be fastest
  // on that device.
  void lookOn(const QString& device);
  // The last problem that was asked for once more, after it failed.
  void retry();

  // Without the page, which the window knows.
  SessionData session() const;
  // Opens the problem of the session and, when it is open, takes its schedule and the rest.
  void restore(const SessionData& session);

  // All that can be found by its name. Models add what they know.
  using Entries = std::function<std::vector<SearchEntry>()>;
  void addSearchEntries(Entries entries) { m_searchEntries.push_back(std::move(entries)); }
  std::vector<SearchEntry> searchEntries() const;

  // Selects a schedule that was measured, here or beside, and makes it the current one.
  void takeCandidate(const QString& hash);

 Q_SIGNALS:
  void leaving();

 private:
  // To be taken when the problem is open: a schedule, and what pages were left with.
  struct Wanted {
    QString name;                                  // empty: what was current, or else auto
    std::optional<QString> text = {};              // absent: that which the problem has by the name
    bool isEdited = false;                         // Is it one of the shelf?
    QString previousName = {}, previousText = {};  // the schedule before it, if there is one
    QJsonObject parts = {};                        // SessionData::parts
  };

  void leave(std::function<void()> proceed);
  // Those of open(), openFile(), openRecent() and restore() that do not ask.
  void begin(const ProblemRequest& request, const QString& schedule);
  void beginFile(const QString& file, const ProblemRequest& request);
  void beginRecent(const RecentProblem& recent);
  void beginSession(const SessionData& session);
  void takeWanted();
  void takeSchedule(const Wanted& wanted);
  void takeNamed(const QString& name);
  // Of the open problem; null when it has none of that name.
  const NamedSchedule* findNamed(const QString& name) const;
  std::vector<SearchEntry> ownSearchEntries();
  void remember();
  Inspection describeNode(const QString& id) const;
  Inspection describeSite(const QString& id) const;
  Inspection describeStep(const QString& label) const;
  // A schedule that was measured: on the page, else in what is shown beside it.
  struct FoundCandidate {
    std::shared_ptr<const SpaceSnapshot> space;
    std::size_t index = 0;
    QString elsewhere;  // the name of what is beside; empty on the page
  };
  std::optional<FoundCandidate> findCandidate(const QString& hash) const;
  Inspection describeCandidate(const QString& hash) const;

  WorkspaceOptions m_options;
  LogModel m_log;
  RecentProblems m_recent;
  JobRunner m_analysisRunner;
  ProblemModel m_problems;
  EnergyText m_energyText;
  ScheduleShelf m_shelf;
  ScheduleModel m_schedule;
  ComparisonModel m_comparison;
  GraphModel m_graph;
  KernelModel m_kernels;
  OtherKernels m_otherKernels;
  SolveModel m_solve;
  SpaceModel m_space;
  SelectionModel m_selection;
  InspectorModel m_inspector;
  std::optional<Wanted> m_wanted;
  std::map<QString, SessionPart> m_sessionParts;
  std::vector<Entries> m_searchEntries;
  Guard m_guard;
  QString m_openFile;  // of the last problem that was asked for; empty when not by a file
};

}  // namespace thallo::gui
