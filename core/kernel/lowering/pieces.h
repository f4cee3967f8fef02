// A part of very many residuals is lowered in pieces, each of some of its residuals, with kernels
// of its own: compilers take more than twice the time for a kernel of twice the size. All that the
// kernels of a part make is a sum over residuals, or stored for each residual, so every piece adds
// or stores its share. Private to lowering.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernel/lowering/part_expressions.h"

namespace thallo {

// Where the pieces of a part end, as positions in its residuals, which are consecutive in a piece.
// There is one piece if the expressions of the part have at most `max_nodes` nodes together, and
// where pieces would compute much of the part again and again, as with a loss of all its residuals.
// Else a piece has at most half as many nodes, or one residual: what is split is large enough for
// kernels that compilers are quick with.
std::vector<std::size_t> piece_ends(const ExprGraph& graph, const PartExpressions& e,
                                    std::size_t max_nodes);

// The pieces themselves; the part is the only one where it is small enough.
std::vector<PartExpressions> in_pieces(const ExprGraph& graph, PartExpressions e,
                                       std::size_t max_nodes);

}  // namespace thallo
