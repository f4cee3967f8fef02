// What schedule texts mean for an energy, as the text of their normal form.
#pragma once

#include <string>

#include "core/frontend/schedule_text.h"
#include "core/language/load_energy.h"
#include "core/schedule/schedule_reader.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {

// Two images and a mesh: groups over the same dims (anchor, fit, near), one through sparse maps, an
// intermediate, and a Sum. The text ends with `local r = Residuals {...}`.
inline const std::string ScheduledText = R"(local W, H, N, E, K = Dims("W", "H", "N", "E", "K")
Inputs {
  X = Unknown(float, {W, H}), Y = Unknown(float, {W, H}), P = Unknown(float3, {N}),
  A = Array(float, {W, H}), T = Array(float, {K}), V0 = Sparse({E}, {N}), V1 = Sparse({E}, {N}),
}
local x, y, n, e, k = W(), H(), N(), E(), K()
shade = A(x, y) * X(x, y)^2
blurred = Sum({k}, T(k) * Y(x + k, y))
local r = Residuals {
  anchor = Y(x, y), blur = blurred - A(x, y), edge = P(V0(e)) - P(V1(e)),
  fit = X(x, y) - shade:get(x + 1, y),
  near = {X(x, y) - X(x + 1, y), X(x, y) - X(x, y + 1), X(x, y) - X(x + 1, y + 1)},
}
)";

inline const Energy& scheduled_energy() {
  static const Energy energy = [] {
    auto file = load_energy_text(ScheduledText, "scheduled.lua");
    if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
    return std::move(file->energy);
  }();
  return energy;
}

// The normal form, or the message.
inline std::string text_of(const Energy& energy, const std::vector<ScheduleStatement>& statements) {
  const auto schedule = read_schedule(energy, statements, loaded_constructs());
  return schedule ? schedule->text(loaded_constructs()) : schedule.error().message();
}

// Of a schedule file for scheduled_energy().
inline std::string read_file(const std::string& text) {
  const auto statements = load_schedule_text(text, "test.sched");
  return statements ? text_of(scheduled_energy(), *statements) : statements.error().message();
}

// The schedule that a text, which is legal, says of scheduled_energy().
inline Schedule schedule_from(const std::string& text) {
  const auto statements = load_schedule_text(text, "test.sched");
  return read_schedule(scheduled_energy(), statements.value(), loaded_constructs()).value();
}

// Of statements below the text of scheduled_energy().
inline std::string read_below(const std::string& statements) {
  const auto file = load_energy_text(ScheduledText + statements, "test.lua");
  return file ? text_of(file->energy, file->schedule) : file.error().message();
}

}  // namespace thallo::test
