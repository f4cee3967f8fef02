// Small energies with data, for whole solves on every backend, and the same energies as reference:
// EnergyEvaluator gives F and J, Eigen does the phases.
#pragma once

#include <vector>

#include "core/energy/binding.h"
#include "core/energy/energy.h"
#include "tests/solve/fake_executable.h"

namespace thallo::test {

struct Toy {
  Energy energy;
  Binding binding;
};

// Quadratic: X(i) near noisy data A(i), neighbours near each other. With `excluded`, every third
// element stays.
Toy make_smoothing(int n, bool excluded = false);

// Nonlinear, two unknown spaces joined by observations through sparse maps (a tiny bundle
// adjustment): cameras of 3 channels, points of 2, a prior on both so that JtJ is regular.
Toy make_two_spaces(int num_cameras, int num_points, int num_observations);

// Cameras and points, of which some are excluded and some others have no observation.
Toy make_partly_excluded();

// Nonlinear, dense: y = b0 (1 - exp(-b1 x)), both parameters in one element.
Toy make_curve();

// y - b0 x twice over 5 elements of which only the first is seen: rows and columns of JtJ are
// empty.
Toy make_unseen();

// x(0) + x(1) = 1: every row of JtJ is full, and its rank is 1.
Toy make_underdetermined();

// sqrt(x0^2 + x1^2) = 1 from (0, 0), where the cost is finite and every derivative is 0/0.
Toy make_distance();

// x^2 = 2 from `start`: undamped steps from near 0 go far beyond the root.
Toy make_root(double start);

// Linear in its one unknown k: k x/z ((x/z)^2 + (y/z)^2)^2 = 3 at points as far away as those of a
// bundle adjustment: x, y, z about 10^5, their quotients about 1.
Toy make_far_points();

// `energy` and `binding` must outlive it.
DenseExecutable make_reference(const Energy& energy, const Binding& binding, bool jacobi = true);

// All unknowns of a binding, in the order of the unknown vector.
std::vector<double> unknowns_of(const Energy& energy, const Binding& binding);

}  // namespace thallo::test
