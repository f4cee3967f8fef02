#pragma once

// Finds intermediates that nobody named. Subexpressions of an energy that are equal up to a
// substitution of index components are one intermediate that is read at several places:
// cos(Angle(x, y)) and cos(Angle(x + 1, y)) are one over (W, H), R(Angle(V0(e))) is one over the
// vertices. found/search.h has a worked example.
//
//   const Energy sited = with_found_intermediates(energy);  // computes the same as `energy`
//   sited.as_written();                                     // is `energy`
//   sited.found()->all();
//
// An expression is found if it has at least 8 flops and no Sum inside and is read at two places, by
// two expressions, or by one that depends on more than it does. It is left out if it is read only
// by larger found expressions over the same domains, at the same places. Expressions that are read
// together are channels of one intermediate. A found intermediate has the name that the energy's
// author gave to all its channels, if nothing else has that name. Otherwise its name is a short
// content hash, "%3fa1", which is the same in every run, whatever else the author named and in
// which order.
//
// A found intermediate has no value outside of its domains. Where a read may fall outside, all uses
// of it must be under a condition that does not hold there, such as a bounds test. Otherwise the
// intermediate cannot be stored and is no site of a schedule.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

// Says which found intermediates schedules decide about.
enum class FoundSites {
  None,
  Default,  // read at two places or at least 32 flops; the 12 largest
  All,      // all that can be stored
};

struct FoundIntermediate {
  std::string name;
  std::vector<DomainId> domains;
  std::vector<ExprId> values;         // one per channel, over `domains`, as the energy has them
  std::vector<MultiIndex> positions;  // the places where it is read, without repetition
  double flops = 0;                   // of all channels together; a function such as cos counts 16
  std::string why_not;                // why it cannot be stored, or empty
};

class FoundIntermediates : public std::enable_shared_from_this<FoundIntermediates> {
 public:
  // Searches the energy as it was written.
  static std::shared_ptr<const FoundIntermediates> in(const Energy& energy);

  const Energy& energy() const { return energy_; }
  // The graph of all values and positions: a copy of the energy's, with more expressions.
  const ExprGraph& graph() const { return graph_; }
  const std::vector<FoundIntermediate>& all() const { return all_; }  // sorted by flops, most first
  // Says why an intermediate is not among the sites; empty if it is, or if the name is unknown.
  std::string why_no_site(std::string_view name, FoundSites sites) const;

  // Returns the energy, rewritten to read the intermediates with these names or the sites.
  Energy with(const std::vector<std::string>& names) const;
  Energy with(FoundSites sites) const;

 private:
  friend class FoundSearch;
  struct Read {
    std::size_t found = 0;
    int channel = 0;
    MultiIndex index;
  };
  // A channel: one of the expressions of the energy that it stands for, and the index components in
  // the intermediate's own domains that replace the coordinates of the expression.
  struct Definition {
    ExprId expression;
    std::map<AtomId, Affine> in_own_space;
  };

  explicit FoundIntermediates(const Energy& energy) : energy_(energy), graph_(energy.graph()) {}
  std::vector<std::size_t> sites(FoundSites sites) const;
  Energy with(const std::vector<std::size_t>& chosen, FoundSites sites) const;

  Energy energy_;
  ExprGraph graph_;
  std::vector<FoundIntermediate> all_;
  std::vector<std::vector<Definition>> definitions_;  // of all_, by channel
  std::map<ExprId, Read> reads_;  // the read that can replace each expression that was found
  // The operands of those sums and products that have grouped ones (grouped_operands.h).
  std::map<ExprId, std::vector<ExprId>> operands_;
};

Energy with_found_intermediates(const Energy& energy, FoundSites sites = FoundSites::Default);

}  // namespace thallo
