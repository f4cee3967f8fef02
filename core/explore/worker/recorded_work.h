#pragma once

// The work of a step as the store keeps it (StepRecord::features): everything that a cost model
// reads, so that models can predict measured steps long after they were measured, and be fitted to
// them.

#include <map>
#include <string>

#include "core/base/diagnostic.h"
#include "core/cost/model/work.h"

namespace thallo {

struct RecordedWork {
  StepWork step;
  std::map<MapId, MapStatistics> maps;  // through which the step jumps

  // Returns the step's program, as far as models read it: it touches so many bytes in a linear
  // iteration.
  ProgramWork program(double loop_bytes) const { return {.maps = maps, .loop_bytes = loop_bytes}; }
};

// Returns a JSON object. Accesses that are equal but for their counts are one. `maps` are those of
// the program.
std::string text_of(const StepWork& step, const std::map<MapId, MapStatistics>& maps);
// Fails for any other text, such as one that an earlier version wrote.
Expected<RecordedWork> parse_recorded_work(const std::string& text);

}  // namespace thallo
