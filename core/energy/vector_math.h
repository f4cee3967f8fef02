#pragma once

// Vectors and rotations for models: the helpers that published energies use, on Vec. Matrices are
// vectors row by row.

#include "core/energy/builder.h"

namespace thallo {

Expr dot(const Vec& a, const Vec& b);
Expr squared_norm(const Vec& a);
Expr norm(const Vec& a);
Vec normalize(const Vec& a);
Vec cross(const Vec& a, const Vec& b);      // of two 3-vectors
Vec gemv(const Vec& matrix, const Vec& v);  // rows = size(matrix) / size(v)

// [[cos, -sin], [sin, cos]] v
Vec rotate_2d(Expr angle, const Vec& v);
// Rz(gamma) Ry(beta) Rx(alpha) v for angles = (alpha, beta, gamma).
Vec rotate_3d(const Vec& angles, const Vec& v);
// Rodrigues' formula for the rotation by |w| about w; p + w x p where w.w <= 1e-8.
Vec rotate_angle_axis(const Vec& w, const Vec& p);

// Operations of rotations and poses, and steps of manifolds, on the numbers that unknowns and
// arrays of these types hold; core/energy/manifold.h has the formulas.
Vec compose(Manifold group, const Vec& a, const Vec& b);
Vec inverse(Manifold group, const Vec& a);
Vec between(Manifold group, const Vec& a, const Vec& b);
Vec act(Manifold group, const Vec& a, const Vec& point);
Vec exp(Manifold group, const Vec& step);
Vec log(Manifold group, const Vec& a);
Vec plus(Manifold manifold, const Vec& x, const Vec& step);
Vec minus(Manifold manifold, const Vec& y, const Vec& x);

}  // namespace thallo
