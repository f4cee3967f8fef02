#pragma once

// How an unknown moves. To most unknowns a step is added; a pose is turned and shifted. X ⊞ δ is
// where X gets by the step δ, which has as many numbers as X has degrees of freedom ("tangent
// channels"), fewer than are stored when a rotation is a unit quaternion:
//
//   manifold   stored                 step        X ⊞ δ
//   Euclidean  any number of them     as many     X + δ
//   SE2        x y θ                  ρ(2) φ      (t + R(θ) ρ, θ + φ)
//   SE3        x y z qx qy qz qw      ρ(3) φ(3)   (t + R(q) ρ, q exp(φ/2)), of length 1
//
// Steps of poses are in the pose's own frame, φ is an angle or angle times axis. Solvers see δ
// only: gradients, JtJ and every solver vector are derivatives by δ at δ = 0, which is the
// derivative by the stored values times the tangent basis ∂(X ⊞ δ)/∂δ.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/energy/rounded.h"
#include "core/ir/graph.h"

namespace thallo {

enum class Manifold : std::uint8_t { Euclidean, SE2, SE3 };

// "SE2", as energy texts name it.
std::string_view to_string(Manifold manifold);

// Of the poses; a Euclidean unknown has as many as it declares.
int stored_channels(Manifold pose);
int tangent_channels(Manifold pose);

// X ⊞ δ of poses, in numbers and as expressions.
std::vector<double> plus(Manifold pose, std::span<const double> x, std::span<const double> step);
std::vector<ExprId> plus(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                         std::span<const ExprId> step);

// The row of ∂(X ⊞ δ)/∂δ at δ = 0 that belongs to a stored channel.
std::vector<Rounded> tangent_basis_row(Manifold pose, std::span<const Rounded> x, int channel);
std::vector<ExprId> tangent_basis_row(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                                      int channel);

// Whether the values are those of a point: quaternions of length 1, as far as float goes.
bool is_point(Manifold pose, std::span<const double> x);

}  // namespace thallo
