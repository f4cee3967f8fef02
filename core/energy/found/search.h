#pragma once

// The search for intermediates that nobody named: see found_intermediates.h, whose private part
// this is.

#include <cstdint>
#include <map>
#include <set>
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
  explicit FoundSearch(FoundIntermediates& result);
  void run() &&;

 private:
  // Where an expression is, from where all of its kind begin.
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
    std::vector<DomainId> domains;
    std::vector<Occurrence> occurrences;
    double flops = 0;
    Hash128 hash;
    std::set<Position> positions;
    std::set<std::size_t> owners;  // residual groups, then intermediates
  };
  struct Canonical {
    ExprId expression;
    std::vector<DomainId> domains;
    Position position;
  };

  bool may_be_stored(ExprId expression);
  double flops_of(ExprId expression) const;
  Canonical canonical(ExprId expression);
  DomainId own_domain(DimId dim, std::size_t number);

  void collect_kinds();
  bool is_shared(const Kind& kind);
  void drop_covered();
  void group_channels();
  void add(const std::vector<Kind*>& channels);
  bool choose_origin(const std::vector<Kind*>& channels, std::size_t coordinate,
                     std::int64_t& origin) const;
  void name_all();

  FoundIntermediates& result_;
  const Energy::Data& data_;
  ExprGraph& graph_;
  Coordinates coordinates_;
  GroupedOperands operands_;
  std::vector<ExprId> roots_;
  std::vector<ExprId> order_;  // all expressions, each after its operands
  std::map<ExprId, std::set<ExprId>> users_;
  std::map<ExprId, std::set<std::size_t>> owners_;
  std::set<ExprId> with_sums_;
  BoundsFacts facts_;
  std::map<std::pair<DimId, std::size_t>, DomainId> own_domains_;
  std::map<std::pair<std::vector<AtomId>, std::vector<DomainId>>, AtomReplacement> renamings_;
  std::vector<Kind> kinds_;
  std::vector<Hash128> hashes_;  // of result_.all_
};

}  // namespace thallo
