#pragma once

// Second derivatives of an energy, as gradients of other energies, which the same kernels compute.
//
// E is the cost ½ Σ ρ of an energy at X, and λ a direction of X: a number for each entry of a step.
// The slope of E at X along λ is a sum over the points of all residuals. The slope energy has the
// terms of that sum, each as a residual f = term - Freeze(term) + 1. So its gradient, Σ f ∇f, is
// that of the slope: by X it is H λ, with the whole Hessian H of E, and by an input θ it is
// ∂(λ·∇E)/∂θ.

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/energy/energy.h"

namespace thallo {

// The name of the array of the direction of an unknown, over its dims: "X.direction". It has as
// many channels as a step of the unknown.
std::string direction_of(std::string_view unknown);

// The dim, of extent 1, of what is no unknown in the energy and has no dims there, as params.
inline constexpr std::string_view SingleDim = "single";

// Returns the slope energy with those of these fields as its unknowns that the slope depends on:
// unknowns, arrays or params; nothing if it depends on none. Fields keep their ids, and those of
// the directions, in the order of the unknowns, come last; unknowns that are not among `by` are
// arrays. Fails if a field has integers, or if the energy has no second derivative by it that is
// known, as where an image is sampled.
Expected<std::optional<Energy>> slope_energy(const Energy& energy, std::set<FieldId> by);

// Returns the energy with the same fields and unknowns whose gradient is that of Σ v·X, the v of an
// unknown being an array of that name, as above, with as many channels as the unknown stores. So
// its gradient takes v to numbers for each entry of a step.
Expected<Energy> pairing_energy(const Energy& energy);

}  // namespace thallo
