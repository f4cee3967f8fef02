// Runs of the solver, as the app shows them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QString>

namespace thallo::gui {

// How a run is made; what is not said is as the problem has it.
struct SolveSettings {
  QString backend = "auto";                                // auto, cuda, cpu, interpreter
  std::vector<std::pair<QString, QString>> solverOptions;  // by published name: nIterations

  friend bool operator==(const SolveSettings&, const SolveSettings&) = default;
};

// A point of the convergence plot: after a nonlinear iteration.
struct ConvergencePoint {
  int solve = 0;
  int iteration = 0;   // counted through all solves of the run
  double seconds = 0;  // of iterations, through all solves
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
  int number = 0;  // from 1, in the order of their start
  State state = State::Running;
  QString schedule;      // its name
  QString scheduleText;  // as it ran
  QString stage;         // of a running one
  QString fault;         // of a failed one
  std::vector<ConvergencePoint> points;
  // Of a finished one.
  QString device, precision, ending;
  bool wasCancelled = false;
  double initialCost = 0, finalCost = 0;
  double solveSeconds = 0;    // of all its solves, without what else the run does
  double compileSeconds = 0;  // of kernels, cached ones included
  qint64 linearIterations = 0;
  std::vector<std::pair<QString, QString>> metrics;  // {"reprojection error", "0.71 px"}
  std::vector<ReportItem> pictures;
  std::vector<ReportItem> meshes;      // and point clouds
  std::vector<ReportItem> otherFiles;  // tables, results in the formats of inputs
  QStringList warnings;                // what is suspicious, with what to try
  QString shortfall;  // why the run is not what the problem promises; empty when it is
};

struct SolveSnapshot {
  std::vector<SolveRun> runs;  // the newest last
};

}  // namespace thallo::gui
