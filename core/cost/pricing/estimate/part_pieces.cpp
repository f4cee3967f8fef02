#include "core/cost/pricing/estimate/part_pieces.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/stop_scope.h"
#include "core/energy/unknown_spaces.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

class PieceCollector {
 public:
  PieceCollector(Anatomy& anatomy, const std::vector<ResidualRef>& residuals,
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
    for (UnknownAccess& access : pieces_.accesses)
      access.space = space_of(anatomy.energy(), access.unknown);
    count_threads_of_sums();
  }

  PartPieces run(const std::vector<ResidualRef>& residuals) {
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
      pieces_.nonzeros += access.times * static_cast<double>(access.entries.size());
    }
    add_meetings();
    add_visits(residuals);
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

  void add_meetings() {
    IndexTable& indices = anatomy_.graph().indices();
    for (std::size_t i = 0; i < pieces_.accesses.size(); ++i) {
      const UnknownAccess& row = pieces_.accesses[i];
      const auto rows = static_cast<double>(row.channels.size());
      for (std::size_t j = 0; j <= i; ++j) {
        check_stop();
        const UnknownAccess& col = pieces_.accesses[j];
        const auto cols = static_cast<double>(col.channels.size());
        MultiIndex both = indices[row.index];
        const MultiIndex& other = indices[col.index];
        both.insert(both.end(), other.begin(), other.end());
        const double pairs = i == j ? rows * (rows + 1) / 2 : rows * cols;
        pieces_.meetings.push_back(
            {indices.intern(std::move(both)), pairs * row.times * col.times});
      }
    }
  }

  // The expressions of a visit.
  struct VisitRoots {
    std::vector<ExprId> own, weights, directions, values;
  };

  void add_visits(const std::vector<ResidualRef>& residuals) {
    for (const std::size_t space : spaces_read(anatomy_.energy(), residuals))
      add_visits(residuals, space);
  }
  void add_visits(const std::vector<ResidualRef>& residuals, std::size_t space) {
    std::vector<const UnknownAccess*> stencil;
    std::vector<std::vector<const UnknownAccess*>> others;
    for (const UnknownAccess& access : pieces_.accesses) {
      if (access.space != space) continue;
      if (is_of_stencil(access)) {
        stencil.push_back(&access);
        continue;
      }
      const auto same = std::ranges::find_if(others, [&](const auto& visit) {
        return visit.front()->index == access.index && visit.front()->loops == access.loops;
      });
      if (same == others.end()) {
        others.push_back({&access});
      } else {
        same->push_back(&access);
      }
    }
    if (!check_gather(anatomy_.energy(), residuals, space)) return;
    if (!stencil.empty()) add_stencil(stencil, space);
    for (const auto& visit : others) add_visit(visit, space);
  }

  // One element for each point, at a distance that is the same everywhere.
  bool is_of_stencil(const UnknownAccess& access) const {
    const IndexTable& indices = anatomy_.graph().indices();
    const MultiIndex& index = indices[access.index];
    if (!access.loops.empty() || index.size() != pieces_.domains.size()) return false;
    std::set<DomainId> domains;
    for (const Affine& component : index) {
      if (component.terms.size() != 1 || component.terms[0].coefficient != 1) return false;
      const Atom& atom = indices.atom(component.terms[0].atom);
      if (!atom.is_domain() || !domains.insert(atom.domain).second) return false;
    }
    return true;
  }
  // From the point to the element, read backwards: where the points that read an element are.
  DomainSubstitution back_from(const UnknownAccess& access) const {
    IndexTable& indices = anatomy_.graph().indices();
    DomainSubstitution shift;
    const MultiIndex index = indices[access.index];
    for (const Affine& component : index) {
      if (component.constant == 0) continue;
      const DomainId domain = indices.as_domain({0, component.terms});
      Affine point = indices.component(domain);
      point.constant = -component.constant;
      shift.emplace(domain, std::move(point));
    }
    return shift;
  }

  void add_stencil(const std::vector<const UnknownAccess*>& accesses, std::size_t space) {
    Visit visit{.space = space, .total = pieces_.points};
    VisitRoots roots;
    for (const UnknownAccess* access : accesses) {
      const DomainSubstitution shift = back_from(*access);
      const std::set<std::size_t> readers = readers_of({access});
      ExprGraph::Rebuilt moved;
      const auto move = [&](const std::vector<ExprId>& expressions, std::vector<ExprId>& to) {
        for (const ExprId expression : expressions)
          to.push_back(shift.empty() ? expression
                                     : anatomy_.graph().substitute(expression, shift, moved));
      };
      move(partials_of(*access), roots.own);
      move(weights_of(readers), roots.weights);
      move(directions_of(readers), roots.directions);
      move(values_of(readers), roots.values);
      for (UnknownAccess direction : directions_read_by(readers)) {
        if (!shift.empty())
          direction.index = anatomy_.graph().indices().substitute(direction.index, shift);
        join(std::move(direction), visit.directions);
      }
    }
    add(std::move(visit), roots, pieces_.domains, pieces_.domains);
  }

