// Energy texts in tests, and the values of expressions written in the language.
#pragma once

#include <string>
#include <vector>

#include "core/energy/evaluate/evaluator.h"
#include "core/language/load_energy.h"
#include "tests/support/energies.h"

namespace thallo::test {

inline Energy load(const std::string& text) {
  Expected<EnergyFile> file = load_energy_text(text, "test.lua");
  if (!file) throw InternalError(file.error().message(), __FILE__, __LINE__);
  return std::move(file)->energy;
}

inline std::string message_of(const std::string& text, const LoadLimits& limits = {}) {
  const Expected<EnergyFile> file = load_energy_text(text, "test.lua", limits);
  return file ? "" : file.error().message();
}

// The entries of an expression, at one point. a = 0.7 and b = -1.3 are parameters, so that nothing
// is folded into numbers before the energy is evaluated.
inline std::vector<double> values(const std::string& expression, const std::string& before = "") {
  const Energy energy = load(
      "local N = Dims('N')\n"
      "Inputs { U = Unknown(float, {N}), a = Param(float), b = Param(float) }\n"
      "local n = N()\n" +
      before + "\nResiduals { r = Vector(" + expression + ") + U(n), z = a * b * U(n) }\n");
  const Binding binding =
      bind(energy, {{{"N", 1}}, {{"U", std::vector<double>{0}}}, {}, {{"a", 0.7}, {"b", -1.3}}});
  std::vector<double> residuals = EnergyEvaluator(energy, binding).residuals();
  residuals.pop_back();  // z, which is there so that no input is unused
  return residuals;
}

inline double value(const std::string& expression, const std::string& before = "") {
  return values(expression, before).at(0);
}

}  // namespace thallo::test
