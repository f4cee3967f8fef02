// compute_at_output: where a product with J transposed is added up.
//
// Site: each product with Jt that a part has: `r.fit.JtF`, and for the linear iteration
// `r.fit.JtJp`, or `r.fit.Jt` if the strategy forms Jp first (`Jt[Jp]`, `[Jt][[J]p]`). A stored JtJ
// leaves none.
//
// Choices: at the residual (false, the default), or at the output (true).
//
// - `product:compute_at_output(at_output)`, `part:compute_at_output(at_output)`: without an
//   argument true. `r.fit.JtJp`, `r.fit.Jt` and the part itself all mean the one of JtJp and Jt
//   that the part has.
//
// Effect: at the residual, one thread for each residual point scatters its contributions with
// atomic additions. At the output, one thread for each element of the unknowns gathers from every
// residual point that reads the element: nothing is added twice and no atomic is needed, but what
// neighboring threads compute alike is computed again by each.
//
// Legality: at the output each access of the part to an unknown must have an inverse, which says at
// which residual points an element is read. A shift such as `X(x + 1, y)` has one. So has
// `P(V0(e))`, through a sparse map from one dim to one: the points that the map sends to an element
// are listed when it is bound. An access that reads the same element at many points has none.
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

#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

constexpr const char* AtResidual = "residual";
constexpr const char* AtOutput = "output";

// Returns the product with J transposed in a linear iteration of the part; null if JtJ is stored.
const char* product_with_p(const Part& part) {
  if (stores_jp(part.strategy)) return "Jt";
  return part.strategy == Strategy::JtJp ? "JtJp" : nullptr;
}

class ComputeAtOutput final : public Construct {
 public:
  std::string_view name() const override { return "compute_at_output"; }
  std::string_view doc() const override {
    return "Where a product of J transposed is accumulated: scattered at the residuals or gathered "
           "at the unknowns.";
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
    const Part& part = *find_part(plan, parse_member_name(site.name).part);
    return {{{AtResidual, {}}}, {{AtOutput, {}}, check_gather(energy, part.residuals)}};
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return Toggle{};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    if (choice.label == AtOutput)
      return fmt::format("compute_at_output: r.{} cannot be gathered", site.name);
    return fmt::format("compute_at_output: r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const auto [part_name, product] = parse_member_name(site.name);
    Part& part = *find_part(plan, part_name);
    ComputeAt& where = product == "JtF" ? part.jtf : product == "Jt" ? part.jt : part.jtjp;
    where = choice.label == AtOutput ? ComputeAt::Output : ComputeAt::Residual;
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "compute_at_output"},
            {ScheduleName::Kind::Product, "compute_at_output"}};
  }

  Expected<std::vector<Directive>> parse(
      const Energy& /*energy*/, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return fail(part.error());
      const auto flag = flag_argument(statement, true);
      if (!flag) return fail(flag.error());
      const auto product = product_of(statement, **part);
      if (!product) return fail(product.error());
      directives.push_back({"compute_at_output",
                            {SiteKind::Product, MemberName{(*part)->name, *product}.text()},
                            {*flag ? AtOutput : AtResidual, {}}});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:compute_at_output({})", directive.site.name,
                       directive.choice.label == AtOutput);
  }

 private:
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

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("compute_at_output", std::make_unique<ComputeAtOutput>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("compute_at_output", "1.0.0", "", thallo::register_into);
