// A problem that is an energy text and what is bound to its inputs: no C++. `thallo run` makes one
// from the command line, problem_file.h reads one from a .toml file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/problem/files/bind_inputs.h"
#include "core/problem/problem.h"

namespace thallo {

struct EnergyProblemSpec {
  ProblemInfo info;
  std::filesystem::path energy;      // the text
  std::vector<SourceText> bindings;  // each is an option of the problem, too
  std::vector<SourceText> solver;    // solver options by published name
  bool double_precision = false;
  // Unknowns and the files they are written to, relative to the report's folder.
  std::vector<SourceText> outputs;
  // Whether unknowns without an output are written as well, named after their input.
  bool write_all = true;
};

// Unknowns are written in the format of the file that fed them; one that no file fed goes into an
// image like the others of its space where that can hold it, else into an array. The labels of an
// instance say what extents the dims have, and which unknowns start at zero.
class EnergyProblem : public Problem {
 public:
  explicit EnergyProblem(EnergyProblemSpec spec) : spec_(std::move(spec)) {}

  ProblemInfo info() const override { return spec_.info; }
  std::vector<OptionSpec> options() const override;
  Expected<EnergyFile> energy(const Options& options) const override;
  Expected<Instance> instantiate(const Energy& energy, const Options& options) const override;
  Report report(const Instance& instance, const Solution& solution) const override;

 private:
  Expected<Instance> make_instance(const Energy& energy, BoundInputs inputs) const;

  EnergyProblemSpec spec_;
};

}  // namespace thallo
