#include "core/energy/energy.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/energy/access.h"
#include "core/energy/binding.h"
#include "core/energy/found/intermediates.h"
#include "core/energy/validate.h"
#include "core/ir/bound_domains.h"
#include "core/ir/missing_nodes.h"

namespace thallo {
namespace {

template <class Id, class Declared>
Id find_named(const std::vector<Declared>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Declared::name);
  return found == all.end() ? Id() : Id(static_cast<std::size_t>(found - all.begin()));
}

std::vector<DomainId> sorted(std::vector<DomainId> domains) {
  std::ranges::sort(domains);
  return domains;
}

// Calls f with every expression that is written down: residuals, losses, values of
// intermediates, conditions of exclusions, bounds, listed Sums, expressions with names.
template <class F>
void for_each_root(Energy::Data& data, const F& f) {
  for (ResidualGroup& group : data.groups) {
    std::ranges::for_each(group.residuals, f);
    if (!group.loss) continue;
    for (ExprId* function : {&group.loss->scale, &group.loss->rho, &group.loss->slope})
      if (function->valid()) f(*function);
  }
  for (Intermediate& intermediate : data.intermediates)
    std::ranges::for_each(intermediate.values, f);
  for (Exclusion& exclusion : data.exclusions) f(exclusion.condition);
  for (Exclusion& held : data.held) f(held.condition);
  for (Bounds& bounds : data.bounds)
    for (auto* side : {&bounds.lower, &bounds.upper}) std::ranges::for_each(*side, f);
  for (NamedSum& sum : data.sums) {
    if (sum.sum.valid()) f(sum.sum);
  }
  for (NamedExpression& named : data.names) f(named.expression);
}

std::vector<ExprId> nodes_of_residuals(const Energy::Data& data) {
  std::vector<ExprId> roots;
  for (const ResidualGroup& group : data.groups)
    roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
  return nodes_behind(data, std::move(roots));
}

void drop_unused_sums(Energy::Data& data) {
  const std::vector<ExprId> used = nodes_of_residuals(data);
  for (NamedSum& named : data.sums) {
    if (!std::ranges::binary_search(used, named.sum)) named.sum = {};
  }
}

// Appends the Sums that were given no name, and makes all names different.
void name_sums(Energy::Data& data) {
  drop_unused_sums(data);
  for (const ExprId node : nodes_of_residuals(data)) {
    const bool is_listed = std::ranges::find(data.sums, node, &NamedSum::sum) != data.sums.end();
    if (data.graph[node].op == Op::Sum && !is_listed) data.sums.push_back({node, ""});
  }
  std::set<std::string> taken = {"r"};  // what schedules call the energy
  for (const Field& field : data.fields) taken.insert(field.name);
  for (const SparseMap& map : data.maps) taken.insert(map.name);
  for (auto& [sum, name] : data.sums) {
    if (!sum.valid() || (!name.empty() && taken.insert(name).second)) continue;
    const std::string hash = data.graph.hash(sum).hex();
    for (std::size_t digits = 4; digits <= hash.size(); ++digits) {
      name = "%" + hash.substr(0, digits);
      if (taken.insert(name).second) break;
    }
  }
}

// Splits a group that was declared without domains into one group for each list of domains that its
// residuals exist over. Constant residuals join the first of these groups.
std::vector<ResidualGroup> split_by_domains(const ExprGraph& graph, const ResidualGroup& group) {
  std::vector<ResidualGroup> parts;
  for (const ExprId residual : group.residuals) {
    if (graph.is_constant(residual)) continue;
    const std::vector<DomainId>& own = graph.access_domains(residual);
    if (std::ranges::find(parts, own, &ResidualGroup::domains) == parts.end())
      parts.push_back({group.name, own, {}, group.where, group.loss});
  }
  if (parts.empty()) return {group};
  for (const ExprId residual : group.residuals) {
    const auto part =
        graph.is_constant(residual)
            ? parts.begin()
            : std::ranges::find(parts, graph.access_domains(residual), &ResidualGroup::domains);
    part->residuals.push_back(residual);
  }
  return parts;
}

// Fills in the domains of groups and names the parts of those that are split. A part gets a number
// where another group, or a part over domains of the same names, already has its name.
void infer_domains(Energy::Data& data) {
  std::set<std::string> taken;
  for (const ResidualGroup& group : data.groups) taken.insert(group.name);
  std::vector<ResidualGroup> groups;
  for (const ResidualGroup& group : data.groups) {
    std::vector<ResidualGroup> parts = {group};
    if (group.domains.empty()) parts = split_by_domains(data.graph, group);
    for (ResidualGroup& part : parts) {
      if (parts.size() > 1 && !part.domains.empty()) {
        std::string name = group.name;
        for (const DomainId domain : part.domains)
          name += "_" + data.graph.indices().domain(domain).name;
        part.name = name;
        for (int i = 2; !taken.insert(part.name).second; ++i)
          part.name = fmt::format("{}_{}", name, i);
      }
      groups.push_back(std::move(part));
    }
  }
  data.groups = std::move(groups);
}

// Renames the domains of Sums, so that none of them is also a domain of a residual group, an
// intermediate, a mask or a Sum inside.
void separate_bound_domains(Energy::Data& data) {
  std::vector<DomainId> free;
  for (const ResidualGroup& group : data.groups) free = merge_domains(free, sorted(group.domains));
  for (const Intermediate& intermediate : data.intermediates)
    free = merge_domains(free, sorted(intermediate.domains));
  for (const auto* exclusions : {&data.exclusions, &data.held})
    for (const Exclusion& exclusion : *exclusions)
      free = merge_domains(free, sorted(exclusion.domains));
  for (const Bounds& bounds : data.bounds) free = merge_domains(free, sorted(bounds.domains));
  BoundDomainRenaming rename(data.graph, free);
  for_each_root(data, [&](ExprId& root) { root = rename(root); });
}

// A bounds test of the value of a sparse map holds only where the map has a value. This writes the
// tests of inner lookups out, so that each InBounds of the finished energy tests one number.
void complete_bounds_tests(Energy::Data& data) {
  ExprGraph& graph = data.graph;
  const auto replace = [&](ExprId leaf) -> std::optional<ExprId> {
    if (graph[leaf].op != Op::InBounds) return std::nullopt;
    const DimId dim = graph.bound_dim(leaf);
    return inside(graph, data.maps, std::span(&dim, 1), graph.index(leaf));
  };
  ExprGraph::Rebuilt known;
  for_each_root(data, [&](ExprId& root) { root = graph.rewrite(root, replace, known); });
}

// Replaces arrays on the slot of an unknown by frozen reads of the unknown, and closes the gaps
// they leave among the field ids.
void resolve_constant_views(Energy::Data& data) {
  struct Target {
    FieldId field;
    bool is_view = false;
  };
  std::map<FieldId, Target> targets;
  std::vector<Field> kept;
  std::set<int> slots_of_unknowns;
  for (const Field& field : data.fields)
    if (field.kind == FieldKind::Unknown) slots_of_unknowns.insert(field.slot);
  for (std::size_t i = 0; i < data.fields.size(); ++i) {
    const Field& field = data.fields[i];
    if (field.kind == FieldKind::Array && field.slot >= 0 && slots_of_unknowns.contains(field.slot))
      continue;
    targets[FieldId(i)] = {FieldId(kept.size())};
    kept.push_back(field);
  }
  if (kept.size() == data.fields.size()) return;
  for (std::size_t i = 0; i < data.fields.size(); ++i) {
    if (targets.contains(FieldId(i))) continue;
    const auto unknown = std::ranges::find_if(kept, [&](const Field& other) {
      return other.kind == FieldKind::Unknown && other.slot == data.fields[i].slot;
    });
    targets[FieldId(i)] = {FieldId(static_cast<std::size_t>(unknown - kept.begin())), true};
  }

  ExprGraph& graph = data.graph;
  const auto moved = [&](FieldId id) { return id.valid() ? targets.at(id).field : id; };
  const auto replace = [&](ExprId leaf) -> std::optional<ExprId> {
    const ExprNode node = graph[leaf];
    if (node.op == Op::Access) {
      const Target target = targets.at(FieldId(node.a));
      const ExprId read = graph.access(target.field, IndexId(node.b), node.channel);
      return target.is_view ? graph.unary(Op::Freeze, read) : read;
    }
    if (node.op == Op::SampleLayer) {
      const std::vector<ExprId> at = graph.operands(leaf);
      return graph.sample_layer(moved(graph.layers(leaf)), at[0], at[1], at[2], node.channel);
    }
    if (node.op == Op::Sample) {
      const Sampler sampler = graph.sampler(leaf);
      return graph.sample({moved(sampler.image), moved(sampler.dx), moved(sampler.dy)},
                          ExprId(node.a), ExprId(node.b), node.channel);
    }
    return std::nullopt;
  };
  ExprGraph::Rebuilt known;
  for_each_root(data, [&](ExprId& root) { root = graph.rewrite(root, replace, known); });
  for (Intermediate& intermediate : data.intermediates)
    intermediate.field = moved(intermediate.field);
  for (auto* exclusions : {&data.exclusions, &data.held})
    for (Exclusion& exclusion : *exclusions) exclusion.unknown = moved(exclusion.unknown);
  for (Bounds& bounds : data.bounds) bounds.unknown = moved(bounds.unknown);
  data.fields = std::move(kept);
  data.places.clear();  // keyed by accesses of the old field ids
}

void warn_of_unused_inputs(const Energy::Data& data) {
  std::vector<ExprId> roots;
  for (const ResidualGroup& group : data.groups) {
    roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
    if (group.loss) roots.push_back(group.loss->written());
  }
  std::set<FieldId> fields;
  std::set<MapId> maps;
  const IndexTable& indices = data.graph.indices();
  const auto visit_index = [&](const auto& self, IndexId index) -> void {
    for (const Affine& component : indices[index]) {
      for (const AffineTerm& term : component.terms) {
        const Atom& atom = indices.atom(term.atom);
        if (atom.is_domain()) continue;
        maps.insert(atom.map);
        self(self, atom.argument);
      }
    }
  };
  for (const ExprId id : nodes_behind(data, std::move(roots))) {
    const Op op = data.graph[id].op;
    if (op == Op::Access || op == Op::InBounds || op == Op::IndexValue)
      visit_index(visit_index, data.graph.index(id));
    if (op == Op::Access) fields.insert(data.graph.field(id));
    if (op == Op::SampleLayer) fields.insert(data.graph.layers(id));
    if (op == Op::Sample) {
      const Sampler& sampler = data.graph.sampler(id);
      fields.insert({sampler.image, sampler.dx, sampler.dy});
    }
  }
  // Masks and bounds count as uses of what they read, but not of the unknown that they are of.
  std::vector<ExprId> conditions;
  for (const auto* exclusions : {&data.exclusions, &data.held})
    for (const Exclusion& exclusion : *exclusions) conditions.push_back(exclusion.condition);
  for (const Bounds& bounds : data.bounds)
    for (const auto* side : {&bounds.lower, &bounds.upper})
      conditions.insert(conditions.end(), side->begin(), side->end());
  for (const ExprId access : data.graph.accesses(conditions))
    if (data.fields[data.graph.field(access).index()].kind != FieldKind::Unknown)
      fields.insert(data.graph.field(access));

  // One line, at the first of them.
  std::vector<std::string> unused;
  const SourceLocation* where = nullptr;
  const auto note = [&](const auto& declared, std::string_view kind) {
    unused.push_back(fmt::format("{} '{}'", kind, declared.name));
    if (where == nullptr || !where->known()) where = &declared.where;
  };
  for (std::size_t i = 0; i < data.fields.size(); ++i)
    if (!fields.contains(FieldId(i))) note(data.fields[i], to_string(data.fields[i].kind));
  for (std::size_t i = 0; i < data.maps.size(); ++i)
    if (!maps.contains(MapId(i))) note(data.maps[i], "sparse map");
  if (unused.empty()) return;
  logger("energy").warn("{}{}{} {} used by no residual", where->text(), where->known() ? ": " : "",
                        fmt::join(unused, ", "), unused.size() == 1 ? "is" : "are");
}

// Parts of the loop variables of a group that nothing ties together: no read has variables of two
// parts, and no comparison.
struct LoopPart {
  std::set<DomainId> domains;
  std::set<FieldId> fields;  // that are read at them
};

std::vector<LoopPart> loop_parts(const Energy::Data& data, const ResidualGroup& group) {
  const ExprGraph& graph = data.graph;
  std::vector<LoopPart> parts;
  for (const DomainId domain : group.domains) parts.push_back({{domain}, {}});
  if (parts.size() < 2) return parts;
  for (const ExprId id : graph.reachable(group.residuals)) {
    const Op op = graph[id].op;
    const bool is_access = op == Op::Access;
    if (!is_access && op != Op::Less && op != Op::LessEq && op != Op::Eq) continue;
    const std::vector<DomainId>& mentioned = graph.free_domains(id);
    const auto joined =
        std::stable_partition(parts.begin(), parts.end(), [&](const LoopPart& part) {
          return std::ranges::none_of(
              mentioned, [&](DomainId domain) { return part.domains.contains(domain); });
        });
    if (joined == parts.end()) continue;
    for (auto tied = joined + 1; tied != parts.end(); ++tied) {
      joined->domains.merge(tied->domains);
      joined->fields.merge(tied->fields);
    }
    if (is_access) joined->fields.insert(graph.field(id));
    parts.erase(joined + 1, parts.end());
  }
  return parts;
}

// X(W(), H()) - A(W(), H()) compares all pixels of X with all of A.
void warn_of_all_pairs(const Energy::Data& data) {
  const IndexTable& indices = data.graph.indices();
  const auto names_of = [&](const LoopPart& part) {
    std::vector<std::string> names;
    for (const DomainId domain : part.domains) names.push_back(indices.domain(domain).name);
    return fmt::format("({})", fmt::join(names, ", "));
  };
  const auto dims_of = [&](const LoopPart& part) {
    std::multiset<DimId> dims;
    for (const DomainId domain : part.domains) dims.insert(indices.domain(domain).dim);
    return dims;
  };
  for (const ResidualGroup& group : data.groups) {
    const std::vector<LoopPart> parts = loop_parts(data, group);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const LoopPart &a = parts[i - 1], &b = parts[i];
      if (dims_of(a) != dims_of(b) || a.fields == b.fields) continue;
      const std::string& dim = data.dims[indices.domain(*a.domains.begin()).dim.index()].name;
      logger("energy").warn(
          "{}{}residual group '{}' exists for each pair of {} and {}, which run over the same "
          "dims: "
          "each {}() makes a new loop variable; a local variable holds one for several reads",
          group.where.text(), group.where.known() ? ": " : "", group.name, names_of(a), names_of(b),
          dim);
      break;
    }
  }
}

}  // namespace

