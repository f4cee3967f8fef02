// split_merge: decides which residuals form a part. A part is scheduled as a whole.
//
// Site: each residual. Its name is its group and its number there: `fit[1]`, `smooth[2]`.
//
// Choices: a residual stays in the part of the previous residual of its group, starts a part, or
// joins the part of another residual. By default each group of residuals is one part. A printed
// schedule always names an earlier residual.
//
// - `group:split_merge{[number]=placement}`: the canonical form. `"new"` starts a part with the
//   residual of this number and the later ones of its group. `"fit[1]"` moves these residuals to
//   the part of `fit[1]`. `"stay"` is the default.
// - `r:merge(a, b)`: moves the residuals of the part `b` to the part `a`, and returns this part. It
//   is now called `a_b`, and also `a`. Statements about `a`, above or below, apply to the merged
//   part. Statements about `b` are refused, above or below, because the part `b` no longer exists.
// - `r:split(part, first, last)`: moves the residuals `first` to `last` to a new part, which keeps
//   the statements about the part so far. Residuals count from 1. Without `last` only `first`
//   moves. Returns the new part, `part_first_last` or `part_first`, and the rest. The rest keeps
//   its name in the text. `thallo print schedule` names it after the remaining residuals, `a_2`.
// - `r:full_split(part)`: makes each residual a part, `part_1`, `part_2` and so on. Statements
//   about these parts must be below this one. The part that was split no longer exists.
//
// Effect: a part has one kernel for each product, and its own decisions. Merged residuals share
// loads and additions. Split residuals can be scheduled differently. Statements take effect in the
// order written. A printed schedule lists residuals in the order of the energy. Parts are named
// after their members: `fit_reg`, `reg_2`.
//
// Legality: the residuals of a part run over the same dims. Names of parts are unique: `a` and `b`
// cannot be merged beside a group called `a_b`.
//
// Example: merging. The second text has the canonical form.
//
// ```lua
// local r = Residuals {
//   fit  = X(x, y) - A(x, y, 0),
//   near = X(x, y) - X(x + 1, y),
//   far  = X(x, y) - X(x + 2, y),
// }
// local both = r:merge(r.near, r.far)
// both:reorder{y, x}
// r.near_far.J:set_materialize(true)               -- the same part
// ```
//
// ```lua
// local r = Residuals {
//   fit    = X(x, y) - A(x, y, 0),
//   smooth = {X(x, y) - X(x + 1, y), X(x, y) - X(x, y + 1)},
// }
// r.smooth:split_merge{[1]="fit[1]", [2]="new"}
// ```
//
// Splitting:
//
// ```lua
// local r = Residuals {
//   fit    = X(x, y) - A(x, y, 0),
//   smooth = {X(x, y) - X(x + 1, y), X(x, y) - X(x, y + 1), X(x, y) - X(x + 1, y + 1)},
// }
// local axes, diagonal = r:split(r.smooth, 1, 2)
// axes:compute_at_output(true)
// diagonal.J:set_materialize(true)
// r.smooth_1_2:reorder{y, x}                       -- axes
// ```
//
// ```lua
// local r = Residuals { smooth = {X(x, y) - X(x + 1, y), X(x, y) - X(x, y + 1)} }
// r:full_split(r.smooth)
// r.smooth_2:reorder{y, x}
// ```

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/plan_names.h"
#include "plugins/split_merge/move.h"
#include "plugins/split_merge/partition.h"
#include "plugins/split_merge/statements.h"

namespace thallo {
namespace {

constexpr const char* Stay = "stay";
constexpr const char* New = "new";
constexpr std::string_view With = "with ";

Choice stay() { return {Stay, {}}; }
Choice start_new() { return {New, {}}; }
Choice with_part(const Energy& energy, ResidualRef target) {
  const std::string name = residual_name(energy, target);
  return {fmt::format("{}{}", With, name), {{"with", name}}};
}

Directive directive_at(const Energy& energy, ResidualRef residual, Choice choice) {
  return {"split_merge", {SiteKind::Residual, residual_name(energy, residual)}, std::move(choice)};
}

// Returns the decisions that differ from the default partition, and those at the residuals that a
// text has placed.
std::vector<Directive> directives_of(const Energy& energy, const Partition& partition,
                                     const std::set<ResidualRef>& placed = {}) {
  std::vector<Directive> result;
  for (const ResidualRef residual : all_residuals(energy)) {
    const ResidualRef first = partition.first_with(residual);
    const bool starts_part = first == residual;
    const bool starts_group = residual.residual == 0;
    const bool stays =
        !starts_group && partition.are_together(residual, {residual.group, residual.residual - 1});
    const bool is_default = stays || (starts_group && starts_part);
    if (is_default && !placed.contains(residual)) continue;
    result.push_back(directive_at(energy, residual,
                                  stays         ? stay()
                                  : starts_part ? start_new()
                                                : with_part(energy, first)));
  }
  return result;
}

Choice default_of(ResidualRef residual) { return residual.residual == 0 ? start_new() : stay(); }

// True if the residual before it in its group is in the part.
bool follows(const Plan& plan, ResidualRef residual, const Part& part) {
  return residual.residual > 0 && &part == &part_of(plan, {residual.group, residual.residual - 1});
}

// Returns the places where the residual of the site can go, the default first.
Placement placement_at(const Energy& energy, const Plan& plan, const Site& site) {
  const ResidualRef residual = *find_residual(energy, site.name);
  std::vector<Placement::Place> places = {{start_new(), {}}};
  for (const Part& part : plan.parts) {
    const ResidualRef first = part.residuals.front();
    if (first >= residual) continue;
    Placement::Place place{with_part(energy, first), {}};
    for (const ResidualRef member : part.residuals) {
      if (member < residual) place.with.push_back(residual_name(energy, member));
    }
    if (follows(plan, residual, part)) {
      place.choice = stay();
      places.insert(places.begin(), std::move(place));
    } else {
      places.push_back(std::move(place));
    }
  }
  return {std::move(places)};
}

class SplitMerge final : public Construct {
 public:
  std::string_view name() const override { return "split_merge"; }
  std::string_view doc() const override { return "Which residuals are scheduled together."; }
  Stage stage() const override { return Stage::Partition; }

