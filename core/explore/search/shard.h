#pragma once

// A part of what a search proposes, for one of several explorations that divide it: on machines
// that share nothing, say, whose stores are merged later. A schedule belongs to a shard by its
// hash, so each belongs to exactly one, whatever the order in which a search proposes them.

#include <cstdint>
#include <string_view>

#include "core/base/diagnostic.h"

namespace thallo {

struct Shard {
  std::uint64_t number = 0;  // from 0
  std::uint64_t count = 1;

  // `hash` is that of a schedule's text (Proposal::hash).
  bool has(std::string_view hash) const;
};

// Reads "0/4" (the first of four), or "slurm": the task of a SLURM job array, of as many as the
// array has (SLURM_ARRAY_TASK_ID, _COUNT, _MIN, and _STEP in the environment). Fails if there is no
// such shard, or no array whose tasks are numbered evenly.
Expected<Shard> parse_shard(std::string_view text);

}  // namespace thallo
