// JtJ + D of an energy as a full matrix, for tests of solvers that eliminate unknowns.
#pragma once

#include <vector>

#include <Eigen/Dense>

#include "core/backend/backend.h"
#include "core/energy/binding.h"
#include "core/energy/energy.h"

namespace thallo::test {

inline Eigen::VectorXd eigen_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

struct DampedSystem {
  Eigen::MatrixXd a;                     // of all unknown scalars
  std::vector<Eigen::Index> kept, gone;  // those that are free, by what the program eliminates
};

// J is that of the energy's definition, D that of an executable in which Phase::Damp has run.
DampedSystem damped_system(Executable& executable, const Energy& energy, const Binding& binding,
                           SolverKind solver);

}  // namespace thallo::test
