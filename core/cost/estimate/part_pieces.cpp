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
      add_accesses(residuals_.back()->partials, residuals_.size() - 1, pieces_.accesses);
      add_accesses(residuals_.back()->directions, residuals_.size() - 1, pieces_.directions);
    }
    count_threads_of_sums();
  }

  PartPieces run() {
    std::set<std::size_t> all;
    for (std::size_t r = 0; r < residuals_.size(); ++r) all.insert(r);
    pieces_.efforts.values = effort(values_of(all));
    pieces_.efforts.derivatives = effort(derivatives_of(all));
    pieces_.efforts.both = effort(joined(values_of(all), derivatives_of(all)));
    pieces_.efforts.directions = effort(directions_of(all));
    for (const UnknownAccess& access : pieces_.directions)
      pieces_.num_directions += access.times * static_cast<double>(access.entries.size());
    for (UnknownAccess& access : pieces_.accesses) {
      std::ranges::sort(access.channels);
      std::set<std::size_t> readers;
      std::vector<ExprId> own;
      for (const UnknownAccess::Entry& entry : access.entries) {
        readers.insert(entry.residual);
        own.push_back(entry.value);
      }
      pieces_.nonzeros += access.times * static_cast<double>(access.entries.size());
      // A visit is at one point of the Sums around the access, unless Jp loops over them.
      std::vector<DomainId> visit = pieces_.domains;
      visit.insert(visit.end(), access.loops.begin(), access.loops.end());
      const std::vector<DomainId>& whole = loops_in_directions(access) ? pieces_.domains : visit;
      const std::vector<ExprId> around = joined(own, directions_of(readers));
      pieces_.efforts.around.push_back(effort(around, whole));
      pieces_.efforts.around_with_values.push_back(
          effort(joined(values_of(readers), around), whole));
      pieces_.efforts.at_element.push_back(effort(joined(own, weights_of(readers)), visit));
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

  void add_accesses(const std::vector<Partial>& partials, std::size_t r,
                    std::vector<UnknownAccess>& accesses) {
    for (const Partial& partial : partials) {
      const auto is_same = [&](const UnknownAccess& access) {
        return access.unknown == partial.unknown && access.index == partial.index &&
               access.loops == partial.loops;
      };
      auto found = std::ranges::find_if(accesses, is_same);
      if (found == accesses.end()) {
        accesses.push_back({.unknown = partial.unknown,
                            .index = partial.index,
                            .loops = partial.loops,
                            .times = points_of(partial.loops)});
        found = accesses.end() - 1;
      }
      if (std::ranges::find(found->channels, partial.channel) == found->channels.end())
        found->channels.push_back(partial.channel);
      found->entries.push_back({r, partial.channel, partial.value});
    }
  }

  void count_threads_of_sums() {
    const bool has_parallel_sums = std::ranges::any_of(
        pieces_.directions,
        [this](const UnknownAccess& a) { return anatomy_.sum_of(a.unknown) >= 0; });
    if (!has_parallel_sums) return;
    std::set<std::vector<DomainId>> loops;
    for (const UnknownAccess& access : pieces_.accesses) {
      if (!access.loops.empty() && loops.insert(access.loops).second)
        pieces_.threads_of_sums += access.times;
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
  std::vector<ExprId> directions_of(const std::set<std::size_t>& residuals) const {
    std::vector<ExprId> roots = weights_of(residuals);
    for (const std::size_t r : residuals)
      for (const Partial& partial : residuals_[r]->directions) roots.push_back(partial.value);
    return roots;
  }
  static std::vector<ExprId> joined(std::vector<ExprId> a, const std::vector<ExprId>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  bool loops_in_directions(const UnknownAccess& access) const {
    return std::ranges::find(pieces_.directions, access.loops, &UnknownAccess::loops) !=
           pieces_.directions.end();
  }
  Effort effort(const std::vector<ExprId>& roots) const { return effort(roots, pieces_.domains); }
  Effort effort(const std::vector<ExprId>& roots, const std::vector<DomainId>& domains) const {
    return effort_of(anatomy_, roots, domains, extents_);
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
