// compute_at_output: decides where a product with Jᵀ is added up.
//
// Site: each product of a part with Jt. These are `r.fit.JtF` and, for the linear iteration,
// `r.fit.JtJp`, or `r.fit.Jt` if the strategy forms Jp first (`Jt[Jp]`, `[Jt][[J]p]`). A part with
// a stored JtJ has none for the linear iteration.
//
// Choices: at the residual (false, the default), or at the output (true). If the part reads
// unknowns over different dims, it may also be at the output of some and at the residual for the
// others.
//
// - `product:compute_at_output(where)`, `part:compute_at_output(where)`: `where` is true, false, or
//   the name of an unknown, such as `"points"`. The name stands for all unknowns over the same
//   dims. Several names are a list, `{"cameras", "points"}`. `where` may be omitted if it is true.
//   `r.fit.JtJp`, `r.fit.Jt` and the part itself all mean the product that the part has.
//
// Effect: at the residual, one thread for each residual point scatters its contributions with
// atomic additions. At the output, one thread for each element of the unknowns gathers from all
// residual points that read the element. A gather needs no atomics, but neighboring threads repeat
// computations that they could share. With both, one kernel gathers and the other scatters. This
// helps if neighboring threads add to the same camera but to different points: a warp adds up the
// contributions to one camera before it writes.
//
// Legality: unknowns can be gathered at if each access of the part to them has an inverse, which
// says which residual points read an element. A shift such as `X(x + 1, y)` has an inverse. So has
// `P(V0(e))`, an access through a sparse map from one dim to one: each element has a list of the
// points that read it, which is made when the map is bound. A map that sends many points to one
// element, such as `X(0, 0)`, has no inverse. Several unknowns can be gathered at together if the
// part reads unknowns over at most four lists of dims.
//
// Example:
//
// ```lua
// local r = Residuals { fit = X(x, y) - A(x, y, 0), near = X(x, y) - X(x + 1, y) }
// r.fit:compute_at_output(true)
// r.near.Jp:set_materialize(true)
// r.near.Jt:compute_at_output(true)
// r.near.JtF:compute_at_output()
// ```
//
// A part that reads unknowns over different dims:
//
// ```lua
// local r = Residuals { edge = P(V0(e)) * X(0, 0) }
// r.edge.JtJp:compute_at_output("P")
// ```

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/energy/unknown_spaces.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

// Returns the product with J transposed in a linear iteration of the part; null if JtJ is stored.
const char* product_with_p(const Part& part) {
  if (stores_jp(part.strategy)) return "Jt";
  return part.strategy == Strategy::JtJp ? "JtJp" : nullptr;
}

// Returns the names in the label of a choice that gathers at some unknowns; none of other choices.
std::vector<std::string> names_in(std::string_view label) {
  std::vector<std::string> names;
  if (!label.starts_with(OutputOf)) return names;
  label.remove_prefix(OutputOf.size());
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = label.find(", ");
    names.emplace_back(label.substr(0, end));
    if (end != std::string_view::npos) label.remove_prefix(end + 2);
  }
  return names;
}

// Reads where a statement says, by true, false or names of unknowns. Returns the choice's label.
Expected<std::string> label_in(const Energy& energy, const Part& part,
                               const ScheduleStatement& statement) {
  const auto is_text = [](const ScheduleArgument& argument) {
    return std::holds_alternative<std::string>(argument.value);
  };
  if (const auto flag = flag_argument(statement, true))
    return std::string(*flag ? AtOutput : AtResidual);
  std::vector<std::string> known;
  std::vector<std::string> legal = {"true", "false"};
  for (const FieldId unknown : energy.unknowns()) {
    known.push_back(energy.field(unknown).name);
    legal.push_back(fmt::format("\"{}\"", known.back()));
  }
  if (!statement.is_by_position() || !std::ranges::all_of(statement.arguments, is_text))
    return fault_in(statement, "takes true, false or names of unknowns", legal);
  std::set<std::size_t> spaces;
  for (const ScheduleArgument& argument : statement.arguments) {
    const auto& name = std::get<std::string>(argument.value);
    const auto named = std::ranges::find(known, name);
    if (named == known.end()) {
      return fault_in(statement,
                      fmt::format("there is no unknown '{}'{}", name, did_you_mean(name, known)),
                      legal);
    }
    spaces.insert(
        space_of(energy, energy.unknowns()[static_cast<std::size_t>(named - known.begin())]));
  }
  if (std::ranges::equal(spaces, spaces_read(energy, part.residuals))) return std::string(AtOutput);
  std::vector<std::string> names;
  for (const std::size_t space : spaces)
    names.push_back(energy.field(unknown_spaces(energy)[space].front()).name);
  return fmt::format("{}{}", OutputOf, fmt::join(names, ", "));
}

