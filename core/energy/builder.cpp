#include "core/energy/builder.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace thallo {

Vec FieldHandle::at(const std::vector<IndexExpr>& index) const {
  return builder_->read(id_, index);
}

IndexExpr MapHandle::at(const std::vector<IndexExpr>& index, int output) const {
  return builder_->lookup(id_, index, output);
}

EnergyBuilder::EnergyBuilder(std::string name) { data_.name = std::move(name); }

void EnergyBuilder::report(Diagnostic fault) { faults_.push_back(std::move(fault)); }

ExprId EnergyBuilder::id_of(Expr expression) {
  if (expression.is_number()) return data_.graph.constant(expression.number());
  THALLO_ASSERT(expression.builder() == this, "an expression of another energy is used");
  return expression.id();
}

DimId EnergyBuilder::dim(std::string name, int slot) {
  data_.dims.push_back({.name = std::move(name), .slot = slot});
  return DimId(data_.dims.size() - 1);
}

DimId EnergyBuilder::batch(std::string name, int slot) {
  const DimId members = dim(std::move(name), slot);
  data_.dims.back().is_batch = true;
  return members;
}

DimId EnergyBuilder::edges(std::string name, int count_slot, SourceLocation where) {
  data_.dims.push_back(
      {.name = std::move(name), .count_slot = count_slot, .where = std::move(where)});
  return DimId(data_.dims.size() - 1);
}

DomainId EnergyBuilder::add_domain(DimId dim, std::string name) {
  THALLO_ASSERT(dim.valid() && dim.index() < data_.dims.size(), "a dim of another energy is used");
  IndexTable& indices = data_.graph.indices();
  if (name.empty()) {
    // The dim's name in lower case, numbered from the second on: w, w2, w3.
    for (const char c : data_.dims[dim.index()].name)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    int count = 1;
    for (std::size_t i = 0; i < indices.num_domains(); ++i)
      if (indices.domain(DomainId(i)).dim == dim) ++count;
    if (count > 1) name += fmt::format("{}", count);
  }
  return indices.add_domain(dim, std::move(name));
}

IndexExpr EnergyBuilder::domain(DimId dim, std::string name) {
  const DomainId id = add_domain(dim, std::move(name));
  return {this, data_.graph.indices().component(id)};
}

FieldHandle EnergyBuilder::add_field(Field field) {
  data_.fields.push_back(std::move(field));
  return {this, FieldId(data_.fields.size() - 1)};
}

FieldHandle EnergyBuilder::unknown(std::string name, std::vector<DimId> dims, int channels,
                                   int slot, ScalarType type, SourceLocation where) {
  return add_field({std::move(name), FieldKind::Unknown, type, std::move(dims), channels, slot,
                    std::move(where)});
}

FieldHandle EnergyBuilder::unknown(std::string name, std::vector<DimId> dims, Manifold pose,
                                   int slot, SourceLocation where) {
  return add_field({.name = std::move(name),
                    .kind = FieldKind::Unknown,
                    .dims = std::move(dims),
                    .channels = stored_channels(pose),
                    .slot = slot,
                    .where = std::move(where),
                    .manifold = pose});
}

FieldHandle EnergyBuilder::array(std::string name, std::vector<DimId> dims, int channels, int slot,
                                 ScalarType type, SourceLocation where) {
  return add_field(
      {std::move(name), FieldKind::Array, type, std::move(dims), channels, slot, std::move(where)});
}

Expr EnergyBuilder::param(std::string name, int slot, ScalarType host_type, SourceLocation where) {
  const FieldHandle field = add_field({.name = std::move(name),
                                       .kind = FieldKind::Param,
                                       .slot = slot,
                                       .where = std::move(where),
                                       .host_type = host_type});
  return field.at({});
}

MapHandle EnergyBuilder::map(std::string name, std::vector<DimId> in, std::vector<DimId> out,
                             int slot, bool optional, SourceLocation where) {
  data_.maps.push_back(
      {std::move(name), std::move(in), std::move(out), slot, optional, std::move(where)});
  return {this, MapId(data_.maps.size() - 1)};
}