  void add_visit(const std::vector<const UnknownAccess*>& accesses, std::size_t space) {
    const UnknownAccess& first = *accesses.front();
    const std::set<std::size_t> readers = readers_of(accesses);
    VisitRoots roots{.weights = weights_of(readers),
                     .directions = directions_of(readers),
                     .values = values_of(readers)};
    for (const UnknownAccess* access : accesses)
      roots.own = joined(roots.own, partials_of(*access));
    Visit visit{.space = space,
                .total = pieces_.points * first.times,
                .index = first.index,
                .directions = directions_read_by(readers)};
    // A visit is at one point of the Sums around the access, unless Jp loops over them.
    std::vector<DomainId> one = pieces_.domains;
    one.insert(one.end(), first.loops.begin(), first.loops.end());
    const bool jp_loops = std::ranges::find(pieces_.directions, first.loops,
                                            &UnknownAccess::loops) != pieces_.directions.end();
    add(std::move(visit), roots, jp_loops ? pieces_.domains : one, one);
  }

  void add(Visit visit, const VisitRoots& roots, const std::vector<DomainId>& whole,
           const std::vector<DomainId>& one) {
    pieces_.visits.push_back(std::move(visit));
    const std::vector<ExprId> around = joined(roots.own, roots.directions);
    pieces_.efforts.around.push_back(effort(around, whole));
    pieces_.efforts.around_with_values.push_back(effort(joined(roots.values, around), whole));
    pieces_.efforts.at_element.push_back(effort(joined(roots.own, roots.weights), one));
  }

  static std::set<std::size_t> readers_of(const std::vector<const UnknownAccess*>& accesses) {
    std::set<std::size_t> readers;
    for (const UnknownAccess* access : accesses)
      for (const UnknownAccess::Entry& entry : access->entries) readers.insert(entry.residual);
    return readers;
  }
  static std::vector<ExprId> partials_of(const UnknownAccess& access) {
    std::vector<ExprId> partials;
    for (const UnknownAccess::Entry& entry : access.entries) partials.push_back(entry.value);
    return partials;
  }
  // With the channels that these residuals read.
  std::vector<UnknownAccess> directions_read_by(const std::set<std::size_t>& residuals) const {
    std::vector<UnknownAccess> result;
    for (const UnknownAccess& direction : pieces_.directions) {
      std::set<int> channels;
      for (const UnknownAccess::Entry& entry : direction.entries)
        if (residuals.contains(entry.residual)) channels.insert(entry.channel);
      if (channels.empty()) continue;
      result.push_back(direction);
      result.back().channels.assign(channels.begin(), channels.end());
    }
    return result;
  }
  static void join(UnknownAccess access, std::vector<UnknownAccess>& all) {
    check_stop();
    const auto same = std::ranges::find_if(all, [&access](const UnknownAccess& known) {
      return known.unknown == access.unknown && known.index == access.index &&
             known.loops == access.loops;
    });
    if (same == all.end()) return all.push_back(std::move(access));
    std::vector<int> channels;
    std::ranges::set_union(same->channels, access.channels, std::back_inserter(channels));
    same->channels = std::move(channels);
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
    Found& last = last_found_[&accesses];
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
      if (std::ranges::find(found->channels, partial.channel) == found->channels.end()) {
        const auto number = static_cast<std::size_t>(found - accesses.begin());
        const bool is_next = last[partial.loops] == std::pair(number, partial.channel - 1);
        found->is_one_run = found->is_one_run && (found->channels.empty() || is_next);
        last[partial.loops] = {number, partial.channel};
        found->channels.push_back(partial.channel);
      }
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
  Effort effort(const std::vector<ExprId>& roots) const { return effort(roots, pieces_.domains); }
  Effort effort(const std::vector<ExprId>& roots, const std::vector<DomainId>& domains) const {
    return effort_of(anatomy_, roots, domains, extents_);
  }

  Anatomy& anatomy_;
  const std::vector<std::int64_t>& extents_;
  std::vector<const ResidualAnatomy*> residuals_;
  PartPieces pieces_;
  // Of a list of accesses: the access and channel that was added to it last, by the loops around.
  using Found = std::map<std::vector<DomainId>, std::pair<std::size_t, int>>;
  std::map<const std::vector<UnknownAccess>*, Found> last_found_;
};

}  // namespace

PartPieces part_pieces(Anatomy& anatomy, const std::vector<ResidualRef>& residuals,
                       const std::vector<std::int64_t>& extents) {
  return PieceCollector(anatomy, residuals, extents).run(residuals);
}

}  // namespace thallo
