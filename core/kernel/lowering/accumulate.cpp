#include "core/kernel/lowering/accumulate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/energy/access.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

class Gathering {
 public:
  explicit Gathering(ProgramBuilder& builder) : b_(builder), g_(builder.graph()) {}

  void add(const Addend& addend) {
    const std::vector<DimId> dims = b_.program().field(addend.field).dims;
    auto space = std::ranges::find(spaces_, dims, &Space::dims);
    if (space == spaces_.end()) {
      spaces_.push_back({dims, b_.fresh_domains(dims), {}});
      space = std::prev(spaces_.end());
    }
    space->terms[{addend.field, addend.channel}].push_back(at_element(addend, space->element));
  }

  // One section per space.
  void write(Kernel& kernel, const AtElement& finish) {
    for (const Space& space : spaces_) {
      Section section{.domains = space.element};
      const IndexId here = g_.indices().intern(space.element);
      for (const auto& [scalar, terms] : space.terms)
        finish(section.body, scalar.first, here, scalar.second, g_.add(terms));
      kernel.sections.push_back(std::move(section));
    }
  }

 private:
  // What the addend adds to an element: its value at the points found by inverting its index.
  ExprId at_element(const Addend& addend, const std::vector<DomainId>& element) {
    const std::set<MapId>& others = maps_at(addend.points, addend.value);
    const auto run_of = [&](MapId map, const Affine& at) {
      const MapInverse list = run(map, at);
      for (const MapId other : others) follow(map, other, list);
      return list;
    };
    const Expected<AccessInverse> inverse = invert_access(
        g_.indices(), b_.program().maps, addend.index, addend.points, element, run_of);
    THALLO_ASSERT(inverse.has_value(), "gathering through an access without inverse: {}",
                  inverse.error().what);
    MultiIndex components;
    std::vector<DimId> dims;
    for (const DomainId domain : addend.points) {
      components.push_back(inverse->point.at(domain));
      dims.push_back(g_.indices().domain(domain).dim);
    }
    const ExprId exists =
        inside(g_, b_.program().maps, dims, g_.indices().intern(std::move(components)));
    const ExprId value = g_.mul(exists, g_.substitute(addend.value, inverse->point));
    ExprId sum = g_.sum(addend.loops, value);
    for (const DomainId run : inverse->runs) sum = g_.sum({run}, sum);
    return sum;
  }

  // The loop over the points that the map sends to an element. There is one for all addends that go
  // through the map at that element, so that they share it.
  MapInverse run(MapId map, const Affine& at) {
    IndexTable& indices = g_.indices();
    const IndexId element = indices.intern(MultiIndex{at});
    const auto [known, is_new] = runs_.try_emplace({map, element});
    if (is_new) {
      const InverseMap inverse = b_.inverse_of(map);
      const SparseMap& points = b_.program().maps[inverse.points.index()];
      const DomainId run =
          indices.add_run(points.in.front(), points.name, inverse.offsets, element);
      const IndexId place = indices.intern(std::span(&run, 1));
      const Affine point = indices.component(inverse.points, 0, place);
      indices.define(map, 0, indices.intern(MultiIndex{point}), at);
      known->second = {point, run};
    }
    return known->second;
  }

  // What another map has at the points of a list is a list, too: it is read in the order of the
  // threads, where the map would be read at the points.
  void follow(MapId map, MapId other, const MapInverse& list) {
    if (other == map || b_.program().maps[other.index()].in != b_.program().maps[map.index()].in)
      return;
    IndexTable& indices = g_.indices();
    const MapId table = b_.followed(map, other);
    const IndexId point = indices.intern(MultiIndex{list.point});
    const IndexId place = indices.intern(std::span(&list.run, 1));
    const int outputs = static_cast<int>(b_.program().maps[other.index()].out.size());
    for (int output = 0; output < outputs; ++output)
      indices.define(other, output, point, indices.component(table, output, place));
  }

  // Returns the maps by which values that were given so far read fields at these points.
  const std::set<MapId>& maps_at(const std::vector<DomainId>& points, ExprId value) {
    const auto note = [this](const auto& self, IndexId index) -> void {
      for (const Affine& component : g_.indices()[index]) {
        for (const AffineTerm& term : component.terms) {
          const Atom& atom = g_.indices().atom(term.atom);
          if (atom.is_domain()) continue;
          maps_at_[atom.argument].insert(atom.map);
          self(self, atom.argument);
        }
      }
    };
    const auto visit = [&](ExprId leaf) -> std::optional<ExprId> {
      if (g_[leaf].op == Op::Access) note(note, g_.index(leaf));
      return {};
    };
    g_.rewrite(value, visit, visited_);
    return maps_at_[g_.indices().intern(points)];
  }

  struct Space {
    std::vector<DimId> dims;
    std::vector<DomainId> element;
    std::map<std::pair<FieldId, int>, std::vector<ExprId>> terms;
  };

  ProgramBuilder& b_;
  ExprGraph& g_;
  std::vector<Space> spaces_;
  std::map<std::pair<MapId, IndexId>, MapInverse> runs_;
  std::map<IndexId, std::set<MapId>> maps_at_;  // by argument
  ExprGraph::Rebuilt visited_;
};

}  // namespace

void scatter(Kernel& kernel, const std::vector<DomainId>& points,
             const std::vector<Addend>& addends, Block also) {
  Block body;
  std::map<std::vector<DomainId>, Block> loops;
  std::map<std::vector<DomainId>, Block> threads;
  for (const Addend& a : addends) {
    auto& blocks = a.loops_are_parallel ? threads : loops;
    Block& block = a.loops.empty() ? body : blocks[a.loops];
    block.push_back({ScatterAdd{a.field, a.index, a.channel, a.value}});
  }
  for (auto& [domains, block] : loops) body.push_back({Loop{domains, std::move(block)}});
  std::ranges::move(also, std::back_inserter(body));
  if (!body.empty()) kernel.sections.push_back({.domains = points, .body = std::move(body)});
  for (auto& [domains, block] : threads) {
    std::vector<DomainId> all = points;
    all.insert(all.end(), domains.begin(), domains.end());
    kernel.sections.push_back({.domains = std::move(all), .body = std::move(block)});
  }
}

Accumulation accumulated(ProgramBuilder& builder, std::vector<Addend> addends, ComputeAt where) {
  const std::vector<UnknownSpace>& spaces = builder.program().spaces;
  Accumulation result;
  for (Addend& addend : addends) {
    const auto space =
        std::ranges::find(spaces, builder.program().field(addend.field).dims, &UnknownSpace::dims);
    const bool gathers = where.gathers_at(static_cast<std::size_t>(space - spaces.begin()));
    (gathers ? result.gathered : result.scattered).push_back(std::move(addend));
  }
  return result;
}

AtElement added_to_memory(ProgramBuilder& builder) {
  return [&builder](Block& body, FieldId field, IndexId here, int channel, ExprId sum) {
    const ExprId value = builder.graph().add(builder.read(field, here, channel), sum);
    body.push_back({Store{field, here, channel, value}});
  };
}

AtElement stored() {
  return [](Block& body, FieldId field, IndexId here, int channel, ExprId sum) {
    body.push_back({Store{field, here, channel, sum}});
  };
}

void gather(ProgramBuilder& builder, Kernel& kernel, const std::vector<Addend>& addends,
            const AtElement& finish) {
  Gathering gathering(builder);
  for (const Addend& addend : addends) gathering.add(addend);
  gathering.write(kernel, finish);
}

}  // namespace thallo
