// Small programs written by hand, one kernel each, for the tests of the CUDA backend: an energy
// that only declares fields, and kernels added to it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/energy/builder.h"
#include "core/energy/energy.h"
#include "core/kernel/generate.h"
#include "core/kernel/lowering/program_builder.h"
#include "core/schedule/plan.h"
#include "core/schedule/precision.h"
#include "tests/cuda/support.h"

namespace thallo::test {

// Unknowns u (N) and v (M), arrays x (N) and image (N, M; two channels), a parameter a, and a
// sparse map `to` from N to M.
struct SmallProgram {
  SmallProgram() : plan(default_plan(energy)), builder(energy, plan, {}) {}

  static Energy declare() {
    EnergyBuilder e("small");
    const DimId n = e.dim("N");
    const DimId m = e.dim("M");
    const auto u = e.unknown("u", {n});
    const auto v = e.unknown("v", {m});
    const auto x = e.array("x", {n});
    const auto image = e.array("image", {n, m}, 2);
    const auto a = e.param("a");
    const auto to = e.map("to", {n}, {m});
    const auto i = e.domain(n);
    const auto j = e.domain(m);
    e.residual("all", {u(i) + v(to(i)) + x(i) * a});
    e.residual("image", {image(i, j)[0] * u(i) + image(i, j)[1]});
    auto energy = std::move(e).build();
    if (!energy) throw std::runtime_error(energy.error().message());
    return *std::move(energy);
  }

  Energy energy = declare();
  Plan plan;
  ProgramBuilder builder;

  DimId dim(std::string_view name) const { return energy.find_dim(name); }
  FieldId field(std::string_view name) const { return energy.find_field(name); }
  IndexId index(const std::vector<DomainId>& domains) {
    return builder.graph().indices().intern(domains);
  }
  ExprId constant(double value) { return builder.graph().constant(value); }

  // Extents, and x, image, u, v, `to` filled with numbers that tell their index.
  Binding binding(std::int64_t n, std::int64_t m) const {
    Binding binding(energy);
    const auto count = [](std::int64_t size, double start) {
      std::vector<double> values(static_cast<std::size_t>(size));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<double>(i);
      return values;
    };
    std::vector<std::int32_t> to;
    for (std::int64_t i = 0; i < n; ++i) to.push_back(static_cast<std::int32_t>((7 * i) % m));
    const bool all_set =
        binding.set_extent("N", n) && binding.set_extent("M", m) &&
        binding.set_field("u", count(n, 0)) && binding.set_field("v", count(m, 0)) &&
        binding.set_field("x", count(n, 1)) && binding.set_field("image", count(n * m * 2, 0)) &&
        binding.set_param("a", 3) && binding.set_map("to", std::move(to));
    EXPECT_TRUE(all_set);
    return binding;
  }
};

// Compiles and binds, or fails the test and returns null.
inline std::unique_ptr<Executable> make_bound(Backend& backend, KernelProgram program,
                                              const Binding& binding, Precision precision) {
  auto executable = backend.compile(generate(std::move(program)), {.precision = precision});
  if (!executable) {
    ADD_FAILURE() << executable.error().message();
    return nullptr;
  }
  if (const auto bound = (*executable)->bind(binding); !bound) {
    ADD_FAILURE() << bound.error().message();
    return nullptr;
  }
  return *std::move(executable);
}

inline double slot(Executable& executable, StateSlot slot) {
  return at(executable.read_state(), slot);
}

}  // namespace thallo::test
