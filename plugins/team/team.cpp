// team: decides how many threads gather one element together through a list.
//
// Site: each kernel that gathers at unknowns which the part reads through a sparse map. There is
// one site for each list of dims of these unknowns: `"jtf"`, `"jtjp"` or `"jt"` at `"points"`.
//
// Choices: the backend's number (the default), 1, 2, 4, 8, 16 or 32 threads, or a whole block.
//
// - `part:team{role=name, at=unknown, threads=n}`: `threads` is a number or `"block"`. `at` is an
//   unknown, which stands for all unknowns over the same dims. `part:team{role=name, at=unknown}`
//   restores the backend's number.
//
// Effect: an element has a list of the points that read it; a camera has a list of its
// observations. Each thread of a team visits a share of the list, and the team sums the results.
// The longest list takes less time, and neighboring threads read neighboring entries. There are
// more threads if there are few elements. In a team that is larger than most lists, some threads
// have no work. By default the backend takes the mean length of the lists while multiprocessors are
// idle, else half of it, as a power of two of at most 32. The cpu has no teams.
//
// Legality: the kernel gathers at these unknowns (see `compute_at_output`), and the part reads one
// of them through a sparse map.
//
// Example:
//
// ```lua
// local r = Residuals { edge = P(V0(e)) - P(V1(e)) }
// r.edge.JtJp:compute_at_output(true)
// r.edge:team{role="jtjp", at="P", threads=8}
// ```

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/energy/unknown_spaces.h"
#include "core/kernel/construct_lowering.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/gather.h"
#include "core/schedule/roles.h"

