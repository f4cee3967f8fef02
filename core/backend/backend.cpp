#include "core/backend/backend.h"

#include <algorithm>
#include <array>
#include <mutex>
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
  if (auto valid = binding.validate(program().fields, program().bound_maps()); !valid) return valid;
  return bind_valid(binding);
}

void Executable::run_linear_loop(const LinearLoop& loop) {
  for (int iteration = 1; iteration <= loop.max_iterations; ++iteration) {
    run(Phase::Direction);
    run(Phase::Apply);
    run(Phase::Update);
    if (loop.reset_period > 0 && iteration % loop.reset_period == 0) {
      run(Phase::ResetDirection);
      run(Phase::ResetApply);
      run(Phase::ResetUpdate);
    }
    if (at(read_state(), StateSlot::Stop) != 0) return;
    if (loop.is_interrupted && loop.is_interrupted()) return;
  }
}

SolverState Executable::run_batch(const Batch& batch, const SolverState& state) {
  write_state(state);
  for (const Phase phase : batch.before) run(phase);
  if (batch.loop) run_linear_loop(*batch.loop);
  for (const Phase phase : batch.after) run(phase);
  return read_state();
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
  if (auto known = check_backend_name(name); !known) return fail(known.error());
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
