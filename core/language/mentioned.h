#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "core/energy/energy.h"
#include "core/language/energy_text.h"

namespace thallo::language {

// What expressions mention, those of the intermediates that they read included.
class Mentioned {
 public:
  Mentioned(const Energy& energy, const std::vector<ExprId>& roots,
            const std::vector<DomainId>& also)
      : energy_(energy), graph_(energy.graph()) {
    see(roots);
    see_domains(also);
  }

  // All that the residuals, losses, exclusions and bounds of an energy mention, and its unknowns;
  // or all inputs and dims.
  Mentioned(const Energy& energy, WrittenInputs inputs) : energy_(energy), graph_(energy.graph()) {
    for (const ResidualGroup& group : energy.groups()) {
      see_domains(group.domains);
      see(group.residuals);
      if (group.loss) see({group.loss->written()});
    }
    for (const Exclusion& exclusion : energy.exclusions()) {
      see_domains(exclusion.domains);
      see({exclusion.condition});
    }
    for (const Bounds& bounds : energy.bounds()) {
      see_domains(bounds.domains);
      for (const auto* side : {&bounds.lower, &bounds.upper}) see(*side);
    }
    for (const FieldId unknown : energy.unknowns()) see_field(unknown);
    if (inputs == WrittenInputs::All) see_inputs();
  }

  std::set<DimId> dims;
  std::set<FieldId> fields;
  std::set<MapId> maps;
  std::set<DomainId> domains;

 private:
  void see_inputs() {
    for (std::size_t i = 0; i < energy_.dims().size(); ++i) dims.insert(DimId(i));
    for (std::size_t i = 0; i < energy_.maps().size(); ++i) maps.insert(MapId(i));
    for (std::size_t i = 0; i < energy_.fields().size(); ++i)
      if (energy_.fields()[i].kind != FieldKind::Intermediate) fields.insert(FieldId(i));
  }

  void see_domains(const std::vector<DomainId>& all) {
    for (const DomainId domain : all) {
      domains.insert(domain);
      dims.insert(graph_.indices().domain(domain).dim);
    }
  }

  void see_field(FieldId field) {
    if (!field.valid() || !fields.insert(field).second) return;
    dims.insert(energy_.field(field).dims.begin(), energy_.field(field).dims.end());
    if (const Intermediate* intermediate = energy_.find_intermediate(field)) {
      see_domains(intermediate->domains);
      see(intermediate->values);
    }
  }

  void see_index(IndexId index) {
    see_domains(graph_.indices().domains_of(index));
    for (const Affine& component : graph_.indices()[index]) {
      for (const AffineTerm& term : component.terms) {
        const Atom& atom = graph_.indices().atom(term.atom);
        if (atom.is_domain()) continue;
        maps.insert(atom.map);
        const SparseMap& map = energy_.map(atom.map);
        dims.insert(map.in.begin(), map.in.end());
        dims.insert(map.out.begin(), map.out.end());
        see_index(atom.argument);
      }
    }
  }

  void see(const std::vector<ExprId>& roots) {
    for (const ExprId id : graph_.reachable(roots)) {
      switch (graph_[id].op) {
        case Op::Access:
          see_field(graph_.field(id));
          see_index(graph_.index(id));
          break;
        case Op::InBounds:
          dims.insert(graph_.bound_dim(id));
          see_index(graph_.index(id));
          break;
        case Op::IndexValue: see_index(graph_.index(id)); break;
        case Op::Sample:
          see_field(graph_.sampler(id).image);
          see_field(graph_.sampler(id).dx);
          see_field(graph_.sampler(id).dy);
          break;
        case Op::SampleLayer: see_field(graph_.layers(id)); break;
        case Op::Sum: see_domains(graph_.sum_domains(id)); break;
        default: break;
      }
    }
  }

  const Energy& energy_;
  const ExprGraph& graph_;
};

}  // namespace thallo::language
