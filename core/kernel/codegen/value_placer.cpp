#include "core/kernel/codegen/value_placer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/energy/access.h"

namespace thallo {

void add_unique(std::vector<ValueId>& values, ValueId value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

ValuePlacer::ValuePlacer(const KernelProgram& program, const ExprGraph& graph, CodeBody& body)
    : program_(program), graph_(graph), body_(body), root_(std::make_unique<Scope>()) {}

ValueId ValuePlacer::add_coordinate(DomainId domain) {
  body_.values.push_back({.kind = InstructionKind::Coordinate,
                          .type = ValueType::Index,
                          .domain = domain,
                          .dims = {graph_.indices().domain(domain).dim}});
  return ValueId(body_.values.size() - 1);
}

std::unique_ptr<ScopeLoop> ValuePlacer::make_loop(Scope& scope,
                                                  const std::vector<DomainId>& domains) {
  auto loop = std::make_unique<ScopeLoop>();
  loop->domains = domains;
  loop->body = std::make_unique<Scope>();
  loop->body->parent = &scope;
  loop->body->domains = domains;
  for (const DomainId domain : domains) {
    loop->extents.push_back(graph_.indices().domain(domain).dim);
    loop->coordinates.push_back(add_coordinate(domain));
  }
  return loop;
}

const std::vector<ValueId>& ValuePlacer::guard_atoms(ValueId value) const {
  static const std::vector<ValueId> none;
  const auto found = guards_.find(value);
  return found == guards_.end() ? none : found->second;
}

Scope& ValuePlacer::scope_of(Scope& scope, const std::vector<DomainId>& domains) {
  Scope* result = &scope;
  while (result->parent != nullptr && std::ranges::none_of(result->domains, [&](DomainId d) {
           return std::ranges::binary_search(domains, d);
         })) {
    result = result->parent;
  }
  return *result;
}

ValueId ValuePlacer::add(Scope& scope, Instruction instruction) {
  check_stop();
  instruction.line = line_;
  body_.values.push_back(std::move(instruction));
  const ValueId id(body_.values.size() - 1);
  scope.values.push_back(id);
  return id;
}

ValueId ValuePlacer::add_once(Scope& scope, Instruction instruction,
                              std::vector<std::int64_t> key) {
  const int kind = static_cast<int>(instruction.kind);
  const auto [it, inserted] = scope.keyed.try_emplace({std::move(key), kind}, ValueId());
  if (inserted) it->second = add(scope, std::move(instruction));
  return it->second;
}

ValueId ValuePlacer::constant(double value) {
  Scope& scope = *root_;
  const auto bits = std::bit_cast<std::int64_t>(value);
  return add_once(scope,
                  {.kind = InstructionKind::Constant, .type = ValueType::Scalar, .constant = value},
                  {bits});
}

ValueId ValuePlacer::conjunction(Scope& scope, const std::vector<ValueId>& atoms) {
  if (atoms.size() == 1) return atoms.front();
  std::vector<std::int64_t> key;
  for (const ValueId atom : atoms) key.push_back(atom.value());
  return add_once(scope,
                  {.kind = InstructionKind::Operation,
                   .type = ValueType::Bool,
                   .op = Op::Mul,
                   .operands = atoms},
                  std::move(key));
}

ValueId ValuePlacer::variable(Scope& scope, AtomId id) {
  const Atom& atom = graph_.indices().atom(id);
  if (atom.is_domain()) return coordinates_.at(atom.domain);
  Scope& target = scope_of(scope, graph_.indices().domains_of(atom.argument));
  const SparseMap& map = program_.maps[atom.map.index()];
  const std::vector<ValueId> guard = bounds(target, map.in, atom.argument);
  Instruction load{.kind = InstructionKind::MapLoad,
                   .type = ValueType::Index,
                   .output = atom.output,
                   .map = atom.map};
  load.operands = {element(target, map.in, atom.argument)};
  const ValueId value = add_once(target, std::move(load), {id.value()});
  if (!guard.empty()) guards_[value] = guard;
  return value;
}

ValueId ValuePlacer::component(Scope& scope, const Affine& affine) {
  Scope& target = scope_of(scope, graph_.indices().domains_of(affine));
  if (affine.constant == 0 && affine.terms.size() == 1 && affine.terms[0].coefficient == 1) {
    return variable(target, affine.terms[0].atom);
  }
  Instruction sum{
      .kind = InstructionKind::Affine, .type = ValueType::Index, .offset = affine.constant};
  std::vector<std::int64_t> key = {affine.constant};
  for (const AffineTerm& term : affine.terms) {
    sum.operands.push_back(variable(target, term.atom));
    sum.coefficients.push_back(term.coefficient);
    key.insert(key.end(), {std::int64_t{sum.operands.back().value()}, term.coefficient});
  }
  return add_once(target, std::move(sum), std::move(key));
}

ValueId ValuePlacer::in_range(Scope& scope, const Affine& affine, DimId dim) {
  Scope& target = scope_of(scope, graph_.indices().domains_of(affine));
  const ValueId value = component(target, affine);
  return add_once(target,
                  {.kind = InstructionKind::InRange,
                   .type = ValueType::Bool,
                   .operands = {value},
                   .dims = {dim}},
                  {value.value(), dim.value()});
}

ValueId ValuePlacer::element(Scope& scope, const std::vector<DimId>& dims, IndexId index) {
  if (dims.empty()) return {};
  Scope& target = scope_of(scope, graph_.indices().domains_of(index));
  Instruction element{.kind = InstructionKind::Element, .type = ValueType::Index, .dims = dims};
  std::vector<std::int64_t> key;
  const MultiIndex& components = graph_.indices()[index];
  THALLO_ASSERT_EQ(components.size(), dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    element.operands.push_back(component(target, components[i]));
    key.insert(key.end(), {std::int64_t{element.operands.back().value()}, dims[i].value()});
  }
  if (dims.size() == 1) return element.operands.front();
  return add_once(target, std::move(element), std::move(key));
}

std::vector<ValueId> ValuePlacer::bounds(Scope& scope, const std::vector<DimId>& dims,
                                         IndexId index) {
  std::vector<ValueId> atoms;
  for (const BoundsTest& test : bounds_tests(graph_.indices(), program_.maps, dims, index)) {
    add_unique(atoms, in_range(scope, test.component, test.dim));
  }
  return atoms;
}

}  // namespace thallo
