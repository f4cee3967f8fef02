// What can be set of the search `beam`.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/options.h"

namespace thallo {

struct BeamOptions {
  std::size_t width = 0;    // states kept from one decision to the next
  int passes = 0;           // without the one that freezes
  std::size_t propose = 0;  // schedules to propose
  bool sampling = false;
  bool freezing = false;
  bool memoizes = false;
  bool penalties = false;
  bool blessing = false;
  double dropout = 0;  // the probability that a run drops no state, in percent
  bool prunes_memory = false;
  double most_recomputation = 0;  // 0: any
  bool descent = false;
  bool low_level = false;
  bool loosens = false;  // true if product_tolerance may rise

  static std::vector<OptionSpec> specs();
  // `options` must be complete.
  static BeamOptions of(const Options& options);
};

}  // namespace thallo
