#include "core/diff/slope_energy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/diff/gradient.h"
#include "core/energy/dependence.h"

namespace thallo {
namespace {

// What both energies are made of: the fields of the energy, an array for each unknown, and terms.
class TermsEnergy {
 public:
  explicit TermsEnergy(const Energy& energy) : energy_(energy), data_(energy.data()) {
    data_.is_derived = true;
    for (Dim& dim : data_.dims) dim.is_batch = false;  // members may share inputs
    data_.groups.clear();
    data_.bounds.clear();
    data_.unknowns.clear();
  }

  ExprGraph& graph() { return data_.graph; }

  void add_directions(bool of_steps) {
    for (const FieldId unknown : energy_.unknowns()) {
      const Field& field = energy_.field(unknown);
      directions_[unknown] = FieldId(data_.fields.size());
      data_.fields.push_back({.name = direction_of(field.name),
                              .kind = FieldKind::Array,
                              .type = ScalarType::Double,
                              .dims = field.dims,
                              .channels = of_steps ? field.tangent_channels() : field.channels});
    }
  }
  ExprId direction(FieldId unknown, IndexId index, int channel) {
    return graph().access(directions_.at(unknown), index, channel);
  }

  void add(std::string name, std::vector<DomainId> domains, ExprId term) {
    ExprGraph& g = graph();
    const ExprId residual = g.add(g.sub(term, g.unary(Op::Freeze, term)), g.constant(1));
    data_.groups.push_back(
        {.name = std::move(name), .domains = std::move(domains), .residuals = {residual}});
  }

  Expected<Energy> make() && { return Energy::make(std::move(data_)); }
  Expected<std::optional<Energy>> make_by(std::set<FieldId> by) && {
    keep_read(by);
    for (const FieldId unknown : energy_.unknowns()) {
      Field& field = data_.fields[unknown.index()];
      field.kind = FieldKind::Array;
      field.manifold = Manifold::Euclidean;
    }
    for (const FieldId id : by) {
      if (energy_.field(id).type == ScalarType::Int32 ||
          energy_.field(id).type == ScalarType::UInt8)
        return fail("'{}' has integers, by which nothing has a derivative", energy_.field(id).name);
      Field& field = data_.fields[id.index()];
      field.kind = FieldKind::Unknown;
      field.type = ScalarType::Working;
      field.manifold = energy_.field(id).manifold;
      if (field.dims.empty()) give_dim(id);
    }
    std::erase_if(data_.exclusions, [&](const auto& e) { return !by.contains(e.unknown); });
    std::erase_if(data_.held, [&](const auto& e) { return !by.contains(e.unknown); });
    UnknownDependence dependence(data_);
    std::erase_if(data_.groups, [&](const ResidualGroup& group) {
      return !dependence.derivative(group.residuals.front());
    });
    if (data_.groups.empty()) return std::nullopt;
    THALLO_TRY(auto made, std::move(*this).make());
    return made;
  }

 private:
  // Takes out what no term reads.
  void keep_read(std::set<FieldId>& fields) const {
    std::vector<ExprId> roots;
    for (const ResidualGroup& group : data_.groups)
      roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
    std::set<FieldId> read;
    for (const ExprId node : nodes_behind(data_, roots))
      if (data_.graph[node].op == Op::Access) read.insert(data_.graph.field(node));
    std::erase_if(fields, [&](FieldId field) { return !read.contains(field); });
  }

  // Unknowns have dims: the one element of the field is over a dim of extent 1.
  void give_dim(FieldId id) {
    if (!single_.valid()) {
      single_ = DimId(data_.dims.size());
      data_.dims.push_back({.name = std::string(SingleDim)});
    }
    data_.fields[id.index()].dims = {single_};
    const IndexId first = graph().indices().intern(MultiIndex{IndexTable::component(0)});
    const ExprGraph::LeafRule rule = [&](ExprId leaf) -> std::optional<ExprId> {
      if (graph()[leaf].op != Op::Access || graph().field(leaf) != id) return std::nullopt;
      return graph().access(id, first, graph().channel(leaf));
    };
    ExprGraph::Rebuilt known;
    const auto rewrite = [&](ExprId& expression) {
      expression = graph().rewrite(expression, rule, known);
    };
    for (ResidualGroup& group : data_.groups) std::ranges::for_each(group.residuals, rewrite);
    for (Intermediate& made : data_.intermediates) std::ranges::for_each(made.values, rewrite);
  }

  const Energy& energy_;
  DimId single_;
  Energy::Data data_;
  std::map<FieldId, FieldId> directions_;
};

}  // namespace

std::string direction_of(std::string_view unknown) { return fmt::format("{}.direction", unknown); }

Expected<std::optional<Energy>> slope_energy(const Energy& energy, std::set<FieldId> by) {
  TermsEnergy terms(energy);
  terms.add_directions(true);
  ExprGraph& graph = terms.graph();
  Differentiator differentiator(graph, energy);
  for (const ResidualGroup& group : energy.groups()) {
    std::vector<ExprId> products, squares;
    for (const ExprId residual : group.residuals) {
      squares.push_back(graph.mul(residual, residual));
      for (const Partial& partial : differentiator.gradient(residual)) {
        ExprId step = graph.mul(partial.value,
                                terms.direction(partial.unknown, partial.index, partial.channel));
        if (!partial.loops.empty()) step = graph.sum(partial.loops, step);
        products.push_back(graph.mul(residual, step));
      }
    }
    ExprId slope = graph.add(products);
    if (group.loss) {
      const ExprId weight = differentiator.slope(*group.loss);
      slope = graph.mul(applied(graph, *group.loss, weight, graph.add(squares)), slope);
    }
    if (!products.empty()) terms.add(group.name, group.domains, slope);
  }
  auto made = std::move(terms).make_by(std::move(by));
  if (made) return made;
  return fail("second derivatives of '{}' are not known: {}", energy.name(), made.error().what);
}

Expected<Energy> pairing_energy(const Energy& energy) {
  TermsEnergy terms(energy);
  terms.add_directions(false);
  ExprGraph& graph = terms.graph();
  for (const FieldId unknown : energy.unknowns()) {
    const Field& field = energy.field(unknown);
    std::vector<DomainId> domains;
    for (const DimId dim : field.dims)
      domains.push_back(graph.indices().add_domain(dim, fmt::format("i{}", domains.size())));
    const IndexId here = graph.indices().intern(domains);
    std::vector<ExprId> products;
    for (int c = 0; c < field.channels; ++c)
      products.push_back(
          graph.mul(terms.direction(unknown, here, c), graph.access(unknown, here, c)));
    terms.add("pair_" + field.name, std::move(domains), graph.add(products));
  }
  return std::move(terms).make();
}

}  // namespace thallo