class ComputeAtOutput final : public Construct {
 public:
  std::string_view name() const override { return "compute_at_output"; }
  std::string_view doc() const override {
    return "Where a product of J transposed is accumulated: scattered at the residuals or gathered "
           "at the unknowns, all or some of them.";
  }
  Stage stage() const override { return Stage::Format; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      sites.push_back({SiteKind::Product, MemberName{part.name, "JtF"}.text()});
      if (const char* product = product_with_p(part)) {
        sites.push_back({SiteKind::Product, MemberName{part.name, product}.text()});
      }
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    const Part& part = part_at(plan, site);
    std::vector<Alternative> result = {{{std::string(AtResidual), {}}}};
    for (const ComputeAt where : gathers_of(energy, part.residuals)) {
      result.push_back(
          {{label_of(energy, where), {}}, check_gather(energy, part.residuals, where)});
    }
    return result;
  }
  // Knows why other unknowns cannot be gathered at.
  std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                  const Choice& choice) const override {
    if (auto offered = Construct::find(energy, plan, site, choice)) return offered;
    const std::vector<std::string> names = names_in(choice.label);
    if (names.empty()) return std::nullopt;
    const std::vector<std::size_t> read = spaces_read(energy, part_at(plan, site).residuals);
    for (const std::string& name : names) {
      const FieldId unknown = energy.find_field(name);
      if (std::ranges::find(energy.unknowns(), unknown) == energy.unknowns().end())
        return Alternative{choice, fail("there is no unknown {}", name)};
      if (std::ranges::find(read, space_of(energy, unknown)) == read.end())
        return Alternative{choice, fail("the part has no derivative by {}", name)};
    }
    if (names.size() == read.size())
      return Alternative{choice, fail("the part has derivatives by no other unknowns")};
    return Alternative{
        choice,
        fail("the part has derivatives by unknowns over {} lists of dims; of more than four "
             "one alone can be gathered at",
             read.size())};
  }
  Editor editor(const Energy& energy, const Plan& plan, const Site& site) const override {
    if (alternatives(energy, plan, site).size() > 2) return OneOf{};
    return Toggle{};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    const std::vector<std::string> names = names_in(choice.label);
    if (!names.empty()) {
      return fmt::format("compute_at_output: r.{} cannot be gathered at {}", site.name,
                         fmt::join(names, ", "));
    }
    if (choice.label == AtOutput)
      return fmt::format("compute_at_output: r.{} cannot be gathered", site.name);
    return fmt::format("compute_at_output: r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const auto [part_name, product] = parse_member_name(site.name);
    Part& part = *find_part(plan, part_name);
    ComputeAt& where = product == "JtF" ? part.jtf : product == "Jt" ? part.jt : part.jtjp;
    where = ComputeAt::Residual;
    for (const ComputeAt gathered : gathers_of(energy, part.residuals))
      if (choice.label == label_of(energy, gathered)) where = gathered;
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "compute_at_output"},
            {ScheduleName::Kind::Product, "compute_at_output"}};
  }

  Expected<Directive> read(const Energy& energy, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    THALLO_TRY(const auto part, part_in(statement, plan, names));
    THALLO_TRY(auto label, label_in(energy, *part, statement));
    THALLO_TRY(const auto product, product_of(statement, *part));
    return Directive{"compute_at_output",
                     {SiteKind::Product, MemberName{part->name, product}.text()},
                     {std::move(label), {}}};
  }

  std::string print(const Directive& directive) const override {
    std::string where = directive.choice.label == AtOutput ? "(true)" : "(false)";
    if (const auto names = names_in(directive.choice.label); !names.empty()) {
      where = fmt::format("\"{}\"", fmt::join(names, "\", \""));
      where = names.size() == 1 ? "(" + where + ")" : "{" + where + "}";
    }
    return fmt::format("r.{}:compute_at_output{}", directive.site.name, where);
  }

 private:
  static const Part& part_at(const Plan& plan, const Site& site) {
    return *find_part(plan, parse_member_name(site.name).part);
  }

  static Expected<std::string> product_of(const ScheduleStatement& statement, const Part& part) {
    const char* with_p = product_with_p(part);
    std::vector<std::string> legal = {fmt::format("r.{}.JtF", part.name)};
    if (with_p) legal.push_back(fmt::format("r.{}.{}", part.name, with_p));
    if (statement.on.kind == ScheduleName::Kind::Part) {
      if (with_p) return with_p;
      return fault_in(statement,
                      fmt::format("{} has no product of Jt with p; the stored JtJ is always "
                                  "multiplied at the output",
                                  to_string(part.strategy)),
                      {fmt::format("r.{}.JtF:compute_at_output(true)", part.name)});
    }
    // Jt and JtJp name the same product, whichever of them the strategy forms.
    const std::string& product = statement.on.product;
    if (product == "JtF") return product;
    if ((product == "Jt" || product == "JtJp") && with_p) return with_p;
    return fault_in(statement,
                    fmt::format("the strategy {} has no product {} to accumulate",
                                to_string(part.strategy), product),
                    legal);
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("compute_at_output", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::ComputeAtOutput>);
