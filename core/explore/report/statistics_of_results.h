#pragma once

// The numbers of a report (report.h), each from the candidates of one device.

#include <span>

#include "core/explore/report/report.h"

namespace thallo {

// The kind that more candidates have an ok result of; composed if equally many have both.
ResultKind prevailing_kind(std::span<const Candidate> candidates);

// Those with a time of that kind, the fastest first; at equal times in the order of the candidates.
std::vector<std::size_t> by_time(std::span<const Candidate> candidates, ResultKind kind);

// The named ones, in their order, then best and median if anything was measured.
std::vector<Mark> marks_of(std::span<const Candidate> candidates, ResultKind kind,
                           std::span<const NamedProposal> named);

// One for each model that predicted a schedule that was measured, by name.
std::vector<ModelAccuracy> accuracy_of_models(std::span<const Candidate> candidates,
                                              ResultKind kind);

Composition composition_of(std::span<const Candidate> candidates);
std::vector<FailureGroup> failures_of(std::span<const Candidate> candidates);

// Of end-to-end results that are ok, as long as the cost is a number.
std::vector<CostTrace> traces_of(std::span<const Candidate> candidates);
std::optional<double> best_cost_of(std::span<const CostTrace> traces);

}  // namespace thallo
