#pragma once

// A run that a worker is to make, as plain values that travel to it.

#include <optional>
#include <string>

#include "core/explore/work/target.h"

namespace thallo {

struct RunOrder {
  ExplorationTarget target;
  std::string schedule;                      // see choose_schedule()
  std::optional<std::string> schedule_text;  // a schedule itself, instead of a choice
  std::string folder;                        // for the files of the report; empty: none is written

  // The request "run" (worker.h) without an id, and back. Fails when a text is not such a request.
  std::string json() const;
  static Expected<RunOrder> from_json(const std::string& text);
};

}  // namespace thallo
