#include "core/cost/model/analytic.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace thallo {
namespace {

// How sharp the maximum of the terms is: the more, the less do shorter terms add to the longest.
constexpr double Sharpness = 4;

double softened_maximum(std::initializer_list<double> terms) {
  double sum = 0;
  for (const double term : terms) sum += std::pow(term, Sharpness);
  return std::pow(sum, 1 / Sharpness);
}

class Analytic final : public CostModel {
 public:
  std::string_view name() const override { return "analytic"; }
  std::string_view doc() const override {
    return "Sectors, caches, contention, arithmetic, latency, waves and launches, at the rates "
           "measured on the device.";
  }

  double seconds(const StepWork& step, const ProgramWork& program,
                 const DeviceSpec& device) const override {
    return StepTimes::of(terms_of(step, program, device)).total();
  }
  TimeParts parts(const StepWork& step, const ProgramWork& program,
                  const DeviceSpec& device) const override {
    return StepTimes::of(terms_of(step, program, device)).parts();
  }
};

}  // namespace

StepTimes StepTimes::of(const StepTerms& terms) {
  StepTimes times{.start = terms[Term::Start],
                  .memory = terms[Term::Move] + terms[Term::Miss],
                  .cache = terms[Term::Ask] + terms[Term::Gather],
                  .additions = terms[Term::Contend],
                  .sending = terms[Term::Store] + terms[Term::Send]};
  if (times.sending > 0) times.sent_additions = terms[Term::Send] / times.sending;
  const double arithmetic = terms[Term::Flops] + terms[Term::Divide] + terms[Term::Call];
  const double balanced = arithmetic + terms[Term::Load] + terms[Term::Add];
  times.threads = balanced + terms[Term::Unbalance] + terms[Term::Reduce];
  // The busiest thread does the same things as the others, but more of them.
  const double more = balanced > 0 ? 1 + terms[Term::Unbalance] / balanced : 1;
  times.of_threads = {.arithmetic = more * arithmetic,
                      .loads = more * terms[Term::Load] + terms[Term::Reduce],
                      .additions = more * terms[Term::Add]};
  return times;
}

double StepTimes::total() const {
  return start + softened_maximum({memory, cache, additions, sending, threads});
}

TimeParts parts_of_sum(const StepTerms& terms) {
  TimeParts parts;
  parts[Wait::Launch] = terms[Term::Start];
  parts[Wait::Memory] = terms[Term::Move] + terms[Term::Miss];
  parts[Wait::Cache] = terms[Term::Ask] + terms[Term::Gather] + terms[Term::Store];
  parts[Wait::Atomics] = terms[Term::Contend] + terms[Term::Send] + terms[Term::Add];
  parts[Wait::Arithmetic] = terms[Term::Flops] + terms[Term::Divide] + terms[Term::Call];
  parts[Wait::Latency] = terms[Term::Load] + terms[Term::Unbalance] + terms[Term::Reduce];
  return parts;
}

TimeParts StepTimes::parts() const {
  TimeParts parts;
  parts[Wait::Launch] = start;
  const double longest = std::max({memory, cache, additions, sending, threads});
  if (!(longest > 0)) return parts;
  // Of relative times, no power is too large or too small for a double.
  const auto weight = [longest](double term) { return std::pow(term / longest, Sharpness); };
  const double all =
      weight(memory) + weight(cache) + weight(additions) + weight(sending) + weight(threads);
  const double waited = total() - start;
  const auto share = [&](double term) { return waited * weight(term) / all; };
  parts[Wait::Memory] = share(memory);
  parts[Wait::Cache] = share(cache) + (1 - sent_additions) * share(sending);
  parts[Wait::Atomics] = share(additions) + sent_additions * share(sending);
  const double done = of_threads.arithmetic + of_threads.loads + of_threads.additions;
  if (!(done > 0)) {
    parts[Wait::Latency] = share(threads);
    return parts;
  }
  const double threads_share = share(threads) / done;
  parts[Wait::Arithmetic] = threads_share * of_threads.arithmetic;
  parts[Wait::Latency] = threads_share * of_threads.loads;
  parts[Wait::Atomics] += threads_share * of_threads.additions;
  return parts;
}

std::unique_ptr<const CostModel> make_analytic_model() { return std::make_unique<Analytic>(); }

const CostModel& default_cost_model() {
  static const Analytic model;
  return model;
}

}  // namespace thallo