FieldHandle EnergyBuilder::intermediate(std::string name, const std::vector<DomainId>& domains,
                                        const Vec& values, SourceLocation where) {
  Intermediate made{{}, domains, {}};
  for (const Expr& value : values) made.values.push_back(id_of(value));
  Field field{std::move(name),
              FieldKind::Intermediate,
              ScalarType::Working,
              {},
              static_cast<int>(values.size()),
              -1,
              std::move(where)};
  for (const DomainId domain : domains)
    field.dims.push_back(data_.graph.indices().domain(domain).dim);
  if (field.name.empty()) {
    Hasher hasher;
    for (const DomainId domain : domains) hasher.update(domain.value());
    for (const ExprId value : made.values) {
      hasher.update(data_.graph.hash(value));
    }
    const std::string hash = hasher.finish().hex();
    const auto same_name = [&](const Field& other) { return other.name == field.name; };
    for (std::size_t digits = 4; digits <= hash.size(); ++digits) {
      field.name = "%" + hash.substr(0, digits);
      const auto other = std::ranges::find_if(data_.fields, same_name);
      if (other == data_.fields.end()) break;
      const FieldId id(static_cast<std::size_t>(other - data_.fields.begin()));
      const auto found = std::ranges::find(data_.intermediates, id, &Intermediate::field);
      if (found != data_.intermediates.end() && found->domains == domains &&
          found->values == made.values)
        return {this, id};
    }
  }
  const FieldHandle handle = add_field(std::move(field));
  made.field = handle.id();
  data_.intermediates.push_back(std::move(made));
  return handle;
}

FieldHandle EnergyBuilder::intermediate(std::string name, const std::vector<IndexExpr>& domains,
                                        const Vec& values, SourceLocation where) {
  return intermediate(std::move(name), domain_ids(domains, "an intermediate"), values,
                      std::move(where));
}

bool EnergyBuilder::read_in_place_of_values(FieldId intermediate) {
  ExprGraph& graph = data_.graph;
  const auto made = std::ranges::find(data_.intermediates, intermediate, &Intermediate::field);
  std::vector<ExprId*> readers;
  for (ResidualGroup& group : data_.groups)
    for (ExprId& residual : group.residuals) readers.push_back(&residual);
  for (Intermediate& other : data_.intermediates)
    if (other.field != intermediate)
      for (ExprId& value : other.values) readers.push_back(&value);
  std::vector<ExprId> roots;
  for (const ExprId* reader : readers) roots.push_back(*reader);

  MultiIndex index;
  for (const DomainId domain : made->domains) index.push_back(graph.indices().component(domain));
  const IndexId point = graph.indices().intern(std::move(index));
  std::map<ExprId, ExprId> replacements;
  for (std::size_t c = 0; c < made->values.size(); ++c)
    if (!graph.is_constant(made->values[c]))
      replacements.emplace(made->values[c], graph.access(intermediate, point, static_cast<int>(c)));

  // The operands of a sum or a product in a larger one are among the operands of that one.
  const std::map<ExprId, ExprId> reads = replacements;
  for (const ExprId larger : graph.reachable(roots)) {
    for (const auto& [value, read] : reads) {
      const Op op = graph[value].op;
      if (larger == value || graph[larger].op != op || (op != Op::Add && op != Op::Mul)) continue;
      std::vector<ExprId> operands = graph.operands(larger);
      const auto take = [&](ExprId operand) {
        const auto found = std::ranges::find(operands, operand);
        if (found == operands.end()) return false;
        operands.erase(found);
        return true;
      };
      if (!std::ranges::all_of(graph.operands(value), take)) continue;
      for (ExprId& operand : operands) operand = graph.replace(operand, replacements);
      operands.push_back(read);
      replacements.emplace(larger, graph.apply(op, operands));
    }
  }
  bool are_any = false;
  for (ExprId* reader : readers) {
    const ExprId replaced = graph.replace(*reader, replacements);
    are_any = are_any || replaced != *reader;
    *reader = replaced;
  }
  for (NamedSum& named : data_.sums) named.sum = graph.replace(named.sum, replacements);
  return are_any;
}

std::vector<DomainId> EnergyBuilder::domain_ids(const std::vector<IndexExpr>& domains,
                                                const char* of_what) {
  std::vector<DomainId> ids;
  for (const IndexExpr& domain : domains) {
    if (domain.domain().valid()) {
      ids.push_back(domain.domain());
    } else {
      report({fmt::format("the domains of {} must be plain domains", of_what), {}, {}});
    }
  }
  return ids;
}

Expr EnergyBuilder::constant(double value) { return {this, data_.graph.constant(value)}; }

Expr EnergyBuilder::in_bounds(const IndexExpr& component, DimId dim) {
  return {this, data_.graph.in_bounds(component.affine(), dim)};
}

Expr EnergyBuilder::in_bounds(const IndexExpr& component) {
  IndexTable& indices = data_.graph.indices();
  std::set<DimId> dims;
  for (const AffineTerm& term : component.affine().terms) {
    const Atom& atom = indices.atom(term.atom);
    dims.insert(atom.is_domain() ? indices.domain(atom.domain).dim : DimId());
  }
  if (dims.size() == 1 && dims.begin()->valid()) return in_bounds(component, *dims.begin());
  report({"a bounds test without a dim needs an index made of domains over one dim", {}, {}});
  return constant(1);
}

Expr EnergyBuilder::value_of(const IndexExpr& component) {
  return {this, data_.graph.index_value(component.affine())};
}

Expr EnergyBuilder::sum(const std::vector<DomainId>& domains, Expr summand) {
  return {this, data_.graph.sum(domains, id_of(summand))};
}

