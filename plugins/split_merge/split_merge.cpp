// split_merge: which residuals are scheduled together. A part has one kernel per product and its
// own decisions; merging shares loads and additions, splitting lets residuals differ.
//
// Residuals are placed one after the other, in the order of the energy: each stays with the one
// before it in its group (the first of a group has a new part), starts a new part, or joins the
// part of an earlier residual that runs over the same dims.
//
//   r.reg:split_merge{[2]="new"}         the second residual of reg starts a part
//   r.reg:split_merge{[1]="fit[1]"}      reg joins the part of fit's first residual
//   r:merge(r.fit, r.reg)                the same, in the published spelling
//   r:split(r.reg, 1, 2)                 residuals 1 to 2 of the part leave it
//   r:full_split(r.reg)                  a part for each residual
//
// Parts are named after their members, "fit_reg", "reg_2"; two cannot have one name.

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/plan_names.h"
#include "plugins/split_merge/partition.h"

namespace thallo {
namespace {

constexpr const char* Stay = "stay";
constexpr const char* New = "new";

std::vector<DimId> dims_of(const Energy& energy, ResidualRef residual) {
  std::vector<DimId> dims;
  for (const DomainId domain : energy.groups()[residual.group].domains)
    dims.push_back(energy.graph().indices().domain(domain).dim);
  return dims;
}

std::string names_of(const Energy& energy, const std::vector<ResidualRef>& residuals) {
  std::vector<std::string> names;
  for (const ResidualRef residual : residuals) names.push_back(residual_name(energy, residual));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Residuals that one kernel cannot run over: why, for people.
std::string other_dims(const Energy& energy, ResidualRef residual, ResidualRef target) {
  return fmt::format("they run over different dims, {} and {}",
                     domains_text(energy, energy.groups()[residual.group].domains),
                     domains_text(energy, energy.groups()[target.group].domains));
}

// Two parts that would have one name, if there are any: why that cannot be, for people.
std::optional<std::string> double_name(const Energy& energy, const Plan& plan) {
  std::map<std::string_view, const Part*> parts;
  for (const Part& part : plan.parts) {
    const auto [other, is_new] = parts.emplace(part.name, &part);
    if (is_new) continue;
    return fmt::format("two parts would be called r.{}, that of {} and that of {}", part.name,
                       names_of(energy, other->second->residuals),
                       names_of(energy, part.residuals));
  }
  return {};
}

Choice stay() { return {Stay, {}}; }
Choice start_new() { return {New, {}}; }
Choice with_part(const Energy& energy, ResidualRef target) {
  const std::string name = residual_name(energy, target);
  return {"with " + name, {{"with", name}}};
}

Directive directive_at(const Energy& energy, ResidualRef residual, Choice choice) {
  return {"split_merge", {SiteKind::Residual, residual_name(energy, residual)}, std::move(choice)};
}

// What of the partition is not the default.
std::vector<Directive> directives_of(const Energy& energy, const Partition& partition) {
  std::vector<Directive> result;
  for (const ResidualRef residual : all_residuals(energy)) {
    const ResidualRef first = partition.members_with(residual).front();
    const bool starts_part = first == residual;
    const bool starts_group = residual.residual == 0;
    const bool stays =
        !starts_group && partition.are_together(residual, {residual.group, residual.residual - 1});
    if (stays || (starts_group && starts_part)) continue;
    result.push_back(
        directive_at(energy, residual, starts_part ? start_new() : with_part(energy, first)));
  }
  return result;
}

class SplitMerge final : public Construct {
 public:
  std::string_view name() const override { return "split_merge"; }
  std::string_view doc() const override { return "Which residuals are scheduled together."; }
  Stage stage() const override { return Stage::Partition; }
  EditorHint editor() const override { return EditorHint::Partition; }

  std::vector<Site> sites(const Energy& energy, const Plan& /*plan*/) const override {
    std::vector<Site> sites;
    for (const ResidualRef residual : all_residuals(energy)) {
      sites.push_back({SiteKind::Residual, residual_name(energy, residual)});
    }
    return sites;
  }

  std::vector<Choice> choices(const Energy& energy, const Plan& plan,
                              const Site& site) const override {
    const ResidualRef residual = *find_residual(energy, site.name);
    const bool starts_group = residual.residual == 0;
    std::vector<Choice> result;
    if (!starts_group) result.push_back(stay());
    result.push_back(start_new());
    for (const Part& part : plan.parts) {
      const ResidualRef first = part.residuals.front();
      if (first >= residual) continue;
      if (!starts_group && &part == &part_of(plan, {residual.group, residual.residual - 1}))
        continue;
      if (dims_of(energy, first) == dims_of(energy, residual))
        result.push_back(with_part(energy, first));
    }
    // The first changes nothing.
    const auto is_ambiguous = [&](const Choice& choice) {
      return double_name(energy, plan_after(energy, plan, site, choice)).has_value();
    };
    result.erase(std::remove_if(result.begin() + 1, result.end(), is_ambiguous), result.end());
    return result;
  }

  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const override {
    const std::vector<Choice> offered = choices(energy, plan, site);
    const auto refuse = [&](const std::string& what, const std::string& why) {
      return fail(Diagnostic{fmt::format("split_merge: {} cannot be {}: {}", site.name, what, why),
                             {},
                             written(*this, site, offered)});
    };
    const auto with = choice.args.find<std::string>("with");
    if (with) {
      const auto target = find_residual(energy, *with);
      if (!target) return fail(target.error());
      const ResidualRef residual = *find_residual(energy, site.name);
      if (dims_of(energy, *target) != dims_of(energy, residual))
        return refuse("with " + *with, other_dims(energy, residual, *target));
    }
    if (with || choice.label == New) {
      const auto why = double_name(energy, plan_after(energy, plan, site, choice));
      if (why) return refuse(with ? "with " + *with : "in a part of its own", *why);
    }
    return check_offered(*this, site, offered, choice,
                         fmt::format("split_merge: the part of {}", site.name));
  }

  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const ResidualRef residual = *find_residual(energy, site.name);
    Part& from = part_of(plan, residual);
    // What follows it in its group and is not placed yet goes with it.
    std::vector<ResidualRef> movers;
    for (const ResidualRef other : from.residuals) {
      if (other.group == residual.group && other >= residual) movers.push_back(other);
    }
    std::erase_if(from.residuals,
                  [&](ResidualRef r) { return std::ranges::find(movers, r) != movers.end(); });
    if (const auto with = choice.args.find<std::string>("with")) {
      std::vector<ResidualRef>& target = part_of(plan, *find_residual(energy, *with)).residuals;
      target.insert(target.end(), movers.begin(), movers.end());
      std::ranges::sort(target);
    } else {
      Part part;
      part.residuals = movers;
      part.order = energy.groups()[residual.group].domains;
      plan.parts.push_back(std::move(part));
    }
    std::erase_if(plan.parts, [](const Part& part) { return part.residuals.empty(); });
    for (Part& part : plan.parts) part.name = part_name(energy, part.residuals);
    std::ranges::sort(plan.parts, {}, [](const Part& part) { return part.residuals.front(); });
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
    Names given;
    for (const ScheduleStatement& statement : statements) {
      const Partition before = partition;
      const Names known = names_in(energy, partition, given);
      Names added;
      auto done = statement.method == "split_merge" ? read_placement(energy, statement, partition)
                  : statement.method == "merge"
                      ? read_merge(energy, statement, known, partition, added)
                      : read_split(energy, statement, known, partition, added);
      if (!done) return fail(done.error());
      for (const auto& [name, residual] : added) {
        if (const auto other = known.find(name); other != known.end()) {
          const std::vector<ResidualRef> called = before.members_with(other->second);
          if (std::ranges::find(called, residual) == called.end())
            return refuse_name(energy, statement, name, called, residual, partition);
        }
        given.insert_or_assign(name, residual);
      }
      const Names left = names_in(energy, partition, given);
      for (const auto& [name, residual] : known) {
        if (!left.contains(name)) names.retire(name, statement);
      }
    }
    for (const auto& [name, residual] : given) names.add(name, residual);
    return directives_of(energy, partition);
  }

  std::string print(const Directive& directive) const override {
    const std::string& residual = directive.site.name;
    const std::size_t bracket = residual.find('[');
    const auto with = directive.choice.args.find<std::string>("with");
    return fmt::format("r.{}:split_merge{{{}=\"{}\"}}", residual.substr(0, bracket),
                       residual.substr(bracket), with.value_or(directive.choice.label));
  }

 private:
  Plan plan_after(const Energy& energy, Plan plan, const Site& site, const Choice& choice) const {
    apply(energy, plan, site, choice);
    return plan;
  }

  // Parts by a residual that is in them.
  using Names = std::map<std::string, ResidualRef>;

  // What a text calls the parts: what it gave names to itself by those, first of all.
  static Names names_in(const Energy& energy, const Partition& partition, const Names& given) {
    Names names = given;
    for (const ResidualRef first : partition.parts())
      names.emplace(part_name(energy, partition.members_with(first)), first);
    return names;
  }

  // The statement would call the part of `residual` as the part of `called` is called before it.
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

  // All that can be said of where a residual goes.
  std::vector<std::string> placements(const Energy& energy, ResidualRef residual,
                                      const Partition& partition) const {
    std::vector<Choice> choices;
    if (residual.residual > 0) choices.push_back(stay());
    choices.push_back(start_new());
    for (const ResidualRef first : partition.parts()) {
      const bool is_own = partition.members_with(first) == partition.members_with(residual);
      if (!is_own && dims_of(energy, first) == dims_of(energy, residual))
        choices.push_back(with_part(energy, first));
    }
    return written(*this, directive_at(energy, residual, stay()).site, choices);
  }

  // r.reg:split_merge{[2]="new", [3]="fit[1]"}
  Expected<void> read_placement(const Energy& energy, const ScheduleStatement& statement,
                                Partition& partition) const {
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
      const std::vector<ResidualRef> movers = partition.followers(*residual);
      if (*where == New) {
        partition.separate(movers);
      } else if (*where == Stay) {
        if (residual->residual > 0)
          partition.join(movers, {residual->group, residual->residual - 1});
      } else {
        const auto target = find_residual(energy, *where);
        if (!target) return fault_in(statement, target.error().what, target.error().alternatives);
        if (dims_of(energy, *target) != dims_of(energy, *residual)) {
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

  // Members of the part that an argument names, as the text knows parts at this point.
  static Expected<std::vector<ResidualRef>> members(const Energy& energy,
                                                    const ScheduleStatement& statement,
                                                    std::size_t position, const Names& known,
                                                    const Partition& partition) {
    const auto* name = position < statement.arguments.size()
                           ? std::get_if<ScheduleName>(&statement.arguments[position].value)
                           : nullptr;
    if (name == nullptr || name->kind != ScheduleName::Kind::Part) {
      return fault_in(statement,
                      fmt::format("argument {} is not a part, such as r.fit", position + 1));
    }
    if (const auto it = known.find(name->name); it != known.end())
      return partition.members_with(it->second);
    const auto residual = find_residual(energy, name->name);
    if (!residual) {
      std::vector<std::string> parts;
      for (const auto& [part, first] : known) parts.push_back(part);
      const Diagnostic missing = no_part(name->name, parts).value();
      return fault_in(statement, missing.what, missing.alternatives);
    }
    return partition.members_with(*residual);
  }

  // r:merge(r.a, r.b): b's residuals move to a; the part is then called a_b.
  static Expected<void> read_merge(const Energy& energy, const ScheduleStatement& statement,
                                   const Names& known, Partition& partition, Names& added) {
    if (statement.arguments.size() != 2 || !statement.is_by_position())
      return fault_in(statement, "takes two parts");
    const auto a = members(energy, statement, 0, known, partition);
    if (!a) return fail(a.error());
    const auto b = members(energy, statement, 1, known, partition);
    if (!b) return fail(b.error());
    if (*a == *b) return fault_in(statement, "merges a part with itself");
    const std::string& name = argument_name(statement, 0);
    if (dims_of(energy, a->front()) != dims_of(energy, b->front())) {
      return fault_in(statement, other_dims(energy, a->front(), b->front()),
                      merges_with(energy, name, a->front(), known, partition));
    }
    partition.join(*b, a->front());
    added.emplace(fmt::format("{}_{}", name, argument_name(statement, 1)), a->front());
    added.emplace(name, a->front());  // what was said of a is said of both
    return {};
  }

  // What the part, as the text calls it, can be merged with.
  static std::vector<std::string> merges_with(const Energy& energy, const std::string& name,
                                              ResidualRef part, const Names& known,
                                              const Partition& partition) {
    std::vector<std::string> merges;
    std::vector<std::vector<ResidualRef>> listed = {partition.members_with(part)};
    for (const auto& [other_name, other] : known) {
      const std::vector<ResidualRef> members = partition.members_with(other);
      if (std::ranges::find(listed, members) != listed.end()) continue;
      listed.push_back(members);
      if (dims_of(energy, other) == dims_of(energy, part))
        merges.push_back(fmt::format("r:merge(r.{}, r.{})", name, other_name));
    }
    return merges;
  }

  // r:split(r.a, i, j): a_i_j, and the rest stays a. r:full_split(r.a): a_1, a_2 ...
  static Expected<void> read_split(const Energy& energy, const ScheduleStatement& statement,
                                   const Names& known, Partition& partition, Names& added) {
    const auto part = members(energy, statement, 0, known, partition);
    if (!part) return fail(part.error());
    const bool is_full = statement.method == "full_split";
    const std::size_t num_arguments = statement.arguments.size();
    if (!statement.is_by_position() || num_arguments > (is_full ? 1 : 3)) {
      return fault_in(statement, is_full ? "takes one part"
                                         : "takes a part and the numbers of its first and last "
                                           "residual that leave it, nothing more");
    }
    const std::string name = argument_name(statement, 0);
    const auto count = static_cast<std::int64_t>(part->size());
    if (is_full) {
      for (std::int64_t i = 1; i <= count; ++i) {
        const ResidualRef residual = (*part)[static_cast<std::size_t>(i - 1)];
        if (i > 1) partition.separate(std::span(&residual, 1));
        added.emplace(fmt::format("{}_{}", name, i), residual);
      }
      return {};
    }
    const auto first = number(statement, 1);
    const auto last = num_arguments > 2 ? number(statement, 2) : first;
    if (!first || !last || *first < 1 || *last < *first || *last > count) {
      return fault_in(statement,
                      fmt::format("takes a part and the numbers of its first and last residual "
                                  "that leave it, between 1 and {}",
                                  count));
    }
    const std::span<const ResidualRef> movers = std::span(*part).subspan(
        static_cast<std::size_t>(*first - 1), static_cast<std::size_t>(*last - *first + 1));
    added.emplace(*first == *last ? fmt::format("{}_{}", name, *first)
                                  : fmt::format("{}_{}_{}", name, *first, *last),
                  movers.front());
    if (movers.size() == part->size()) return {};
    partition.separate(movers);
    const ResidualRef left = *std::ranges::find_if(
        *part, [&](ResidualRef r) { return r < movers.front() || r > movers.back(); });
    added.emplace(name, left);
    return {};
  }

  static const std::string& argument_name(const ScheduleStatement& statement,
                                          std::size_t position) {
    return std::get<ScheduleName>(statement.arguments[position].value).name;
  }
  static std::optional<std::int64_t> number(const ScheduleStatement& statement,
                                            std::size_t position) {
    if (position >= statement.arguments.size()) return {};
    const auto* value = std::get_if<std::int64_t>(&statement.arguments[position].value);
    return value ? std::optional(*value) : std::nullopt;
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("split_merge", std::make_unique<SplitMerge>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("split_merge", "1.0.0", "", thallo::register_into);
