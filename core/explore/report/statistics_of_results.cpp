#include "core/explore/report/statistics_of_results.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/explore/measure/statistics.h"

namespace thallo {
namespace {

bool is_mismatch(const std::optional<ScheduleResult>& result) {
  return result && result->status == ResultStatus::Mismatch;
}

double percent_off(double seconds, double best) { return 100 * (seconds / best - 1); }

ModelAccuracy accuracy_of(const std::string& model, std::span<const Candidate> candidates,
                          ResultKind kind) {
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<double> errors;
  double best = 0;
  for (const Candidate& candidate : candidates) {
    const auto seconds = measured_seconds(candidate, kind);
    const auto its = candidate.predictions.find(model);
    if (seconds && (best == 0 || *seconds < best)) best = *seconds;
    if (!seconds || its == candidate.predictions.end()) continue;
    predicted.push_back(its->second.nonlinear_seconds);
    measured.push_back(*seconds);
    errors.push_back(std::abs(predicted.back() / measured.back() - 1));
  }
  ModelAccuracy accuracy{.model = model, .num_compared = measured.size()};
  if (measured.empty()) return accuracy;
  accuracy.rho = spearman_rho(predicted, measured);
  accuracy.median_error = median(errors);
  const auto first = std::ranges::min_element(predicted) - predicted.begin();
  accuracy.first_percent_off = percent_off(measured[static_cast<std::size_t>(first)], best);
  return accuracy;
}

// Replaces each number of the text, so that texts that differ only in numbers become equal.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      result += c;
    } else if (result.empty() || result.back() != '#') {
      result += '#';
    }
  }
  return result;
}

std::optional<double> seconds_to(const CostTrace& trace, double cost) {
  for (const CostPoint& point : trace.points)
    if (point.cost <= cost) return point.seconds;
  return {};
}

}  // namespace

std::optional<double> measured_seconds(const Candidate& candidate, ResultKind kind) {
  const auto& result = candidate.result(kind);
  if (!result || !result->is_ok() || is_mismatch(candidate.composed) ||
      is_mismatch(candidate.end_to_end))
    return {};
  return result->nonlinear_seconds;
}

ResultKind prevailing_kind(std::span<const Candidate> candidates) {
  const auto count = [&](ResultKind kind) {
    return std::ranges::count_if(candidates, [kind](const Candidate& candidate) {
      return measured_seconds(candidate, kind).has_value();
    });
  };
  return count(ResultKind::EndToEnd) > count(ResultKind::Composed) ? ResultKind::EndToEnd
                                                                   : ResultKind::Composed;
}

std::vector<std::size_t> by_time(std::span<const Candidate> candidates, ResultKind kind) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (measured_seconds(candidates[i], kind)) order.push_back(i);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return *measured_seconds(candidates[i], kind); });
  return order;
}

std::vector<Mark> marks_of(std::span<const Candidate> candidates, ResultKind kind,
                           std::span<const NamedProposal> named) {
  std::vector<double> times;
  const std::vector<std::size_t> order = by_time(candidates, kind);
  for (const std::size_t i : order) times.push_back(*measured_seconds(candidates[i], kind));
  std::vector<Mark> marks;
  for (const NamedProposal& proposal : named) {
    Mark mark{.name = proposal.name, .hash = proposal.proposal.hash};
    const auto its = std::ranges::find(candidates, mark.hash, &Candidate::hash);
    if (its != candidates.end()) mark.seconds = measured_seconds(*its, kind);
    if (mark.seconds) mark.percent_off = percent_off(*mark.seconds, times.front());
    marks.push_back(std::move(mark));
  }
  if (times.empty()) return marks;
  const double middle = median(times);
  marks.push_back({"best", candidates[order.front()].hash, times.front(), 0});
  marks.push_back({"median", "", middle, percent_off(middle, times.front())});
  return marks;
}

std::vector<ModelAccuracy> accuracy_of_models(std::span<const Candidate> candidates,
                                              ResultKind kind) {
  std::set<std::string> models;
  for (const Candidate& candidate : candidates)
    for (const auto& [model, prediction] : candidate.predictions) models.insert(model);
  std::vector<ModelAccuracy> accuracies;
  for (const std::string& model : models) {
    ModelAccuracy accuracy = accuracy_of(model, candidates, kind);
    if (accuracy.num_compared > 0) accuracies.push_back(std::move(accuracy));
  }
  return accuracies;
}

Composition composition_of(std::span<const Candidate> candidates) {
  Composition composition;
  std::vector<double> errors;
  for (const Candidate& candidate : candidates) {
    const auto composed = measured_seconds(candidate, ResultKind::Composed);
    const auto end_to_end = measured_seconds(candidate, ResultKind::EndToEnd);
    if (!composed || !end_to_end) continue;
    const double error =
        composition.pairs.emplace_back(candidate.hash, *composed, *end_to_end).error();
    errors.push_back(std::abs(error));
    if (errors.back() >= std::abs(composition.worst_error)) composition.worst_error = error;
  }
  if (!errors.empty()) composition.median_error = median(errors);
  return composition;
}

std::vector<FailureGroup> failures_of(std::span<const Candidate> candidates) {
  std::map<std::tuple<ResultKind, ResultStatus, std::string>, FailureGroup> groups;
  for (const Candidate& candidate : candidates) {
    for (const auto* result : {&candidate.composed, &candidate.end_to_end}) {
      if (!*result || (*result)->is_ok()) continue;
      const ScheduleResult& failed = **result;
      FailureGroup& group =
          groups[{failed.slot.kind, failed.status, without_numbers(failed.reason)}];
      if (group.count++ == 0) {
        group.kind = failed.slot.kind;
        group.status = failed.status;
        group.reason = failed.reason;
      }
    }
  }
  std::vector<FailureGroup> failures;
  for (auto& [key, group] : groups) failures.push_back(std::move(group));
  std::ranges::stable_sort(failures, std::ranges::greater(), &FailureGroup::count);
  return failures;
}

std::vector<CostTrace> traces_of(std::span<const Candidate> candidates) {
  std::vector<CostTrace> traces;
  for (const Candidate& candidate : candidates) {
    if (!measured_seconds(candidate, ResultKind::EndToEnd)) continue;
    CostTrace trace{.hash = candidate.hash};
    for (const CostPoint& point : candidate.end_to_end->trace)
      if (std::isfinite(point.cost)) trace.points.push_back(point);
    if (!trace.points.empty()) traces.push_back(std::move(trace));
  }
  if (const auto best = best_cost_of(traces)) {
    for (CostTrace& trace : traces) {
      trace.to_one_percent = seconds_to(trace, *best * 1.01);
      trace.to_one_permille = seconds_to(trace, *best * 1.001);
    }
  }
  return traces;
}

std::optional<double> best_cost_of(std::span<const CostTrace> traces) {
  std::optional<double> best;
  for (const CostTrace& trace : traces)
    for (const CostPoint& point : trace.points)
      if (!best || point.cost < *best) best = point.cost;
  return best;
}

}  // namespace thallo