std::vector<ExprId> nodes_behind(const Energy::Data& data, std::vector<ExprId> roots) {
  std::map<FieldId, const Intermediate*> not_entered;
  for (const Intermediate& intermediate : data.intermediates)
    not_entered.emplace(intermediate.field, &intermediate);
  std::set<ExprId> nodes;
  while (!roots.empty()) {
    const ExprId root = roots.back();
    roots.pop_back();
    for (const ExprId id : missing_nodes(data.graph, root, nodes)) {
      nodes.insert(id);
      if (data.graph[id].op != Op::Access) continue;
      const auto read = not_entered.find(data.graph.field(id));
      if (read == not_entered.end()) continue;
      const std::vector<ExprId>& values = read->second->values;
      roots.insert(roots.end(), values.begin(), values.end());
      not_entered.erase(read);
    }
  }
  return {nodes.begin(), nodes.end()};
}

Expected<Energy> Energy::make(Data data, std::vector<Diagnostic> faults) {
  infer_domains(data);
  // A faulty read has the same fault in each of its channels; it is reported once.
  for (Diagnostic& fault : find_faults(data, !faults.empty()))
    if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(std::move(fault));
  if (!faults.empty()) return fail(combine_faults("energy '" + data.name + "'", faults));
  drop_unused_sums(data);
  resolve_constant_views(data);
  separate_bound_domains(data);
  complete_bounds_tests(data);
  name_sums(data);
  data.unknowns.clear();
  for (std::size_t i = 0; i < data.fields.size(); ++i)
    if (data.fields[i].kind == FieldKind::Unknown) data.unknowns.push_back(FieldId(i));
  if (!data.is_derived) warn_of_unused_inputs(data);
  if (!data.is_derived) warn_of_all_pairs(data);
  Energy energy(std::move(data));
  faults = check_losses(energy, Binding(energy), false);
  if (!faults.empty()) return fail(combine_faults("energy '" + energy.name() + "'", faults));
  return energy;
}

