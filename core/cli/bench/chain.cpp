#include "core/cli/bench/chain.h"

#include <cmath>
#include <vector>

#include "core/energy/builder.h"

namespace thallo::cli {
namespace {

constexpr std::size_t Length = 1000;

}  // namespace

ProblemInfo ChainProblem::info() const {
  return {"chain", "Chain of springs", "", "what a linear iteration costs when nothing else does"};
}

Expected<EnergyFile> ChainProblem::energy(const Options& /*options*/) const {
  EnergyBuilder e("chain");
  const DimId N = e.dim("N");
  const auto u = e.unknown("u", {N});
  const auto f = e.array("f", {N});
  const auto i = e.domain(N, "i");
  e.residual("springs", Vec{0.01 * (Expr(u(i)) - Expr(f(i))), Expr(u(i)) - Expr(u(i + 1))});
  auto energy = std::move(e).build();
  if (!energy) return fail(energy.error());
  return EnergyFile{*std::move(energy)};
}

Expected<Instance> ChainProblem::instantiate(const Energy& energy,
                                             const Options& /*options*/) const {
  Instance instance(energy);
  instance.title = "1000 springs";
  std::vector<double> target(Length);
  for (std::size_t i = 0; i < Length; ++i) target[i] = std::sin(0.37 * static_cast<double>(i));
  for (const auto& done : {instance.binding.set_extent("N", Length),
                           instance.binding.set_field("u", std::vector<double>(Length, 0.0)),
                           instance.binding.set_field("f", std::move(target))}) {
    if (!done) return fail(done.error());
  }
  return instance;
}

Report ChainProblem::report(const Instance& /*instance*/, const Solution& /*solution*/) const {
  return {};
}

}  // namespace thallo::cli
