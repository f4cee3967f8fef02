#pragma once

// Lists what a schedule decides and what it could decide instead: every site of every construct,
// with all alternatives at that site and the reasons why some are illegal. People who tune a
// schedule use this list, and so do programs that show it to them.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/schedule/precision.h"
#include "core/schedule/schedule.h"

namespace thallo {

struct ChoiceSite {
  const Construct* construct = nullptr;
  Site site;
  std::shared_ptr<const Plan> plan;       // all decisions that come before this site
  Editor editor;                          // shows all alternatives
  std::vector<Alternative> alternatives;  // the default first
  std::size_t chosen = 0;                 // into alternatives

  // The alternative as a schedule writes it: r.fit:strategy("[JtJ]p").
  std::string text(const Alternative& alternative) const;
};

// Lists the sites in the order in which decisions are taken, each with its alternatives given the
// decisions before it. `precision` is the working precision of the programs; it determines which
// alternatives repeat others (Alternative::is_repeated). If a limit is given (storage_limit.h),
// alternatives that would store more are illegal, possibly including the chosen one, and the plans
// of the sites point to the limit. Fails if the schedule is illegal, or if a construct's editor
// does not fit its alternatives.
Expected<std::vector<ChoiceSite>> list_choices(const Energy& energy, const Schedule& schedule,
                                               const ConstructRegistry& constructs,
                                               Precision precision,
                                               const StorageLimit* limit = nullptr);

}  // namespace thallo
