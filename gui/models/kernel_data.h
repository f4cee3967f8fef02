// What the app shows of the kernels of a program, and of its other steps: what they are made of,
// what they cost, and who asked for them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QString>
#include <QStringList>

namespace thallo::gui {

// What is known of a step before anything is compiled. Amounts are those of one launch.
struct StepFacts {
  QString label;         // "apply_jtjp [fit]"
  bool isKernel = true;  // else a library's operation, a clear or a dense solve
  QString frequency;     // it runs once a "linear iteration"
  QStringList over;      // the points of its sections: "W x H"
  double flops = 0;
  double bytes = 0;  // that must move between the device's memory and its caches
  double atomics = 0;
  double predicted = 0;  // seconds
  // What its time is made of, as predicted, the longest first: {"memory", 1.2e-6}.
  std::vector<std::pair<QString, double>> times;
  QStringList askedBy;  // directives; empty when the default schedule has it too
};

struct KernelRow {
  StepFacts facts;
  // A stretch of a nonlinear iteration, if it is one.
  double runs = 0;
  double share = 0;                // of the time of a nonlinear iteration
  std::optional<double> measured;  // seconds of one launch

  // Of a kernel.
  QString text;        // CUDA or C; of the interpreter the loop nest
  QStringList fields;  // what its arguments stand for: "f0 = Mask over (W, H)"
  // What the compiler says.
  bool isCompiled = false;
  std::optional<int> registers;  // of a thread
  std::optional<int>
      stackBytes;       // of a thread: in memory, since it found no register or is an array
  bool spills = false;  // is something there since the registers were used up?
  double compileSeconds = 0;
  bool isFromCache = false;
  QString warnings;

  const QString& label() const { return facts.label; }
  double seconds() const { return measured.value_or(facts.predicted); }  // of one launch
};

// "apply_jtjp [fit]" is of the role "apply_jtjp" and the part "fit". Steps of all parts together
// have an empty part.
QString roleOf(const QString& label);
QString partOf(const QString& label);

// How fast the device can be. All rates are per second.
struct DeviceRoofs {
  QString device;
  double memory = 0;      // bytes
  double cache = 0;       // bytes
  double arithmetic = 0;  // flops, in the precision of the problem
};

struct KernelSnapshot {
  QString scheduleHash;
  QString backend;
  QString architecture;         // what is compiled for: "sm_90"
  std::vector<KernelRow> rows;  // the largest share of time first
  bool isCompiling = false;
  bool hasAskers = false;  // else they are not found yet
  QString shortfall;       // what cannot be known, and why; empty when nothing is missing
  DeviceRoofs roofs;

  const KernelRow* find(const QString& label) const;
  std::size_t numKernels() const;
  std::size_t numCompiled() const;
};

}  // namespace thallo::gui
