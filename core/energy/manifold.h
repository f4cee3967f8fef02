#pragma once

// Defines how a step of a solver moves an unknown. For most unknowns the step is added; a pose is
// rotated and shifted by it. X ⊞ δ is X after the step δ. A step has as many numbers as X has
// degrees of freedom (its "tangent channels"), which are fewer than its stored numbers if a
// rotation is a unit quaternion:
//
//   manifold   stored                 step        X ⊞ δ
//   Euclidean  any number of them     as many     X + δ
//   SE2        x y θ                  ρ(2) φ      (t + R(θ) ρ, θ + φ)
//   SE3        x y z qx qy qz qw      ρ(3) φ(3)   (t + R(q) ρ, q exp(φ/2)), of length 1
//
// The step of a pose is in the pose's own frame; φ is an angle, or an axis times an angle. Solvers
// see δ only: J has derivatives by δ at δ = 0, and gradients, JtJ and all solver vectors are over
// δ. A derivative by δ is the derivative by the stored values times the tangent basis ∂(X ⊞ δ)/∂δ.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/energy/rounded.h"
#include "core/ir/graph.h"

namespace thallo {

enum class Manifold : std::uint8_t { Euclidean, SE2, SE3 };
// As energy texts name them.
template <>
inline constexpr EnumNames enum_names<Manifold> = {"manifold", {"Euclidean", "SE2", "SE3"}};

// Returns the number of channels of a pose. Must not be called for Euclidean: such unknowns have as
// many as they declare.
int stored_channels(Manifold pose);
int tangent_channels(Manifold pose);

// X ⊞ δ of poses, in numbers and as expressions.
std::vector<double> plus(Manifold pose, std::span<const double> x, std::span<const double> step);
std::vector<ExprId> plus(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                         std::span<const ExprId> step);

// Returns the row of ∂(X ⊞ δ)/∂δ at δ = 0 that belongs to a stored channel.
std::vector<Rounded> tangent_basis_row(Manifold pose, std::span<const Rounded> x, int channel);
std::vector<ExprId> tangent_basis_row(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                                      int channel);

// True if the values are a point of the manifold: the squared length of a quaternion is 1, to float
// accuracy.
inline constexpr double QuaternionTolerance = 1e-4;
bool is_point(Manifold pose, std::span<const double> x);

}  // namespace thallo
