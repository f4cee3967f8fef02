// What the app shows of an open problem.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QString>

namespace thallo::gui {

// What is opened: a problem with its options as texts, and the device that it is looked at on.
struct ProblemRequest {
  QString problem;
  std::vector<std::pair<QString, QString>> options;  // those that are not as by default
  QString device;                                    // DeviceChoice::id; empty: the first of all

  friend bool operator==(const ProblemRequest&, const ProblemRequest&) = default;
};

// A schedule with a name to start from.
struct NamedSchedule {
  QString name;  // "auto", "default", "best"
  QString text;  // Schedule::text()
  QString hash;
  std::optional<double> seconds;  // of a nonlinear iteration, as estimated before lowering

  friend bool operator==(const NamedSchedule&, const NamedSchedule&) = default;
};

struct ConstructInfo {
  QString name, doc, stage;

  friend bool operator==(const ConstructInfo&, const ConstructInfo&) = default;
};

// A name that the energy declares, with its kind: "unknown", "array", "param", "map", "dim",
// "intermediate", "residual".
struct EnergySymbol {
  QString name, kind;

  friend bool operator==(const EnergySymbol&, const EnergySymbol&) = default;
};

struct ProblemSnapshot {
  ProblemRequest request;
  QString title;                                    // of the problem
  QString instance;                                 // of its data: "dubrovnik-16-22106-pre.txt"
  QString signature;                                // what the measurement store calls it
  std::vector<std::pair<QString, QString>> labels;  // {"cameras", "16"}
  qint64 unknowns = 0, residuals = 0;               // scalars
  QString energyText;                               // as Thallo understands it
  QString authorText;  // as it was written; empty when it was made without a text
  QString authorFile;  // where that text is
  std::vector<EnergySymbol> symbols;
  QString deviceName, backend;
  bool isDouble = false;
  double linearIterations = 0;  // of a nonlinear iteration
  std::vector<NamedSchedule> schedules;
  std::vector<ConstructInfo> constructs;  // in stage order
};

}  // namespace thallo::gui
