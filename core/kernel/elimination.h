#pragma once

// Which unknowns a linear solver can eliminate (LinearSolver::eliminates()). Where every residual
// reads at most one element of a space of unknowns, as it reads one point of bundle adjustment, no
// two elements of the space meet in JtJ. The rows of the space can then be solved for element by
// element, and a smaller system in the other unknowns remains, the Schur complement
// (docs/algorithms.md, "Elimination").

#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"

namespace thallo {

// Looks at the derivatives of an energy, and answers for each of its spaces: unknowns over the same
// dims, of which any one stands for all.
class Elimination {
 public:
  explicit Elimination(const Energy& energy);

  // Fails unless the space of the unknown can be eliminated: there are other unknowns, an element
  // has at most max_block_channels channels, and each residual reads at most one element, in no
  // Sum. The message names the accesses that stand in the way.
  Expected<void> check(FieldId unknown) const;
  // Fails unless the other unknowns can be kept as blocks of a Schur complement: an element of
  // theirs has at most max_block_channels channels, too.
  Expected<void> check_kept(FieldId eliminated) const;
  // Returns one unknown of every space that can be eliminated.
  std::vector<FieldId> spaces() const;

 private:
  struct Read {
    FieldId unknown;
    IndexId index;
    bool is_in_sum = false;
    auto operator<=>(const Read&) const = default;
  };
  struct Residual {
    std::size_t group = 0;
    std::set<Read> reads;
  };
  std::vector<FieldId> space_of(FieldId unknown) const;
  int num_channels(const std::vector<FieldId>& space) const;
  std::string text(const Read& read) const;

  const Energy& energy_;
  ExprGraph graph_;  // the energy's expressions and their derivatives
  std::vector<Residual> residuals_;
};

}  // namespace thallo
