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
  THALLO_CHECK(binding.validate(program().fields, program().bound_maps()));
  return bind_valid(binding);
}

std::size_t Executable::num_states() const {
  if (!program().has_members()) return 1;
  return static_cast<std::size_t>(sizes().extent(program().members));
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
