#include "core/backend/probe_programs.h"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "core/backend/calibration.h"
#include "core/base/error.h"
#include "core/energy/builder.h"
#include "core/kernel/generate.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"

namespace thallo {
namespace {

constexpr int NumOperations = 16;
constexpr std::int64_t LibraryRows = 8;

// The energies are part of Thallo, so a fault in one of them is a bug.
template <class T>
T faultless(Expected<T> value) {
  THALLO_ASSERT(value.has_value(), "{}", value.error().message());
  return *std::move(value);
}

Energy make_energy(ProbeEnergy which) {
  EnergyBuilder builder("probe");
  const DimId n = builder.dim("N");
  const FieldHandle x = builder.unknown("x", {n});
  const FieldHandle a = builder.array("a", {n});
  const IndexExpr i = builder.domain(n);
  const Expr at_x = x(i)[0];
  const Expr at_a = a(i)[0];
  Expr value = at_x;
  switch (which) {
    case ProbeEnergy::Difference: value = at_x - at_a; break;
    case ProbeEnergy::Polynomial:
      for (int k = 0; k < NumOperations; ++k) value = value * at_a + at_x;
      break;
    case ProbeEnergy::Sines:
      for (int k = 0; k < NumOperations; ++k) value = sin(value + at_a);
      break;
  }
  builder.residual("r", {value});
  return faultless(std::move(builder).build());
}

Binding make_binding(const Energy& energy, std::int64_t num_points) {
  const auto filled = [&](float value) {
    return std::vector<float>(static_cast<std::size_t>(num_points), value);
  };
  Binding binding(energy);
  THALLO_ASSERT(binding.set_extent("N", num_points));
  THALLO_ASSERT(binding.set_field("x", filled(0.75f)));
  THALLO_ASSERT(binding.set_field("a", filled(0.5f)));
  return binding;
}

}  // namespace

Expected<std::unique_ptr<ProgramProbe>> ProgramProbe::make(Backend& backend, ProbeEnergy which,
                                                           std::int64_t num_points,
                                                           Precision precision) {
  const Energy energy = make_energy(which);
  THALLO_TRY(auto executable,
             backend.compile(generate(make_program(energy, default_plan(energy), {})),
                             {.precision = precision}));
  const Binding binding = make_binding(energy, num_points);
  THALLO_CHECK(executable->bind(binding));
  THALLO_TRY(auto sizes, ProgramSizes::make(executable->program(), binding));
  return std::unique_ptr<ProgramProbe>(
      new ProgramProbe(std::move(executable), std::move(sizes), precision));
}

double ProgramProbe::seconds_of(Phase phase) {
  return thallo::seconds_of([&] {
    executable_->run(phase);
    executable_->synchronize();
  });
}

double ProgramProbe::rate_of(Phase phase,
                             const std::function<double(const KernelFeatures&)>& feature) {
  double count = 0;
  for (const Step& step : executable_->program().steps(phase)) {
    const auto* kernel = std::get_if<LaunchKernel>(&step);
    if (kernel == nullptr) continue;
    const KernelCode& code = executable_->generated().codes[kernel->kernel];
    count += feature(count_features(executable_->program(), code, sizes_, precision_));
  }
  return count / seconds_of(phase);
}

LibraryProbe library_probe() {
  const Energy energy = make_energy(ProbeEnergy::Difference);
  Plan plan = default_plan(energy);
  for (Part& part : plan.parts) {
    part.strategy = Strategy::StoredJ;
    part.j_format = StorageFormat::Csr;
  }
  KernelProgram program = make_program(energy, plan, {});
  const auto product = std::get<MultiplyMatrix>(library_ops(program).front());
  return {std::move(program), make_binding(energy, LibraryRows), product};
}

}  // namespace thallo
