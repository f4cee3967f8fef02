// What the app shows about an open problem.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QString>
#include <QStringList>

namespace thallo::gui {

// What to open: a problem, its options as texts, and the device and the cost model that its times
// are predicted for and by.
struct ProblemRequest {
  QString problem;
  std::vector<std::pair<QString, QString>> options;  // those that differ from the defaults
  QString device;                                    // DeviceChoice::id; empty: the first device
  QString model = {};                                // a cost model; empty: the default one

  friend bool operator==(const ProblemRequest&, const ProblemRequest&) = default;
};

// A named schedule to start from.
struct NamedSchedule {
  QString name;  // "auto", "default", "best"
  QString text;  // Schedule::text()
  QString hash;
  std::optional<double> seconds;  // per nonlinear iteration, predicted of the program

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

// The words of the language that an energy is written in, which editors color and complete.
struct EnergyWords {
  QStringList keywords, names;
  QString comment;  // begins a comment that ends with the line

  friend bool operator==(const EnergyWords&, const EnergyWords&) = default;
};

// The text that an energy was read from.
struct EnergySource {
  QString file;           // empty if there is none, as all else is
  QString text;           // as written by its author
  EnergyWords words;      // of its language
  bool isFaulty = false;  // true if the problem cannot be opened because of this text
  bool isOwn = false;     // true if it is the user's, so that it can be edited

  friend bool operator==(const EnergySource&, const EnergySource&) = default;
};

struct ProblemSnapshot {
  ProblemRequest request;
  QString title;  // the problem's title
  // The instance's title: "dubrovnik-16-22106-pre.txt".
  QString instance;
  QString signature;                                // as in the measurement store
  std::vector<std::pair<QString, QString>> labels;  // {"cameras", "16"}
  qint64 unknowns = 0, residuals = 0;               // counted in scalars
  QString energyText;                               // as Thallo prints it
  EnergySource source;
  std::vector<EnergySymbol> symbols;
  QString deviceName, backend;
  QString precision;            // "mixed", "float" or "double"
  double linearIterations = 0;  // per nonlinear iteration
  std::vector<NamedSchedule> schedules;
  std::vector<ConstructInfo> constructs;  // in stage order
};

}  // namespace thallo::gui
