#include "core/kernel/bind/index_evaluator.h"

namespace thallo {

std::int64_t IndexEvaluator::num_points(const std::vector<DomainId>& domains) const {
  std::int64_t count = 1;
  for (const DomainId domain : domains) count *= extent(indices_.domain(domain).dim);
  return count;
}

IndexEvaluator::Access IndexEvaluator::access(FieldId unknown, IndexId index) const {
  const std::vector<DimId>& dims = program_.field(unknown).dims;
  return {dims, index, bounds_tests(indices_, program_.maps, dims, index)};
}

std::optional<std::int64_t> IndexEvaluator::element(const Access& access) const {
  for (const BoundsTest& test : access.tests) {
    const std::int64_t value = at_point(test.component);
    if (value < 0 || value >= extent(test.dim)) return {};
  }
  return linear(access.dims, access.index);
}

std::int64_t IndexEvaluator::linear(const std::vector<DimId>& dims, IndexId index) const {
  const MultiIndex& components = indices_[index];
  std::int64_t element = 0;
  for (std::size_t d = dims.size(); d-- > 0;)
    element = element * extent(dims[d]) + at_point(components[d]);
  return element;
}

std::int64_t IndexEvaluator::at_point(const Affine& affine) const {
  std::int64_t value = affine.constant;
  for (const AffineTerm& term : affine.terms)
    value += term.coefficient * at_point(indices_.atom(term.atom));
  return value;
}

// element() has tested before that the argument is inside the map.
std::int64_t IndexEvaluator::at_point(const Atom& atom) const {
  if (atom.is_domain()) return coordinates_.at(atom.domain);
  const SparseMap& map = program_.maps[atom.map.index()];
  const std::int64_t entry =
      linear(map.in, atom.argument) * static_cast<std::int64_t>(map.out.size()) + atom.output;
  const std::vector<std::int32_t>& values =
      atom.map.index() < num_bound_maps_ ? binding_.map(atom.map) : tables_.maps.at(atom.map);
  return values[static_cast<std::size_t>(entry)];
}

}  // namespace thallo
