#include "core/c/summary_values.h"

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/solve/ending.h"

namespace thallo::c_api {
namespace {

template <class Value>
struct Named {
  std::string_view name;
  Value (*value)(const EnergySolver&, const SolverSummary&);
};

using Solver = EnergySolver;
using Summary = SolverSummary;

constexpr Named<double> Numbers[] = {
    {"initial_cost", [](const Solver&, const Summary& s) { return s.initial_cost; }},
    {"final_cost", [](const Solver&, const Summary& s) { return s.final_cost; }},
    {"gradient_max", [](const Solver&, const Summary& s) { return s.final_gradient_max; }},
    {"iterations", [](const Solver&, const Summary& s) { return double(s.num_iterations); }},
    {"accepted", [](const Solver&, const Summary& s) { return double(s.num_accepted); }},
    {"rejected", [](const Solver&, const Summary& s) { return double(s.num_rejected); }},
    {"linear_iterations",
     [](const Solver&, const Summary& s) { return double(s.num_linear_iterations); }},
    {"unknowns", [](const Solver&, const Summary& s) { return double(s.num_unknowns); }},
    {"free_unknowns", [](const Solver&, const Summary& s) { return double(s.num_free_unknowns); }},
    {"residuals", [](const Solver&, const Summary& s) { return double(s.num_residuals); }},
    {"converged", [](const Solver&, const Summary& s) { return s.converged() ? 1.0 : 0.0; }},
    {"seconds", [](const Solver&, const Summary& s) { return s.seconds.total; }},
    {"compile_seconds",
     [](const Solver& solver, const Summary&) { return solver.compile_seconds(); }},
    {"bytes_moved",
     [](const Solver& solver, const Summary&) { return double(solver.bytes_moved()); }},
    {"threads", [](const Solver&, const Summary& s) { return double(s.facts.num_threads); }},
    {"peak_memory",
     [](const Solver&, const Summary& s) { return double(s.facts.peak_memory_bytes); }},
    {"cpu_seconds", [](const Solver&, const Summary& s) { return s.facts.cpu_seconds; }},
    {"groups", [](const Solver&, const Summary& s) { return double(s.groups.size()); }},
    {"members", [](const Solver&, const Summary& s) { return double(s.members.size()); }}};

constexpr Named<std::string> Texts[] = {
    {"energy", [](const Solver&, const Summary& s) { return s.energy; }},
    {"backend", [](const Solver& solver, const Summary&) { return std::string(solver.backend()); }},
    {"schedule", [](const Solver& solver, const Summary&) { return solver.schedule(); }},
    {"linear_solver", [](const Solver&, const Summary& s) { return s.options.linear_solver; }},
    {"device", [](const Solver&, const Summary& s) { return s.facts.device; }},
    {"precision",
     [](const Solver&, const Summary& s) { return std::string(to_string(s.facts.precision)); }},
    {"commit", [](const Solver&, const Summary& s) { return s.facts.commit; }},
    {"date", [](const Solver&, const Summary& s) { return s.facts.date; }},
    {"termination",
     [](const Solver&, const Summary& s) { return std::string(to_string(s.termination)); }},
    {"ending",
     [](const Solver&, const Summary& s) { return std::string(to_string(ending_of(s))); }},
    {"why", [](const Solver&, const Summary& s) { return s.why(); }},
    {"brief", [](const Solver&, const Summary& s) { return s.brief(); }},
    {"full", [](const Solver&, const Summary& s) { return s.full(); }},
    {"warnings", [](const Solver&, const Summary& s) {
       return fmt::format("{}", fmt::join(warnings_of(s), "\n"));
     }}};

constexpr Named<SecondsSpread> Times[] = {
    {"total", [](const Solver&, const Summary& s) { return s.times.total; }},
    {"iteration", [](const Solver&, const Summary& s) { return s.times.iteration; }},
    {"linearize", [](const Solver&, const Summary& s) { return s.times.linearize; }},
    {"linear", [](const Solver&, const Summary& s) { return s.times.linear; }},
    {"resolve", [](const Solver&, const Summary& s) { return s.times.resolve; }}};

// `what` is the kind of value in a message: "number".
template <class Value>
Expected<const Named<Value>*> find_named(std::span<const Named<Value>> all, std::string_view what,
                                         std::string_view name) {
  for (const Named<Value>& each : all)
    if (each.name == name) return &each;
  return fail(unknown_name(fmt::format("a summary has no {}", what), name,
                           names_of(all, &Named<Value>::name)));
}

}  // namespace

Expected<double> summary_number(const EnergySolver& solver, const SolverSummary& summary,
                                std::string_view name) {
  THALLO_TRY(const auto found, find_named<double>(Numbers, "number", name));
  return (found)->value(solver, summary);
}

Expected<std::string> summary_text(const EnergySolver& solver, const SolverSummary& summary,
                                   std::string_view name) {
  THALLO_TRY(const auto found, find_named<std::string>(Texts, "text", name));
  return (found)->value(solver, summary);
}

Expected<thallo_times> summary_times(const EnergySolver& solver, const SolverSummary& summary,
                                     std::string_view name) {
  THALLO_TRY(const auto found, find_named<SecondsSpread>(Times, "time", name));
  const SecondsSpread spread = found->value(solver, summary);
  constexpr double Milli = 1e3;
  return thallo_times{spread.count, Milli * spread.min, Milli * spread.max, Milli * spread.mean,
                      Milli * spread.deviation};
}

thallo_iteration to_c(const IterationRecord& record) {
  return {.iteration = record.iteration,
          .linear_iterations = record.linear_iterations,
          .accepted = record.accepted ? 1 : 0,
          .cost = record.cost,
          .cost_change = record.cost_change,
          .gradient_max = record.gradient_max,
          .step_norm = record.step_norm,
          .relative_decrease = record.relative_decrease,
          .radius = record.radius,
          .seconds = record.seconds,
          .total_seconds = record.total_seconds};
}

}  // namespace thallo::c_api
