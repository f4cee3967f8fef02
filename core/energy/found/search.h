#pragma once

// The search that FoundIntermediates::in runs (found/intermediates.h says what is found). Its
// steps, for the energy
//
//   smooth(w) = in_bounds(w + 1) * (exp(X(w + 1)^2) - exp(X(w)^2))
//   edge(e)   = cos(P(V0(e))) - L(e)
//
// 1. may_be_stored: an expression is considered if it has at least 8 flops, contains no Sum and is
//    no residual itself. Here these are the two exp, -exp(X(w)^2), exp - exp, and cos.
// 2. canonical: the coordinates (coordinates.h) of each are renamed to domains of the search, w'
//    and n', and shifted so that the least shift of each is 1. Both exp become exp(X(w' + 1)^2):
//    they are equal up to a substitution and form one *kind*, which occurs at the coordinate w with
//    the shifts 0 and 1. The cos becomes cos(P(n' + 1)), at the coordinate V0(e) with the shift 0.
// 3. is_shared: exp is read at two positions, and cos depends on V0(e) but is read by an expression
//    that depends on e. Both are kept. exp - exp and -exp are read once, over the same space.
// 4. drop_covered: a kind that is only a piece of larger kinds, read at the same positions, is
//    dropped. Here there is none.
// 5. group_channels: kinds that are read at the same positions, by the same residual groups, become
//    channels of one intermediate. sin(P(V0(e))) in `edge` would join the cos.
// 6. add: the origin of the space of exp is the shift 0, so that it is read at w and w + 1. Reading
//    it at w + 1 is allowed because of in_bounds(w + 1) (bounds_facts.h).
// 7. name_all: names are the first digits of a hash of the content.
//
// What comes out, as `thallo print found` prints it:
//
//   intermediate %0e3e over (w), 17 flops, read at (w), (w + 1)
//     %0e3e = exp(X(w)^2)
//
//   intermediate %8d22 over (n), 16 flops, read at (V0(e))
//     no site: of 16 flops and read at one place it is a site with --sites all only
//     %8d22 = cos(P(n))

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/base/hash.h"
#include "core/energy/found/bounds_facts.h"
#include "core/energy/found/content_hash.h"
#include "core/energy/found/coordinates.h"
#include "core/energy/found/grouped_operands.h"
#include "core/energy/found/intermediates.h"

namespace thallo {

class FoundSearch {
 public:
  // `result` has the energy and its graph; run() fills in the rest and lets the graph grow.
  explicit FoundSearch(FoundIntermediates& result);
  void run() &&;

 private:
  // Where an expression occurs: its coordinates, and how far each is shifted from the occurrence of
  // the same kind that is shifted least.
  struct Position {
    std::vector<AtomId> coordinates;
    std::vector<std::int64_t> shifts;

    friend auto operator<=>(const Position&, const Position&) = default;
  };
  struct Occurrence {
    ExprId expression;
    Position position;
  };
  // Expressions that are equal up to a substitution.
  struct Kind {
    std::vector<DomainId> domains;  // of the search, one per coordinate
    std::vector<Occurrence> occurrences;
    double flops = 0;
    Hash128 hash;
    std::set<Position> positions;
    std::set<std::size_t> owners;  // numbers of the residual groups and, after these, intermediates
  };
  // An expression over domains of the search, and the position that makes it what it was.
  struct Canonical {
    ExprId expression;
    std::vector<DomainId> domains;
    Position position;
  };

  bool may_be_stored(ExprId expression);
  // Counts up to `enough`.
  double flops_of(ExprId expression, double enough = std::numeric_limits<double>::infinity()) const;
  Canonical canonical(ExprId expression);
  using Shifts = std::map<DomainId, std::int64_t>;
  const Shifts& least_shifts(ExprId renamed);
  ExprId shifted(ExprId expression, const std::vector<DomainId>& domains,
                 const std::vector<std::int64_t>& by);
  DomainId own_domain(DimId dim, std::size_t number);

  void collect_kinds();
  bool is_shared(const Kind& kind);
  void drop_covered();
  // How residuals and intermediates reach expressions around the kinds of one place.
  struct Detour {
    std::set<ExprId> closed;  // the occurrences of the kinds
    std::map<ExprId, bool> is_reached;
  };
  bool is_reached(ExprId expression, Detour& around) const;
  void group_channels();
  void add(const std::vector<Kind*>& channels);
  std::string name_of(const std::vector<Kind*>& channels) const;
  bool choose_origin(const std::vector<Kind*>& channels, std::size_t coordinate,
                     std::int64_t& origin) const;
  void name_all();

  FoundIntermediates& result_;
  const Energy::Data& data_;
  std::map<ExprId, std::string> names_;  // the author's names of expressions
  ExprGraph& graph_;
  Coordinates coordinates_;
  GroupedOperands operands_;
  std::vector<ExprId> roots_;
  std::set<ExprId> root_set_;
  std::vector<ExprId> order_;  // all expressions, each after its operands
  std::map<ExprId, std::set<ExprId>> users_;
  std::map<ExprId, std::set<std::size_t>> owners_;
  std::set<ExprId> with_sums_;
  BoundsFacts facts_;
  std::map<std::pair<DimId, std::size_t>, DomainId> own_domains_;
  std::map<std::pair<std::vector<AtomId>, std::vector<DomainId>>, AtomReplacement> renamings_;
  std::map<std::tuple<std::vector<AtomId>, std::vector<DomainId>, std::vector<std::int64_t>>,
           AtomReplacement>
      own_spaces_;
  std::map<ExprId, Shifts> least_shifts_;
  std::map<std::pair<std::vector<DomainId>, std::vector<std::int64_t>>, ExprGraph::Rebuilt>
      shifted_;  // by domains and what is added to them
  std::vector<Kind> kinds_;
  std::vector<Hash128> hashes_;  // one per intermediate of result_.all_
};

}  // namespace thallo
