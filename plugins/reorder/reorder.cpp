// reorder: decides the order of a part's loops.
//
// Site: each part that runs over more than one loop variable.
//
// Choices: every order of the part's loop variables. The default is the order of declaration. If a
// part has more than five, lists and searches only vary which is first.
//
// - `part:reorder{variable, ...}`: puts these loop variables first, the fastest of them first. The
//   others follow in the order of declaration.
// - `part:clear_reorder()`: restores the order of declaration.
//
// Effect: consecutive threads have consecutive values of the first loop variable. So the order
// decides which accesses to memory are coalesced and which additions stay within a warp.
//
// Legality: the loop variables belong to the part, and each is listed once. A statement about a
// part over one variable is legal and has no effect.
//
// Example:
//
// ```lua
// local r = Residuals { fit = X(x, y) - A(x, y, 0), near = X(x, y) - X(x + 1, y) }
// r.fit:reorder{y, x}
// r.near:reorder{y}
// r.near:clear_reorder()                           -- as declared after all
// ```

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// Parts over more variables have too many orders to list: 720 and more.
constexpr std::size_t MostPermuted = 5;

std::vector<std::string> names_of(const Energy& energy, const Part& part,
                                  const std::vector<DomainId>& domains) {
  std::vector<std::string> names;
  for (const DomainId domain : domains) names.push_back(domain_name(energy, part, domain));
  return names;
}

Ordering ordering_of(const Energy& energy, const Part& part) {
  return {names_of(energy, part, declared_domains(energy, part))};
}

class Reorder final : public Construct {
 public:
  std::string_view name() const override { return "reorder"; }
  std::string_view doc() const override { return "The order in which a part's domains run."; }
  Stage stage() const override { return Stage::Order; }

  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      if (declared_domains(energy, part).size() > 1) sites.push_back({SiteKind::Part, part.name});
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    const Part& part = *find_part(plan, site.name);
    const std::vector<DomainId>& first = declared_domains(energy, part);
    std::vector<Alternative> result = {{Ordering::choice(names_of(energy, part, first))}};
    std::vector<DomainId> order = first;
    if (order.size() > MostPermuted) {
      for (auto its = order.begin() + 1; its != order.end(); ++its) {
        std::rotate(order.begin(), its, its + 1);
        result.push_back({Ordering::choice(names_of(energy, part, order))});
        order = first;
      }
      return result;
    }
    std::ranges::sort(order);
    do {
      if (order != first) result.push_back({Ordering::choice(names_of(energy, part, order))});
    } while (std::ranges::next_permutation(order).found);
    return result;
  }
  std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                  const Choice& choice) const override {
    const auto order = ordering_of(energy, *find_part(plan, site.name)).order(choice);
    return order ? std::optional(Alternative{Ordering::choice(*order)}) : std::nullopt;
  }
  Choice default_choice(const Energy& energy, const Plan& plan, const Site& site) const override {
    return Ordering::choice(ordering_of(energy, *find_part(plan, site.name)).items);
  }
  Editor editor(const Energy& energy, const Plan& plan, const Site& site) const override {
    return ordering_of(energy, *find_part(plan, site.name));
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("reorder: the order of r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    Part& part = *find_part(plan, site.name);
    const Ordering ordering = ordering_of(energy, part);
    const std::vector<std::string> names = ordering.order(choice).value();
    part.order.clear();
    for (const std::string& name : names) {
      const auto position = std::ranges::find(ordering.items, name) - ordering.items.begin();
      part.order.push_back(declared_domains(energy, part)[static_cast<std::size_t>(position)]);
    }
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "reorder"}, {ScheduleName::Kind::Part, "clear_reorder"}};
  }

  Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      THALLO_TRY(const auto part, part_in(statement, plan, names));
      const std::vector<std::string> own = ordering_of(energy, *part).items;
      THALLO_TRY(const auto wanted, wanted_order(energy, *part, statement));
      std::vector<std::string> order;
      for (const std::string& name : wanted) {
        if (std::ranges::find(own, name) == own.end()) {
          return fault_in(statement,
                          fmt::format("r.{} does not run over '{}'{}", part->name, name,
                                      did_you_mean(name, own)),
                          own);
        }
        if (std::ranges::find(order, name) != order.end()) {
          return fault_in(statement, fmt::format("'{}' is listed twice", name), own);
        }
        order.push_back(name);
      }
      for (const std::string& name : own) {
        if (std::ranges::find(order, name) == order.end()) order.push_back(name);
      }
      // A part over fewer than two variables has only one order, so there is nothing to decide.
      if (own.size() > 1)
        directives.push_back({"reorder", {SiteKind::Part, part->name}, Ordering::choice(order)});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:reorder{{{}}}", directive.site.name, directive.choice.label);
  }

 private:
  // Returns no variables for clear_reorder(): those that are left out follow in declared order.
  static Expected<std::vector<std::string>> wanted_order(const Energy& energy, const Part& part,
                                                         const ScheduleStatement& statement) {
    if (statement.method == "reorder") return domain_arguments(energy, part, statement);
    THALLO_CHECK(no_argument(statement));
    return std::vector<std::string>();
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("reorder", "1.0.0", "", thallo::register_item<thallo::Construct, thallo::Reorder>);
