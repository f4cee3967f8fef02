// materialize: decides which parts of an intermediate are stored. The others are recomputed at
// every read.
//
// Site: each intermediate. The text stores one by `v:get(...)` or a `ComputedArray`, and it is
// named by `v`. Found intermediates are sites as `--sites` says. In the text of an energy, any `v`
// that residuals are made of is a site, over its own loop variables.
//
// Choices: nothing (the default), its values, its derivatives by the unknowns, or both.
//
// - `v:materialize{value=store, gradient=store}`: sets the flags that it names. `v:materialize()`
//   stores both.
// - `v:set_materialize(store)`, `v:set_gradient_materialize(store)`: the published spelling for
//   values and derivatives. `v:materializeJ()` also stores the derivatives.
//
// Effect: stored values are computed once in each nonlinear iteration, before the linear solve, by
// a kernel over the intermediate's own domains. All other values are recomputed at every read.
//
// Legality: derivatives can be stored if the intermediate reads an unknown and its derivatives are
// not all 0. A found intermediate can be stored if every read that may be outside of its domain is
// under a condition that excludes the outside.
//
// Example: the canonical and the published spelling. `r.shade.J:materialize()` is about a product;
// see `strategy`.
//
// ```lua
// shading = A(x, y, 0) * X(x, y)^2
// local r = Residuals { shade = shading:get(x, y) - shading:get(x + 1, y) }
// shading:materialize{value=true, gradient=true}
// r.shade.J:materialize()
// ```
//
// ```lua
// pose = PoseToMatrix(R(n), P(n))
// local r = Residuals { edge = rigid_trans(pose:get(V0(e)), Q(V1(e))) }
// pose:set_materialize(true)
// pose:set_gradient_materialize(true)
// ```
//
// ```lua
// local turned = AngleAxisRotatePoint(R(n), Q(n))
// local r = Residuals { fit = turned - P(n) }
// turned:materializeJ()
// ```

#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/energy_facts.h"

namespace thallo {
namespace {

Choice choice_of(Materialization stored) {
  return {std::string(to_string(stored)), {{"value", stored.value}, {"gradient", stored.gradient}}};
}

class MaterializeConstruct final : public Construct {
 public:
  std::string_view name() const override { return "materialize"; }
  std::string_view doc() const override {
    return "Whether values and derivatives of an intermediate are stored or recomputed.";
  }
  Stage stage() const override { return Stage::Intermediates; }

  std::vector<Site> sites(const Energy& energy, const Plan& /*plan*/) const override {
    std::vector<Site> sites;
    for (const Intermediate& intermediate : energy.intermediates()) {
      sites.push_back({SiteKind::Intermediate, energy.field(intermediate.field).name});
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& /*plan*/,
                                        const Site& site) const override {
    const Expected<void>& gradient =
        check_gradient(energy, position_of_intermediate(energy, site.name));
    return {{choice_of({})},
            {choice_of({.value = true})},
            {choice_of({.gradient = true}), gradient},
            {choice_of({.value = true, .gradient = true}), gradient}};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("materialize: {} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    Materialization& stored = plan.intermediates[position_of_intermediate(energy, site.name)];
    stored.value = choice.args.value_or("value", false);
    stored.gradient = choice.args.value_or("gradient", false);
  }

  std::vector<Spelling> spellings() const override {
    using Kind = ScheduleName::Kind;
    return {{Kind::Bare, "materialize"},
            {Kind::Bare, "set_materialize"},
            {Kind::Bare, "set_gradient_materialize"},
            {Kind::Bare, "materializeJ"}};
  }

  Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& /*plan*/, PartNames& /*names*/,
      std::span<const ScheduleStatement> statements) const override {
    std::map<std::string, Materialization> wanted;
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      THALLO_TRY(const auto site, intermediate_in(statement, energy));
      const std::string& name = site.name;
      THALLO_CHECK(read_flags(statement, wanted[name]));
      directives.push_back({"materialize", site, choice_of(wanted[name])});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("{}:materialize{{value={}, gradient={}}}", directive.site.name,
                       directive.choice.args.value_or("value", false),
                       directive.choice.args.value_or("gradient", false));
  }

 private:
  // Reads materialize{value=, gradient=}. materialize() stores both; the other methods set one
  // flag.
  static Expected<void> read_flags(const ScheduleStatement& statement, Materialization& stored) {
    const bool is_keyed = !statement.arguments.empty() && !statement.arguments.front().key.empty();
    if (!is_keyed) {
      THALLO_TRY(const auto flag, flag_argument(statement, true));
      const bool is_of_gradient =
          statement.method == "set_gradient_materialize" || statement.method == "materializeJ";
      if (!is_of_gradient) stored.value = flag;
      if (statement.method != "set_materialize") stored.gradient = flag;
      return {};
    }
    for (const ScheduleArgument& argument : statement.arguments) {
      const bool* flag = std::get_if<bool>(&argument.value);
      if (flag == nullptr || (argument.key != "value" && argument.key != "gradient")) {
        return fault_in(statement, "takes true or false for value, for gradient or for both",
                        {"value=true", "value=false", "gradient=true", "gradient=false"});
      }
      (argument.key == "value" ? stored.value : stored.gradient) = *flag;
    }
    return {};
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("materialize", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::MaterializeConstruct>);
