// Explorations as tests run them, with workers of the program that was just built: of the problem
// curve_fit, small, on the cpu.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/explore/measure/measurer.h"
#include "core/explore/space/explored_problem.h"

namespace thallo::test {

class CurveFitExploration {
 public:
  CurveFitExploration();

  // Timeouts of seconds and leases of less, so that tests wait for neither.
  MeasurerOptions options(const std::filesystem::path& store, ResultKind measure) const;
  // Throws what open() returns as a fault.
  std::unique_ptr<Measurer> open(const MeasurerOptions& options) const;
  std::vector<Proposal> all() const;  // all 18 schedules
  Proposal proposal(const std::string& text) const;

 private:
  ExplorationTarget target_;
  Session session_;
  ExploredProblem problem_;
};

// The hashes with the status of each result, "none" where there is none.
std::map<std::string, std::string> table_of(const Measurer& measurer);
// All steps that have times in a store.
std::set<std::string> timed_steps(const std::filesystem::path& store);

}  // namespace thallo::test