namespace thallo {
namespace {

constexpr const char* Backend = "backend's";
constexpr const char* OfBlock = "block";
constexpr std::array<std::int64_t, 6> Sizes = {1, 2, 4, 8, 16, 32};

Choice choice_of(std::int64_t threads) {
  return {fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"), {{"threads", threads}}};
}
Choice choice_of_block() { return {OfBlock, {{"threads", WholeBlock}}}; }

std::vector<Alternative> all_teams() {
  std::vector<Alternative> result = {{{Backend, {}}}};
  for (const std::int64_t threads : Sizes) result.push_back({choice_of(threads)});
  result.push_back({choice_of_block()});
  return result;
}

const std::vector<NamedArgument>& known_arguments() {
  static const std::vector<NamedArgument> known = {
      {"role"},
      {"at"},
      {"threads", {Sizes[0], Sizes[1], Sizes[2], Sizes[3], Sizes[4], Sizes[5], OfBlock}}};
  return known;
}

// Where the kernel of a role gathers.
ComputeAt place_of(const Part& part, Role role) {
  switch (role) {
    case Role::JtF: return part.jtf;
    case Role::Jt: return part.jt;
    case Role::JtJp: return part.strategy == Strategy::JtJp ? part.jtjp : ComputeAt::Residual;
    case Role::Cost:
    case Role::FillJ:
    case Role::FillJtJ:
    case Role::Jp: break;
  }
  return ComputeAt::Residual;
}

// The unknowns at which the kernel of a role visits lists: of each space the one declared first.
std::vector<FieldId> unknowns_with_lists(const Energy& energy, const Part& part, Role role) {
  const ComputeAt where = place_of(part, role);
  const std::vector<std::vector<FieldId>> spaces = unknown_spaces(energy);
  std::vector<FieldId> found;
  for (const std::size_t space : spaces_read(energy, part.residuals)) {
    if (where.gathers_at(space) && reads_through_map(energy, part.residuals, space))
      found.push_back(spaces[space].front());
  }
  return found;
}

// The member of a site's name: "jtjp at points".
struct Place {
  Role role = Role::JtJp;
  std::string unknown;

  static Place parse(std::string_view member) {
    const std::size_t at = member.find(At);
    return {parse_role(member.substr(0, at)).value(), std::string(member.substr(at + At.size()))};
  }
  std::string text() const { return fmt::format("{}{}{}", to_string(role), At, unknown); }

  static constexpr std::string_view At = " at ";
};

Site site_of(const Energy& energy, const Part& part, Role role, FieldId unknown) {
  const Place place{role, energy.field(unknown).name};
  return {SiteKind::Role, MemberName{part.name, place.text()}.text()};
}

class Team final : public Construct, public ConstructLowering {
 public:
  std::string_view name() const override { return "team"; }
  std::string_view doc() const override {
    return "How many threads compute an element together where a product is gathered through a "
           "list.";
  }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      for (const Role role : roles_of(energy, part)) {
        for (const FieldId unknown : unknowns_with_lists(energy, part, role))
          sites.push_back(site_of(energy, part, role, unknown));
      }
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    static const std::vector<Alternative> all = all_teams();
    return all;
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("team: that of r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    if (choice.label == Backend) return;
    const MemberName name = parse_member_name(site.name);
    Place place = Place::parse(name.member);
    Properties args = choice.args;
    args.set("at", std::string_view(place.unknown));
    plan.extensions.push_back({this, name.part, std::move(args), place.role});
  }

  // The sections of a kernel that gathers are over the dims of unknowns.
  void lower(const PlannedExtension& extension, KernelProgram& program,
             Kernel& kernel) const override {
    const auto name = extension.args.find<std::string>("at");
    const auto unknown = std::ranges::find_if(
        program.unknowns, [&](FieldId field) { return program.field(field).name == *name; });
    for (Section& section : kernel.sections) {
      std::vector<DimId> dims;
      for (const DomainId domain : section.domains)
        dims.push_back(program.graph.indices().domain(domain).dim);
      if (dims == program.field(*unknown).dims)
        section.team = static_cast<int>(*extension.args.find<std::int64_t>("threads"));
    }
  }

  std::vector<Spelling> spellings() const override { return {{ScheduleName::Kind::Part, "team"}}; }

  Expected<Directive> read(const Energy& energy, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    THALLO_TRY(const auto part, part_in(statement, plan, names));
    THALLO_TRY(const auto arguments, named_arguments(statement, known_arguments(),
                                                     "{role=\"jtjp\", at=\"points\", threads=8}"));
    std::vector<Role> roles;
    for (const Role role : roles_of(energy, *part))
      if (!unknowns_with_lists(energy, *part, role).empty()) roles.push_back(role);
    if (roles.empty()) {
      return fault_in(statement, fmt::format("r.{} gathers through no sparse map", part->name),
                      {fmt::format("r.{}:compute_at_output(true)", part->name)});
    }
    THALLO_TRY(const auto role,
               role_argument(statement, arguments, roles, "gathers through no sparse map"));
    THALLO_TRY(const auto unknown, unknown_in(energy, statement, arguments,
                                              unknowns_with_lists(energy, *part, role), role));
    const auto threads = arguments.find<std::int64_t>("threads");
    return Directive{"team", site_of(energy, *part, role, unknown),
                     threads                    ? choice_of(*threads)
                     : arguments.has("threads") ? choice_of_block()
                                                : Choice{Backend, {}}};
  }

  std::string print(const Directive& directive) const override {
    const MemberName name = parse_member_name(directive.site.name);
    const Place place = Place::parse(name.member);
    std::string text = fmt::format("r.{}:team{{role=\"{}\", at=\"{}\"", name.part,
                                   to_string(place.role), place.unknown);
    if (const auto threads = directive.choice.args.find<std::int64_t>("threads")) {
      text += *threads == WholeBlock ? fmt::format(", threads=\"{}\"", OfBlock)
                                     : fmt::format(", threads={}", *threads);
    }
    return text + "}";
  }

 private:
  // Returns the unknown of `gathered` whose dims are those of the argument `at`; without that the
  // only one.
  static Expected<FieldId> unknown_in(const Energy& energy, const ScheduleStatement& statement,
                                      const Properties& arguments,
                                      const std::vector<FieldId>& gathered, Role role) {
    const auto name = arguments.find<std::string>("at");
    if (!name && gathered.size() == 1) return gathered.front();
    const FieldId named = name ? energy.find_field(*name) : FieldId();
    std::vector<std::string> known;
    for (const FieldId unknown : gathered) {
      known.push_back(energy.field(unknown).name);
      if (is_unknown(energy, named) && space_of(energy, named) == space_of(energy, unknown))
        return unknown;
    }
    return fault_in(statement,
                    name ? fmt::format("'{}' gathers through no sparse map at '{}'{}",
                                       to_string(role), *name, did_you_mean(*name, known))
                         : "needs the unknown that is gathered at",
                    known);
  }

  static bool is_unknown(const Energy& energy, FieldId field) {
    return std::ranges::find(energy.unknowns(), field) != energy.unknowns().end();
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("team", "1.0.0", "", thallo::register_item<thallo::Construct, thallo::Team>);
