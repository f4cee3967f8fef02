#pragma once

// Describes a run that a worker is asked to make, as plain values that can be sent to it.

#include <optional>
#include <string>

#include "core/explore/work/target.h"

namespace thallo {

struct RunOrder {
  ExplorationTarget target;
  std::string schedule;                      // as choose_schedule() takes it
  std::optional<std::string> schedule_text;  // the text of a schedule, in place of a name
  std::string folder;                        // for the files of the report; empty: write none

  // Converts to the request "run" (worker.h) without an id, and back. Reading fails if the text is
  // not such a request.
  std::string json() const;
  static Expected<RunOrder> from_json(const std::string& text);
};

}  // namespace thallo
