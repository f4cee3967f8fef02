#include "core/backend/backend.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

struct Maker {
  std::string_view name;
  Expected<std::unique_ptr<Backend>> (*make)(int ordinal);
};

// Fastest first: the order of "auto".
constexpr std::array Makers = {Maker{"cuda", make_cuda_backend}, Maker{"cpu", make_cpu_backend},
                               Maker{"interpreter", make_interpreter_backend}};

void say_once(const std::string& what, LogLevel level) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::scoped_lock lock(mutex);
  if (said.insert(what).second) logger("backend").log(level, "{}", what);
}

Expected<std::unique_ptr<Backend>> make_best() {
  Expected<std::unique_ptr<Backend>> backend = fail("no backend");
  for (const Maker& maker : Makers) {
    backend = maker.make(0);
    if (backend) return backend;
    // A missing GPU is common (logged as info); a missing compiler is not (logged as a warning).
    const bool is_usual = maker.make == make_cuda_backend;
    say_once(fmt::format("backend {} is not available: {}", maker.name, backend.error().message()),
             is_usual ? LogLevel::Info : LogLevel::Warn);
  }
  return backend;
}

}  // namespace

Expected<void> Executable::bind(const Binding& binding) {
  THALLO_CHECK(binding.validate(program().fields, program().bound_maps()));
  return bind_valid(binding);
}

std::size_t Executable::num_states() const {
  if (!program().has_members()) return 1;
  return static_cast<std::size_t>(sizes().extent(program().members));
}

std::vector<std::size_t> Executable::all_states() const {
  std::vector<std::size_t> all(num_states());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

SolverState Executable::read_state() {
  std::vector<SolverState> states(std::max<std::size_t>(num_states(), 1));
  const std::size_t first[] = {0};
  read_states(states, std::span(first).first(std::min<std::size_t>(num_states(), 1)));
  return states.front();
}

void Executable::write_state(const SolverState& state) {
  write_states(std::vector<SolverState>(num_states(), state), all_states());
}

bool Executable::has_stopped() {
  std::vector<SolverState> states(num_states());
  read_states(states, all_states());
  return std::ranges::all_of(
      states, [](const SolverState& state) { return at(state, StateSlot::Stop) != 0; });
}

void run_loop(const LinearLoop& loop, const std::function<void(Phase)>& run,
              const std::function<bool()>& has_stopped) {
  for (int iteration = 1; iteration <= loop.max_iterations; ++iteration) {
    for (const Phase phase : {Phase::Direction, Phase::Apply, Phase::Update}) run(phase);
    if (loop.reset_period > 0 && iteration % loop.reset_period == 0) {
      for (const Phase phase : {Phase::ResetDirection, Phase::ResetApply, Phase::ResetUpdate})
        run(phase);
    }
    if (has_stopped()) return;
    if (loop.is_interrupted && loop.is_interrupted()) return;
  }
}

void Executable::run_linear_loop(const LinearLoop& loop) {
  run_loop(
      loop, [this](Phase phase) { run(phase); }, [this] { return has_stopped(); });
}

void Executable::run_batch(const Batch& batch, std::span<SolverState> states,
                           std::span<const std::size_t> which) {
  write_states(states, which);
  for (const Phase phase : batch.before) run(phase);
  if (batch.loop) run_linear_loop(*batch.loop);
  for (const Phase phase : batch.after) run(phase);
  read_states(states, which);
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Maker& maker : Makers) names.emplace_back(maker.name);
  return names;
}

Expected<void> check_backend_name(std::string_view name) {
  std::vector<std::string> known = backend_names();
  known.insert(known.begin(), "auto");
  if (std::ranges::find(known, name) != known.end()) return {};
  return fail(
      Diagnostic{fmt::format("no backend '{}'{}", name, did_you_mean(name, known)), {}, known});
}

Expected<std::unique_ptr<Backend>> make_backend(std::string_view name, int ordinal) {
  THALLO_CHECK(check_backend_name(name));
  if (name == "auto") return ordinal == 0 ? make_best() : make_cuda_backend(ordinal);
  const auto maker = std::ranges::find(Makers, name, &Maker::name);
  return maker->make(ordinal);
}

Expected<void> check_ordinal(std::string_view backend, int ordinal,
                             const std::vector<DeviceInfo>& devices) {
  if (ordinal >= 0 && static_cast<std::size_t>(ordinal) < devices.size()) return {};
  std::vector<std::string> known;
  for (const DeviceInfo& device : devices)
    known.push_back(fmt::format("{} {}", known.size(), device.name));
  return fail(Diagnostic{fmt::format("{} has no device {}", backend, ordinal), {}, known});
}

}  // namespace thallo
