#include "core/energy/dual.h"

#include <cmath>

namespace thallo {

Dual Dual::variable(double value, std::uint32_t variable) {
  Dual result(value);
  result.partials.emplace_back(variable, 1);
  return result;
}

void Dual::add_partials(const Dual& other, double factor) {
  if (other.rounding > 0) rounding += std::abs(factor) * other.rounding;
  if (other.partials.empty()) return;
  std::vector<Partial> merged;
  merged.reserve(partials.size() + other.partials.size());
  auto mine = partials.begin();
  for (const auto& [variable, derivative] : other.partials) {
    while (mine != partials.end() && mine->first < variable) merged.push_back(*mine++);
    double sum = factor * derivative;
    if (mine != partials.end() && mine->first == variable) sum += (mine++)->second;
    merged.emplace_back(variable, sum);
  }
  merged.insert(merged.end(), mine, partials.end());
  partials = std::move(merged);
}

Dual chain(double value, const Dual& a, double da) {
  Dual result(value);
  result.rounding = std::abs(value);
  result.add_partials(a, da);
  return result;
}

Dual chain(double value, const Dual& a, double da, const Dual& b, double db) {
  Dual result = chain(value, a, da);
  result.add_partials(b, db);
  return result;
}

}  // namespace thallo
