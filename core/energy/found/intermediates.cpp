#include "core/energy/found/intermediates.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/option_text.h"
#include "core/energy/found/search.h"
#include "core/energy/validate.h"

namespace thallo {
namespace {

constexpr double LargeFlops = 32;
constexpr std::size_t MaxDefaultSites = 12;

// Sorts intermediates so that each comes after those that it reads.
std::vector<Intermediate> in_order_of_reads(const ExprGraph& graph,
                                            const std::vector<Intermediate>& intermediates) {
  std::vector<Intermediate> ordered;
  const auto is_done = [&](FieldId field) {
    return std::ranges::find(ordered, field, &Intermediate::field) != ordered.end();
  };
  const auto visit = [&](const auto& self, const Intermediate& intermediate) -> void {
    if (is_done(intermediate.field)) return;
    for (const ExprId access : graph.accesses(intermediate.values)) {
      const auto read = std::ranges::find(intermediates, graph.field(access), &Intermediate::field);
      if (read != intermediates.end()) self(self, *read);
    }
    ordered.push_back(intermediate);
  };
  for (const Intermediate& intermediate : intermediates) visit(visit, intermediate);
  return ordered;
}

// Rebuilds expressions with `reads` in the place of the expressions that they are listed for.
class Rebuilding {
 public:
  using Operands = std::map<ExprId, std::vector<ExprId>>;
  using Reads = std::map<ExprId, ExprId>;
  Rebuilding(ExprGraph& graph, const Operands& grouped, Reads reads)
      : graph_(graph), grouped_(grouped), rebuilt_(std::move(reads)) {}

  ExprId operator()(ExprId expression) {
    if (const auto known = rebuilt_.find(expression); known != rebuilt_.end()) return known->second;
    const std::vector<ExprId> original = operands_of(expression);
    std::vector<ExprId> operands = original;
    for (ExprId& operand : operands) operand = (*this)(operand);
    const ExprId result =
        operands == original ? expression : graph_.with_operands(expression, operands);
    rebuilt_.emplace(expression, result);
    return result;
  }

 private:
  std::vector<ExprId> operands_of(ExprId expression) const {
    const auto known = grouped_.find(expression);
    return known == grouped_.end() ? graph_.operands(expression) : known->second;
  }

  ExprGraph& graph_;
  const Operands& grouped_;
  Reads rebuilt_;
};

}  // namespace

std::shared_ptr<const FoundIntermediates> FoundIntermediates::in(const Energy& energy) {
  const std::shared_ptr<FoundIntermediates> found(new FoundIntermediates(energy.as_written()));
  FoundSearch(*found).run();
  return found;
}

std::vector<std::size_t> FoundIntermediates::sites(FoundSites sites) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (why_no_site(all_[i].name, sites).empty()) result.push_back(i);
  }
  return result;
}

std::string FoundIntermediates::why_no_site(std::string_view name, FoundSites sites) const {
  const auto is_worth_it = [](const FoundIntermediate& found) {
    return found.why_not.empty() && (found.positions.size() > 1 || found.flops >= LargeFlops);
  };
  std::size_t num_before = 0;
  for (const FoundIntermediate& found : all_) {
    if (found.name != name) {
      num_before += is_worth_it(found) ? 1 : 0;
      continue;
    }
    if (!found.why_not.empty()) return found.why_not;
    if (sites == FoundSites::All) return "";
    if (sites == FoundSites::None) return "only named intermediates are sites here";
    if (!is_worth_it(found))
      return fmt::format("of {} flops and read at one place it is a site with {} only", found.flops,
                         option_text("sites", "all"));
    if (num_before >= MaxDefaultSites)
      return fmt::format("{} others take more flops; it is a site with {} only", num_before,
                         option_text("sites", "all"));
    return "";
  }
  return "";
}

Energy FoundIntermediates::with(FoundSites sites) const { return with(this->sites(sites), sites); }

Energy FoundIntermediates::with(const std::vector<std::string>& names) const {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (std::ranges::find(names, all_[i].name) != names.end()) chosen.push_back(i);
  }
  return with(chosen, FoundSites::All);
}

Energy FoundIntermediates::with(const std::vector<std::size_t>& chosen, FoundSites sites) const {
  Energy::Data data = energy_.data();
  data.graph = graph_;
  std::map<std::size_t, FieldId> fields;
  for (const std::size_t i : chosen) {
    const FoundIntermediate& found = all_[i];
    Field field{.name = found.name,
                .kind = FieldKind::Intermediate,
                .channels = static_cast<int>(found.values.size())};
    for (const DomainId domain : found.domains)
      field.dims.push_back(graph_.indices().domain(domain).dim);
    fields[i] = FieldId(data.fields.size());
    data.fields.push_back(std::move(field));
  }
  // A definition reads only intermediates that follow its own, so that none reads itself through
  // others.
  const auto reads_from = [&](std::size_t first) {
    Rebuilding::Reads reads;
    for (const auto& [expression, read] : reads_) {
      const auto field = fields.find(read.found);
      if (field == fields.end() || read.found < first) continue;
      const IndexId index = data.graph.indices().intern(MultiIndex(read.index));
      reads.emplace(expression, data.graph.access(field->second, index, read.channel));
    }
    return reads;
  };
  Rebuilding rebuild(data.graph, operands_, reads_from(0));
  for (ResidualGroup& group : data.groups) {
    for (ExprId& residual : group.residuals) residual = rebuild(residual);
  }
  for (Intermediate& intermediate : data.intermediates) {
    for (ExprId& value : intermediate.values) value = rebuild(value);
  }
  for (NamedSum& named : data.sums) {
    if (named.sum.valid()) named.sum = rebuild(named.sum);
  }
  for (const std::size_t i : chosen) {
    Rebuilding define(data.graph, operands_, reads_from(i + 1));
    Intermediate made{fields.at(i), all_[i].domains, {}, true};
    for (const Definition& definition : definitions_[i]) {
      const ExprId value = define(definition.expression);
      made.values.push_back(AtomReplacement(data.graph, definition.in_own_space)(value));
    }
    data.intermediates.push_back(std::move(made));
  }
  data.intermediates = in_order_of_reads(data.graph, data.intermediates);
  const std::vector<Diagnostic> faults = find_faults(data, true);
  THALLO_ASSERT(faults.empty(), "{}", combine_faults("found intermediates", faults).message());
  Energy energy(std::move(data));
  energy.found_ = shared_from_this();
  energy.found_sites_ = sites;
  return energy;
}

Energy with_found_intermediates(const Energy& energy, FoundSites sites) {
  return FoundIntermediates::in(energy)->with(sites);
}

}  // namespace thallo
