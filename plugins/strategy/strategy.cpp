// strategy: decides how a part computes its share of JtJp, and which products it stores.
//
// Site: each part.
//
// Choices: one of five strategies. Products in brackets are stored: Jp in every linear iteration, J
// and JtJ before the first.
//
// | strategy | flags | meaning |
// |---|---|---|
// | `"JtJp"` | | everything is recomputed; the default |
// | `"Jt[Jp]"` | Jp | two kernels, the first of which stores Jp |
// | `"[JtJ]p"` | JtJ | one product with a stored matrix |
// | `"[Jt][[J]p]"` | J, with Jp or without | two products with a stored matrix |
// | `"[[Jt][J]]p"` | J, JtJ | one product with a JtJ made from a stored J |
//
// - `part:strategy(text)`: the canonical form. It sets all three flags as in the table.
// - `part:materializeJ(store)`, `part:materializeJtJ(store)`, `part:materializeJp(store)`: the
//   published spelling. Each sets one flag, and so do `product:materialize(store)` and
//   `product:set_materialize(store)` of `r.fit.J`, `r.fit.JtJ` and `r.fit.Jp`. `store` may be
//   omitted if it is true, except in `set_materialize`.
//
// The flags of a part together make its strategy. The last statement about a flag counts. So a
// strategy replaces the flags above it, and flags below it change the strategy.
//
// Effect: J and JtJ that are stored are computed once for all linear iterations. Products that are
// not stored are computed anew in each. `storage` decides their format in memory.
//
// Legality: every strategy is legal at every part. The flags JtJ and Jp exclude each other, because
// a stored JtJ needs no Jp. `thallo explain choices` says which strategies exceed `--memory-limit`
// in every format.
//
// Example:
//
// ```lua
// local r = Residuals {
//   fit  = X(x, y) - A(x, y, 0),
//   near = X(x, y) - X(x + 1, y),
//   edge = P(V0(e)) - P(V1(e)),
// }
// r.fit:strategy("[JtJ]p")
// r.near:materializeJ():materializeJtJ():materializeJp(false)
// r.edge.Jp:set_materialize(true)
// ```

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/storage_limit.h"

namespace thallo {
namespace {

const Strategy* find_strategy(std::string_view label) {
  const auto found =
      std::ranges::find(AllStrategies, label, [](Strategy s) { return to_string(s); });
  return found == AllStrategies.end() ? nullptr : &*found;
}

Choice choice_of(Strategy strategy) { return {std::string(to_string(strategy)), {}}; }

// Whether a product of a part is stored, according to the statements so far, and the last
// statements that said so.
struct Flag {
  bool is_set = false;
  const ScheduleStatement* said = nullptr;
};
struct Flags {
  Flag j;
  Flag jtj;
  Flag jp;

  bool conflict() const { return jtj.is_set && jp.is_set; }
};

Flags flags_of(Strategy strategy, const ScheduleStatement& said) {
  // A stored J needs no separate flag for its Jp.
  return {.j = {stores_j(strategy), &said},
          .jtj = {stores_jtj(strategy), &said},
          .jp = {strategy == Strategy::StoredJp, &said}};
}

Strategy strategy_of(const Flags& flags) {
  if (flags.j.is_set) return flags.jtj.is_set ? Strategy::StoredJtJOfStoredJ : Strategy::StoredJ;
  if (flags.jtj.is_set) return Strategy::StoredJtJ;
  return flags.jp.is_set ? Strategy::StoredJp : Strategy::JtJp;
}

class StrategyConstruct final : public Construct {
 public:
  std::string_view name() const override { return "strategy"; }
  std::string_view doc() const override {
    return "How JtJ p is formed, and what is stored for it.";
  }
  Stage stage() const override { return Stage::Strategy; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& plan,
                                        const Site& site) const override {
    std::vector<Alternative> result;
    for (const Strategy strategy : AllStrategies) result.push_back({choice_of(strategy)});
    if (plan.limit == nullptr) return result;
    for (Alternative& alternative : result) {
      Plan with = plan;
      find_part(with, site.name)->strategy = *find_strategy(alternative.choice.label);
      alternative.legal = check_limit(with, 0);  // formats are decided later
    }
    return result;
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("strategy of r.{} cannot be '{}'", site.name, choice.label);
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
    std::map<std::string, Flags> flags_of_parts;
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      THALLO_TRY(const auto part, part_in(statement, plan, names));
      Flags& flags = flags_of_parts[part->name];
      if (statement.method == "strategy") {
        THALLO_TRY(const auto label, text_argument(statement, "\"[JtJ]p\" for example"));
        if (const Strategy* strategy = find_strategy(label)) flags = flags_of(*strategy, statement);
        directives.push_back(directive(part->name, label));
        continue;
      }
      THALLO_CHECK(set_flag(statement, flags));
      // A conflict may be resolved by a later statement.
      if (!flags.conflict())
        directives.push_back(directive(part->name, to_string(strategy_of(flags))));
    }
    for (const auto& [part, flags] : flags_of_parts) {
      if (flags.conflict()) return refuse_both(part, flags);
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

  // Blames the later of the two statements, which belong to one list.
  static tl::unexpected<Diagnostic> refuse_both(const std::string& part, const Flags& flags) {
    return fault_in(*std::max(flags.jtj.said, flags.jp.said),
                    fmt::format("a stored JtJ of r.{} leaves no Jp to store; drop one", part),
                    {fmt::format("r.{}:materializeJtJ(false)", part),
                     fmt::format("r.{}:materializeJp(false)", part)});
  }

  static Expected<void> set_flag(const ScheduleStatement& statement, Flags& flags) {
    constexpr std::string_view prefix = "materialize";
    const bool on_part = statement.on.kind == ScheduleName::Kind::Part;
    const std::string product =
        on_part ? statement.method.substr(prefix.size()) : statement.on.product;
    // In the published system, set_materialize() without an argument means "off". There is no
    // reason to write that, so it is treated as a mistake.
    if (statement.method == "set_materialize" && statement.arguments.empty()) {
      return fault_in(statement, "takes true or false", {"true", "false"});
    }
    THALLO_TRY(const auto value, flag_argument(statement, true));
    const Flag flag = {value, &statement};
    if (product == "J") {
      flags.j = flag;
    } else if (product == "JtJ") {
      flags.jtj = flag;
    } else if (product == "Jp") {
      flags.jp = flag;
    } else {
      const auto of_part = [&](const char* stored) {
        return fmt::format("r.{}.{}", statement.on.name, stored);
      };
      return fault_in(statement, fmt::format("{} is not stored", product),
                      {of_part("J"), of_part("JtJ"), of_part("Jp")});
    }
    return {};
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("strategy", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::StrategyConstruct>);
