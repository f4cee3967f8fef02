#include "core/energy/validate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/energy/dependence.h"

namespace thallo {
namespace {

class Validation {
 public:
  explicit Validation(const Energy::Data& data) : data_(data), graph_(data.graph) {}

  std::vector<Diagnostic> run(bool only_structure) {
    check_dims();
    check_fields();
    check_maps();
    check_field_and_map_names();
    check_intermediates();
    check_accesses();
    check_exclusions();
    const bool circular = has_circle();
    if (!circular) check_samples();
    if (!circular && faults_.empty() && !only_structure) check_residuals();
    return std::move(faults_);
  }

 private:
  template <class... Args>
  Diagnostic& fault(const SourceLocation& where, fmt::format_string<Args...> format,
                    Args&&... args) {
    return faults_.emplace_back(
        Diagnostic{fmt::vformat(format, fmt::make_format_args(args...)), where, {}});
  }

  bool has(DimId id) const { return id.valid() && id.index() < data_.dims.size(); }
  std::string name(DimId id) const { return has(id) ? data_.dims[id.index()].name : "?"; }
  std::string name(DomainId id) const { return graph_.indices().domain(id).name; }
  const Field& field(FieldId id) const { return data_.fields[id.index()]; }
  DimId dim_of(DomainId id) const { return graph_.indices().domain(id).dim; }

  std::string dim_list(const std::vector<DimId>& dims) const {
    std::string text;
    for (const DimId dim : dims) text += (text.empty() ? "" : ", ") + name(dim);
    return "{" + text + "}";
  }
  std::string domain_list(const std::vector<DomainId>& domains) const {
    std::string text;
    for (const DomainId domain : domains) text += (text.empty() ? "" : ", ") + name(domain);
    return "(" + text + ")";
  }

  void check_dims() {
    std::set<std::string> names;
    std::map<int, std::string> slots;
    for (const Dim& dim : data_.dims) {
      if (dim.name.empty()) fault({}, "a dim has no name");
      if (!names.insert(dim.name).second) fault({}, "dim '{}' is declared twice", dim.name);
      if (dim.slot < 0) continue;
      const auto [other, is_new] = slots.try_emplace(dim.slot, dim.name);
      if (!is_new)
        fault({}, "dims '{}' and '{}' are both on slot {}", other->second, dim.name, dim.slot);
    }
  }

  void check_dim_list(const std::vector<DimId>& dims, const std::string& owner,
                      const SourceLocation& where) {
    for (const DimId dim : dims)
      if (!has(dim)) fault(where, "{} is declared over a dim that is not of this energy", owner);
  }

  void check_fields() {
    for (const Field& f : data_.fields) {
      const std::string who = fmt::format("{} '{}'", to_string(f.kind), f.name);
      check_dim_list(f.dims, who, f.where);
      if (f.channels < 1)
        fault(f.where, "{} has {} channels; at least 1 is needed", who, f.channels);
      switch (f.kind) {
        case FieldKind::Unknown:
          if (f.manifold != Manifold::Euclidean && f.channels != stored_channels(f.manifold))
            fault(f.where, "{} is an {} of {} channels; needed are {}", who, to_string(f.manifold),
                  f.channels, stored_channels(f.manifold));
          if (f.type != ScalarType::Working)
            fault(f.where,
                  "{} must have the working scalar type: it is solved for in float or "
                  "double as the solve asks",
                  who);
          [[fallthrough]];
        case FieldKind::Array:
          if (f.dims.empty())
            fault(f.where,
                  "{} has no dims; a single value is a param, or an array over a dim of "
                  "extent 1",
                  who);
          break;
        case FieldKind::Param:
          if (!f.dims.empty() || f.channels != 1)
            fault(f.where, "{} must be one scalar, found {} channels over {}", who, f.channels,
                  dim_list(f.dims));
          break;
        case FieldKind::Intermediate: break;
        case FieldKind::Buffer: fault(f.where, "{} cannot be part of an energy", who); break;
      }
    }
  }

  void check_maps() {
    for (const SparseMap& map : data_.maps) {
      const std::string who = fmt::format("sparse map '{}'", map.name);
      check_dim_list(map.in, who, map.where);
      check_dim_list(map.out, who, map.where);
      if (map.in.empty() || map.out.empty())
        fault(map.where, "{} must go from at least one dim to at least one dim, found {} -> {}",
              who, dim_list(map.in), dim_list(map.out));
    }
  }

