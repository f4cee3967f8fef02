#include "core/explore/space/factored_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

std::vector<const Construct*> constructs_after(const ConstructRegistry& constructs, bool low_level,
                                               const Pins& pins) {
  std::vector<const Construct*> result = in_stage_order(constructs);
  std::erase_if(result, [&](const Construct* c) {
    if (c->stage() == Stage::Partition) return true;
    return c->stage() == Stage::LowLevel && !low_level && pins.count_of(c->name()) == 0;
  });
  return result;
}

bool offers_the_same(const ScheduleSpace::Fork& a, const ScheduleSpace::Fork& b) {
  return a.site == b.site &&
         std::ranges::equal(a.offers, b.offers, {}, &ScheduleSpace::Offer::choice,
                            &ScheduleSpace::Offer::choice);
}

}  // namespace

BigCount num_ways(const std::vector<FactoredTree::Factor>& factors) {
  BigCount count = 1;
  for (const FactoredTree::Factor& factor : factors) count *= factor.count;
  return count;
}

FactoredTree::FactoredTree(const Energy& energy, const ConstructRegistry& constructs,
                           Precision precision, bool low_level, const Pins& pins)
    : energy_(energy),
      constructs_(constructs),
      has_low_level_(low_level),
      space_(energy, constructs, precision, nullptr, pins),
      start_(space_.start()),
      later_(constructs_after(constructs, low_level, pins)),
      partitions_(constructs, space_),
      subjects_(energy, constructs, later_, pins, low_level) {
  for (Subject& subject : subjects_.subjects(start_.plan)) {
    if (subject.kind == SiteKind::Part) continue;
    BigCount count = subjects_.count(start_.plan, subject);
    shared_.push_back({std::move(subject), std::move(count)});
  }
}

std::vector<FactoredTree::Factor> FactoredTree::parts(const Plan& plan) {
  std::vector<Factor> factors;
  for (const Part& part : plan.parts) {
    Subject subject = {SiteKind::Part, part.name};
    auto known = part_counts_.find(part.residuals);
    if (known == part_counts_.end())
      known = part_counts_.emplace(part.residuals, subjects_.count(plan, subject)).first;
    factors.push_back({std::move(subject), known->second});
  }
  return factors;
}

void FactoredTree::decide(const std::vector<Factor>& factors, BigCount index,
                          ScheduleSpace::Decisions& decisions) {
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    const std::vector<Directive> way =
        subjects_.at(decisions.plan, factor->subject, BigCount(index % factor->count));
    for (const Directive& directive : way) {
      const Construct& construct = *constructs_.find(directive.construct);
      construct.apply(energy_, decisions.plan, directive.site, directive.choice);
      decisions.directives.push_back(directive);
    }
    index /= factor->count;
  }
}

void FactoredTree::decide_pinned_vectors(ScheduleSpace::Decisions& decisions) const {
  for (const Directive& pin : space_.pins().directives()) {
    if (pin.site.kind != SiteKind::SolverVectors) continue;
    const Construct& construct = *constructs_.find(pin.construct);
    const auto offers = space_.offers(construct, decisions.plan, pin.site);
    space_.take(construct, pin.site, offers.front(), decisions);
  }
}

std::optional<BigCount> FactoredTree::index_of_way(const Plan& plan,
                                                   const std::vector<Factor>& factors,
                                                   std::span<const Directive> directives) {
  BigCount index = 0;
  for (const Factor& factor : factors) {
    const auto of_one = subjects_.index_of(plan, factor.subject, directives);
    if (!of_one) return std::nullopt;
    index = index * factor.count + *of_one;
  }
  return index;
}

std::optional<std::string> FactoredTree::why_not_factored() const {
  constexpr int NumDraws = 16;
  Random random(1);
  for (int i = 0; i < NumDraws; ++i) {
    if (auto why = why_not_factored(random)) return why;
  }
  return std::nullopt;
}

std::optional<std::string> FactoredTree::why_not_factored(Random& random) const {
  ScheduleSpace::Decisions all = partitions_.draw(random, 1).decisions;
  // Plans in which only one subject is decided about. Parts need the partition first; other
  // subjects do not.
  std::vector<std::pair<Subject, ScheduleSpace::Decisions>> alone;
  for (Subject& subject : subjects_.subjects(all.plan)) {
    const bool is_part = subject.kind == SiteKind::Part;
    alone.emplace_back(std::move(subject), is_part ? all : start_);
  }
  for (const Construct* construct : later_) {
    for (auto& [subject, of_one] : alone) {
      for (std::size_t i = 0;; ++i) {
        const auto sites = subjects_.open_sites(*construct, all.plan, subject);
        const auto sites_of_one = subjects_.open_sites(*construct, of_one.plan, subject);
        if (!std::ranges::equal(sites, sites_of_one, offers_the_same)) {
          return fmt::format("what {} offers about {} depends on more than the decisions about it",
                             construct->name(), subject.name);
        }
        if (i >= sites.size()) break;
        const auto& offer = sites[i].offers[random.below(sites[i].offers.size())];
        for (ScheduleSpace::Decisions* decisions : {&all, &of_one})
          space_.take(*construct, sites[i].site, offer, *decisions);
      }
    }
  }
  const bool is_allowed = std::ranges::all_of(
      alone, [&](const auto& its) { return subjects_.allows_pinned_vectors(its.second.plan); });
  if (is_allowed != subjects_.allows_pinned_vectors(all.plan))
    return "what is pinned of the solver's vectors depends on several parts together";
  return std::nullopt;
}

}  // namespace thallo
