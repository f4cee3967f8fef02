#pragma once

// Finds what an expression depends on, as the coordinates of a space it could be stored over. The
// coordinates are atoms (core/ir/index.h) of its accesses where these vary independently:
//
//   expression                       coordinates
//   cos(Angle(x + 1, y))             x, y
//   R(Angle(V0(e)))                  V0(e), one coordinate over the vertices
//   UrShape(V0(e)) - UrShape(V1(e))  e: V0(e) and V1(e) vary together and span no space, so that
//                                    they are replaced by what their arguments are made of
//   Image(P_0(k), P_1(k))            P_0(k), P_1(k), a pixel: outputs of one map at one argument
//                                    count as independent

#include <map>
#include <set>
#include <vector>

#include "core/energy/energy.h"
#include "core/ir/graph.h"

namespace thallo {

class Coordinates {
 public:
  // Both arguments must outlive this object; the graph may grow.
  Coordinates(const ExprGraph& graph, const std::vector<SparseMap>& maps)
      : graph_(graph), maps_(maps) {}

  // Returns the coordinates in ascending order. A Sum does not depend on the domains that it sums
  // over.
  const std::vector<AtomId>& of(ExprId expression);
  // Returns the coordinates in the order in which accesses mention them. The access with the most
  // dims comes first; accesses with equally many are sorted by the names of their fields. The order
  // does not depend on how the expression was built.
  std::vector<AtomId> in_order(ExprId expression, const std::vector<Field>& fields);
  DimId dim(AtomId coordinate) const;  // the dim that the coordinate runs over

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

// Replaces atoms by index components, inside the arguments of maps too.
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