  struct Declaration {
    std::string who;
    const SourceLocation* where;
    const Field* field;  // null for a map
  };

  // A field declared a second time under another kind, so that it can be read without derivative.
  static bool is_constant_view(const Declaration& a, const Declaration& b) {
    if (!a.field || !b.field) return false;
    const auto kinds = std::minmax(a.field->kind, b.field->kind);
    return kinds.first == FieldKind::Unknown && kinds.second == FieldKind::Array &&
           a.field->dims == b.field->dims && a.field->channels == b.field->channels;
  }

  void check_field_and_map_names() {
    std::map<std::string, Declaration> names;
    std::map<int, Declaration> slots;
    const auto declare = [&](const std::string& declared, int slot, const Declaration& here) {
      if (declared.empty()) fault(*here.where, "{} has no name", here.who);
      const auto [same_name, new_name] = names.try_emplace(declared, here);
      if (!new_name)
        fault(*here.where, "{} is declared twice{}", here.who, elsewhere(*same_name->second.where));
      if (slot < 0) return;
      const auto [same_slot, new_slot] = slots.try_emplace(slot, here);
      if (!new_slot && !is_constant_view(same_slot->second, here))
        fault(*here.where,
              "{} is on slot {}, which {} already has{} (only an array with the dims and channels "
              "of an unknown may share its slot, as a constant view)",
              here.who, slot, same_slot->second.who, elsewhere(*same_slot->second.where));
    };
    for (const Field& f : data_.fields)
      declare(f.name, f.slot, {fmt::format("{} '{}'", to_string(f.kind), f.name), &f.where, &f});
    for (const SparseMap& map : data_.maps)
      declare(map.name, map.slot, {fmt::format("sparse map '{}'", map.name), &map.where, nullptr});

    std::map<std::string, const ResidualGroup*> groups;
    for (const ResidualGroup& group : data_.groups) {
      if (group.name.empty()) fault(group.where, "a residual group has no name");
      const auto [other, is_new] = groups.try_emplace(group.name, &group);
      if (!is_new)
        fault(group.where, "residual group '{}' is declared twice{}", group.name,
              elsewhere(other->second->where));
    }
  }

  static std::string elsewhere(const SourceLocation& where) {
    return where.known() ? fmt::format(", first at {}", where.text()) : "";
  }

  // Domains given to an intermediate or an exclusion: one per dim of the field, over it, distinct.
  void check_own_domains(const std::string& who, const Field& of, const SourceLocation& where,
                         const std::vector<DomainId>& domains, const std::vector<ExprId>& values) {
    bool fits = domains.size() == of.dims.size();
    for (std::size_t i = 0; fits && i < domains.size(); ++i)
      fits = dim_of(domains[i]) == of.dims[i] &&
             std::find(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(i),
                       domains[i]) == domains.begin() + static_cast<std::ptrdiff_t>(i);
    if (!fits)
      fault(where, "{} is over the domains {}, which must be one for each of its dims {}", who,
            domain_list(domains), dim_list(of.dims));
    for (const ExprId value : values) {
      for (const DomainId domain : graph_.free_domains(value)) {
        if (std::ranges::find(domains, domain) != domains.end()) continue;
        fault(where, "{} depends on the domain '{}', which is none of its own {}", who,
              name(domain), domain_list(domains));
      }
    }
  }

  void check_intermediates() {
    std::map<FieldId, int> definitions;
    for (const Intermediate& intermediate : data_.intermediates) {
      const Field& f = field(intermediate.field);
      const std::string who = fmt::format("intermediate '{}'", f.name);
      ++definitions[intermediate.field];
      if (f.kind != FieldKind::Intermediate)
        fault(f.where, "{} '{}' is given values; only an intermediate can", to_string(f.kind),
              f.name);
      if (static_cast<int>(intermediate.values.size()) != f.channels)
        fault(f.where, "{} has {} channels but {} values", who, f.channels,
              intermediate.values.size());
      check_own_domains(who, f, f.where, intermediate.domains, intermediate.values);
    }
    for (std::size_t i = 0; i < data_.fields.size(); ++i) {
      const Field& f = data_.fields[i];
      if (f.kind == FieldKind::Intermediate && definitions[FieldId(i)] != 1)
        fault(f.where, "intermediate '{}' is defined {} times", f.name, definitions[FieldId(i)]);
    }
  }

