// `thallo report --curves`: how soon searches find fast schedules (replayed_curves.h). Its flags,
// and how it is run, with a progress bar and until Ctrl-C.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/session.h"
#include "core/explore/report/replayed_curves.h"
#include "core/explore/space/target.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace thallo::cli {

struct CurveFlags {
  bool is_given = false;
  std::vector<std::string> searches;  // empty: those that are compared unless others are named
  std::size_t num_seeds = 5;
  std::int64_t samples = 200;
  double budget = 30;                // seconds, of each replay
  std::vector<CLI::Option*> others;  // without effect unless curves are asked for

  void add_to(CLI::App& command);
  // Throws UserError if a flag has no effect.
  void check() const;
};

// What is replayed and what came of it.
struct ReplayedCurves {
  ReplayRequest request;
  CurveComparison comparison;
};
// Throws UserError if the store says nothing about the problem, or about several devices of that
// name, and if no run has a time.
ReplayedCurves replay_curves(Session& session, const CurveFlags& flags,
                             const ExplorationTarget& target, const MeasurementStore& store,
                             const StoredTimesOptions& stored);

}  // namespace thallo::cli
