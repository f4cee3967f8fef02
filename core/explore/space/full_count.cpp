#include "core/explore/space/full_count.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/seconds_since.h"

namespace thallo {
namespace {

constexpr int NumDescents = 1000;

const Subject Vectors = subject_of(vectors_site());

// Collects the weights of descents, which may exceed the range of a double.
class Descents {
 public:
  // Adds a descent that represents `count` schedules and was drawn with this probability.
  void add(const BigCount& count, double probability) {
    weights_.push_back(count * BigCount(Scale / probability));
  }

  CountEstimate estimate() const {
    const auto count = static_cast<double>(weights_.size());
    BigCount sum = 0;
    for (const BigCount& weight : weights_) sum += weight;
    // Every descent has ended where a pin was not possible.
    const auto num_descents = static_cast<int>(weights_.size());
    if (sum == 0) return {.mean = 0, .relative_error = 1, .num_descents = num_descents};
    double squares = 0;
    for (const BigCount& weight : weights_) {
      const BigCount ratio = (weight << 53) * weights_.size() / sum;
      const double deviation = std::ldexp(static_cast<double>(ratio), -53) - 1;
      squares += deviation * deviation;
    }
    const BigCount divisor = BigCount(Scale) * weights_.size();
    return {.mean = (sum + divisor / 2) / divisor,
            .relative_error = std::sqrt(squares / (count - 1) / count),
            .num_descents = static_cast<int>(weights_.size())};
  }

