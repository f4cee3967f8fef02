// An energy taken apart for plans with the same parallel Sums, and what estimates have found out
// about it. Private to estimates.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/cost/pricing/estimate/kept.h"
#include "core/cost/pricing/estimate/part_steps.h"
#include "core/cost/pricing/estimate/resolver.h"
#include "core/cost/pricing/estimator.h"

namespace thallo {

struct TakenApart {
  using Decisions = std::vector<std::pair<bool, bool>>;  // of the intermediates of a part

  TakenApart(const Energy& energy, const EstimateSizes& sizes_of_instance,
             const std::vector<bool>& parallel_sums)
      : anatomy(energy, parallel_sums),
        sizes(sizes_of_instance),
        resolver(anatomy, sizes.extents) {}

  const PartPieces& pieces_of(const std::vector<ResidualRef>& residuals) {
    if (const auto found = pieces.find(residuals); found != pieces.end()) return found->second;
    return pieces.emplace(residuals, part_pieces(anatomy, residuals, sizes.extents)).first->second;
  }

  // The efforts of a part without reads, under these decisions.
  std::shared_ptr<const PartEfforts> efforts_of(const PartPieces& part,
                                                const std::vector<Materialization>& stored) {
    std::pair<const PartPieces*, Decisions> key{&part, {}};
    for (const std::size_t k : part.intermediates)
      key.second.emplace_back(stored[k].value, stored[k].gradient);
    return efforts.get(key, [&] {
      resolver.decide(stored);
      const PartEfforts& own = part.efforts;
      PartEfforts resolved{.values = resolver(own.values),
                           .derivatives = resolver(own.derivatives),
                           .both = resolver(own.both),
                           .directions = resolver(own.directions)};
      const auto resolve_all = [this](const std::vector<Effort>& from, std::vector<Effort>& to) {
        for (const Effort& effort : from) to.push_back(resolver(effort));
      };
      resolve_all(own.around, resolved.around);
      resolve_all(own.around_with_values, resolved.around_with_values);
      resolve_all(own.at_element, resolved.at_element);
      return resolved;
    });
  }

  // An intermediate and those that it reads, also by way of others; ascending.
  const std::vector<std::size_t>& intermediates_for(std::size_t which) {
    const auto [found, is_new] = intermediates.try_emplace(which);
    if (is_new) {
      std::set<std::size_t> all;
      find_intermediates(which, all);
      found->second.assign(all.begin(), all.end());
    }
    return found->second;
  }
  void find_intermediates(std::size_t which, std::set<std::size_t>& found) const {
    if (!found.insert(which).second) return;
    const IntermediateAnatomy& its = anatomy.intermediates()[which];
    std::vector<ExprId> all = its.values;
    all.insert(all.end(), its.derivatives.begin(), its.derivatives.end());
    for (const Load& read : effort_of(anatomy, all, its.domains, sizes.extents).reads)
      find_intermediates(static_cast<std::size_t>(anatomy.intermediate_of(read.field)), found);
  }

  Estimator::Reads reads_in(const Effort& effort) const {
    std::set<std::size_t> values, gradients;
    for (const Load& read : effort.reads)
      (anatomy.is_gradient(read.field) ? gradients : values)
          .insert(static_cast<std::size_t>(anatomy.intermediate_of(read.field)));
    return {{values.begin(), values.end()}, {gradients.begin(), gradients.end()}};
  }

  // The parallel Sums that these accesses read, also by way of others; each after those inside it.
  std::vector<std::size_t> sums_of_directions(const std::vector<UnknownAccess>& directions) const {
    std::set<std::size_t> found;
    for (const UnknownAccess& access : directions) find_sums(access.unknown, found);
    return {found.begin(), found.end()};
  }
  void find_sums(FieldId unknown, std::set<std::size_t>& found) const {
    const int sum = anatomy.sum_of(unknown);
    if (sum < 0 || !found.insert(static_cast<std::size_t>(sum)).second) return;
    for (const Partial& partial : anatomy.sums()[static_cast<std::size_t>(sum)].directions)
      find_sums(partial.unknown, found);
  }

  Anatomy anatomy;
  const EstimateSizes& sizes;
  Resolver resolver;
  std::map<std::vector<ResidualRef>, PartPieces> pieces;
  std::map<std::size_t, std::vector<std::size_t>> intermediates;  // for intermediates_for()
  Kept<std::pair<const PartPieces*, Decisions>, PartEfforts> efforts{MostKept};
};

}  // namespace thallo
