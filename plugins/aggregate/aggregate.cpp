// aggregate: decides whether the lanes of a warp that add to one element first add up among
// themselves.
//
// Site: each part.
//
// Choices: in warps (true, the default), or each lane by itself (false).
//
// - `part:aggregate(in_warps)`: `in_warps` may be omitted if it is true.
//
// Effect: if all lanes of a warp add to the same element of an unknown, they first add up among
// themselves. One lane then adds the sum to memory, unless it is 0 (warp-aggregated atomics). This
// is tested at run time, and only where lanes may meet. They may meet if an index goes through a
// sparse map, since sorted graphs have runs of equal entries, or if it does not vary with the
// fastest loop variable. With false each lane adds to memory by itself. A parallel Sum with one
// value for all points is always aggregated.
//
// Legality: false is legal only if a product of the part scatters (see `compute_at_output`) and
// neighboring points may read the same element.
//
// Example:
//
// ```lua
// local r = Residuals { fit = X(x, y) - A(x, y, 0), near = X(x, y) - X(0, y) }
// r.near:aggregate(false)
// ```

#include <memory>
#include <string>

#include <fmt/format.h>

#include "core/kernel/construct_lowering.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/gather.h"
#include "core/schedule/roles.h"

namespace thallo {
namespace {

constexpr const char* InWarps = "in warps";
constexpr const char* EachLane = "each lane";

Expected<void> check_lanes(const Energy& energy, const Part& part) {
  if (scattering_roles(energy, part).empty())
    return fail("its products are gathered, nothing is added to memory");
  if (!neighbors_share_elements(energy, part))
    return fail("neighboring points read different elements of the unknowns");
  return {};
}

class Aggregate final : public Construct, public ConstructLowering {
 public:
  std::string_view name() const override { return "aggregate"; }
  std::string_view doc() const override {
    return "Whether the lanes of a warp that all add to one element add up among themselves first.";
  }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    const Part& part = *find_part(plan, site.name);
    return {{{InWarps, {}}}, {{EachLane, {}}, check_lanes(energy, part)}};
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return Toggle{.is_on_by_default = true};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    const char* what = choice.label == EachLane ? "r.{} has nothing to aggregate"
                                                : "additions of r.{} cannot be '{}'";
    return "aggregate: " + fmt::format(fmt::runtime(what), site.name, choice.label);
  }

  // Applies to the roles that scatter only. A role that gathers has the same kernel under either
  // choice, and may share it with another part.
  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    if (choice.label != EachLane) return;
    for (const Role role : scattering_roles(energy, *find_part(plan, site.name)))
      plan.extensions.push_back({this, site.name, {{"in_warps", false}}, role});
  }

  void lower(const PlannedExtension& /*extension*/, KernelProgram& /*program*/,
             Kernel& kernel) const override {
    // A kernel that adds nothing to memory is the same under either choice.
    if (adds_to_memory(kernel)) kernel.aggregates_in_warps = false;
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "aggregate"}};
  }

  Expected<Directive> read(const Energy& /*energy*/, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    THALLO_TRY(const auto part, part_in(statement, plan, names));
    THALLO_TRY(const auto flag, flag_argument(statement, true));
    return Directive{"aggregate", {SiteKind::Part, part->name}, {flag ? InWarps : EachLane, {}}};
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:aggregate({})", directive.site.name,
                       directive.choice.label == InWarps);
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("aggregate", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::Aggregate>);