  std::vector<Site> sites(const Energy& energy, const Plan& /*plan*/) const override {
    std::vector<Site> sites;
    for (const ResidualRef residual : all_residuals(energy)) {
      sites.push_back({SiteKind::Residual, residual_name(energy, residual)});
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    const ResidualRef residual = *find_residual(energy, site.name);
    const std::size_t from = position_of(plan, residual);
    const MoveCheck moves(energy, plan);
    // The default changes nothing, so it is always legal.
    std::vector<Alternative> result = {{default_of(residual)}};
    if (residual.residual > 0) result.push_back({start_new(), moves.check(residual, from, {})});
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      const ResidualRef first = plan.parts[p].residuals.front();
      if (first < residual && !follows(plan, residual, plan.parts[p]))
        result.push_back({with_part(energy, first), moves.check(residual, from, p)});
    }
    return result;
  }
  // Looks at this one choice only: to list and check all others takes long if there are many parts.
  std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                  const Choice& choice) const override {
    const ResidualRef residual = *find_residual(energy, site.name);
    const Choice stays = default_of(residual);
    if (choice.label == stays.label) return Alternative{stays};
    const MoveCheck moves(energy, plan);
    const std::size_t from = position_of(plan, residual);
    if (choice.label == New) return Alternative{start_new(), moves.check(residual, from, {})};
    if (!choice.label.starts_with(With)) return {};
    const auto target = find_residual(energy, choice.label.substr(With.size()));
    if (!target || *target >= residual) return {};
    const std::size_t to = position_of(plan, *target);
    const Part& part = plan.parts[to];
    if (*target != part.residuals.front() || follows(plan, residual, part)) return {};
    return Alternative{with_part(energy, *target), moves.check(residual, from, to)};
  }
  Choice default_choice(const Energy& energy, const Plan& /*plan*/,
                        const Site& site) const override {
    return default_of(*find_residual(energy, site.name));
  }
  Editor editor(const Energy& energy, const Plan& plan, const Site& site) const override {
    return placement_at(energy, plan, site);
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    if (choice.args.has("with") || choice.label == New) {
      return fmt::format("split_merge: {} cannot be {}", site.name,
                         choice.label == New ? "in a part of its own" : choice.label);
    }
    return fmt::format("split_merge: {} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const ResidualRef residual = *find_residual(energy, site.name);
    std::optional<std::size_t> to;
    if (const auto with = choice.args.find<std::string>("with"))
      to = position_of(plan, *find_residual(energy, *with));
    Move move = move_of(plan, residual, position_of(plan, residual), to);
    const auto change = [&energy](Part& part, std::vector<ResidualRef> residuals) {
      part.name = part_name(energy, residuals);
      part.residuals = std::move(residuals);
    };
    if (move.to) {
      change(plan.parts[*move.to], std::move(move.joined));
    } else {
      plan.parts.push_back({.order = energy.groups()[move.joined.front().group].domains});
      change(plan.parts.back(), std::move(move.joined));
    }
    if (!move.left.empty())
      change(plan.parts[move.from], std::move(move.left));
    else if (move.to != move.from)
      plan.parts.erase(plan.parts.begin() + static_cast<std::ptrdiff_t>(move.from));
    const auto first = [](const Part& part) { return part.residuals.front(); };
    if (!std::ranges::is_sorted(plan.parts, {}, first)) std::ranges::sort(plan.parts, {}, first);
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "split_merge"},
            {ScheduleName::Kind::Energy, "merge"},
            {ScheduleName::Kind::Energy, "split"},
            {ScheduleName::Kind::Energy, "full_split"}};
  }

  Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& /*plan*/, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    Partition partition(energy);
    std::set<ResidualRef> placed;
    PartsByName given;
    PartsByName known = names_in(energy, partition, given);
    for (const ScheduleStatement& statement : statements) {
      const Partition before = partition;
      PartsByName added;
      THALLO_CHECK(
          statement.method == "split_merge" ? read_placement(energy, statement, partition, placed)
          : statement.method == "merge"     ? read_merge(energy, statement, known, partition, added)
                                        : read_split(energy, statement, known, partition, added));
      for (const auto& [name, residual] : added) {
        if (const auto other = known.find(name); other != known.end()) {
          const std::vector<ResidualRef> called = before.members_with(other->second);
          if (std::ranges::find(called, residual) == called.end())
            return refuse_name(energy, statement, name, called, residual, partition);
        }
        given.insert_or_assign(name, residual);
      }
      PartsByName left = names_in(energy, partition, given);
      for (const auto& [name, residual] : known) {
        if (!left.contains(name)) names.retire(name, statement);
      }
      known = std::move(left);
    }
    for (const auto& [name, residual] : given) names.add(name, residual);
    return directives_of(energy, partition, placed);
  }

  std::string print(const Directive& directive) const override {
    const std::string& residual = directive.site.name;
    const std::size_t bracket = residual.find('[');
    const auto with = directive.choice.args.find<std::string>("with");
    return fmt::format("r.{}:split_merge{{{}=\"{}\"}}", residual.substr(0, bracket),
                       residual.substr(bracket), with.value_or(directive.choice.label));
  }

 private:
  // Names for the parts, as used in schedule text. Names given by the user win over generated ones.
  static PartsByName names_in(const Energy& energy, const Partition& partition,
                              const PartsByName& given) {
    PartsByName names = given;
    for (const ResidualRef first : partition.parts())
      names.emplace(part_name(energy, partition.members_with(first)), first);
    return names;
  }

  // Refuses a statement that would give the part of `residual` the name that the part of `called`
  // already has.
  tl::unexpected<Diagnostic> refuse_name(const Energy& energy, const ScheduleStatement& statement,
                                         const std::string& name,
                                         const std::vector<ResidualRef>& called,
                                         ResidualRef residual, const Partition& partition) const {
    const std::string what = fmt::format(
        "the part of {} would be called r.{}, as that of {} is already",
        names_of(energy, partition.members_with(residual)), name, names_of(energy, called));
    const bool is_group =
        std::ranges::find(energy.groups(), name, &ResidualGroup::name) != energy.groups().end();
    if (is_group)
      return fault_in(statement, fmt::format("{}; give the group {} another name", what, name));
    std::vector<std::string> placements;
    for (const Directive& directive : directives_of(energy, partition))
      placements.push_back(print(directive));
    return fault_in(statement, what, {fmt::format("{}", fmt::join(placements, " "))});
  }

  // Lists all legal placements of a residual.
  std::vector<std::string> placements(const Energy& energy, ResidualRef residual,
                                      const Partition& partition) const {
    std::vector<Choice> choices;
    if (residual.residual > 0) choices.push_back(stay());
    choices.push_back(start_new());
    for (const ResidualRef first : partition.parts()) {
      const bool is_own = partition.members_with(first) == partition.members_with(residual);
      if (!is_own && dims_of(energy, first.group) == dims_of(energy, residual.group))
        choices.push_back(with_part(energy, first));
    }
    return written(directive_at(energy, residual, stay()).site, choices);
  }

  // Reads r.reg:split_merge{[2]="new", [3]="fit[1]"} and adds its residuals to `placed`.
  Expected<void> read_placement(const Energy& energy, const ScheduleStatement& statement,
                                Partition& partition, std::set<ResidualRef>& placed) const {
    constexpr std::string_view Wanted =
        "takes where residuals go by their numbers, {[2]=\"new\", [3]=\"fit[1]\"}";
    if (statement.arguments.empty()) return fault_in(statement, Wanted);
    for (const ScheduleArgument& argument : statement.arguments) {
      const std::string* where = std::get_if<std::string>(&argument.value);
      if (where == nullptr || !argument.key.empty()) {
        return fault_in(statement, Wanted);
      }
      const auto residual =
          find_residual(energy, fmt::format("{}[{}]", statement.on.name, argument.position));
      if (!residual) {
        std::vector<std::string> groups;
        for (const std::string& group : residual.error().alternatives)
          groups.push_back("r." + group);
        return fault_in(statement, residual.error().what, std::move(groups));
      }
      placed.insert(*residual);
      const std::vector<ResidualRef> movers = partition.followers(*residual);
      if (*where == New) {
        partition.separate(movers);
      } else if (*where == Stay) {
        if (residual->residual > 0)
          partition.join(movers, {residual->group, residual->residual - 1});
      } else {
        const auto target = find_residual(energy, *where);
        if (!target) return fault_in(statement, target.error().what, target.error().alternatives);
        if (dims_of(energy, target->group) != dims_of(energy, residual->group)) {
          return fault_in(statement,
                          fmt::format("{} cannot be with {}: {}", residual_name(energy, *residual),
                                      *where, other_dims(energy, *residual, *target)),
                          placements(energy, *residual, partition));
        }
        partition.join(movers, *target);
      }
    }
    return {};
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("split_merge", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::SplitMerge>);
