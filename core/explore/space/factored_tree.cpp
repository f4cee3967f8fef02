#include "core/explore/space/factored_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

std::vector<const Construct*> partition_constructs(const ConstructRegistry& constructs) {
  std::vector<const Construct*> result = in_stage_order(constructs);
  std::erase_if(result, [](const Construct* c) { return c->stage() != Stage::Partition; });
  return result;
}

std::vector<const Construct*> constructs_after(const ConstructRegistry& constructs,
                                               bool low_level) {
  std::vector<const Construct*> result = in_stage_order(constructs);
  std::erase_if(result, [&](const Construct* c) {
    return c->stage() == Stage::Partition || (c->stage() == Stage::LowLevel && !low_level);
  });
  return result;
}

// True if the sites and their choices are equal.
bool are_equal(const std::vector<SubjectWalk::OpenSite>& a,
               const std::vector<SubjectWalk::OpenSite>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.site == other.site && one.choices == other.choices;
  });
}

}  // namespace

BigCount num_ways(const std::vector<FactoredTree::Factor>& factors) {
  BigCount count = 1;
  for (const FactoredTree::Factor& factor : factors) count *= factor.count;
  return count;
}

FactoredTree::FactoredTree(const Energy& energy, const ConstructRegistry& constructs,
                           Precision precision, bool low_level)
    : energy_(energy),
      constructs_(constructs),
      start_(ScheduleSpace(energy, constructs, precision).start()),
      later_(constructs_after(constructs, low_level)),
      partitions_(energy, partition_constructs(constructs), start_),
      subjects_(energy, later_) {
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
        if (!are_equal(sites, subjects_.open_sites(*construct, of_one.plan, subject))) {
          return fmt::format("what {} offers about {} depends on more than the decisions about it",
                             construct->name(), subject.name);
        }
        if (i >= sites.size()) break;
        const std::size_t choice = random.below(sites[i].choices.size());
        for (ScheduleSpace::Decisions* decisions : {&all, &of_one}) {
          ScheduleSpace::decide(energy_, *construct, sites[i].site, sites[i].choices, choice,
                                *decisions);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace thallo
