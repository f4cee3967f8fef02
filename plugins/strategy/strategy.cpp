// strategy: how a part's share of JtJ p is formed, and what of it is stored before the inner loop.
//
//   r.fit:strategy("[JtJ]p")
//   r.fit.J:set_materialize(true)     published: flags for J, JtJ and Jp, taken together
//   r.fit:materializeJtJ()
//
//   J   JtJ  Jp
//   -   -    -    JtJp             everything is recomputed
//   -   -    x    Jt[Jp]           Jp is stored in every linear iteration
//   -   x    -    [JtJ]p
//   x   -    any  [Jt][[J]p]
//   x   x    -    [[Jt][J]]p
//
// A JtJ is stored as diagonals where its entries are at fixed offsets, else dense; see `storage`.

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"

namespace thallo {
namespace {

constexpr std::array AllStrategies = {Strategy::JtJp, Strategy::StoredJp, Strategy::StoredJtJ,
                                      Strategy::StoredJ, Strategy::StoredJtJOfStoredJ};

const Strategy* find_strategy(std::string_view label) {
  const auto found =
      std::ranges::find(AllStrategies, label, [](Strategy s) { return to_string(s); });
  return found == AllStrategies.end() ? nullptr : &*found;
}

Choice choice_of(Strategy strategy) { return {std::string(to_string(strategy)), {}}; }

struct Flags {
  bool j = false;
  bool jtj = false;
  bool jp = false;
};

class StrategyConstruct final : public Construct {
 public:
  std::string_view name() const override { return "strategy"; }
  std::string_view doc() const override {
    return "How JtJ p is formed, and what is stored for it.";
  }
  Stage stage() const override { return Stage::Strategy; }
  EditorHint editor() const override { return EditorHint::OneOf; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
    return sites;
  }

  std::vector<Choice> choices(const Energy& /*energy*/, const Plan& /*plan*/,
                              const Site& /*site*/) const override {
    std::vector<Choice> result;
    for (const Strategy strategy : AllStrategies) result.push_back(choice_of(strategy));
    return result;
  }

  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const override {
    return check_offered(choices(energy, plan, site), choice,
                         fmt::format("strategy of r.{}", site.name));
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    find_part(plan, site.name)->strategy = *find_strategy(choice.label);
  }

  std::vector<Spelling> spellings() const override {
    using Kind = ScheduleName::Kind;
    return {{Kind::Part, "strategy"},           {Kind::Product, "materialize"},
            {Kind::Product, "set_materialize"}, {Kind::Part, "materializeJ"},
            {Kind::Part, "materializeJtJ"},     {Kind::Part, "materializeJp"}};
  }

  Expected<std::vector<Directive>> parse(
      const Energy& /*energy*/, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::map<std::string, Flags> flags;
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return tl::unexpected(part.error());
      if (statement.method == "strategy") {
        const auto label = text_argument(statement, "\"[JtJ]p\" for example");
        if (!label) return tl::unexpected(label.error());
        directives.push_back(directive((*part)->name, *label));
        continue;
      }
      if (auto set = set_flag(statement, flags[(*part)->name]); !set) {
        return tl::unexpected(set.error());
      }
    }
    for (const auto& [part, f] : flags) {
      if (f.jtj && f.jp) {
        return fault_in(statements.back(),
                        fmt::format("r.{}: a stored JtJ leaves no Jp to store; drop one", part));
      }
      const Strategy strategy = f.j && f.jtj ? Strategy::StoredJtJOfStoredJ
                                : f.j        ? Strategy::StoredJ
                                : f.jtj      ? Strategy::StoredJtJ
                                : f.jp       ? Strategy::StoredJp
                                             : Strategy::JtJp;
      directives.push_back(directive(part, to_string(strategy)));
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:strategy(\"{}\")", directive.site.name, directive.choice.label);
  }

 private:
  static Directive directive(const std::string& part, std::string_view label) {
    return {"strategy", {SiteKind::Part, part}, {std::string(label), {}}};
  }

  static Expected<void> set_flag(const ScheduleStatement& statement, Flags& flags) {
    constexpr std::string_view of_part = "materialize";
    const bool on_part = statement.on.kind == ScheduleName::Kind::Part;
    const std::string product =
        on_part ? statement.method.substr(of_part.size()) : statement.on.product;
    // set_materialize() without an argument is "off" in the published system; there is no reason to
    // write that, so that it is taken for a mistake.
    if (statement.method == "set_materialize" && statement.arguments.empty()) {
      return fault_in(statement, "takes true or false", {"true", "false"});
    }
    const auto value = flag_argument(statement, true);
    if (!value) return tl::unexpected(value.error());
    if (product == "J") {
      flags.j = *value;
    } else if (product == "JtJ") {
      flags.jtj = *value;
    } else if (product == "Jp") {
      flags.jp = *value;
    } else {
      return fault_in(statement, fmt::format("{} is not stored", product), {"J", "JtJ", "Jp"});
    }
    return {};
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("strategy", std::make_unique<StrategyConstruct>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("strategy", "1.0.0", "", thallo::register_into);
