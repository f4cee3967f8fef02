#pragma once

// Describes what is explored, as plain values that can be sent to worker processes: a problem with
// its options, and where and how its programs run.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/memory_limit.h"
#include "core/base/fields.h"
#include "core/base/options.h"
#include "core/cost/model/cost_model.h"
#include "core/energy/found/intermediates.h"
#include "core/kernel/passes.h"
#include "core/problem/files/bind_inputs.h"
#include "core/schedule/precision.h"

namespace thallo {

struct ExplorationTarget {
  std::string problem;               // a name, or the path of an energy text
  std::vector<SourceText> bindings;  // for the inputs of the energy text
  Options options;                   // as the user gave them
  std::string backend = "auto";
  int device = 0;
  // The cost model that predictions are made with.
  std::string model{default_cost_model().name()};
  std::string device_spec;  // a file or shipped name; empty: the spec of the device itself
  std::optional<Precision> precision;  // if unset, the instance chooses
  std::vector<std::pair<std::string, std::string>> solver_options;
  FoundSites sites = FoundSites::Default;
  PassOptions passes = {};
  std::int64_t memory_limit = DefaultMemoryLimit;
  int num_threads = 0;                   // for the cpu backend; 0: all
  std::vector<std::string> plugin_path;  // folders that are searched before the default ones
};
THALLO_FIELDS(ExplorationTarget, problem, bindings, options, backend, device, device_spec, model,
              precision, solver_options, sites, passes, memory_limit, num_threads, plugin_path)
THALLO_FIELDS(SourceText, name, source)
template <class Fields>
void visit_fields(PassOptions& r, Fields&& fields) {
  for (const PassInfo& pass : all_passes()) fields(pass.name.data(), r.*pass.is_on);
}

}  // namespace thallo