 private:
  static constexpr double Scale = 1LL << 40;  // keeps the digits of probabilities near 1
  std::vector<BigCount> weights_;
};

// True if something about the solver's vectors is left to decide.
bool decides_vectors(const FactoredTree& tree) {
  return std::ranges::any_of(tree.later_constructs(), [&](const Construct* construct) {
    if (!tree.has_low_level() && construct->stage() == Stage::LowLevel) return false;
    const std::vector<Site> sites = construct->sites(tree.energy(), tree.start().plan);
    return std::ranges::find(sites, vectors_site()) != sites.end() &&
           tree.space().pins().find(construct->name(), vectors_site()) == nullptr;
  });
}

// Returns the number of ways to decide about the solver's vectors, which depends on all other
// decisions.
BigCount num_ways_of_vectors(FactoredTree& tree, const Plan& plan) {
  BigCount count = 1;
  for (const Construct* construct : tree.later_constructs()) {
    for (const auto& open : tree.subjects().open_sites(*construct, plan, Vectors))
      count *= open.offers.size();
  }
  return count;
}

// Used if all partitions are known: only the vectors are estimated, on schedules drawn from
// `others`.
CountEstimate estimate_vectors(FactoredTree& tree, const FullSpace& others, Random& random) {
  Descents descents;
  for (int i = 0; i < NumDescents; ++i) {
    const Plan drawn = others.decisions(draw_below(random, others.size())).plan;
    descents.add(others.size() * num_ways_of_vectors(tree, drawn), 1);
  }
  return descents.estimate();
}

// Descends the partitions only; the counts for parts and for what they share are exact.
CountEstimate estimate_partitions(FactoredTree& tree, bool with_vectors, Random& random) {
  // One more part multiplies the number of schedules by about the number of ways of one part.
  double part_weight = 1;
  for (const FactoredTree::Factor& part : tree.parts(tree.start().plan))
    part_weight = std::max(part_weight, static_cast<double>(part.count));
  const BigCount num_shared = num_ways(tree.shared());
  Descents descents;
  for (int i = 0; i < NumDescents; ++i) {
    auto [decisions, probability] = tree.partitions().draw(random, part_weight);
    const std::vector<FactoredTree::Factor> parts = tree.parts(decisions.plan);
    BigCount count = num_ways(parts) * num_shared;
    if (with_vectors) {
      tree.decide(parts, draw_below(random, num_ways(parts)), decisions);
      tree.decide(tree.shared(), draw_below(random, num_shared), decisions);
      count *= num_ways_of_vectors(tree, decisions.plan);
    }
    descents.add(count, probability);
  }
  return descents.estimate();
}

// Estimates the number of partitions.
CountEstimate estimate_num_partitions(const FactoredTree& tree, Random& random) {
  constexpr int FewDescents = 100;
  Descents descents;
  for (int i = 0; i < FewDescents; ++i)
    descents.add(1, tree.partitions().draw(random, 1).probability);
  return descents.estimate();
}

// Descends the whole tree, site by site.
CountEstimate estimate_tree(const FactoredTree& tree, Random& random) {
  Descents descents;
  const ScheduleSpace& space = tree.space();
  for (int i = 0; i < NumDescents; ++i) {
    auto [decisions, probability] = tree.partitions().draw(random, 1);
    ScheduleSpace::Node node{.decisions = std::move(decisions),
                             .construct = tree.partitions().num_constructs()};
    BigCount count = 1;
    while (const auto fork = space.next_fork(node, tree.has_low_level())) {
      count *= fork->offers.size();
      if (fork->offers.empty()) break;
      node = space.taken(node, *fork, fork->offers[random.below(fork->offers.size())]);
    }
    descents.add(count, probability);
  }
  return descents.estimate();
}

// Visits every schedule, if their number is within the limits.
std::optional<BigCount> walk_tree(const FactoredTree& tree, const CountLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  std::int64_t count = 0;
  const bool is_whole = tree.space().visit([&](const Schedule&, const Plan&) {
    return ++count <= limits.max_nodes && seconds_since(start) <= limits.max_seconds;
  });
  if (!is_whole) return std::nullopt;
  return BigCount(count);
}

std::vector<UndecidedConstruct> undecided_constructs(FactoredTree& tree) {
  std::map<const Construct*, std::size_t> num_choices;  // the most choices at any site
  const Plan& plan = tree.start().plan;
  std::vector<Subject> subjects = tree.subjects().subjects(plan);
  subjects.push_back(Vectors);
  for (const Subject& subject : subjects) {
    tree.subjects().visit_sites(plan, subject, [&](const ScheduleSpace::Fork& open) {
      std::size_t& most = num_choices[open.construct];
      most = std::max(most, open.offers.size());
    });
  }
  std::vector<UndecidedConstruct> undecided;
  for (const Construct* construct : tree.later_constructs()) {
    if (!tree.has_low_level() && construct->stage() == Stage::LowLevel) continue;
    const auto known = num_choices.find(construct);
    const char* why = nullptr;
    if (known == num_choices.end())
      why = tree.space().pins().empty() ? "it has no site in this energy"
                                        : "it has no site in this energy with these pins";
    else if (known->second == 1 && tree.space().pins().count_of(construct->name()) > 0)
      why = "each of its sites is pinned or has one legal choice";
    else if (known->second == 1)
      why = "only its default is legal at each of its sites";
    if (why != nullptr) undecided.push_back({std::string(construct->name()), why});
  }
  return undecided;
}

}  // namespace

FullCount count_full_space(FactoredTree& tree, std::string id, const CountLimits& limits,
                           std::uint64_t seed) {
  Random random(seed);
  FullCount result;
  result.undecided = undecided_constructs(tree);
  const bool has_vectors = decides_vectors(tree);
  if (auto why = tree.why_not_factored()) {
    result.why_no_space = *std::move(why);
    result.estimate = estimate_tree(tree, random);
    // A walk does not visit the low-level stage.
    if (!tree.has_low_level() && result.estimate->mean <= limits.max_nodes)
      result.walked = walk_tree(tree, limits);
    if (result.walked) result.estimate.reset();
    return result;
  }
  // If the tree has many more partitions than the limit, walking them would only waste time.
  if (estimate_num_partitions(tree, random).mean < 10 * limits.max_nodes)
    result.space = FullSpace::make(tree, std::move(id), limits);
  if (!result.space) {
    result.why_no_space = fmt::format(
        "its residuals have more partitions into parts than a walk of {} nodes or {} seconds "
        "visits",
        limits.max_nodes, limits.max_seconds);
    result.estimate = estimate_partitions(tree, has_vectors, random);
  } else if (has_vectors) {
    result.why_no_space = "what is offered for the solver's vectors depends on all other decisions";
    result.estimate = estimate_vectors(tree, *result.space, random);
    result.space.reset();
  }
  return result;
}

}  // namespace thallo