struct Energy::KeptFacts {
  std::once_flag is_found;
  std::unique_ptr<const EnergyFacts> facts;
};

Energy::Energy(Data data) : data_(std::move(data)), facts_(std::make_shared<KeptFacts>()) {}

const EnergyFacts& Energy::facts(std::unique_ptr<const EnergyFacts> (*find)(const Energy&)) const {
  std::call_once(facts_->is_found, [&] { facts_->facts = find(*this); });
  return *facts_->facts;
}

const Energy& Energy::as_written() const { return found_ ? found_->energy() : *this; }

const Intermediate* Energy::find_intermediate(FieldId field) const {
  const auto found = std::ranges::find(data_.intermediates, field, &Intermediate::field);
  return found == data_.intermediates.end() ? nullptr : &*found;
}

const Exclusion* Energy::find_exclusion(FieldId unknown) const {
  const auto found = std::ranges::find(data_.exclusions, unknown, &Exclusion::unknown);
  return found == data_.exclusions.end() ? nullptr : &*found;
}

std::vector<std::string> Energy::dim_names(const std::vector<DimId>& dims) const {
  return names_of(dims, [this](DimId id) { return dim(id).name; });
}

std::vector<std::string> Energy::unknown_names() const {
  return names_of(unknowns(), [this](FieldId id) { return field(id).name; });
}

