// The search `beam`: decides site by site in stage order and keeps the states that are predicted to
// be fastest. It follows the GPU autoscheduler for Halide (Anderson et al. 2021), on schedules of
// energies:
//
// - A state is the decisions so far. What is undecided has its default, so that every state is a
//   schedule and has a price.
// - There are several passes. Pass i tells states apart by their structure (structural_hash.h),
//   down to depth i + 1: the n-th state of one structure counts n times its price, so that the beam
//   holds different ones. Structures of depth i - 1 that no good state of the pass before had count
//   even more.
// - Of the states that one step could reach, log2(n) of n that share a structure of depth i are
//   priced, drawn at random.
// - A pass ahead, in which all states have one structure, finds out which parts are expensive. The
//   others are frozen as this pass decided.
// - At last, single decisions of the best state are changed while that helps, frozen ones too.
//
// The schedules with the lowest prices of all passes are proposed, the cheapest first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/search/priced/beam_options.h"
#include "core/search/priced/state_pricer.h"
#include "core/search/search.h"

namespace thallo {

std::unique_ptr<const Search> make_beam_search();

// For searches that consist of several runs: a run with these options and this seed in the place of
// the space's. Runs may share a pricer, and with it the prices that it keeps. The space must
// outlive the run.
std::unique_ptr<SearchRun> make_beam_run(const SearchSpace& space, const BeamOptions& options,
                                         std::uint64_t seed, std::shared_ptr<StatePricer> pricer);

// A run with the seed of the space and a pricer of its own.
std::unique_ptr<SearchRun> make_beam_run(const SearchSpace& space, const BeamOptions& options);

// Decides once from the root to the end, at each site as is predicted to be the fastest of what the
// options leave after sampling and dropout: a beam of width 1 with one pass and without descent.
// Returns nothing if a limit forbids all choices at some site, or if the space is over.
std::optional<Schedule> walk_greedily(const SearchSpace& space, BeamOptions options,
                                      std::uint64_t seed, std::shared_ptr<StatePricer> pricer);

}  // namespace thallo
