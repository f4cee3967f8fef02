#include "core/search/priced/beam_options.h"

namespace thallo {

std::vector<OptionSpec> BeamOptions::specs() {
  return {{.name = "width",
           .default_value = std::int64_t{32},
           .doc = "States kept from one decision to the next; 1 is a greedy search.",
           .minimum = 1,
           .maximum = 4096},
          {.name = "passes",
           .default_value = std::int64_t{5},
           .doc = "Passes, each of which tells finer structures apart than the one before.",
           .minimum = 1,
           .maximum = 16},
          {.name = "propose",
           .default_value = std::int64_t{32},
           .doc = "So many of the cheapest schedules are measured.",
           .minimum = 1,
           .maximum = 100000},
          {.name = "sampling",
           .default_value = false,
           .doc = "Price log2(n) of n states of one structure instead of all."},
          {.name = "freezing",
           .default_value = false,
           .doc = "A first pass decides about all parts but the log2(n) most expensive ones."},
          {.name = "memoize",
           .default_value = true,
           .doc = "Keep what was found out about parts and states; without, each price is new."},
          {.name = "penalties",
           .default_value = true,
           .doc = "The n-th state of one structure counts as n times as expensive."},
          {.name = "blessing",
           .default_value = true,
           .doc = "Penalize structures of which no state within 20 % of the best has come so far."},
          {.name = "dropout",
           .default_value = 100.0,
           .doc = "Drop states at random, so that none is in so many percent of all runs.",
           .minimum = 0.001,
           .maximum = 100},
          {.name = "prune_memory",
           .default_value = true,
           .doc = "Drop what does not fit into the device's memory or the memory limit."},
          {.name = "prune_recomputation",
           .default_value = 10.0,
           .doc = "Drop what computes intermediates again so many times as often; 0: nothing.",
           .minimum = 0},
          {.name = "descent",
           .default_value = true,
           .doc = "At last change single decisions of the best state, while that helps."},
          {.name = "low_level",
           .default_value = true,
           .doc = "Decide launch shapes, layouts and other low-level sites last."},
          {.name = "loosen",
           .default_value = false,
           .doc = "Allow choices that lower the accuracy of products, such as halves."}};
}

BeamOptions BeamOptions::of(const Options& options) {
  const auto count = [&](std::string_view name) { return *options.require<std::int64_t>(name); };
  const auto is_on = [&](std::string_view name) { return *options.require<bool>(name); };
  return {.width = static_cast<std::size_t>(count("width")),
          .passes = static_cast<int>(count("passes")),
          .propose = static_cast<std::size_t>(count("propose")),
          .sampling = is_on("sampling"),
          .freezing = is_on("freezing"),
          .memoizes = is_on("memoize"),
          .penalties = is_on("penalties"),
          .blessing = is_on("blessing"),
          .dropout = *options.require<double>("dropout"),
          .prunes_memory = is_on("prune_memory"),
          .most_recomputation = *options.require<double>("prune_recomputation"),
          .descent = is_on("descent"),
          .low_level = is_on("low_level"),
          .loosens = is_on("loosen")};
}

}  // namespace thallo