std::vector<std::string> Energy::input_names() const {
  std::vector<std::string> names;
  for (const Field& field : fields())
    if (field.is_input()) names.push_back(field.name);
  for (const SparseMap& map : maps()) names.push_back(map.name);
  for (const Dim& dim : dims()) names.push_back(dim.name);
  return names;
}

const Bounds* Energy::find_bounds(FieldId unknown) const {
  const auto found = std::ranges::find(data_.bounds, unknown, &Bounds::unknown);
  return found == data_.bounds.end() ? nullptr : &*found;
}

FieldId Energy::find_field(std::string_view name) const {
  return find_named<FieldId>(data_.fields, name);
}
FieldId Energy::find_unknown(std::string_view name) const {
  const FieldId found = find_field(name);
  return found.valid() && field(found).kind == FieldKind::Unknown ? found : FieldId();
}

MapId Energy::find_map(std::string_view name) const { return find_named<MapId>(data_.maps, name); }
DimId Energy::find_dim(std::string_view name) const { return find_named<DimId>(data_.dims, name); }

DimId Energy::members() const {
  const auto batch = std::ranges::find_if(data_.dims, &Dim::is_batch);
  return batch == data_.dims.end() ? DimId() : DimId(batch - data_.dims.begin());
}

}  // namespace thallo
