// What the app shows about the kernels and the other steps of a program: what they consist of, what
// they cost, and which directives asked for them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/cost/model/time_parts.h"

namespace thallo::gui {

// What is known about a step before anything is compiled. Amounts are per launch.
struct StepFacts {
  QString label;         // "apply_jtjp [fit_reg_down_reg_left]"
  QString shown;         // the same for people: "apply_jtjp [all 3 residuals]"
  bool isKernel = true;  // false: a library operation, a clear or a dense solve
  QString frequency;     // how often it runs: once a "linear iteration"
  QStringList over;      // the index spaces of its sections: "W x H"
  double flops = 0;
  double bytes = 0;  // moved between the device's memory and its caches
  double atomics = 0;
  double predicted = 0;  // seconds
  // The predicted seconds of a launch, by what it waits for, the longest first, and what would
  // help.
  std::vector<std::pair<Wait, double>> waits;
  QString remedy;
  QStringList askedBy;  // directives; empty if the default schedule has it too
};

struct KernelRow {
  StepFacts facts;
  // The step's stretch of a nonlinear iteration, if it has one.
  double runs = 0;
  double share = 0;                // of the time of a nonlinear iteration
  std::optional<double> measured;  // seconds per launch

  // For kernels only.
  QString preamble;  // types and helper functions that the text needs
  QString text;      // CUDA or C, as people read it; the loop nest for the interpreter
  // For each line of the text: the lines of the energy's text that it comes from.
  std::vector<std::vector<int>> linesOf;
  QStringList fields;  // what the arguments mean: "Mask = Mask over (W, H)"
  // Reported by the compiler.
  bool isCompiled = false;
  std::optional<int> registers;   // per thread
  std::optional<int> stackBytes;  // per thread, in memory: spilled registers and arrays
  bool spills = false;            // true if registers were spilled
  double compileSeconds = 0;
  bool isFromCache = false;
  QString warnings;

  const QString& label() const { return facts.label; }
  double seconds() const { return measured.value_or(facts.predicted); }  // per launch
};

// Splits a label: "apply_jtjp [fit]" has the role "apply_jtjp" and the part "fit". The part is
// empty for steps of all parts together.
QString roleOf(const QString& label);
QString partOf(const QString& label);
// Returns what the step waits for, the longest first: "memory 62 %, launch 30 %". Leaves out less
// than a percent. Empty if it is not known.
QString waitsText(const StepFacts& facts);

// The peak rates of the device, per second.
struct DeviceRoofs {
  double memory = 0;      // bytes
  double cache = 0;       // bytes
  double arithmetic = 0;  // flops, in the precision of the problem
};

struct KernelSnapshot {
  QString scheduleHash;
  QString backend;
  QString architecture;         // the target of the compilation: "sm_90"
  std::vector<KernelRow> rows;  // sorted by share of time, largest first
  bool isCompiling = false;
  bool hasAskers = false;  // false if they are not found yet
  QString shortfall;       // what cannot be known, and why; empty if complete
  DeviceRoofs roofs;

  const KernelRow* find(const QString& label) const;
  std::size_t numKernels() const;
  std::size_t numCompiled() const;
};

}  // namespace thallo::gui
