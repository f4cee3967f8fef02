// A problem without C++: an energy text and the bindings of its inputs. `thallo run` makes one from
// the command line, and problem_file.h reads one from a .toml file.
#pragma once

#include <filesystem>
#include <vector>

#include "core/frontend/front_end.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/problem.h"
#include "core/schedule/precision.h"

namespace thallo {

struct EnergyProblemSpec {
  ProblemInfo info;
  std::filesystem::path energy;  // the text
  // One of these reads the text. They must outlive the problem.
  const FrontEndRegistry* front_ends = nullptr;
  std::vector<SourceText> bindings;  // each is also an option of the problem
  std::vector<SourceText> solver;    // solver options by published name
  Precision precision = Precision::Mixed;
  // The files that unknowns are written to, relative to the report's folder.
  std::vector<SourceText> outputs;
  // True if unknowns without an output are written as well, named after their input.
  bool write_all = true;
};

// An unknown is written in the format of the file that provided its start. If no file did, it is
// written as an image in the format of the images over the same dims, if that format can hold its
// channels, and otherwise as a .npy array. The labels of an instance list the extents of the dims
// and the unknowns that start at zero.
class EnergyProblem : public Problem {
 public:
  explicit EnergyProblem(EnergyProblemSpec spec) : spec_(std::move(spec)) {}

  const std::filesystem::path& text_file() const { return spec_.energy; }
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
