#include "core/energy/print.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thallo {
namespace {

template <class Id, class Named>
std::string joined(const std::vector<Id>& ids, const Named& name_of) {
  std::string text;
  for (const Id id : ids) text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(id));
  return text;
}

// "t3 = ..." for what the values share, then each value.
class ValuePrinter {
 public:
  explicit ValuePrinter(ExprPrinter printer) : printer_(std::move(printer)) {}

  std::string text(const std::vector<ExprId>& values, std::string_view prefix) {
    std::string out;
    int num_shared = 0;
    for (const ExprId shared : printer_.shared(values)) {
      const std::string name = fmt::format("t{}", num_shared++);
      out += fmt::format("  {} = {}\n", name, printer_.text(shared));
      printer_.name(shared, name);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      out += fmt::format("  {}{} = {}\n", prefix, values.size() == 1 ? "" : fmt::format("[{}]", i),
                         printer_.text(values[i]));
    }
    return out;
  }

 private:
  ExprPrinter printer_;
};

class EnergyPrinter {
 public:
  explicit EnergyPrinter(const Energy& energy) : energy_(energy) {}

  std::string run() && {
    line("energy {}", energy_.name());
    for (const Dim& dim : energy_.dims()) line("  dim {}", dim.name);
    for (const Field& field : energy_.fields()) declare(field);
    for (const SparseMap& map : energy_.maps()) {
      line("  map {}: ({}) -> ({}){}", map.name, dims(map.in), dims(map.out),
           map.optional ? ", -1 is missing" : "");
    }
    for (const Intermediate& intermediate : energy_.intermediates()) define(intermediate);
    for (const ResidualGroup& group : energy_.groups()) print(group);
    for (const Exclusion& exclusion : energy_.exclusions()) {
      line("\nexclude {}({}) where {}", energy_.field(exclusion.unknown).name,
           domains(exclusion.domains), printer().text(exclusion.condition));
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  ExprPrinter printer() const { return {energy_.graph(), names_of(energy_)}; }
  std::string dims(const std::vector<DimId>& ids) const {
    return joined(ids, [&](DimId id) { return energy_.dim(id).name; });
  }
  std::string domains(const std::vector<DomainId>& ids) const {
    return joined(ids, [&](DomainId id) { return energy_.graph().indices().domain(id).name; });
  }

  void declare(const Field& field) {
    if (field.kind == FieldKind::Intermediate) return;
    const std::string space = field.dims.empty() ? "" : fmt::format("({})", dims(field.dims));
    const std::string channels =
        field.manifold != Manifold::Euclidean ? fmt::format(", {}", to_string(field.manifold))
        : field.channels == 1                 ? ""
                                              : fmt::format(", {} channels", field.channels);
    line("  {} {}{}{}", to_string(field.kind), field.name, space, channels);
  }

  void print_values(const std::vector<ExprId>& values, std::string_view prefix) {
    out_ += ValuePrinter(printer()).text(values, prefix);
  }

  void define(const Intermediate& intermediate) {
    line("\nintermediate {} over ({})", energy_.field(intermediate.field).name,
         domains(intermediate.domains));
    print_values(intermediate.values, energy_.field(intermediate.field).name);
  }

  void print(const ResidualGroup& group) {
    const auto loss = [&](const Loss& l) {
      return fmt::format(", loss {}({})", to_string(l.kind), printer().text(l.scale));
    };
    line("\nresidual {} over ({}){}", group.name, domains(group.domains),
         group.loss ? loss(*group.loss) : "");
    print_values(group.residuals, "r");
  }

  const Energy& energy_;
  std::string out_;
};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

ExprNames names_of(const Energy& energy) {
  return {
      .field = [&energy](FieldId id) { return energy.field(id).name; },
      .num_channels = [&energy](FieldId id) { return energy.field(id).channels; },
      .map = [&energy](MapId id) { return energy.map(id).name; },
      .num_outputs = [&energy](MapId id) { return static_cast<int>(energy.map(id).out.size()); },
      .dim = [&energy](DimId id) { return energy.dim(id).name; }};
}

std::string to_string(const Energy& energy) { return EnergyPrinter(energy).run(); }

std::string to_string(const FoundIntermediates& found, FoundSites sites) {
  const ExprNames names = names_of(found.energy());
  const ExprPrinter printer(found.graph(), names);
  std::string text;
  for (const FoundIntermediate& one : found.all()) {
    std::string domains;
    for (const DomainId domain : one.domains) {
      domains += fmt::format("{}{}", domains.empty() ? "" : ", ",
                             found.graph().indices().domain(domain).name);
    }
    std::vector<std::string> places;
    for (const MultiIndex& position : one.positions) {
      std::string place;
      for (const Affine& component : position)
        place += fmt::format("{}{}", place.empty() ? "" : ", ", printer.text(component));
      places.push_back(fmt::format("({})", place));
    }
    text +=
        fmt::format("{}intermediate {} over ({}), {} flops, read at {}\n", text.empty() ? "" : "\n",
                    one.name, domains, one.flops, fmt::join(places, ", "));
    const std::string why = found.why_no_site(one.name, sites);
    if (!why.empty()) text += fmt::format("  no site: {}\n", why);
    text += ValuePrinter(printer).text(one.values, one.name);
  }
  return text;
}

std::string to_dot(const Energy& energy) {
  const ExprGraph& graph = energy.graph();
  std::string out = fmt::format("digraph \"{}\" {{\n  rankdir=BT;\n  node [shape=box];\n",
                                escaped(energy.name()));
  const auto line = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    out += '\n';
  };

  std::vector<ExprId> roots;
  const auto add_root = [&](const std::string& name, std::size_t i, ExprId root) {
    line("  \"{0}[{1}]\" [shape=ellipse]; n{2} -> \"{0}[{1}]\";", escaped(name), i, root.value());
    roots.push_back(root);
  };
  for (const ResidualGroup& group : energy.groups()) {
    for (std::size_t i = 0; i < group.residuals.size(); ++i) {
      add_root(group.name, i, group.residuals[i]);
    }
  }
  for (const Intermediate& intermediate : energy.intermediates()) {
    for (std::size_t i = 0; i < intermediate.values.size(); ++i) {
      add_root(energy.field(intermediate.field).name, i, intermediate.values[i]);
    }
  }

  const ExprPrinter printer(graph, names_of(energy));
  for (const ExprId id : graph.reachable(roots)) {
    const auto operands = graph.operands(id);
    const Op op = graph[id].op;
    const bool is_unknown =
        op == Op::Access && energy.field(graph.field(id)).kind == FieldKind::Unknown;
    std::string label(info(op).text);
    if (operands.empty()) label = printer.text(id);
    if (op == Op::PowI) label = fmt::format("^{}", graph.exponent(id));
    line("  n{} [label=\"{}\"{}];", id.value(), escaped(label), is_unknown ? ", style=bold" : "");
    for (const ExprId operand : operands) line("  n{} -> n{};", operand.value(), id.value());
  }
  out += "}\n";
  return out;
}

}  // namespace thallo
