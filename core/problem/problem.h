// A Problem is a complete application of the system: an energy, instances of it (real files or
// generated input), and the presentation of a solution. Problems are plugins (problems/*) and see
// public core headers only. A problem object is stateless: everything an instance needs between its
// start and its report is in Instance.
//
// A run (solve_problem, driver.h) calls
//
//   energy -> instantiate -> (solve -> advance)* -> report
//
// where advance changes data between solves: blended constraints, pyramid levels, new
// correspondences. It may change params, fields and extents, but never the energy.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/options.h"
#include "core/base/registry.h"
#include "core/energy/binding.h"
#include "core/frontend/energy_file.h"
#include "core/problem/report/report.h"
#include "core/schedule/precision.h"
#include "core/solve/options.h"
#include "core/solve/summary.h"

namespace thallo {

struct ProblemInfo {
  std::string name;      // as typed: "image_warping"
  std::string title;     // "Image warping with as-rigid-as-possible deformation"
  std::string citation;  // of the method or the data
  std::string shows;     // the features of Thallo that it exercises, one sentence
  // A PNG file of PictureWidth x PictureHeight pixels that shows what the problem does, beside the
  // plugin or the .toml file. Empty if there is none.
  std::filesystem::path picture = {};

  static constexpr int PictureWidth = 480, PictureHeight = 300;
};

// Data that a problem keeps besides the binding: the picture to warp, the start, ground truth ...
class InstanceData {
 public:
  virtual ~InstanceData() = default;
};

struct Instance {
  explicit Instance(const Energy& energy) : binding(energy) {}

  Binding binding;       // start values in the unknowns; the solution after a solve
  SolverOptions solver;  // the problem's own choice for this instance
  // What was published with the problem, if `solver` is something else to be sooner at the answer:
  // explorations measure it, so that their counts are those of papers.
  std::optional<SolverOptions> published = {};
  Precision precision = Precision::Mixed;  // used unless the request says otherwise
  std::string title;                       // "dubrovnik-16-22106-pre.txt"
  std::vector<std::pair<std::string, std::string>> labels;  // shown: {"cameras", "16"}
  std::shared_ptr<InstanceData> data;
};

// The solves of a run so far. The unknowns are in Instance::binding.
struct Solution {
  std::vector<SolverSummary> solves;
  std::string backend;                     // "cpu"
  Precision precision = Precision::Mixed;  // always Double for the interpreter
  double compile_seconds = 0;
  double total_seconds = 0;  // from the end of instantiate to the end of the last solve

  double initial_cost() const { return solves.empty() ? 0 : solves.front().initial_cost; }
  double final_cost() const { return solves.empty() ? 0 : solves.back().final_cost; }
};

class Problem {
 public:
  virtual ~Problem() = default;

  virtual ProblemInfo info() const = 0;
  virtual std::vector<OptionSpec> options() const = 0;

  // The options passed here and below are complete and checked (complete_options).

  // Returns the energy with its schedule and its solver defaults, made by load_energy() or an
  // EnergyBuilder.
  virtual Expected<EnergyFile> energy(const Options& options) const = 0;
  // Makes an instance: extents, fields, params, start and solver options. `energy` is the result of
  // energy(options).
  virtual Expected<Instance> instantiate(const Energy& energy, const Options& options) const = 0;
  // Returns options that replace those in `options` to make a small instance with the same energy.
  // It should have at most some thousand numbers, so that the results of schedules can be compared
  // with what the energy defines (`thallo explore` does). Returns none if the instance is small
  // already, or cannot be made smaller.
  virtual Options small_options(const Options& /*options*/) const { return {}; }
  // Called after solve number `solve` (from 0), once its result is downloaded. Prepares the next
  // solve and returns true, or returns false to end the run.
  virtual Expected<bool> advance(Instance& /*instance*/, int /*solve*/,
                                 const Solution& /*solution*/) const {
    return false;
  }
  virtual Report report(const Instance& instance, const Solution& solution) const = 0;
};

using ProblemRegistry = Registry<Problem>;

}  // namespace thallo
