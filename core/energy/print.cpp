#include "core/energy/print.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/energy/found/shown_names.h"

namespace thallo {
namespace {

template <class T, class ToText>
std::string joined(const std::vector<T>& all, const ToText& text_of) {
  std::string text;
  for (const T& one : all) text += fmt::format("{}{}", text.empty() ? "" : ", ", text_of(one));
  return text;
}

std::string dims_text(const Energy& energy, const std::vector<DimId>& dims) {
  return joined(dims, [&](DimId id) { return energy.dim(id).name; });
}

// "[0, 1]", or one for each channel if they differ.
std::string bounds_text(const Energy& energy, const Bounds& bounds) {
  const ExprPrinter printer(energy.graph(), names_of(energy));
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < bounds.lower.size(); ++c)
    texts.push_back(
        fmt::format("[{}, {}]", printer.text(bounds.lower[c]), printer.text(bounds.upper[c])));
  if (std::ranges::count(texts, texts.front()) == std::ssize(texts)) return texts.front();
  return joined(texts, [](const std::string& text) { return text; });
}

class EnergyPrinter {
 public:
  explicit EnergyPrinter(const Energy& energy) : energy_(energy) {}

  std::string run() && {
    line("energy {}", energy_.name());
    for (const Dim& dim : energy_.dims()) line("  {} {}", dim.is_batch ? "batch" : "dim", dim.name);
    for (const Field& field : energy_.fields()) {
      if (field.kind != FieldKind::Intermediate) line("  {}", declaration_text(energy_, field));
    }
    for (const SparseMap& map : energy_.maps()) {
      line("  map {}: ({}) -> ({}){}", map.name, dims_text(energy_, map.in),
           dims_text(energy_, map.out), map.optional ? ", -1 is missing" : "");
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
  std::string domains(const std::vector<DomainId>& ids) const {
    return joined(ids, [&](DomainId id) { return energy_.graph().indices().domain(id).name; });
  }

  void print_values(const std::vector<ExprId>& values, std::string_view prefix) {
    out_ += values_text(printer(), values, prefix);
  }

  void define(const Intermediate& intermediate) {
    line("\nintermediate {} over ({})", energy_.field(intermediate.field).name,
         domains(intermediate.domains));
    print_values(intermediate.values, energy_.field(intermediate.field).name);
  }

  void print(const ResidualGroup& group) {
    const KnownLoss* known = group.loss ? group.loss->known : nullptr;
    line("\nresidual {} over ({}){}", group.name, domains(group.domains),
         known == nullptr
             ? ""
             : fmt::format(", loss {}({})", known->name, printer().text(group.loss->scale)));
    print_values(group.residuals, "r");
    if (group.loss && known == nullptr) print_values({group.loss->rho}, "loss(s)");
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

}  // namespace

ExprNames names_of(const Energy& energy) { return names_of(energy.data()); }

ExprNames names_of(const Energy::Data& data) {
  return {.field = [&data](FieldId id) { return data.fields[id.index()].name; },
          .num_channels = [&data](FieldId id) { return data.fields[id.index()].channels; },
          .map = [&data](MapId id) { return data.maps[id.index()].name; },
          .num_outputs =
              [&data](MapId id) { return static_cast<int>(data.maps[id.index()].out.size()); },
          .dim = [&data](DimId id) { return data.dims[id.index()].name; }};
}

std::string declaration_text(const Energy& energy, const Field& field) {
  const std::string space =
      field.dims.empty() ? "" : fmt::format("({})", dims_text(energy, field.dims));
  const std::string channels = field.manifold != Manifold::Euclidean
                                   ? fmt::format(", {}", to_string(field.manifold))
                               : field.channels == 1 ? ""
                                                     : fmt::format(", {} channels", field.channels);
  const Bounds* bounds = energy.find_bounds(energy.find_field(field.name));
  return fmt::format("{} {}{}{}{}", to_string(field.kind), field.name, space, channels,
                     bounds == nullptr ? "" : ", in " + bounds_text(energy, *bounds));
}

std::string values_text(ExprPrinter printer, const std::vector<ExprId>& values,
                        std::string_view name) {
  std::string text;
  int num_shared = 0;
  for (const ExprId shared : printer.shared(values)) {
    const std::string shared_name = fmt::format("t{}", num_shared++);
    text += fmt::format("  {} = {}\n", shared_name, printer.text(shared));
    printer.name(shared, shared_name);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("  {}{} = {}\n", name, values.size() == 1 ? "" : fmt::format("[{}]", i),
                        printer.text(values[i]));
  }
  return text;
}

std::string to_string(const Energy& energy) { return EnergyPrinter(energy).run(); }

std::string to_string(const FoundIntermediates& found, FoundSites sites) {
  const ExprPrinter printer(found.graph(), names_of(found.energy()));
  const IndexTable& indices = found.graph().indices();
  const std::map<std::string, std::string> shown = shown_names(found);
  std::string text;
  for (const FoundIntermediate& one : found.all()) {
    const auto known = shown.find(one.name);
    if (!text.empty()) text += "\n";
    if (known != shown.end()) text += fmt::format("{}\n", known->second);
    text += fmt::format(
        "intermediate {} over ({}), {} flops, read at {}\n", one.name,
        joined(one.domains, [&](DomainId domain) { return indices.domain(domain).name; }),
        one.flops, places_text(printer, one.positions));
    const std::string why = found.why_no_site(one.name, sites);
    if (!why.empty()) text += fmt::format("  no site: {}\n", why);
    text += values_text(printer, one.values, one.name);
  }
  return text;
}

}  // namespace thallo