  // Accesses and bounds tests of everything that is written down, each with the place of the
  // statement it was first met in.
  void check_accesses() {
    std::map<ExprId, SourceLocation> found = data_.places;
    const auto collect = [&](const std::vector<ExprId>& roots, const SourceLocation& where) {
      for (const ExprId id : graph_.reachable(roots)) found.try_emplace(id, where);
    };
    for (const Intermediate& intermediate : data_.intermediates)
      collect(intermediate.values, field(intermediate.field).where);
    for (const ResidualGroup& group : data_.groups) collect(group.residuals, group.where);
    for (const Exclusion& exclusion : data_.exclusions)
      collect({exclusion.condition}, field(exclusion.unknown).where);

    for (const auto& [id, where] : found) {
      switch (graph_[id].op) {
        case Op::Access: check_access(id, where); break;
        case Op::InBounds:
          if (!has(graph_.bound_dim(id)))
            fault(where, "a bounds test uses a dim that is not of this energy");
          check_lookups(graph_.index(id), where);
          break;
        case Op::IndexValue: check_lookups(graph_.index(id), where); break;
        default: break;
      }
    }
  }

  void check_access(ExprId id, const SourceLocation& where) {
    if (graph_.field(id).index() >= data_.fields.size()) {
      fault(where, "an access reads a field that is not of this energy");
      return;
    }
    const Field& f = field(graph_.field(id));
    const std::string who = fmt::format("{} '{}'", to_string(f.kind), f.name);
    check_index(graph_.index(id), f.dims, who, where);
    if (graph_.channel(id) >= f.channels)
      fault(where, "{} has {} channel{}, channel {} is read (channels count from 0)", who,
            f.channels, f.channels == 1 ? "" : "s", graph_.channel(id));
  }

  void check_index(IndexId index, const std::vector<DimId>& dims, const std::string& who,
                   const SourceLocation& where) {
    const MultiIndex& components = graph_.indices()[index];
    if (components.size() != dims.size()) {
      fault(where, "{} has {} dim{} {} but is read at {} ind{}", who, dims.size(),
            dims.size() == 1 ? "" : "s", dim_list(dims), components.size(),
            components.size() == 1 ? "ex" : "ices");
    } else {
      for (std::size_t i = 0; i < dims.size(); ++i)
        check_component(components[i], dims[i], i, who, where);
    }
    check_lookups(index, where);
  }

  void check_component(const Affine& component, DimId expected, std::size_t position,
                       const std::string& who, const SourceLocation& where) {
    const IndexTable& indices = graph_.indices();
    if (const DomainId domain = indices.as_domain(component); domain.valid()) {
      if (dim_of(domain) == expected) return;
      Diagnostic& added =
          fault(where, "index {} of {} is the domain '{}' over dim {}, but that dim of it is {}",
                position + 1, who, name(domain), name(dim_of(domain)), name(expected));
      for (std::size_t d = 0; d < indices.num_domains(); ++d)
        if (dim_of(DomainId(d)) == expected) added.alternatives.push_back(name(DomainId(d)));
    } else if (const AtomId lookup = indices.as_map_lookup(component); lookup.valid()) {
      const Atom& atom = indices.atom(lookup);
      const SparseMap& map = data_.maps[atom.map.index()];
      const auto output = static_cast<std::size_t>(atom.output);
      if (output >= map.out.size() || map.out[output] == expected) return;
      Diagnostic& added =
          fault(where,
                "index {} of {} is a lookup in the sparse map '{}' into dim {}, but that "
                "dim of it is {}",
                position + 1, who, map.name, name(map.out[output]), name(expected));
      for (const SparseMap& other : data_.maps)
        if (std::ranges::find(other.out, expected) != other.out.end())
          added.alternatives.push_back(other.name);
    }
  }

  // The arguments of the sparse maps in an index.
  void check_lookups(IndexId index, const SourceLocation& where) {
    const IndexTable& indices = graph_.indices();
    for (const Affine& component : indices[index]) {
      for (const AffineTerm& term : component.terms) {
        const Atom& atom = indices.atom(term.atom);
        if (atom.is_domain() || !checked_lookups_.insert(term.atom).second) continue;
        const SparseMap& map = data_.maps[atom.map.index()];
        const std::string who = fmt::format("sparse map '{}'", map.name);
        if (atom.output < 0 || static_cast<std::size_t>(atom.output) >= map.out.size())
          fault(where, "{} gives {} coordinate{}, coordinate {} is read (they count from 0)", who,
                map.out.size(), map.out.size() == 1 ? "" : "s", atom.output);
        check_index(atom.argument, map.in, who, where);
      }
    }
  }

