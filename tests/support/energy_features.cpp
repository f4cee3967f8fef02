#include "tests/support/energy_features.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/energy/access.h"

namespace thallo::test {
namespace {

class Features {
 public:
  Features(const Energy& energy, const Binding& binding)
      : energy_(energy), binding_(binding), graph_(energy.graph()) {}

  std::set<std::string> find() {
    add_declarations();
    for (const ResidualGroup& group : energy_.groups()) {
      for (const ExprId residual : group.residuals) visit(residual, {});
      if (group.domains.size() >= 3) add("three domains");
      if (group.loss) add("loss");
      if (group.name.find('_') != std::string::npos) add("split group");
    }
    for (const Exclusion& exclusion : energy_.exclusions()) {
      visit(exclusion.condition, {});
      add("exclude");
    }
    return std::move(found_);
  }

 private:
  struct Around {
    bool sum = false;
    bool intermediate = false;
  };

  void add(const char* feature) { found_.insert(feature); }

  void add_declarations() {
    std::set<std::vector<DimId>> spaces;
    for (const FieldId unknown : energy_.unknowns()) {
      const Field& field = energy_.field(unknown);
      if (!spaces.insert(field.dims).second) add("two unknowns in one space");
      if (field.channels > 1) add("unknown with several channels");
    }
    if (spaces.size() > 1) add("two unknown spaces");
    if (energy_.groups().size() > 1) add("several residual groups");
    if (std::ranges::count(binding_.extents(), 0) > 0) add("zero extent");
  }

  bool has_unknown(ExprId root) const {
    return std::ranges::any_of(graph_.accesses(std::span(&root, 1)), [&](ExprId access) {
      return energy_.field(graph_.field(access)).kind == FieldKind::Unknown;
    });
  }

  void visit(ExprId root, Around around) {
    if (!visited_.insert({root, around.sum, around.intermediate}).second) return;
    const std::vector<ExprId> operands = graph_.operands(root);
    Around inner = around;
    switch (graph_[root].op) {
      case Op::Access: visit_access(root, around); break;
      case Op::InBounds: add("bounds test"); break;
      case Op::IndexValue: add("index as a number"); break;
      case Op::Sample: add("sampled image"); break;
      case Op::SampleLayer: add("sampled layer"); break;
      case Op::Sum:
        add(around.intermediate ? "sum in an intermediate" : "sum");
        if (around.sum) add("sum in a sum");
        inner.sum = true;
        break;
      case Op::Select: add("select"); break;
      case Op::Abs: add("abs"); break;
      case Op::Freeze: add("freeze"); break;
      case Op::Add:
        for (const ExprId term : operands)
          if (graph_[term].op == Op::Sum && has_unknown(term) &&
              std::ranges::any_of(operands, [&](ExprId other) {
                return other != term && graph_[other].op != Op::Sum && has_unknown(other);
              }))
            add("sum with an unknown outside");
        break;
      case Op::Mul:
        if (std::ranges::any_of(
                operands, [&](ExprId f) { return graph_.is_boolean(f) && !graph_.is_constant(f); }))
          add("mask");
        break;
      default: break;
    }
    for (const ExprId operand : operands) visit(operand, inner);
  }

  void visit_access(ExprId access, Around around) {
    const FieldId id = graph_.field(access);
    const Field& field = energy_.field(id);
    const IndexId index = graph_.index(access);
    if (field.kind == FieldKind::Param) add("param");
    if (const Intermediate* intermediate = energy_.find_intermediate(id)) {
      add(around.intermediate ? "intermediate of an intermediate" : "intermediate");
      if (around.sum) add("intermediate in a sum");
      if (intermediate->domains.empty()) add("intermediate without dims");
      for (const ExprId value : intermediate->values) visit(value, {around.sum, true});
    }
    if (!bounds_tests(graph_.indices(), energy_.maps(), field.dims, index).empty()) {
      add("border read");
      if (field.kind == FieldKind::Intermediate) add("border read of an intermediate");
    }
    for (const Affine& component : graph_.indices()[index]) {
      if (component.is_constant()) add("constant index");
      for (const AffineTerm& term : component.terms) {
        if (term.coefficient != 1) add("affine index");
        visit_atom(graph_.indices().atom(term.atom));
      }
    }
  }

  void visit_atom(const Atom& atom) {
    if (atom.is_domain()) return;
    const SparseMap& map = energy_.map(atom.map);
    const std::vector<std::int32_t>& values = binding_.map(atom.map);
    if (map.out.size() > 1) add("map with two coordinates");
    if (map.optional && std::ranges::count(values, -1) > 0) add("missing map entry");
    // Two maps between the same spaces that lead to the same place somewhere.
    if (!map.optional) {
      for (const MapId other : plain_maps_) {
        if (other == atom.map || energy_.map(other).in != map.in) continue;
        const std::vector<std::int32_t>& others = binding_.map(other);
        for (std::size_t i = 0; i < std::min(values.size(), others.size()); ++i)
          if (values[i] == others[i]) add("aliasing maps");
      }
      plain_maps_.insert(atom.map);
    }
    for (const Affine& component : graph_.indices()[atom.argument]) {
      for (const AffineTerm& term : component.terms) {
        const Atom& inner = graph_.indices().atom(term.atom);
        if (!inner.is_domain()) add("nested map");
        visit_atom(inner);
      }
    }
  }

  const Energy& energy_;
  const Binding& binding_;
  const ExprGraph& graph_;
  std::set<std::string> found_;
  std::set<std::tuple<ExprId, bool, bool>> visited_;
  std::set<MapId> plain_maps_;
};

}  // namespace

const std::vector<std::string>& all_features() {
  static const std::vector<std::string> features = {"several residual groups",
                                                    "two unknown spaces",
                                                    "two unknowns in one space",
                                                    "unknown with several channels",
                                                    "three domains",
                                                    "border read",
                                                    "border read of an intermediate",
                                                    "constant index",
                                                    "affine index",
                                                    "aliasing maps",
                                                    "nested map",
                                                    "map with two coordinates",
                                                    "missing map entry",
                                                    "intermediate",
                                                    "intermediate of an intermediate",
                                                    "intermediate in a sum",
                                                    "intermediate without dims",
                                                    "sum",
                                                    "sum in a sum",
                                                    "sum in an intermediate",
                                                    "sum with an unknown outside",
                                                    "sampled image",
                                                    "sampled layer",
                                                    "loss",
                                                    "split group",
                                                    "select",
                                                    "mask",
                                                    "bounds test",
                                                    "abs",
                                                    "freeze",
                                                    "param",
                                                    "index as a number",
                                                    "exclude",
                                                    "zero extent"};
  return features;
}

std::set<std::string> features_of(const Energy& energy, const Binding& binding) {
  return Features(energy, binding).find();
}

void FeatureCoverage::add(const RandomEnergy& random) {
  ++num_energies_;
  for (const std::string& feature : features_of(random.energy, random.binding)) ++counts_[feature];
}

std::vector<std::string> FeatureCoverage::missing() const {
  std::vector<std::string> result;
  for (const std::string& feature : all_features())
    if (!counts_.contains(feature)) result.push_back(feature);
  return result;
}

std::string FeatureCoverage::table() const {
  std::string text = fmt::format("{} random energies contain\n", num_energies_);
  for (const std::string& feature : all_features()) {
    const auto found = counts_.find(feature);
    text += fmt::format("  {:<40} {:>5}\n", feature, found == counts_.end() ? 0 : found->second);
  }
  return text;
}

}  // namespace thallo::test
