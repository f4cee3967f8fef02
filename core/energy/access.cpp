#include "core/energy/access.h"

#include "core/base/error.h"

namespace thallo {
namespace {

class TestCollector {
 public:
  TestCollector(const IndexTable& indices, std::span<const SparseMap> maps)
      : indices_(indices), maps_(maps) {}

  void field(std::span<const DimId> dims, IndexId index) {
    const MultiIndex& components = indices_[index];
    THALLO_ASSERT_EQ(components.size(), dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) component(components[i], dims[i]);
  }

  std::vector<BoundsTest> take() { return std::move(tests_); }

 private:
  void component(const Affine& affine, DimId dim) {
    for (const AffineTerm& term : affine.terms) {
      const Atom& atom = indices_.atom(term.atom);
      if (!atom.is_domain()) lookup(term.atom, atom);
    }
    const DomainId domain = indices_.as_domain(affine);
    if (domain.valid() && indices_.domain(domain).dim == dim) return;
    if (const AtomId id = indices_.as_map_lookup(affine); id.valid()) {
      const Atom& atom = indices_.atom(id);
      if (out_dim(atom) == dim) return;  // inside, or lookup() has tested it
    }
    add(affine, dim);
  }

  // A lookup can be missing when the map is optional or is read outside its own space.
  void lookup(AtomId id, const Atom& atom) {
    const SparseMap& map = maps_[atom.map.index()];
    const std::size_t before = tests_.size();
    field(map.in, atom.argument);
    if (map.optional || tests_.size() > before) add(Affine{0, {{id, 1}}}, out_dim(atom));
  }

  DimId out_dim(const Atom& atom) const {
    return maps_[atom.map.index()].out[static_cast<std::size_t>(atom.output)];
  }

  void add(const Affine& affine, DimId dim) {
    for (const BoundsTest& test : tests_) {
      if (test.dim == dim && test.component == affine) return;
    }
    tests_.push_back({affine, dim});
  }

  const IndexTable& indices_;
  std::span<const SparseMap> maps_;
  std::vector<BoundsTest> tests_;
};

}  // namespace

std::vector<BoundsTest> bounds_tests(const IndexTable& indices, std::span<const SparseMap> maps,
                                     std::span<const DimId> dims, IndexId index) {
  TestCollector collector(indices, maps);
  collector.field(dims, index);
  return collector.take();
}

ExprId inside(ExprGraph& graph, std::span<const SparseMap> maps, std::span<const DimId> dims,
              IndexId index) {
  ExprId result = graph.boolean(true);
  for (const BoundsTest& test : bounds_tests(graph.indices(), maps, dims, index)) {
    result = graph.mul(result, graph.in_bounds(test.component, test.dim));
  }
  return result;
}

}  // namespace thallo
