#pragma once

// Intermediates that nobody named: subexpressions of an energy that are equal up to a substitution
// of index components are one intermediate that is read at several places. cos(Angle(x, y)) and
// cos(Angle(x + 1, y)) are one over (W, H), R(Angle(V0(e))) is one over the vertices.
//
//   const Energy sited = with_found_intermediates(energy);  // computes the same as `energy`
//   sited.as_written();                                     // is `energy`
//   sited.found()->all();
//
// What is found: expressions of at least a few flops that are read at two places or by two others,
// or that depend on less than what reads them; without Sums. One that is only read by another over
// the same domains, at the same places, is left out; those that are read together are channels of
// one. A found intermediate has a short content hash as name, "%3fa1": the same in every run,
// whatever the energy's author named and in which order.
//
// Reading it outside of its domain has no meaning, so it is not read there: where its reads may
// fall outside, every use must be under a condition that says that they do not. Otherwise it is no
// site of a schedule.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/energy/energy.h"

namespace thallo {

// Which found intermediates schedules decide about.
enum class FoundSites {
  None,
  Default,  // read at two places or of 32 flops; the 12 of most flops
  All,      // whatever can be stored
};

struct FoundIntermediate {
  std::string name;
  std::vector<DomainId> domains;
  std::vector<ExprId> values;         // over the domains, one per channel, written out
  std::vector<MultiIndex> positions;  // where it is read, without repetition
  double flops = 0;                   // of all channels; a function such as the cosine counts 16
  std::string why_not;                // empty, or why it cannot be stored
};

class FoundIntermediates : public std::enable_shared_from_this<FoundIntermediates> {
 public:
  static std::shared_ptr<const FoundIntermediates> in(const Energy& energy);

  const Energy& energy() const { return energy_; }
  // Of these, and of the positions: that of the energy, extended.
  const ExprGraph& graph() const { return graph_; }
  const std::vector<FoundIntermediate>& all() const { return all_; }  // by flops, most first
  // Empty when the sites have it; else why not. Names that are not found are not known.
  std::string why_no_site(std::string_view name, FoundSites sites) const;

  // The energy reads those that are chosen by name.
  Energy with(const std::vector<std::string>& names) const;
  Energy with(FoundSites sites) const;

 private:
  friend class FoundSearch;
  struct Read {
    std::size_t found = 0;
    int channel = 0;
    MultiIndex index;
  };
  // A channel: an expression of the energy, and what its coordinates are in its own space.
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
  std::map<ExprId, Read> reads_;
  // As operands of sums and products are grouped, where they are (grouped_operands.h).
  std::map<ExprId, std::vector<ExprId>> operands_;
};

Energy with_found_intermediates(const Energy& energy, FoundSites sites = FoundSites::Default);

}  // namespace thallo
