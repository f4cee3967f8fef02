// Runs of the solver, as the app shows them.
#pragma once

#include <memory>
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

// A point of the convergence plot, after a nonlinear iteration.
struct ConvergencePoint {
  int solve = 0;
  int iteration = 0;   // counted over all solves of the run
  double seconds = 0;  // spent in iterations, over all solves
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
  int number = 0;  // from 1, in the order of starting
  State state = State::Running;
  QString schedule;      // the schedule's name
  QString scheduleText;  // the text that ran
  QString stage;         // while running
  QString fault;         // if it failed
  std::vector<ConvergencePoint> points;
  // Set once the run is finished.
  QString device, precision, ending;
  bool wasCancelled = false;
  double initialCost = 0, finalCost = 0;
  double solveSeconds = 0;    // all solves, excluding the rest of the run
  double compileSeconds = 0;  // of kernels, including cached ones
  qint64 linearIterations = 0;
  std::vector<std::pair<QString, QString>> metrics;  // {"reprojection error", "0.71 px"}
  std::vector<ReportItem> pictures;
  std::vector<ReportItem> meshes;      // and point clouds
  std::vector<ReportItem> otherFiles;  // tables, and results in the formats of inputs
  QStringList warnings;                // what is suspicious, and what to try
  QString shortfall;                   // how the run falls short of its goal; empty if it does not
};

struct SolveSnapshot {
  std::vector<SolveRun> runs;  // the newest last
};

}  // namespace thallo::gui
