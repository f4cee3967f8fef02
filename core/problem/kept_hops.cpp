#include "core/problem/kept_hops.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/stop_scope.h"
#include "core/kernel/bind/inverse_map.h"

namespace thallo {
namespace {

using Elements = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

std::int64_t num_elements(const Binding& binding, const std::vector<DimId>& dims) {
  std::int64_t elements = 1;
  for (const DimId dim : dims) elements *= binding.extent(dim);
  return elements;
}

// The linear number of the element that the map leads to, for each point; -1 if there is none.
Elements elements_of(const Energy& energy, const Binding& binding, MapId map) {
  const std::vector<DimId>& dims = energy.maps()[map.index()].out;
  const std::vector<std::int32_t>& values = binding.map(map);
  Elements elements;
  elements.reserve(values.size() / dims.size());
  for (std::size_t first = 0; first + dims.size() <= values.size(); first += dims.size()) {
    std::int64_t element = 0;
    for (std::size_t d = dims.size(); d-- > 0 && element >= 0;) {
      const std::int64_t extent = binding.extent(dims[d]), value = values[first + d];
      element = value >= 0 && value < extent ? element * extent + value : -1;
    }
    elements.push_back(static_cast<std::int32_t>(element));
  }
  return elements;
}

// Pairs of a kept and an eliminated element that a residual reads; kept elements of all spaces are
// numbered on.
class Meetings {
 public:
  Meetings(const Energy& energy, const Binding& binding, FieldId eliminated) {
    const std::vector<DimId>& gone = energy.field(eliminated).dims;
    num_eliminated_ = num_elements(binding, gone);
    std::set<std::vector<DimId>> spaces;
    for (const FieldId unknown : energy.unknowns()) spaces.insert(energy.field(unknown).dims);
    spaces.erase(gone);
    for (const std::vector<DimId>& space : spaces) {
      for (std::size_t m = 0; m < energy.maps().size(); ++m) {
        if (energy.maps()[m].out != space) continue;
        for (std::size_t e = 0; e < energy.maps().size(); ++e) {
          if (energy.maps()[e].out == gone && energy.maps()[e].in == energy.maps()[m].in) {
            add(elements_of(energy, binding, MapId(m)), elements_of(energy, binding, MapId(e)));
          }
        }
      }
      num_kept_ += num_elements(binding, space);
    }
  }

  double hops() const {
    if (kept_.empty()) return 0;
    const CompressedInverse of_kept = invert(kept_, num_kept_);
    const CompressedInverse of_eliminated = invert(eliminated_, num_eliminated_);
    std::int32_t start = kept_.front();
    int hops = 0;
    for (int pass = 0; pass < 2; ++pass)
      std::tie(start, hops) = farthest(start, of_kept, of_eliminated);
    return hops;
  }

  KeptGraph graph() const {
    const CompressedInverse of_kept = invert(kept_, num_kept_);
    const CompressedInverse of_eliminated = invert(eliminated_, num_eliminated_);
    KeptGraph graph{.offsets = {0}, .neighbors = {}};
    Elements met_by(static_cast<std::size_t>(num_kept_), -1);
    for (std::int32_t from = 0; from < num_kept_; ++from) {
      check_stop();
      const std::ptrdiff_t begin = std::ssize(graph.neighbors);
      const auto meet = [&](std::int32_t to) {
        if (std::exchange(met_by[at(to)], from) != from) graph.neighbors.push_back(to);
      };
      meet(from);
      for (auto i = of_kept.offsets[at(from)]; i < of_kept.offsets[at(from) + 1]; ++i) {
        const std::int32_t between = eliminated_[at(of_kept.points[at(i)])];
        for (auto k = of_eliminated.offsets[at(between)];
             k < of_eliminated.offsets[at(between) + 1]; ++k)
          meet(kept_[at(of_eliminated.points[at(k)])]);
      }
      std::sort(graph.neighbors.begin() + begin, graph.neighbors.end());
      graph.offsets.push_back(static_cast<std::int32_t>(graph.neighbors.size()));
    }
    return graph;
  }

 private:
  void add(const Elements& kept, const Elements& eliminated) {
    for (std::size_t point = 0; point < kept.size(); ++point) {
      if (kept[point] < 0 || eliminated[point] < 0) continue;
      kept_.push_back(kept[point] + static_cast<std::int32_t>(num_kept_));
      eliminated_.push_back(eliminated[point]);
    }
  }

  // True for the few that meet more than twice as many as most do. What they tell over long ways
  // counts little beside the others.
  bool meets_many(std::int32_t eliminated, const CompressedInverse& of_eliminated) const {
    const std::int64_t met =
        of_eliminated.offsets[at(eliminated) + 1] - of_eliminated.offsets[at(eliminated)];
    return met * num_eliminated_ > 2 * std::ssize(kept_);
  }

  // Returns a kept element that is as far from `start` as any that can be reached, and the hops.
  std::pair<std::int32_t, int> farthest(std::int32_t start, const CompressedInverse& of_kept,
                                        const CompressedInverse& of_eliminated) const {
    std::vector<bool> has_kept(static_cast<std::size_t>(num_kept_));
    std::vector<bool> has_eliminated(static_cast<std::size_t>(num_eliminated_));
    Elements layer = {start};
    has_kept[at(start)] = true;
    for (int hops = 0;; ++hops) {
      Elements next;
      for (const std::int32_t from : layer) {
        for (auto i = of_kept.offsets[at(from)]; i < of_kept.offsets[at(from) + 1]; ++i) {
          const std::int32_t between = eliminated_[at(of_kept.points[at(i)])];
          if (has_eliminated[at(between)] || meets_many(between, of_eliminated)) continue;
          has_eliminated[at(between)] = true;
          for (auto k = of_eliminated.offsets[at(between)];
               k < of_eliminated.offsets[at(between) + 1]; ++k) {
            const std::int32_t to = kept_[at(of_eliminated.points[at(k)])];
            if (has_kept[at(to)]) continue;
            has_kept[at(to)] = true;
            next.push_back(to);
          }
        }
      }
      if (next.empty()) return {layer.back(), hops};
      layer = std::move(next);
    }
  }

  std::int64_t num_kept_ = 0, num_eliminated_ = 0;
  Elements kept_, eliminated_;  // by meeting
};

}  // namespace

double kept_hops(const Energy& energy, const Binding& binding, FieldId eliminated) {
  return Meetings(energy, binding, eliminated).hops();
}

KeptGraph kept_graph(const Energy& energy, const Binding& binding, FieldId eliminated) {
  return Meetings(energy, binding, eliminated).graph();
}

}  // namespace thallo
