// sum_parallelize: decides whether one thread adds the points of a Sum, or many.
//
// Site: each Sum whose summand reads an unknown, including Sums inside of an intermediate. The Sums
// of a vector `v` are called `v_0`, `v_1` and so on. If an intermediate has the name of a Sum
// (`v:get(...)` of a Sum `v`), `.sched` files call the Sum by its hash, which `thallo print plan`
// shows.
//
// Choices: serial (false, the default), or parallel (true).
//
// - `v:parallelize(parallel)`: `parallel` may be omitted if it is true.
//
// Effect: the thread that needs a serial Sum computes it. A parallel Sum has a kernel of its own,
// with one thread for each point of the Sum, and its values are stored. An intermediate made of a
// parallel Sum reads these values, even if it is not stored itself.
//
// Legality: both choices are legal at every site.
//
// Example:
//
// ```lua
// blurred = Sum({k}, T(k) * X(x + k - 1, y))
// local r = Residuals { fit = blurred - A(x, y, 0) }
// blurred:parallelize(true)
// ```

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"

namespace thallo {
namespace {

constexpr const char* Serial = "serial";
constexpr const char* Parallel = "parallel";

// Says why a schedule cannot decide about a Sum of this name. If a Sum `v` has an intermediate
// `v:get(...)`, the intermediate takes the name and the Sum has another one.
std::string why_no_sum(const Energy& energy, const Plan& plan, const std::string& name,
                       const std::vector<std::string>& known) {
  for (const Intermediate& intermediate : energy.intermediates()) {
    if (energy.field(intermediate.field).name != name) continue;
    const std::vector<ExprId> nodes = nodes_behind(energy.data(), intermediate.values);
    std::vector<std::string> sums;
    for (const PlannedSum& sum : plan.sums) {
      if (std::ranges::binary_search(nodes, sum.sum)) sums.push_back(sum.name);
    }
    if (sums.empty()) break;
    return fmt::format("'{}' is an intermediate, made of the Sum{} {}", name,
                       sums.size() == 1 ? "" : "s", fmt::join(sums, ", "));
  }
  return fmt::format("no residual has a Sum '{}' that reads an unknown{}", name,
                     did_you_mean(name, known));
}

class SumParallelize final : public Construct {
 public:
  std::string_view name() const override { return "sum_parallelize"; }
  std::string_view doc() const override {
    return "Whether the points of a Sum are added by one thread or by many.";
  }
  Stage stage() const override { return Stage::Format; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const PlannedSum& sum : plan.sums) sites.push_back({SiteKind::Sum, sum.name});
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    return {{{Serial, {}}}, {{Parallel, {}}}};
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return Toggle{};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("parallelize: {} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    std::ranges::find(plan.sums, site.name, &PlannedSum::name)->is_parallel =
        choice.label == Parallel;
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Bare, "parallelize"}};
  }

  Expected<Directive> read(const Energy& energy, const Plan& plan, const PartNames& /*names*/,
                           const ScheduleStatement& statement) const override {
    std::vector<std::string> known;
    for (const PlannedSum& sum : plan.sums) known.push_back(sum.name);
    const std::string& name = statement.on.name;
    if (std::ranges::find(known, name) == known.end())
      return fault_in(statement, why_no_sum(energy, plan, name, known), known);
    THALLO_TRY(const auto flag, flag_argument(statement, true));
    return Directive{"sum_parallelize", {SiteKind::Sum, name}, {flag ? Parallel : Serial, {}}};
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("{}:parallelize({})", directive.site.name,
                       directive.choice.label == Parallel);
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("sum_parallelize", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::SumParallelize>);
