#include "core/explore/space/published_space.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/explore/space/space_id.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

// J is stored densely from this density on, that is, only if it contains no zeros.
constexpr double DenseDensity = 1.0;

Directive directive_of(const char* construct, SiteKind kind, std::string site, std::string label,
                       Properties args = {}) {
  return {construct, {kind, std::move(site)}, {std::move(label), std::move(args)}};
}

// Adds directives for the residuals that belong to another part than in the energy's own groups.
void add_partition(const Energy& energy, const std::vector<Part>& parts,
                   std::vector<Directive>& directives) {
  std::map<ResidualRef, ResidualRef> first_of;  // maps a residual to the first one of its part
  for (const Part& part : parts) {
    for (const ResidualRef residual : part.residuals) first_of[residual] = part.residuals.front();
  }
  for (const auto& [residual, first] : first_of) {
    const bool starts_group = residual.residual == 0;
    const bool starts_part = residual == first;
    const bool stays =
        starts_group ? starts_part : first == first_of.at({residual.group, residual.residual - 1});
    if (stays) continue;
    const std::string with = residual_name(energy, first);
    directives.push_back(directive_of("split_merge", SiteKind::Residual,
                                      residual_name(energy, residual),
                                      starts_part ? "new" : "with " + with,
                                      starts_part ? Properties() : Properties{{"with", with}}));
  }
}

void add_materialization(const Energy& energy, std::size_t intermediate, Materialization stored,
                         std::vector<Directive>& directives) {
  if (stored == Materialization()) return;
  const char* label = stored.value && stored.gradient ? "value+gradient"
                      : stored.value                  ? "value"
                                                      : "gradient";
  directives.push_back(directive_of("materialize", SiteKind::Intermediate,
                                    energy.field(energy.intermediates()[intermediate].field).name,
                                    label,
                                    {{"value", stored.value}, {"gradient", stored.gradient}}));
}

void add_strategies(const std::vector<Part>& parts, std::vector<Directive>& directives) {
  for (const Part& part : parts) {
    if (part.strategy == Strategy::JtJp) continue;
    directives.push_back(
        directive_of("strategy", SiteKind::Part, part.name, std::string(to_string(part.strategy))));
  }
}

void add_gathers(const std::vector<Part>& parts, std::vector<Directive>& directives) {
  for (const Part& part : parts) {
    for (const auto& [product, where] :
         {std::pair("JtF", part.jtf), std::pair("JtJp", part.jtjp)}) {
      if (where == ComputeAt::Residual) continue;
      directives.push_back(directive_of("compute_at_output", SiteKind::Product,
                                        MemberName{part.name, product}.text(),
                                        std::string(AtOutput)));
    }
  }
}

void add_formats(const std::vector<Part>& parts, std::vector<Directive>& directives) {
  const auto add = [&](const Part& part, const char* product, StorageFormat format) {
    directives.push_back(directive_of("storage", SiteKind::Product,
                                      MemberName{part.name, product}.text(),
                                      std::string(to_string(format))));
  };
  for (const Part& part : parts) {
    if (stores_j(part.strategy)) add(part, "J", part.j_format);
    // The format of the JtJ of a dense J is forced, so it is not a decision.
    const bool is_open = !stores_j(part.strategy) || part.j_format != StorageFormat::Dense;
    if (stores_jtj(part.strategy) && is_open) add(part, "JtJ", part.jtj_format);
  }
}

void add_orders(const Energy& energy, const std::vector<Part>& parts,
                std::vector<Directive>& directives) {
  for (const Part& part : parts) {
    if (part.order == declared_domains(energy, part)) continue;
    std::vector<std::string> names;
    for (const DomainId domain : part.order) names.push_back(domain_name(energy, part, domain));
    directives.push_back(directive_of("reorder", SiteKind::Part, part.name,
                                      fmt::format("{}", fmt::join(names, ", "))));
  }
}

std::string rules_text(const PublishedProfile& profile, const PublishedLimits& limits) {
  std::string text = fmt::format(
      "{}, {}, J {}, JtJ {}", profile.name, profile.splits_groups ? "split" : "as written",
      limits.fits_j ? "fits" : "too large", limits.fits_jtj ? "fits" : "too large");
  for (const auto* strategies : {&profile.strategies, &profile.strategies_with_sum}) {
    for (const Strategy strategy : *strategies) text += fmt::format(", {}", to_string(strategy));
    text += ";";
  }
  return text;
}

}  // namespace

PublishedSpace::PublishedSpace(const EnergyFile& file, const ConstructRegistry& constructs,
                               std::vector<PublishedGroup> groups,
                               PublishedCombinations combinations)
    : IndexedSpace(constructs),
      energy_(file.energy),
      groups_(std::move(groups)),
      combinations_(std::move(combinations)),
      intermediates_(published_intermediates(file.energy)) {
  for (const PlannedSum& sum : default_plan(energy_).sums) sums_.push_back(sum.name);
  size_ = combinations_.size() << (2 * intermediates_.size());
}

Expected<PublishedSpace> PublishedSpace::make(const EnergyFile& file, const Binding& binding,
                                              const PublishedProfile& profile, Precision precision,
                                              const ConstructRegistry& constructs) {
  THALLO_TRY(auto groups, published_groups(file, binding, profile.splits_groups, constructs));
  const auto num_unknowns = static_cast<double>(binding.num_unknowns(file.energy));
  const PublishedLimits limits = published_limits(groups, num_unknowns, profile, precision);
  std::vector<std::vector<PublishedChoice>> choices;
  for (const PublishedGroup& group : groups) {
    choices.push_back(published_choices(group, profile, limits));
    if (choices.back().empty()) {
      return fail(
          "profile '{}' leaves r.{} without a strategy: what its strategies store is beyond its "
          "memory limit, {} bytes",
          profile.name, part_name(file.energy, group.residuals), profile.memory_limit);
    }
  }
  PublishedSpace space(file, constructs, std::move(groups),
                       PublishedCombinations(std::move(choices)));
  space.num_unknowns_ = num_unknowns;
  space.id_ = space_id(file.energy, constructs, precision, profile.memory_limit,
                       rules_text(profile, limits));
  return space;
}

