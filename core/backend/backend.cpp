#include "core/backend/backend.h"

#include <array>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

struct Maker {
  const char* name;
  Expected<std::unique_ptr<Backend>> (*make)();
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
    backend = maker.make();
    if (backend) return backend;
    // To have no GPU is usual (an info); to have no compiler is not (a warning).
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

Expected<std::unique_ptr<Backend>> make_backend(std::string_view name) {
  if (name == "auto") return make_best();
  std::vector<std::string> names = {"auto"};
  for (const Maker& maker : Makers) {
    if (name == maker.name) return maker.make();
    names.emplace_back(maker.name);
  }
  return fail(
      Diagnostic{fmt::format("no backend '{}'{}", name, did_you_mean(name, names)), {}, names});
}

}  // namespace thallo
