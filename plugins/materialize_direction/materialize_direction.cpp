// materialize_direction: decides whether a linear iteration differentiates an intermediate once for
// each of its points, or at every read.
//
// Site: each intermediate that `materialize` decides about.
//
// Choices: at every read (false, the default), or once (true).
//
// - `v:materialize_direction(once)`: `once` may be omitted if it is true.
//
// Effect: with true, each linear iteration has three more short kernels. The first runs over the
// intermediate's domains and stores its derivative in the direction p. Jp then reads this
// derivative instead of p, and JtJp adds its contributions at the points of the intermediate. The
// last kernel passes these sums on to the unknowns. This saves operations if many residuals read
// one point. For example, the rotation of a camera is differentiated once, not at each observation.
// But the additions to the intermediate took longer on a GPU than the saved operations
// (docs/measurements.md). JtF and stored products do not change.
//
// Legality: the intermediate depends on an unknown, and some part applies JtJ without a stored J or
// JtJ. If the linear solver eliminates this unknown, the choice has no effect.
//
// Example:
//
// ```lua
// shading = A(x, y, 0) * X(x, y)^2
// local r = Residuals { shade = shading:get(x, y) - shading:get(x + 1, y) }
// shading:materialize_direction()
// ```

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/energy_facts.h"

namespace thallo {
namespace {

constexpr const char* AtEveryRead = "at every read";
constexpr const char* Once = "once";

Expected<void> check_once(const Energy& energy, const Plan& plan, std::size_t intermediate) {
  if (const auto& gradient = check_gradient(energy, intermediate); !gradient) return gradient;
  const bool is_applied = std::ranges::any_of(plan.parts, [](const Part& part) {
    return !stores_j(part.strategy) && !stores_jtj(part.strategy);
  });
  if (!is_applied) return fail("every part stores J or JtJ");
  return {};
}

class MaterializeDirection final : public Construct {
 public:
  std::string_view name() const override { return "materialize_direction"; }
  std::string_view doc() const override {
    return "Whether a linear iteration takes the way through an intermediate once for each of its "
           "points, or at every read.";
  }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& energy, const Plan& /*plan*/) const override {
    std::vector<Site> sites;
    for (const Intermediate& intermediate : energy.intermediates())
      sites.push_back({SiteKind::Intermediate, energy.field(intermediate.field).name});
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    return {{{AtEveryRead, {}}},
            {{Once, {}}, check_once(energy, plan, position_of_intermediate(energy, site.name))}};
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return Toggle{};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("materialize_direction: the way through {} cannot be taken {}", site.name,
                       choice.label);
  }

  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    plan.intermediates[position_of_intermediate(energy, site.name)].direction =
        choice.label == Once;
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Bare, "materialize_direction"}};
  }

  Expected<Directive> read(const Energy& energy, const Plan& /*plan*/, const PartNames& /*names*/,
                           const ScheduleStatement& statement) const override {
    THALLO_TRY(const auto site, intermediate_in(statement, energy));
    THALLO_TRY(const auto flag, flag_argument(statement, true));
    return Directive{"materialize_direction", site, {flag ? Once : AtEveryRead, {}}};
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("{}:materialize_direction({})", directive.site.name,
                       directive.choice.label == Once);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("materialize_direction",
                                  std::make_unique<MaterializeDirection>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("materialize_direction", "1.0.0", "", thallo::register_into);
