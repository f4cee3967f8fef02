// The search `autotune`: finds schedules by predicted times, has them measured, corrects the cost
// model by what was measured, and finds the next ones. It follows the autotuning of the GPU
// autoscheduler for Halide (Anderson et al. 2021), on schedules of energies:
//
// - A round proposes a batch of new schedules: the cheapest of one run of the beam (beam.h), and
//   the results of greedy runs that drop states at random, each with a seed of its own.
// - Before each round, the cost model is corrected by the steps of the named schedules and of all
//   batches before (SearchSpace::refit).
// - The search ends after so many rounds, or once a round finds nothing new.
//
// Two other modes propose the cheapest schedules of a single run of the beam and measure nothing to
// find them.
//
// What a round proposes depends on the seed and on the measured times of earlier rounds alone. So a
// search that was killed proposes the same again when it runs on the same measurements.
//
// Complexity: a round takes one run of the beam and at most eight greedy runs for each schedule of
// the batch, plus a refit, whose time is in proportion to the steps measured so far.
#pragma once

#include <memory>

#include "core/search/search.h"

namespace thallo {

std::unique_ptr<const Search> make_autotune_search();

}  // namespace thallo
