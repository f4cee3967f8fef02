#include "core/kernel/accumulate.h"

#include <algorithm>
#include <iterator>
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

  // Calls visit(body, field, here, channel, sum) for every scalar of an element, one section per
  // space.
  template <class Visit>
  void write(Kernel& kernel, Visit visit) {
    for (const Space& space : spaces_) {
      Section section{.domains = space.element, .body = {}};
      const IndexId here = g_.indices().intern(space.element);
      for (const auto& [scalar, terms] : space.terms)
        visit(section.body, scalar.first, here, scalar.second, g_.add(terms));
      kernel.sections.push_back(std::move(section));
    }
  }

 private:
  // What the addend adds to an element: its value at the points that come from inverting its index.
  ExprId at_element(const Addend& addend, const std::vector<DomainId>& element) {
    const Expected<DomainSubstitution> point =
        invert_access(g_.indices(), addend.index, addend.points, element);
    THALLO_ASSERT(point.has_value(), "gathering through an access without inverse: {}",
                  point.error().what);
    MultiIndex components;
    std::vector<DimId> dims;
    for (const DomainId domain : addend.points) {
      components.push_back(point->at(domain));
      dims.push_back(g_.indices().domain(domain).dim);
    }
    const ExprId exists =
        inside(g_, b_.program().maps, dims, g_.indices().intern(std::move(components)));
    return g_.sum(addend.loops, g_.mul(exists, g_.substitute(addend.value, *point)));
  }

  struct Space {
    std::vector<DimId> dims;
    std::vector<DomainId> element;
    std::map<std::pair<FieldId, int>, std::vector<ExprId>> terms;
  };

  ProgramBuilder& b_;
  ExprGraph& g_;
  std::vector<Space> spaces_;
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

void gather(ProgramBuilder& builder, Kernel& kernel, const std::vector<Addend>& addends,
            Gathered mode) {
  Gathering gathering(builder);
  for (const Addend& addend : addends) gathering.add(addend);
  gathering.write(kernel, [&](Block& body, FieldId field, IndexId here, int channel, ExprId sum) {
    if (mode == Gathered::Added) sum = builder.graph().add(builder.read(field, here, channel), sum);
    body.push_back({Store{field, here, channel, sum}});
  });
}

void gather(ProgramBuilder& builder, Kernel& kernel, const std::vector<Addend>& addends,
            const Dot& dot) {
  ExprGraph& g = builder.graph();
  Gathering gathering(builder);
  for (const Addend& addend : addends) gathering.add(addend);
  gathering.write(kernel, [&](Block& body, FieldId field, IndexId here, int channel, ExprId sum) {
    body.push_back({Store{field, here, channel, g.add(builder.read(field, here, channel), sum)}});
    const ExprId other = builder.read(dot.with.at(field), here, channel);
    body.push_back(builder.reduce(dot.slot, g.mul(other, sum)));
  });
}

}  // namespace thallo
