#include "tests/support/random_plan.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "core/schedule/gather.h"
#include "core/schedule/plan_names.h"
#include "core/schedule/roles.h"
#include "core/schedule/storage_format.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

class PlanGenerator {
 public:
  PlanGenerator(const Energy& energy, std::uint64_t seed) : energy_(energy), random_(seed) {}

  Plan make() {
    Plan plan = default_plan(energy_);
    draw_parts(plan);
    for (Part& part : plan.parts) draw_products(part);
    for (Materialization& m : plan.intermediates) m = {chance(0.4), chance(0.4)};
    for (PlannedSum& sum : plan.sums) sum.is_parallel = chance(0.5);
    for (const Part& part : plan.parts) draw_annotations(plan, part);
    draw_teams(plan);
    return plan;
  }

 private:
  bool chance(double p) { return std::uniform_real_distribution(0.0, 1.0)(random_) < p; }

  std::vector<DimId> dims_of(const std::vector<DomainId>& domains) const {
    std::vector<DimId> dims;
    for (const DomainId d : domains) dims.push_back(energy_.graph().indices().domain(d).dim);
    return dims;
  }

  // Each residual stays with the one before it, joins any part over the same dims or begins a new
  // one.
  void draw_parts(Plan& plan) {
    plan.parts.clear();
    for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
      const ResidualGroup& group = energy_.groups()[g];
      for (std::size_t r = 0; r < group.residuals.size(); ++r) {
        std::vector<Part*> joinable;
        for (Part& part : plan.parts) {
          const bool same_group = part.residuals.back().group == g;
          if (dims_of(part.order) == dims_of(group.domains) && chance(same_group ? 0.8 : 0.4))
            joinable.push_back(&part);
        }
        if (joinable.empty()) {
          plan.parts.push_back({.order = group.domains});
          joinable = {&plan.parts.back()};
        }
        joinable.back()->residuals.push_back({g, r});
      }
    }
    for (Part& part : plan.parts) part.name = part_name(energy_, part.residuals);
  }

  void draw_products(Part& part) {
    std::ranges::shuffle(part.order, random_);
    constexpr std::array strategies = {Strategy::JtJp, Strategy::StoredJp, Strategy::StoredJ,
                                       Strategy::StoredJtJ, Strategy::StoredJtJOfStoredJ};
    std::ranges::sample(strategies, &part.strategy, 1, random_);
    std::vector<ComputeAt> gathers = gathers_of(energy_, part.residuals);
    std::erase_if(gathers, [&](ComputeAt where) {
      return !check_gather(energy_, part.residuals, where).has_value();
    });
    for (ComputeAt* at : {&part.jtf, &part.jtjp, &part.jt})
      if (chance(0.6)) std::ranges::sample(gathers, at, 1, random_);
    std::ranges::sample(legal_formats(part, StoredProduct::J), &part.j_format, 1, random_);
    std::ranges::sample(legal_formats(part, StoredProduct::JtJ), &part.jtj_format, 1, random_);
  }

  std::int64_t one_of(std::initializer_list<std::int64_t> numbers) {
    return numbers
        .begin()[std::uniform_int_distribution<std::size_t>(0, numbers.size() - 1)(random_)];
  }

  void draw_annotations(Plan& plan, const Part& part) {
    if (chance(0.3)) add_lane_by_lane(plan, energy_, part.name);
    for (const Role role : roles_of(energy_, part)) {
      if (chance(0.7)) continue;
      Properties shape{{"threads", one_of({64, 256, 1024})}};
      if (chance(0.5)) shape.set("resident", std::int64_t{1024});
      if (chance(0.7)) shape.set("rows", one_of({1, 2, 4}));
      if (chance(0.5)) shape.set("width", one_of({16, 32}));
      decide_block(plan, energy_, MemberName{part.name, std::string(to_string(role))}.text(),
                   std::move(shape));
    }
  }

  void draw_teams(Plan& plan) {
    const Construct& team = *loaded_constructs().find("team");
    for (const Site& site : team.sites(energy_, plan)) {
      const auto alternatives = team.alternatives(energy_, plan, site);
      auto which = std::uniform_int_distribution<std::size_t>(0, alternatives.size() - 1);
      team.apply(energy_, plan, site, alternatives[which(random_)].choice);
    }
  }

  const Energy& energy_;
  std::mt19937_64 random_;
};

}  // namespace

Plan random_plan(const Energy& energy, std::uint64_t seed) {
  return PlanGenerator(energy, seed).make();
}

}  // namespace thallo::test
