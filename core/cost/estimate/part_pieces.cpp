#include "core/cost/estimate/part_pieces.h"

#include <algorithm>
#include <set>

namespace thallo {
namespace {

class PieceCollector {
 public:
  PieceCollector(const Anatomy& anatomy, const std::vector<ResidualRef>& residuals,
                 const std::vector<std::int64_t>& extents)
      : anatomy_(anatomy), extents_(extents) {
    for (const DomainId domain : anatomy.energy().groups()[residuals.front().group].domains)
      pieces_.domains.push_back(anatomy.own_domain(domain));
    pieces_.points = points_of(pieces_.domains);
    pieces_.num_residuals = static_cast<double>(residuals.size());
    for (const auto [group, residual] : residuals) {
      residuals_.push_back(&anatomy.residual(group, residual));
      add_accesses(residuals_.size() - 1);
    }
  }

  PartPieces run() {
    std::set<std::size_t> all;
    for (std::size_t r = 0; r < residuals_.size(); ++r) all.insert(r);
    pieces_.efforts.values = effort(values_of(all));
    pieces_.efforts.derivatives = effort(derivatives_of(all));
    pieces_.efforts.both = effort(joined(values_of(all), derivatives_of(all)));
    for (UnknownAccess& access : pieces_.accesses) {
      std::ranges::sort(access.channels);
      std::set<std::size_t> readers;
      std::vector<ExprId> own;
      for (const UnknownAccess::Entry& entry : access.entries) {
        readers.insert(entry.residual);
        own.push_back(entry.value);
      }
      pieces_.nonzeros += access.times * static_cast<double>(access.entries.size());
      pieces_.efforts.around.push_back(effort(derivatives_of(readers)));
      pieces_.efforts.around_with_values.push_back(
          effort(joined(values_of(readers), derivatives_of(readers))));
      pieces_.efforts.at_element.push_back(effort(joined(own, weights_of(readers))));
    }
    std::set<std::size_t> read;
    find_intermediates(pieces_.efforts.both.reads, read);
    pieces_.intermediates.assign(read.begin(), read.end());
    return std::move(pieces_);
  }

 private:
  void find_intermediates(const std::vector<Load>& reads, std::set<std::size_t>& found) const {
    for (const Load& read : reads) {
      const auto i = static_cast<std::size_t>(anatomy_.intermediate_of(read.field));
      if (!found.insert(i).second) continue;
      const IntermediateAnatomy& intermediate = anatomy_.intermediates()[i];
      const std::vector<ExprId> all = joined(intermediate.values, intermediate.derivatives);
      find_intermediates(effort_of(anatomy_, all, intermediate.domains, extents_).reads, found);
    }
  }

  double points_of(const std::vector<DomainId>& domains) const {
    double points = 1;
    for (const DomainId domain : domains)
      points *=
          static_cast<double>(extents_[anatomy_.graph().indices().domain(domain).dim.index()]);
    return points;
  }

  void add_accesses(std::size_t r) {
    for (const Partial& partial : residuals_[r]->partials) {
      const auto is_same = [&](const UnknownAccess& access) {
        return access.unknown == partial.unknown && access.index == partial.index &&
               access.loops == partial.loops;
      };
      auto found = std::ranges::find_if(pieces_.accesses, is_same);
      if (found == pieces_.accesses.end()) {
        pieces_.accesses.push_back({.unknown = partial.unknown,
                                    .index = partial.index,
                                    .loops = partial.loops,
                                    .times = points_of(partial.loops)});
        found = pieces_.accesses.end() - 1;
      }
      if (std::ranges::find(found->channels, partial.channel) == found->channels.end())
        found->channels.push_back(partial.channel);
      found->entries.push_back({r, partial.channel, partial.value});
    }
  }

  std::vector<ExprId> values_of(const std::set<std::size_t>& residuals) const {
    std::vector<ExprId> roots = weights_of(residuals);
    for (const std::size_t r : residuals) roots.push_back(residuals_[r]->value);
    return roots;
  }
  std::vector<ExprId> weights_of(const std::set<std::size_t>& residuals) const {
    std::vector<ExprId> roots;
    for (const std::size_t r : residuals)
      if (residuals_[r]->weight.valid()) roots.push_back(residuals_[r]->weight);
    return roots;
  }
  std::vector<ExprId> derivatives_of(const std::set<std::size_t>& residuals) const {
    std::vector<ExprId> roots = weights_of(residuals);
    for (const std::size_t r : residuals)
      for (const Partial& partial : residuals_[r]->partials) roots.push_back(partial.value);
    return roots;
  }
  static std::vector<ExprId> joined(std::vector<ExprId> a, const std::vector<ExprId>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  Effort effort(const std::vector<ExprId>& roots) const {
    return effort_of(anatomy_, roots, pieces_.domains, extents_);
  }

  const Anatomy& anatomy_;
  const std::vector<std::int64_t>& extents_;
  std::vector<const ResidualAnatomy*> residuals_;
  PartPieces pieces_;
};

}  // namespace

PartPieces part_pieces(const Anatomy& anatomy, const std::vector<ResidualRef>& residuals,
                       const std::vector<std::int64_t>& extents) {
  return PieceCollector(anatomy, residuals, extents).run();
}

}  // namespace thallo
