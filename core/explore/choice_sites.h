#pragma once

// Lists what a schedule decides and what it could decide instead: every site of every construct
// with all that can be written there, and why some of that is not legal. For people who look for a
// better schedule, and for programs that show it to them.

#include <cstddef>
#include <string>
#include <vector>

#include "core/schedule/precision.h"
#include "core/schedule/schedule.h"

namespace thallo {

struct ChoiceSite {
  const Construct* construct = nullptr;
  Site site;
  Plan plan;                              // before it is decided here
  Editor editor;                          // shows all alternatives
  std::vector<Alternative> alternatives;  // the default first
  std::size_t chosen = 0;                 // into alternatives

  // The alternative as a schedule writes it: r.fit:strategy("[JtJ]p").
  std::string text(const Alternative& alternative) const;
};

// The sites in the order in which decisions are taken, each with its alternatives given the
// decisions before it. Fails when the schedule is not legal. What repeats another alternative
// follows from the working precision of the programs. With a limit (storage_limit.h), what stores
// more is not legal, which may be true of what is chosen, and the plans of the sites refer to it.
// Fails also when a construct's editor does not fit its alternatives.
Expected<std::vector<ChoiceSite>> list_choices(const Energy& energy, const Schedule& schedule,
                                               const ConstructRegistry& constructs,
                                               Precision precision,
                                               const StorageLimit* limit = nullptr);

}  // namespace thallo
