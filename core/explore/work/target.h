#pragma once

// What is explored, as plain values that travel to worker processes: a problem with its options,
// and where and how its programs run.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/memory_limit.h"
#include "core/energy/found/intermediates.h"
#include "core/problem/files/bind_inputs.h"
#include "core/problem/options.h"
#include "core/schedule/precision.h"

namespace thallo {

struct ExplorationTarget {
  std::string problem;               // its name, or the path of an energy text
  std::vector<SourceText> bindings;  // of the energy text's inputs
  Options options;                   // as the user gave them
  std::string backend = "auto";
  int device = 0;
  std::string device_spec;  // a file or the name of a shipped one; empty: the device's own
  std::optional<Precision> precision;  // unset: the instance's choice
  std::vector<std::pair<std::string, std::string>> solver_options;
  FoundSites sites = FoundSites::Default;
  std::int64_t memory_limit = DefaultMemoryLimit;
  int num_threads = 0;                   // of the cpu backend; 0 = all
  std::vector<std::string> plugin_path;  // folders that are searched before the others

  // One line of JSON, and back. Fails when a text is not such a line.
  std::string json() const;
  static Expected<ExplorationTarget> from_json(const std::string& text);
};

}  // namespace thallo
