#pragma once

// Inlines intermediates: replaces each read by the intermediate's value at the index of the read.
// The value of a named intermediate is multiplied by a test that the index is inside its dims,
// because reads outside are 0.

#include <functional>

#include "core/energy/energy.h"

namespace thallo {

class Inlining {
 public:
  // Returns the intermediate to inline for reads of a field; null for reads that stay.
  using Definition = std::function<const Intermediate*(FieldId)>;
  // `graph` is the energy's own or a copy with more expressions; nodes are added to it. Both must
  // outlive this object.
  Inlining(ExprGraph& graph, const Energy& energy, Definition definition)
      : graph_(graph), energy_(energy), definition_(std::move(definition)) {}
  // Inlines all intermediates.
  Inlining(ExprGraph& graph, const Energy& energy)
      : Inlining(graph, energy, [&](FieldId field) { return energy.find_intermediate(field); }) {}

  ExprId operator()(ExprId expression);

 private:
  ExprId at_read(ExprId read, const Intermediate& intermediate);

  ExprGraph& graph_;
  const Energy& energy_;
  Definition definition_;
  ExprGraph::Rebuilt inlined_;
};

}  // namespace thallo
