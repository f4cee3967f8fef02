#include "core/explore/explorer.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/explore/statistics.h"
#include "core/explore/store.h"
#include "core/explore/work/worker_pool.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

using Json = nlohmann::ordered_json;

using Doing = ExplorerProgress::Stage;

constexpr std::chrono::milliseconds LeaseTime{180'000};
constexpr std::chrono::milliseconds PrepareTimeout{300'000};
constexpr std::chrono::milliseconds SolveTimeout{600'000};
// Of a request that times steps: to load the program, and for each step.
constexpr std::chrono::milliseconds LoadTimeout{120'000};
constexpr std::chrono::milliseconds StepTimeout{10'000};

double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Origin origin_now() {
  return {.commit = THALLO_COMMIT,
          .unix_seconds = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count()};
}

// A step of a candidate's program.
struct CandidateStep {
  std::string key;
  std::string label;
  Phase phase = Phase::Setup;
};

struct Known {
  Candidate candidate;
  std::vector<CandidateStep> steps;
  double evicted = 0;  // share of what a linear iteration touches that leaves the cache
};

// The times of a step, as far as it was measured.
struct KnownStep {
  std::optional<double> hot, evicted;
  std::string reason;  // why it has none

  bool is_done() const { return (hot && evicted) || !reason.empty(); }
};

}  // namespace

struct Explorer::Implementation {
  Implementation(const ExplorationTarget& asked, const ExplorerOptions& its)
      : target(asked), options(its), start(std::chrono::steady_clock::now()) {}

  // --- opening ---

  Expected<void> open() {
    auto opened = MeasurementStore::open(options.store, MeasurementStore::Access::Write);
    if (!opened) return fail(opened.error());
    store.emplace(*std::move(opened));
    measuring = std::make_unique<WorkerPool>(options.worker_command, open_request(true), 1);
    const auto answer = measuring->open();
    if (!answer) return fail(answer.error());
    const Json json = Json::parse(*answer);
    device = {.signature = json.at("device"),
              .name = json.at("device_name"),
              .backend = json.at("backend")};
    problem = {.signature = json.at("problem"),
               .name = target.problem,
               .options = json.at("options"),
               .title = json.at("title")};
    linear_iterations = json.at("linear_iterations");
    reset_period = json.at("reset_period");
    loop_turn = json.at("loop_turn");
    target.backend = device.backend;
    target.precision = json.at("precision").get<std::string>() == to_string(Precision::Double)
                           ? Precision::Double
                           : Precision::Float;
    target.device_spec = json.at("spec_file");
    architecture = json.at("architecture");
    compiling =
        std::make_unique<WorkerPool>(options.worker_command, open_request(false), options.jobs);
    const std::vector<StoreRecord> records = {device, problem};
    if (auto added = store->add(records, Existing::Keep); !added) return fail(added.error());
    return load();
  }

  std::string open_request(bool with_device) const {
    return Json{{"id", 0},
                {"do", "open"},
                {"target", target.json()},
                {"device", with_device},
                {"architecture", architecture}}
        .dump();
  }

  // What was measured of this problem on this device before.
  Expected<void> load() {
    const StoreSelection selection{problem.signature, device.signature};
    auto samples = store->list<StepSamples>(selection);
    if (!samples) return fail(samples.error());
    for (const StepSamples& known : *samples) take(known);
    auto results = store->list<ScheduleResult>(selection);
    if (!results) return fail(results.error());
    for (ScheduleResult& result : *results)
      stored_results[{result.slot.schedule, result.slot.kind}] = std::move(result);
    return {};
  }

  void take(const StepSamples& samples) {
    KnownStep& step = steps[samples.slot.key];
    if (!samples.is_ok()) {
      step.reason = samples.reason;
    } else {
      (samples.slot.cache == CacheState::Hot ? step.hot : step.evicted) = median(samples.seconds);
    }
  }

  // --- ending ---

  bool is_over() const {
    if (options.is_cancelled != nullptr && *options.is_cancelled) return true;
    return options.budget && std::chrono::steady_clock::now() - start > *options.budget;
  }

  // Runs a pool until it is idle or the exploration is over.
  Expected<void> run(WorkerPool& pool) {
    pool.run([&] { return !is_over() && !pool.is_idle() && !failure; });
    if (failure) return fail(*failure);
    if (!pool.failure().empty()) return fail("{}", pool.failure());
    if (is_over()) pool.stop();
    return {};
  }

  // Adds records; a failure ends the exploration.
  void record(const std::vector<StoreRecord>& records) {
    if (failure) return;
    if (auto added = store->add(records, Existing::Keep); !added) failure = added.error();
  }
  void tell(Doing doing, std::int64_t done, std::int64_t total) const {
    if (progress) progress({doing, done, total});
  }

  // --- preparing ---

  Expected<void> prepare(const std::vector<Proposal>& proposals) {
    std::int64_t done = 0;
    std::int64_t total = 0;
    for (const Proposal& proposal : proposals) {
      ++total;
      compiling->submit(
          {Json{{"do", "prepare"}, {"schedule", proposal.text}}.dump(), PrepareTimeout},
          [&, proposal](const WorkAnswer& answer) {
            prepared(proposal, answer);
            tell(Doing::Prepare, ++done, total);
          });
    }
    return run(*compiling);
  }

  void prepared(const Proposal& proposal, const WorkAnswer& answer) {
    Known known;
    known.candidate = {.hash = proposal.hash, .text = proposal.text, .index = proposal.index};
    ScheduleRecord schedule{
        .problem = problem.signature, .hash = proposal.hash, .text = proposal.text};
    std::vector<StoreRecord> records;
    if (answer.status == ResultStatus::Ok) {
      const Json json = Json::parse(answer.json);
      known.evicted = json.at("evicted");
      schedule.bytes = static_cast<std::int64_t>(json.at("bytes").get<double>());
      for (const auto& [model, seconds] : json.at("predictions").items()) {
        const SchedulePrediction prediction{.device = device.signature,
                                            .model = model,
                                            .nonlinear_seconds = number(seconds.at("nonlinear")),
                                            .linear_seconds = number(seconds.at("linear"))};
        known.candidate.predictions[model] = prediction;
        schedule.predictions.push_back(prediction);
      }
      for (const Json& step : json.at("steps")) {
        known.steps.push_back({.key = step.at("key"),
                               .label = step.at("label"),
                               .phase = static_cast<Phase>(step.at("phase").get<int>())});
        if (!described.insert(known.steps.back().key).second) continue;
        records.push_back(StepRecord{.problem = problem.signature,
                                     .key = known.steps.back().key,
                                     .label = known.steps.back().label,
                                     .features = {}});
      }
    }
    if (proposal.index) {
      const std::size_t colon = proposal.index->find(':');
      const std::string space = proposal.index->substr(0, colon);
      records.push_back(SpaceRecord{.id = space, .description = ""});
      schedule.places.push_back({space, proposal.index->substr(colon + 1)});
    }
    records.push_back(schedule);
    record(records);
    order.push_back(proposal.hash);
    Known& kept = candidates[proposal.hash] = std::move(known);
    for (const ResultKind kind : {ResultKind::Composed, ResultKind::EndToEnd}) {
      if (const auto found = stored_results.find({proposal.hash, kind});
          found != stored_results.end())
        set_result(kept, found->second);
    }
    if (answer.status != ResultStatus::Ok)
      finish(kept, {.status = answer.status, .reason = reason_of(answer)});
  }

  static std::string reason_of(const WorkAnswer& answer) {
    return answer.doing.empty() ? answer.reason
                                : fmt::format("{} at {}", answer.reason, answer.doing);
  }

  static void set_result(Known& known, const ScheduleResult& result) {
    (result.slot.kind == ResultKind::Composed ? known.candidate.composed
                                              : known.candidate.end_to_end) = result;
  }

  // Records a result of the schedule, of the kind that was asked for.
  void finish(Known& known, ScheduleResult result, ResultKind kind = ResultKind::Composed) {
    if (options.measure == MeasureBy::Solves) kind = ResultKind::EndToEnd;
    result.slot = {.problem = problem.signature,
                   .device = device.signature,
                   .schedule = known.candidate.hash,
                   .kind = kind};
    result.origin = origin_now();
    record({result});
    set_result(known, result);
  }

  // --- composed ---

  // Measures steps until every candidate is composed of known ones, one schedule after the other:
  // first those with most unknown steps.
  Expected<void> measure_steps() {
    std::set<std::string> refused;    // schedules that could not be loaded
    std::set<std::string> elsewhere;  // steps that another explorer is measuring
    std::int64_t total = 0;
    for (const auto& [hash, known] : candidates) {
      if (known.candidate.composed) continue;
      for (const CandidateStep& step : known.steps)
        if (!steps[step.key].is_done()) ++total;
    }
    while (!is_over()) {
      const Known* most = nullptr;
      std::set<std::string> its;
      for (const std::string& hash : order) {
        const Known& known = candidates.at(hash);
        if (known.candidate.composed || refused.contains(hash)) continue;
        std::set<std::string> unknown;
        for (const CandidateStep& step : known.steps)
          if (!steps[step.key].is_done() && !elsewhere.contains(step.key)) unknown.insert(step.key);
        if (unknown.size() > its.size()) {
          most = &known;
          its = std::move(unknown);
        }
      }
      if (most == nullptr) break;
      auto done = measure_steps(*most, its, refused, elsewhere);
      if (!done) return done;
      std::int64_t left = 0;
      for (const auto& [key, step] : steps)
        if (!step.is_done()) ++left;
      tell(Doing::Measure, std::max<std::int64_t>(0, total - left), total);
    }
    compose();
    return {};
  }

  std::vector<ResultSlot> slots_of(const std::string& key) const {
    std::vector<ResultSlot> slots;
    for (const CacheState cache : {CacheState::Hot, CacheState::Evicted})
      slots.push_back(StepSlot{
          .problem = problem.signature, .device = device.signature, .key = key, .cache = cache});
    return slots;
  }

  Expected<void> measure_steps(const Known& known, const std::set<std::string>& wanted,
                               std::set<std::string>& refused, std::set<std::string>& elsewhere) {
    Json keys = Json::array();
    for (const std::string& key : wanted) {
      const auto claims = store->acquire(slots_of(key), LeaseTime);
      if (!claims) return fail(claims.error());
      if (std::ranges::all_of(*claims, [](Claim claim) { return claim == Claim::Done; })) {
        // Somebody else has measured it meanwhile.
        for (const ResultSlot& slot : slots_of(key)) {
          const auto found = store->find(std::get<StepSlot>(slot));
          if (!found) return fail(found.error());
          if (*found) take(**found);
        }
      } else if (std::ranges::any_of(*claims, [](Claim claim) { return claim == Claim::Held; })) {
        elsewhere.insert(key);
      } else {
        keys.push_back(key);
      }
    }
    if (keys.empty()) return {};
    const auto num_keys = static_cast<int>(keys.size());
    measuring->submit(
        {Json{{"do", "time"}, {"schedule", known.candidate.text}, {"keys", keys}}.dump(),
         LoadTimeout + num_keys * StepTimeout},
        [&](const WorkAnswer& answer) { timed(known, answer, refused); });
    return run(*measuring);
  }

  void timed(const Known& known, const WorkAnswer& answer, std::set<std::string>& refused) {
    if (answer.status != ResultStatus::Ok) {
      const bool is_step = described.contains(answer.doing);
      if (is_step) {
        failed_step(answer.doing, fmt::format("{}: {}", to_string(answer.status), answer.reason));
      } else {
        refused.insert(known.candidate.hash);
        finish(candidates.at(known.candidate.hash),
               {.status = answer.status, .reason = reason_of(answer)});
      }
      return;
    }
    const Json json = Json::parse(answer.json);
    for (const Json& step : json.at("steps")) {
      const std::string key = step.at("key");
      if (!step.at("fault").get<std::string>().empty()) {
        failed_step(key, step.at("fault"));
        continue;
      }
      std::vector<StoreRecord> records;
      for (const CacheState cache : {CacheState::Hot, CacheState::Evicted}) {
        const StepSamples samples{
            .slot = {problem.signature, device.signature, key, cache},
            .seconds =
                step.at(cache == CacheState::Hot ? "hot" : "evicted").get<std::vector<double>>(),
            .origin = origin_now()};
        records.emplace_back(samples);
        take(samples);
      }
      ++num_measured;
      record(records);
    }
    // A step that was asked for and is not there would be asked for without end.
    refused.insert(known.candidate.hash);
  }

  void failed_step(const std::string& key, const std::string& reason) {
    std::vector<StoreRecord> records;
    for (const CacheState cache : {CacheState::Hot, CacheState::Evicted})
      records.emplace_back(StepSamples{.slot = {problem.signature, device.signature, key, cache},
                                       .seconds = {},
                                       .reason = reason,
                                       .origin = origin_now()});
    steps[key].reason = reason;
    record(records);
  }

  double runs(Phase phase) const {
    switch (frequency_of(phase)) {
      case Frequency::Solve: return 0;
      case Frequency::NonlinearIteration: return 1;
      case Frequency::LinearIteration: return linear_iterations;
      case Frequency::ResidualReset: return reset_period > 0 ? linear_iterations / reset_period : 0;
    }
    THALLO_UNREACHABLE();
  }

  void compose() {
    for (const std::string& hash : order) {
      Known& known = candidates.at(hash);
      if (known.candidate.composed || known.steps.empty()) continue;
      compose(known);
    }
  }

  void compose(Known& known) {
    double once = 0;
    double linear = 0;
    for (const CandidateStep& its : known.steps) {
      const double times = runs(its.phase);
      if (times == 0) continue;
      const KnownStep& step = steps[its.key];
      if (!step.reason.empty()) {
        finish(known, {.status = ResultStatus::NotRun,
                       .reason = fmt::format("{}: {}", its.label, step.reason)});
        return;
      }
      if (!step.is_done()) return;
      const double seconds = *step.hot * (1 - known.evicted) + *step.evicted * known.evicted;
      (frequency_of(its.phase) == Frequency::NonlinearIteration ? once : linear) += times * seconds;
    }
    linear = linear / std::max(1.0, linear_iterations) + loop_turn;
    finish(known, {.nonlinear_seconds = once + linear_iterations * linear,
                   .linear_seconds = linear,
                   .linear_iterations = linear_iterations,
                   .samples = {once + linear_iterations * linear}});
  }

  // --- end to end ---

  Expected<void> solve(const std::vector<std::string>& hashes) {
    std::int64_t done = 0;
    for (const std::string& hash : hashes) {
      if (is_over()) return {};
      Known& known = candidates.at(hash);
      if (!known.candidate.end_to_end) {
        measuring->submit(
            {Json{{"do", "solve"}, {"schedule", known.candidate.text}, {"solves", options.solves}}
                 .dump(),
             SolveTimeout},
            [&](const WorkAnswer& answer) { solved(known, answer); });
        if (auto ran = run(*measuring); !ran) return ran;
        if (auto ran = verify(known); !ran) return ran;
      }
      tell(Doing::Solve, ++done, static_cast<std::int64_t>(hashes.size()));
    }
    return {};
  }

  void solved(Known& known, const WorkAnswer& answer) {
    if (answer.status != ResultStatus::Ok) {
      finish(known, {.status = answer.status, .reason = reason_of(answer)}, ResultKind::EndToEnd);
      return;
    }
    const Json json = Json::parse(answer.json);
    ScheduleResult result{.linear_seconds = json.at("linear_seconds"),
                          .linear_iterations = json.at("linear_iterations"),
                          .samples = json.at("samples").get<std::vector<double>>()};
    result.nonlinear_seconds = median(result.samples);
    for (const Json& point : json.at("trace"))
      result.trace.push_back({point.at(0), number(point.at(1))});
    unverified = std::move(result);
  }

  // Records the solves together with whether the schedule computes the right operator.
  Expected<void> verify(Known& known) {
    if (!unverified) return {};
    measuring->submit(
        {Json{{"do", "verify"}, {"schedule", known.candidate.text}}.dump(), SolveTimeout},
        [&](const WorkAnswer& answer) {
          ScheduleResult result = *std::exchange(unverified, std::nullopt);
          if (answer.status == ResultStatus::Ok) {
            const Json json = Json::parse(answer.json);
            result.verification_error = number(json.at("error_of"));
            if (!(*result.verification_error <= json.at("tolerance").get<double>())) {
              result.status = ResultStatus::Mismatch;
              result.reason = fmt::format(
                  "cost, gradient, diagonal or JtJp differ by {:.1e} from those of "
                  "the default schedule",
                  *result.verification_error);
            }
          }
          finish(known, std::move(result), ResultKind::EndToEnd);
        });
    return run(*measuring);
  }

  std::optional<double> seconds(const std::string& hash) const {
    const auto found = candidates.find(hash);
    if (found == candidates.end()) return {};
    const Candidate& candidate = found->second.candidate;
    const auto of = [](const std::optional<ScheduleResult>& result) -> std::optional<double> {
      if (!result) return {};
      return result->is_ok() ? result->nonlinear_seconds : std::numeric_limits<double>::infinity();
    };
    if (options.measure == MeasureBy::Solves) return of(candidate.end_to_end);
    if (options.measure == MeasureBy::Steps) return of(candidate.composed);
    const auto predicted = candidate.predictions.find(options.model);
    if (predicted == candidate.predictions.end()) return of(candidate.composed);
    return predicted->second.nonlinear_seconds;
  }

  ExplorationTarget target;
  ExplorerOptions options;
  std::chrono::steady_clock::time_point start;
  std::optional<MeasurementStore> store;
  std::unique_ptr<WorkerPool> measuring, compiling;
  std::string architecture;
  DeviceRecord device;
  ProblemRecord problem;
  double linear_iterations = 0, reset_period = 0, loop_turn = 0;
  std::optional<Diagnostic> failure;  // of the store, while workers were running

  std::vector<std::string> order;  // of candidates, by hash
  std::map<std::string, Known> candidates;
  std::map<std::string, KnownStep> steps;
  std::set<std::string> described;  // keys of steps that the store knows
  std::map<std::pair<std::string, ResultKind>, ScheduleResult> stored_results;
  std::optional<ScheduleResult> unverified;
  std::int64_t num_measured = 0;
  Progress progress;
};

Explorer::Explorer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Explorer::Explorer(Explorer&&) noexcept = default;
Explorer::~Explorer() = default;

Expected<Explorer> Explorer::open(const ExplorationTarget& target, const ExplorerOptions& options) {
  auto implementation = std::make_unique<Implementation>(target, options);
  if (auto opened = implementation->open(); !opened) return fail(opened.error());
  return Explorer(std::move(implementation));
}

const ProblemRecord& Explorer::problem() const { return implementation_->problem; }
const DeviceRecord& Explorer::device() const { return implementation_->device; }
const ExplorationTarget& Explorer::target() const { return implementation_->target; }

Expected<void> Explorer::explore(const std::vector<Proposal>& proposals) {
  Implementation& i = *implementation_;
  std::vector<Proposal> fresh;
  std::set<std::string> seen;
  for (const Proposal& proposal : proposals) {
    if (i.candidates.contains(proposal.hash) || !seen.insert(proposal.hash).second) continue;
    fresh.push_back(proposal);
  }
  if (auto done = i.prepare(fresh); !done) return done;
  switch (i.options.measure) {
    case MeasureBy::Nothing: return {};
    case MeasureBy::Steps: return i.measure_steps();
    case MeasureBy::Solves: break;
  }
  std::vector<std::string> hashes;
  for (const Proposal& proposal : fresh)
    if (i.candidates.contains(proposal.hash)) hashes.push_back(proposal.hash);
  return i.solve(hashes);
}

Expected<void> Explorer::solve(const std::vector<std::string>& hashes) {
  return implementation_->solve(hashes);
}

std::vector<Candidate> Explorer::candidates() const {
  std::vector<Candidate> result;
  for (const std::string& hash : implementation_->order)
    result.push_back(implementation_->candidates.at(hash).candidate);
  return result;
}

std::optional<double> Explorer::seconds(const std::string& hash) const {
  return implementation_->seconds(hash);
}
bool Explorer::is_over() const { return implementation_->is_over(); }
std::int64_t Explorer::num_steps() const {
  return static_cast<std::int64_t>(implementation_->described.size());
}
std::int64_t Explorer::num_measured() const { return implementation_->num_measured; }
void Explorer::on_progress(Progress progress) { implementation_->progress = std::move(progress); }

}  // namespace thallo
