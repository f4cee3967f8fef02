#include "core/energy/evaluate/dual.h"

namespace thallo {

Dual Dual::variable(double value, std::uint32_t variable) {
  Dual result(value);
  result.partials.emplace_back(variable, Rounded::factor(1));
  return result;
}

void Dual::add_partials(const Dual& other, const Rounded& factor) {
  if (other.partials.empty()) return;
  std::vector<Partial> merged;
  merged.reserve(partials.size() + other.partials.size());
  auto mine = partials.begin();
  for (const auto& [variable, derivative] : other.partials) {
    while (mine != partials.end() && mine->first < variable) merged.push_back(*mine++);
    Rounded sum = factor * derivative;
    if (mine != partials.end() && mine->first == variable) sum += (mine++)->second;
    merged.emplace_back(variable, sum);
  }
  merged.insert(merged.end(), mine, partials.end());
  partials = std::move(merged);
}

Dual operator*(const Dual& a, const Dual& b) {
  return chain(a.value * b.value, a, b.value, b, a.value);
}

Dual chain(const Rounded& value, const Dual& a, const Rounded& da) {
  Dual result(value);
  result.add_partials(a, da);
  return result;
}

Dual chain(const Rounded& value, const Dual& a, const Rounded& da, const Dual& b,
           const Rounded& db) {
  Dual result = chain(value, a, da);
  result.add_partials(b, db);
  return result;
}

}  // namespace thallo