  bool has_circle() {
    std::map<FieldId, int> state;  // 1 = being visited, 2 = done
    bool found = false;
    const auto visit = [&](const auto& self, const Intermediate& intermediate) -> void {
      if (state[intermediate.field] == 2 || found) return;
      state[intermediate.field] = 1;
      for (const ExprId access : graph_.accesses(intermediate.values)) {
        const FieldId read = graph_.field(access);
        const auto next = std::ranges::find(data_.intermediates, read, &Intermediate::field);
        if (next == data_.intermediates.end()) continue;
        if (state[read] == 1) {
          fault(field(read).where, "intermediate '{}' reads itself{}", field(read).name,
                read == intermediate.field
                    ? ""
                    : fmt::format(" through '{}'", field(intermediate.field).name));
          found = true;
          return;
        }
        self(self, *next);
      }
      state[intermediate.field] = 2;
    };
    for (const Intermediate& intermediate : data_.intermediates) visit(visit, intermediate);
    return found;
  }

  void check_samples() {
    UnknownDependence dependence(data_);
    const auto check = [&](const std::vector<ExprId>& roots, const SourceLocation& where) {
      for (const ExprId id : graph_.reachable(roots))
        if (graph_[id].op == Op::Sample) {
          check_sample(id, where, dependence);
        } else if (graph_[id].op == Op::SampleLayer) {
          check_layer_sample(id, where);
        }
    };
    for (const Intermediate& intermediate : data_.intermediates)
      check(intermediate.values, field(intermediate.field).where);
    for (const ResidualGroup& group : data_.groups) check(group.residuals, group.where);
    for (const Exclusion& exclusion : data_.exclusions)
      check({exclusion.condition}, field(exclusion.unknown).where);
  }

  void check_sample(ExprId id, const SourceLocation& where, UnknownDependence& dependence) {
    if (!checked_samples_.insert(id).second) return;
    const Sampler& sampler = graph_.sampler(id);
    const Field& image = field(sampler.image);
    if (image.kind != FieldKind::Array || image.dims.size() != 2)
      fault(where, "{} '{}' cannot be sampled: a sampled image is an array over two dims",
            to_string(image.kind), image.name);
    if (graph_.channel(id) >= image.channels)
      fault(where, "image '{}' has {} channels, channel {} is sampled (channels count from 0)",
            image.name, image.channels, graph_.channel(id));
    for (const FieldId derivative : {sampler.dx, sampler.dy}) {
      if (!derivative.valid()) continue;
      const Field& d = field(derivative);
      if (d.kind != FieldKind::Array || d.dims != image.dims || d.channels != image.channels)
        fault(where,
              "{} '{}' cannot be a derivative image of '{}': it must be an array with {} "
              "channels over {}",
              to_string(d.kind), d.name, image.name, image.channels, dim_list(image.dims));
    }
    const std::vector<ExprId> position = graph_.operands(id);
    const bool moves = dependence.derivative(position[0]) || dependence.derivative(position[1]);
    if (moves && !(sampler.dx.valid() && sampler.dy.valid()))
      fault(where,
            "image '{}' is sampled at a place that depends on an unknown, but has no "
            "derivative images; declare them, or freeze the place",
            image.name);
  }

  void check_layer_sample(ExprId id, const SourceLocation& where) {
    const Field& images = field(graph_.layers(id));
    if (images.kind != FieldKind::Array || images.dims.size() != 3)
      fault(where,
            "{} '{}' cannot be sampled in layers: that takes an array over three dims, the last of "
            "them the layers",
            to_string(images.kind), images.name);
    if (graph_.channel(id) >= images.channels)
      fault(where, "images '{}' have {} channels, channel {} is sampled (channels count from 0)",
            images.name, images.channels, graph_.channel(id));
  }

