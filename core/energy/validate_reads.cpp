#include "core/energy/validate_reads.h"

#include <algorithm>
#include <map>

namespace thallo {
namespace {

// A schedule decides whether an intermediate is stored at all.
std::string_view hint_of_sample(const Field& field) {
  return field.kind == FieldKind::Intermediate
             ? "; sample the arrays that it is made of and compute with what is read, or bind its "
               "values as an array"
             : "";
}

}  // namespace

// Looks at all accesses, bounds tests and index values. Where the place of one is not known, its
// faults are blamed on the first intermediate, residual group or exclusion that it occurs in.
void ReadValidation::check_accesses() {
  std::map<ExprId, SourceLocation> found = data_.places;
  const auto collect = [&](const std::vector<ExprId>& roots, const SourceLocation& where) {
    for (const ExprId id : graph_.reachable(roots)) found.try_emplace(id, where);
  };
  for (const Intermediate& intermediate : data_.intermediates)
    collect(intermediate.values, field(intermediate.field).where);
  for (const ResidualGroup& group : data_.groups) collect(group.residuals, group.where);
  for (const Exclusion& exclusion : data_.exclusions)
    collect({exclusion.condition}, field(exclusion.unknown).where);
  for (const Bounds& bounds : data_.bounds)
    for (const auto* side : {&bounds.lower, &bounds.upper}) collect(*side, bounds.where);

  for (const auto& [id, where] : found) {
    switch (graph_[id].op) {
      case Op::Access: check_access(id, where); break;
      case Op::InBounds:
        if (!has(graph_.bound_dim(id)))
          fault(where, "a bounds test uses a dim that is not of this energy");
        check_lookups(graph_.index(id), where);
        break;
      case Op::IndexValue: check_lookups(graph_.index(id), where); break;
      case Op::Argument:
        fault(where, "the argument of a loss is used outside of the function of the loss");
        break;
      default: break;
    }
  }
}

void ReadValidation::check_access(ExprId id, const SourceLocation& where) {
  if (graph_.field(id).index() >= data_.fields.size()) {
    fault(where, "an access reads a field that is not of this energy");
    return;
  }
  const Field& f = field(graph_.field(id));
  const std::string who = fmt::format("{} '{}'", to_string(f.kind), f.name);
  check_index(graph_.index(id), f.dims, who, where);
  if (graph_.channel(id) >= f.channels)
    fault(where, "{} has {} channel{}, channel {} is read (channels count from 0)", who, f.channels,
          f.channels == 1 ? "" : "s", graph_.channel(id));
}

void ReadValidation::check_index(IndexId index, const std::vector<DimId>& dims,
                                 const std::string& who, const SourceLocation& where) {
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

void ReadValidation::check_component(const Affine& component, DimId expected, std::size_t position,
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

// Checks the arguments and outputs of the sparse maps in an index, each lookup once.
void ReadValidation::check_lookups(IndexId index, const SourceLocation& where) {
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

bool ReadValidation::has_circle() {
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

void ReadValidation::check_samples() {
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
  for (const Bounds& bounds : data_.bounds)
    for (const auto* side : {&bounds.lower, &bounds.upper}) check(*side, bounds.where);
}

void ReadValidation::check_sample(ExprId id, const SourceLocation& where,
                                  UnknownDependence& dependence) {
  if (!checked_samples_.insert(id).second) return;
  const Sampler& sampler = graph_.sampler(id);
  const Field& image = field(sampler.image);
  if (image.kind != FieldKind::Array || image.dims.size() != 2)
    fault(where, "{} '{}' cannot be sampled: a sampled image is an array over two dims{}",
          to_string(image.kind), image.name, hint_of_sample(image));
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

void ReadValidation::check_layer_sample(ExprId id, const SourceLocation& where) {
  const Field& images = field(graph_.layers(id));
  if (images.kind != FieldKind::Array || images.dims.size() != 3)
    fault(where,
          "{} '{}' cannot be sampled in layers: that takes an array over three dims, the last of "
          "them the layers{}",
          to_string(images.kind), images.name, hint_of_sample(images));
  if (graph_.channel(id) >= images.channels)
    fault(where, "images '{}' have {} channels, channel {} is sampled (channels count from 0)",
          images.name, images.channels, graph_.channel(id));
}

}  // namespace thallo
