#pragma once

// Programs from tiny energies that calibrations time or pass to libraries.

#include <cstdint>
#include <functional>
#include <memory>

#include "core/backend/backend.h"
#include "core/kernel/features.h"

namespace thallo {

// The residual at each of N points, made from an unknown x and an array a.
enum class ProbeEnergy {
  Difference,  // x - a
  Polynomial,  // 16 multiplications and as many additions
  Sines,       // 16 sines, each of the previous one plus a
};

// A generated program that is bound to N points, on some backend.
class ProgramProbe {
 public:
  static Expected<std::unique_ptr<ProgramProbe>> make(Backend& backend, ProbeEnergy energy,
                                                      std::int64_t num_points, Precision precision);

  // Returns the seconds of one run of a phase.
  double seconds_of(Phase phase);
  // Returns how much of a feature, summed over all kernels of a phase, is processed per second.
  double rate_of(Phase phase, const std::function<double(const KernelFeatures&)>& feature);
  Executable& executable() { return *executable_; }

 private:
  ProgramProbe(std::unique_ptr<Executable> executable, ProgramSizes sizes, Precision precision)
      : executable_(std::move(executable)), sizes_(std::move(sizes)), precision_(precision) {}

  std::unique_ptr<Executable> executable_;
  ProgramSizes sizes_;
  Precision precision_;
};

// A program that stores a J with 8 rows and columns for a library to multiply, with its bound
// memory and its first product.
struct LibraryProbe {
  KernelProgram program;
  Binding binding;
  MultiplyMatrix product;
};
LibraryProbe library_probe();

}  // namespace thallo