  void check_exclusions() {
    std::set<FieldId> seen;
    for (const Exclusion& exclusion : data_.exclusions) {
      const Field& f = field(exclusion.unknown);
      const std::string who = fmt::format("the exclusion of '{}'", f.name);
      if (f.kind != FieldKind::Unknown)
        fault(f.where, "{} '{}' is excluded; only unknowns can be", to_string(f.kind), f.name);
      if (!seen.insert(exclusion.unknown).second)
        fault(f.where, "'{}' has two exclusions; join their conditions", f.name);
      if (!graph_.is_boolean(exclusion.condition))
        fault(f.where, "{} is a number, not a condition", who);
      check_own_domains(who, f, f.where, exclusion.domains, {exclusion.condition});
    }
  }

  void check_residuals() {
    const bool any_unknown = std::ranges::any_of(
        data_.fields, [](const Field& f) { return f.kind == FieldKind::Unknown; });
    if (!any_unknown) fault({}, "there is no unknown to solve for");
    if (data_.groups.empty()) fault({}, "there is no residual to minimize");
    UnknownDependence dependence(data_);
    for (const ResidualGroup& group : data_.groups) {
      const std::string who = fmt::format("residual group '{}'", group.name);
      if (group.residuals.empty()) {
        fault(group.where, "{} has no residual", who);
        continue;
      }
      if (group.domains.empty()) {
        fault(group.where, "{} exists at no point: none of its accesses uses a domain", who);
        continue;
      }
      check_residual_domains(group, who);
      if (group.loss) check_loss(group, who);
      if (any_unknown && std::ranges::none_of(group.residuals, [&](ExprId residual) {
            return dependence.value(residual);
          }))
        fault(group.where, "{} depends on no unknown", who);
    }
  }

  void check_loss(const ResidualGroup& group, const std::string& who) {
    const ExprId scale = group.loss->scale;
    if (graph_.is_constant(scale) && !(graph_.constant_value(scale) > 0))
      fault(group.loss->where, "the loss {} of {} has the scale {}; it must be positive",
            to_string(group.loss->kind), who, graph_.constant_value(scale));
    for (const ExprId access : graph_.accesses(std::span(&scale, 1))) {
      const Field& read = field(graph_.field(access));
      if (read.kind == FieldKind::Param) continue;
      fault(group.loss->where,
            "the scale of the loss {} of {} reads the {} '{}'; it is a number or made of params",
            to_string(group.loss->kind), who, to_string(read.kind), read.name);
    }
    if (!graph_.free_domains(scale).empty() && graph_.access_domains(scale).empty())
      fault(group.loss->where, "the scale of the loss {} of {} depends on the domains {}",
            to_string(group.loss->kind), who, domain_list(graph_.free_domains(scale)));
  }

  // Residuals of a group exist at the same points: one that lives on fewer domains than the group
  // was given would be counted once for every point of the others.
  void check_residual_domains(const ResidualGroup& group, const std::string& who) {
    std::vector<DomainId> all = group.domains;
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end())
      fault(group.where, "{} names a domain twice: {}", who, domain_list(group.domains));
    for (std::size_t i = 0; i < group.residuals.size(); ++i) {
      const ExprId residual = group.residuals[i];
      const std::vector<DomainId>& own = graph_.access_domains(residual);
      for (const DomainId domain : graph_.free_domains(residual))
        if (!std::ranges::binary_search(all, domain))
          fault(group.where,
                "residual {} of {} tests bounds of the domain '{}', over which it "
                "does not exist; it exists over {}",
                i, who, name(domain), domain_list(group.domains));
      if (!graph_.is_constant(residual) && own.size() < all.size())
        fault(group.where,
              "residual {} of {} exists over {}, but the group was given the domains {}", i, who,
              domain_list(own), domain_list(group.domains));
    }
  }

  const Energy::Data& data_;
  const ExprGraph& graph_;
  std::vector<Diagnostic> faults_;
  std::set<AtomId> checked_lookups_;
  std::set<ExprId> checked_samples_;
};

}  // namespace

std::vector<Diagnostic> find_faults(const Energy::Data& data, bool only_structure) {
  return Validation(data).run(only_structure);
}

Diagnostic combine_faults(std::string_view subject, const std::vector<Diagnostic>& faults) {
  // What is wrong with a field is wrong with each of its channels: it is said once.
  std::vector<std::string> messages;
  for (const Diagnostic& fault : faults) {
    if (std::ranges::find(messages, fault.message()) == messages.end())
      messages.push_back(fault.message());
  }
  if (messages.size() == 1) return faults.front();
  return {
      fmt::format("{} has {} faults:\n  {}", subject, messages.size(), fmt::join(messages, "\n  ")),
      {},
      {}};
}

}  // namespace thallo
