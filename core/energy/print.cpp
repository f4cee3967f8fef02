#include "core/energy/print.h"

#include <iterator>

#include <fmt/format.h>

namespace thallo {
namespace {

template <class T, class ToText>
std::string joined(const std::vector<T>& all, const ToText& text_of) {
  std::string text;
  for (const T& one : all) text += fmt::format("{}{}", text.empty() ? "" : ", ", text_of(one));
  return text;
}

// Prints values with a line "t3 = ..." before them for each subexpression that they share.
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

// "(w, h), (w + 1, h)"
std::string places_text(const ExprPrinter& printer, const std::vector<MultiIndex>& places) {
  return joined(places, [&](const MultiIndex& place) {
    return "(" + joined(place, [&](const Affine& part) { return printer.text(part); }) + ")";
  });
}

class DotPrinter {
 public:
  explicit DotPrinter(const Energy& energy)
      : energy_(energy), graph_(energy.graph()), printer_(graph_, names_of(energy)) {}

  std::string run() && {
    line("digraph \"{}\" {{\n  rankdir=BT;\n  node [shape=box];", escaped(energy_.name()));
    for (const ResidualGroup& group : energy_.groups()) add_roots(group.name, group.residuals);
    for (const Intermediate& intermediate : energy_.intermediates())
      add_roots(energy_.field(intermediate.field).name, intermediate.values);
    for (const ExprId id : graph_.reachable(roots_)) add_node(id);
    line("}}");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result;
  }

  void add_roots(const std::string& name, const std::vector<ExprId>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      line("  \"{0}[{1}]\" [shape=ellipse]; n{2} -> \"{0}[{1}]\";", escaped(name), i,
           values[i].value());
    roots_.insert(roots_.end(), values.begin(), values.end());
  }

  void add_node(ExprId id) {
    const auto operands = graph_.operands(id);
    const Op op = graph_[id].op;
    const bool is_unknown =
        op == Op::Access && energy_.field(graph_.field(id)).kind == FieldKind::Unknown;
    std::string label(info(op).text);
    if (operands.empty()) label = printer_.text(id);
    if (op == Op::PowI) label = fmt::format("^{}", graph_.exponent(id));
    line("  n{} [label=\"{}\"{}];", id.value(), escaped(label), is_unknown ? ", style=bold" : "");
    for (const ExprId operand : operands) line("  n{} -> n{};", operand.value(), id.value());
  }

  const Energy& energy_;
  const ExprGraph& graph_;
  ExprPrinter printer_;
  std::vector<ExprId> roots_;
  std::string out_;
};

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
  const ExprPrinter printer(found.graph(), names_of(found.energy()));
  const IndexTable& indices = found.graph().indices();
  std::string text;
  for (const FoundIntermediate& one : found.all()) {
    text += fmt::format(
        "{}intermediate {} over ({}), {} flops, read at {}\n", text.empty() ? "" : "\n", one.name,
        joined(one.domains, [&](DomainId domain) { return indices.domain(domain).name; }),
        one.flops, places_text(printer, one.positions));
    const std::string why = found.why_no_site(one.name, sites);
    if (!why.empty()) text += fmt::format("  no site: {}\n", why);
    text += ValuePrinter(printer).text(one.values, one.name);
  }
  return text;
}

std::string to_dot(const Energy& energy) { return DotPrinter(energy).run(); }

}  // namespace thallo
