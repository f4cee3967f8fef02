#pragma once

// Defines how a step of a solver moves an unknown. For most unknowns the step is added; a pose is
// rotated and shifted by it. X ⊞ δ is X after the step δ. A step has as many numbers as X has
// degrees of freedom (its "tangent channels"), which are fewer than its stored numbers if a
// rotation is a unit quaternion, or a direction a unit vector:
//
//   manifold   stored                 step        X ⊞ δ
//   Euclidean  any number of them     as many     X + δ
//   SE2        x y θ                  ρ(2) φ      (t + R(θ) ρ, θ + φ)
//   SE3        x y z qx qy qz qw      ρ(3) φ(3)   (t + R(q) ρ, q exp(φ/2)), of length 1
//   SO3        qx qy qz qw            φ(3)        q exp(φ/2), of length 1
//   S2         x y z                  φ(2)        x turned by |φ| toward B(x) φ, of length 1
//
// The step of a pose is in the pose's own frame; φ is an angle, or an axis times an angle. B(x) are
// two directions that are orthogonal to x and to each other. Solvers see δ only: J has derivatives
// by δ at δ = 0, and gradients, JtJ and all solver vectors are over δ. A derivative by δ is the
// derivative by the stored values times the tangent basis ∂(X ⊞ δ)/∂δ.
//
// SE2, SE3 and SO3 are groups of motions: the functions at the end compose, invert and apply them,
// and go between them and steps by their exponential.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/energy/rounded.h"
#include "core/ir/graph.h"

namespace thallo {

enum class Manifold : std::uint8_t { Euclidean, SE2, SE3, SO3, S2 };
// As energy texts name them.
template <>
inline constexpr EnumNames enum_names<Manifold> = {"manifold",
                                                   {"Euclidean", "SE2", "SE3", "SO3", "S2"}};

// Returns the number of channels of a pose. Must not be called for Euclidean: such unknowns have as
// many as they declare.
int stored_channels(Manifold pose);
int tangent_channels(Manifold pose);
// Returns how many of both are a shift; they come first.
int shift_channels(Manifold pose);
// Returns where the stored numbers begin that have length 1, up to the last; none for SE2.
std::optional<int> first_of_unit(Manifold pose);

// X ⊞ δ of poses, in numbers and as expressions.
std::vector<double> plus(Manifold pose, std::span<const double> x, std::span<const double> step);
std::vector<ExprId> plus(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                         std::span<const ExprId> step);

// Returns the row of ∂(X ⊞ δ)/∂δ at δ = 0 that belongs to a stored channel.
std::vector<Rounded> tangent_basis_row(Manifold pose, std::span<const Rounded> x, int channel);
std::vector<ExprId> tangent_basis_row(ExprGraph& graph, Manifold pose, std::span<const ExprId> x,
                                      int channel);

// The step from x to y: x ⊞ (y ⊟ x) = y. The shortest one of a rotation, up to π.
std::vector<ExprId> minus(ExprGraph& graph, Manifold pose, std::span<const ExprId> y,
                          std::span<const ExprId> x);

// True if the values are a point of the manifold: the squared length of a quaternion or direction
// is 1, to float accuracy.
inline constexpr double QuaternionTolerance = 1e-4;
bool is_point(Manifold pose, std::span<const double> x);

// Operations of groups. A motion acts on points of two or three numbers.
bool is_group(Manifold manifold);
int point_channels(Manifold group);
using Exprs = std::span<const ExprId>;
std::vector<ExprId> compose(ExprGraph& graph, Manifold group, Exprs a, Exprs b);  // first b, then a
std::vector<ExprId> inverse(ExprGraph& graph, Manifold group, Exprs a);
std::vector<ExprId> between(ExprGraph& graph, Manifold group, Exprs a, Exprs b);  // a⁻¹ b
std::vector<ExprId> act(ExprGraph& graph, Manifold group, Exprs a, Exprs point);
// The exponential of the group and its inverse, whose rotation is at most π. That of a pose turns
// the shift along, which a step does not.
std::vector<ExprId> exp(ExprGraph& graph, Manifold group, Exprs step);
std::vector<ExprId> log(ExprGraph& graph, Manifold group, Exprs a);

}  // namespace thallo
