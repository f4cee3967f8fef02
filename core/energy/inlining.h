#pragma once

// Reads of intermediates written out: what is read, at the place where it is read, in the place of
// the read. Outside of a named intermediate that is 0.

#include <functional>
#include <map>

#include "core/energy/energy.h"

namespace thallo {

class Inlining {
 public:
  // What is written out in the place of reads of a field; null for fields that stay.
  using Definition = std::function<const Intermediate*(FieldId)>;
  // The graph is the energy's, extended.
  Inlining(ExprGraph& graph, const Energy& energy, Definition definition)
      : graph_(graph), energy_(energy), definition_(std::move(definition)) {}
  // Of all intermediates.
  Inlining(ExprGraph& graph, const Energy& energy)
      : Inlining(graph, energy, [&](FieldId field) { return energy.find_intermediate(field); }) {}

  ExprId operator()(ExprId expression);

 private:
  ExprId at_read(ExprId read, const Intermediate& intermediate);

  ExprGraph& graph_;
  const Energy& energy_;
  Definition definition_;
  std::map<ExprId, ExprId> reads_;
};

}  // namespace thallo