Expr EnergyBuilder::sum(const std::vector<IndexExpr>& domains, Expr summand) {
  return sum(domain_ids(domains, "a sum"), summand);
}

void EnergyBuilder::name(ExprId expression, const std::string& name) {
  data_.names.push_back({expression, name});
}

std::size_t EnergyBuilder::name_sum(ExprId sum, const std::string& name) {
  auto found = std::ranges::find(data_.sums, sum, &NamedSum::sum);
  if (found == data_.sums.end()) found = data_.sums.insert(found, {sum, ""});
  if (found->name.empty()) found->name = name;
  return static_cast<std::size_t>(found - data_.sums.begin());
}

Vec EnergyBuilder::sample(FieldId image, FieldId dx, FieldId dy, Expr x, Expr y) {
  std::vector<Expr> channels;
  for (int c = 0; c < data_.fields[image.index()].channels; ++c)
    channels.emplace_back(this, data_.graph.sample({image, dx, dy}, id_of(x), id_of(y), c));
  return channels;
}

Vec EnergyBuilder::sample_layer(FieldId images, Expr x, Expr y, Expr layer) {
  std::vector<Expr> channels;
  for (int c = 0; c < data_.fields[images.index()].channels; ++c)
    channels.emplace_back(this,
                          data_.graph.sample_layer(images, id_of(x), id_of(y), id_of(layer), c));
  return channels;
}

Vec EnergyBuilder::read(FieldId field, const std::vector<IndexExpr>& index, SourceLocation where) {
  MultiIndex components;
  for (const IndexExpr& component : index) components.push_back(component.affine());
  const IndexId id = data_.graph.indices().intern(std::move(components));
  std::vector<Expr> channels;
  for (int c = 0; c < data_.fields[field.index()].channels; ++c) {
    const ExprId access = data_.graph.access(field, id, c);
    if (where.known()) data_.places.try_emplace(access, where);
    channels.emplace_back(this, access);
  }
  return channels;
}

IndexExpr EnergyBuilder::lookup(MapId map, const std::vector<IndexExpr>& index, int output,
                                SourceLocation where) {
  const SparseMap& declared = data_.maps[map.index()];
  if (output < 0 || static_cast<std::size_t>(output) >= declared.out.size()) {
    report({fmt::format("sparse map '{}' gives {} coordinates, coordinate {} is read (they count "
                        "from 0)",
                        declared.name, declared.out.size(), output),
            std::move(where)});
    output = 0;
  }
  MultiIndex components;
  for (const IndexExpr& component : index) components.push_back(component.affine());
  IndexTable& indices = data_.graph.indices();
  const IndexId argument = indices.intern(std::move(components));
  return {this, indices.component(map, output, argument)};
}

void EnergyBuilder::residual(std::string name, const Vec& residuals, SourceLocation where) {
  ResidualGroup group{std::move(name), {}, {}, std::move(where), {}};
  for (const Expr& residual : residuals) group.residuals.push_back(id_of(residual));
  data_.groups.push_back(std::move(group));
}

void EnergyBuilder::loss(std::string_view group, std::string_view known, Expr scale,
                         SourceLocation where) {
  const KnownLoss* loss = find_known_loss(known);
  if (loss == nullptr) {
    return report({fmt::format("there is no loss '{}'", known), std::move(where),
                   names_of(known_losses(), &KnownLoss::name)});
  }
  const Expr s(this, data_.graph.argument(0)), a(this, data_.graph.argument(1));
  const ExprId slope = loss->slope != nullptr ? id_of(loss->slope(s, a)) : ExprId();
  add_loss(group, {loss, id_of(scale), id_of(loss->rho(s, a)), slope, std::move(where)});
}

void EnergyBuilder::loss(std::string_view group, const std::function<Expr(Expr)>& rho,
                         SourceLocation where) {
  const ExprId of_s = id_of(rho({this, data_.graph.argument(0)}));
  add_loss(group, {nullptr, {}, of_s, {}, std::move(where)});
}

void EnergyBuilder::add_loss(std::string_view group, Loss loss) {
  const auto found = std::ranges::find(data_.groups, group, &ResidualGroup::name);
  if (found == data_.groups.end()) {
    report({fmt::format("there is no residual group '{}' to give a loss to", group), loss.where,
            names_of(data_.groups, &ResidualGroup::name)});
  } else if (found->loss) {
    const bool is_known = found->loss->known != nullptr;
    report({fmt::format("residual group '{}' has {} already", group,
                        is_known ? found->loss->title() : "a loss"),
            loss.where});
  } else {
    found->loss = std::move(loss);
  }
}

Expected<Energy> EnergyBuilder::build() && {
  if (faults_.empty()) freeze_held();
  return Energy::make(std::move(data_), std::move(faults_));
}

}  // namespace thallo
