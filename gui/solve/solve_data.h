// Runs of the solver, as the app shows them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QString>

namespace thallo::gui {

// The settings of a run. Unset ones are as in the problem.
struct SolveSettings {
  QString backend = "auto";                                // auto, cuda, cpu, interpreter
  std::vector<std::pair<QString, QString>> solverOptions;  // by published name: nIterations

  friend bool operator==(const SolveSettings&, const SolveSettings&) = default;
};

// A point of the convergence plot: the start of a solve, or the end of a nonlinear iteration.
struct ConvergencePoint {
  int solve = 0;       // of the run's, from 0
  int iteration = 0;   // within the solve; 0 is its start
  double seconds = 0;  // since the solve began
  double cost = 0;
  int linearIterations = 0;
  bool isAccepted = true;
};

// A file of a run's report.
struct ReportItem {
  QString file, caption;

  friend bool operator==(const ReportItem&, const ReportItem&) = default;
};

struct SolveRun {
  enum class State { Running, Finished, Failed };
  int number = 0;         // from 1, in the order of starting
  QString name;           // as the user called it; empty: the schedule's name
  bool isHidden = false;  // true if diagrams leave it out
  State state = State::Running;
  QString schedule;      // the schedule's name
  QString scheduleText;  // the text that ran
  QString stage;         // while running
  QString fault;         // if it failed
  // Solve by solve, each from its start.
  std::vector<ConvergencePoint> points;
  // What was predicted for a nonlinear iteration without its linear iterations, and for one of
  // these; absent if the run is on another device, or is not the program that was predicted.
  std::optional<std::pair<double, double>> predicted;
  // Set once the run is finished.
  QString device, precision, ending;
  bool wasCancelled = false;
  double initialCost = 0, finalCost = 0;
  double solveSeconds = 0;    // all solves, excluding the rest of the run
  double compileSeconds = 0;  // of kernels, including cached ones
  int iterations = 0;         // nonlinear, of all solves
  qint64 linearIterations = 0;
  QString solvedBy;  // the linear solver, its preconditioner, and why it was chosen
  std::vector<std::pair<QString, QString>> metrics;  // {"reprojection error", "0.71 px"}
  std::vector<ReportItem> pictures;
  std::vector<ReportItem> meshes;      // and point clouds
  std::vector<ReportItem> otherFiles;  // tables, and results in the formats of inputs
  QStringList warnings;                // what is suspicious, and what to try
  QString shortfall;                   // how the run falls short of its goal; empty if it does not

  const QString& shownName() const { return name.isEmpty() ? schedule : name; }
  int numSolves() const { return points.empty() ? 0 : points.back().solve + 1; }
  // The predicted time of all solves, for the iterations that were made; absent if there is none.
  std::optional<double> predictedSeconds() const {
    if (!predicted || iterations == 0) return std::nullopt;
    return iterations * predicted->first +
           static_cast<double>(linearIterations) * predicted->second;
  }
};

struct SolveSnapshot {
  std::vector<SolveRun> runs;  // the newest last
};

}  // namespace thallo::gui
