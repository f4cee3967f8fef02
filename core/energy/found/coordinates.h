#pragma once

// What an expression depends on, as the coordinates of a space it could be stored over. The atoms
// that its accesses are made of are the first answer: cos(Angle(x + 1, y)) depends on x and y,
// R(Angle(V0(e))) on V0(e), one coordinate over the vertices. Atoms that vary together are no
// coordinates of one space, and are taken apart: UrShape(V0(e)) - UrShape(V1(e)) depends on e.
// Outputs of one map at one argument stay: Image(P_0(k), P_1(k)) depends on a pixel.

#include <map>
#include <set>
#include <vector>

#include "core/energy/energy.h"
#include "core/ir/graph.h"

namespace thallo {

class Coordinates {
 public:
  // Both must outlive it; the graph may grow.
  Coordinates(const ExprGraph& graph, const std::vector<SparseMap>& maps)
      : graph_(graph), maps_(maps) {}

  // Ascending. Those of a Sum are what is left when its own domains are gone.
  const std::vector<AtomId>& of(ExprId expression);
  // In the order of the indices of the widest access, of which fields count by name: an order that
  // does not depend on how the expression was built.
  std::vector<AtomId> in_order(ExprId expression, const std::vector<Field>& fields);
  DimId dim(AtomId coordinate) const;

 private:
  using Atoms = std::set<AtomId>;
  const Atoms& mentioned(ExprId expression);
  Atoms mentioned_by_leaf(ExprId leaf) const;
  Atoms without_bound(const Atoms& atoms, const std::vector<DomainId>& bound) const;
  std::vector<AtomId> taken_apart(Atoms atoms) const;
  void insert_argument(AtomId lookup, Atoms& atoms) const;
  bool vary_together(AtomId a, AtomId b) const;
  std::vector<DomainId> domains_of(AtomId atom) const;
  int depth(AtomId atom) const;

  const ExprGraph& graph_;
  const std::vector<SparseMap>& maps_;
  std::map<ExprId, Atoms> mentioned_;
  std::map<ExprId, std::vector<AtomId>> coordinates_;
};

// Puts index components in the place of atoms, inside the arguments of maps too.
class AtomReplacement {
 public:
  AtomReplacement(ExprGraph& graph, std::map<AtomId, Affine> replacements)
      : graph_(graph), replacements_(std::move(replacements)) {}

  ExprId operator()(ExprId expression);

 private:
  Affine replaced(const Affine& component);
  IndexId replaced(IndexId index);

  ExprGraph& graph_;
  std::map<AtomId, Affine> replacements_;
  std::map<ExprId, ExprId> memo_;
};

}  // namespace thallo
