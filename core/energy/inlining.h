#pragma once

// Reads of intermediates written out: what is read, at the place where it is read, in the place of
// the read. Outside of a named intermediate that is 0.

#include <functional>
#include <map>

#include "core/energy/energy.h"

namespace thallo {

class Inlining {
 public:
  using Rule = std::function<bool(const Intermediate&)>;
  // Of those that `is_inlined` says. The graph is the energy's, extended.
  Inlining(ExprGraph& graph, const Energy& energy, Rule is_inlined)
      : graph_(graph), energy_(energy), is_inlined_(std::move(is_inlined)) {}
  // Of all.
  Inlining(ExprGraph& graph, const Energy& energy)
      : Inlining(graph, energy, [](const Intermediate&) { return true; }) {}

  ExprId operator()(ExprId expression);

 private:
  ExprId at_read(ExprId read, const Intermediate& intermediate);

  ExprGraph& graph_;
  const Energy& energy_;
  Rule is_inlined_;
  std::map<ExprId, ExprId> reads_;
};

}  // namespace thallo
