// The stages of lowering, in the order of make_program(). Private to lowering.
#pragma once

#include "core/kernel/lowering/program_builder.h"

namespace thallo {

// The kernels that store intermediates and parallel Sums, as the plan says: their values before
// every evaluation, derivatives at every linearization.
void lower_stored(ProgramBuilder& builder);

// The energy's own kernels: decides which kernels each part has (cost, jtf and those of the linear
// operator, as the part's strategy and formats say) and in which order their phases launch them.
void lower_products(ProgramBuilder& builder);

// The solver's own kernels, which no schedule changes: masks, damping, preconditioner, PCG or the
// dense solve, retraction and acceptance.
void lower_solver(ProgramBuilder& builder);
// Of these, phases SaveScale and Damp: the start of a linear solve, with the damping D, the
// preconditioner and the first residual.
void lower_damping(ProgramBuilder& builder);
// Phases Direction, Update, ResetDirection and ResetUpdate: all of a linear iteration except the
// operator.
void lower_pcg(ProgramBuilder& builder);

// The kernels of Phase::GroupSums: for each residual group its cost, how many of its residuals
// count, and how many of its points are inliers (core/solve/group_sums.h). They are over the
// groups' own domains, whatever parts the plan has.
void lower_group_sums(ProgramBuilder& builder);

// Makes the program one of mixed precision (mixed_precision.cpp).
void mix_precision(ProgramBuilder& builder);
// Last of all: makes the program deterministic.
void order_additions(ProgramBuilder& builder);
// Instead of that where there is a batch: gives each member a state and a thread of its own.
void separate_members(ProgramBuilder& builder);

}  // namespace thallo