bool PublishedSpace::has_dense_j(const Combination& combination) const {
  double num_entries = 0;
  double num_places = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!stores_j(choice_of(combination, g).strategy)) continue;
    num_entries += groups_[g].entries_per_point;
    num_places += static_cast<double>(groups_[g].residuals.size()) * num_unknowns_;
  }
  return num_entries == DenseDensity * num_places;
}

std::vector<Part> PublishedSpace::parts_of(const Combination& combination) const {
  const StorageFormat j_format =
      has_dense_j(combination) ? StorageFormat::Dense : StorageFormat::Csr;
  std::vector<Part> parts;
  std::vector<std::size_t> leaders;  // the first group of each part
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const PublishedChoice& choice = choice_of(combination, g);
    const auto leader = std::ranges::find_if(leaders, [&](std::size_t other) {
      return groups_[other].domains == groups_[g].domains &&
             choice_of(combination, other) == choice;
    });
    if (leader != leaders.end()) {
      std::vector<ResidualRef>& members =
          parts[static_cast<std::size_t>(leader - leaders.begin())].residuals;
      members.insert(members.end(), groups_[g].residuals.begin(), groups_[g].residuals.end());
      continue;
    }
    leaders.push_back(g);
    Part part;
    part.residuals = groups_[g].residuals;
    part.order = choice.order;
    part.strategy = choice.strategy;
    part.j_format = j_format;
    part.jtj_format = stores_j(choice.strategy) ? j_format : StorageFormat::Dense;
    part.jtf = choice.jtf_at_output ? ComputeAt::Output : ComputeAt::Residual;
    part.jtjp = choice.jtjp_at_output ? ComputeAt::Output : ComputeAt::Residual;
    parts.push_back(std::move(part));
  }
  for (Part& part : parts) {
    std::ranges::sort(part.residuals);
    part.name = part_name(energy_, part.residuals);
  }
  return parts;
}

std::vector<StageCount> PublishedSpace::stages() const {
  StageCount of_groups = {"groups", combinations_.size(), {}};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    of_groups.sites.push_back(
        {part_name(energy_, groups_[g].residuals), BigCount(combinations_.choices()[g].size())});
  }
  StageCount of_intermediates = {"intermediates", BigCount(1) << (2 * intermediates_.size()), {}};
  for (const std::size_t position : intermediates_) {
    of_intermediates.sites.push_back(
        {energy_.field(energy_.intermediates()[position].field).name, 4});
  }
  return {std::move(of_groups), std::move(of_intermediates)};
}

Schedule PublishedSpace::schedule(const BigCount& index) const {
  const std::size_t num_intermediates = intermediates_.size();
  const std::vector<Part> parts = parts_of(combinations_.at(index >> (2 * num_intermediates)));
  std::vector<Directive> directives;
  add_partition(energy_, parts, directives);
  for (std::size_t i = 0; i < num_intermediates; ++i) {
    const bool recomputes_value = bit_test(index, static_cast<unsigned>(num_intermediates + i));
    const bool recomputes_gradient = bit_test(index, static_cast<unsigned>(i));
    add_materialization(energy_, intermediates_[i],
                        {.value = !recomputes_value, .gradient = !recomputes_gradient}, directives);
  }
  add_strategies(parts, directives);
  add_gathers(parts, directives);
  add_formats(parts, directives);
  for (const std::string& sum : sums_)
    directives.push_back(directive_of("sum_parallelize", SiteKind::Sum, sum, "parallel"));
  add_orders(energy_, parts, directives);
  return Schedule(std::move(directives));
}

std::optional<BigCount> PublishedSpace::index_of(const Schedule& schedule) const {
  const auto normal = normal_form(energy_, schedule, *constructs_);
  if (!normal) return std::nullopt;
  const auto plan = make_plan(energy_, *normal, *constructs_);
  THALLO_ASSERT(plan.has_value(), "{}", plan.error().message());
  Combination combination;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Part& part = part_of(*plan, groups_[g].residuals.front());
    const PublishedChoice choice = {part.strategy, part.order, part.jtjp == ComputeAt::Output,
                                    part.jtf == ComputeAt::Output};
    const std::vector<PublishedChoice>& choices = combinations_.choices()[g];
    const auto found = std::ranges::find(choices, choice);
    if (found == choices.end()) return std::nullopt;
    combination.push_back(static_cast<std::size_t>(found - choices.begin()));
  }
  auto index = combinations_.index_of(combination);
  if (!index) return std::nullopt;
  *index <<= 2 * intermediates_.size();
  for (std::size_t i = 0; i < intermediates_.size(); ++i) {
    const Materialization stored = plan->intermediates[intermediates_[i]];
    if (!stored.value) bit_set(*index, static_cast<unsigned>(intermediates_.size() + i));
    if (!stored.gradient) bit_set(*index, static_cast<unsigned>(i));
  }
  // The schedule may contain decisions that the space leaves out.
  if (this->schedule(*index) != *normal) return std::nullopt;
  return index;
}

}  // namespace thallo
