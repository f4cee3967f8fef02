// The cheapest schedules that a search has priced.
#pragma once

#include <compare>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "core/search/search.h"

namespace thallo {

class BestStates {
 public:
  // Keeps `most` schedules. With `distinct_prices`, it keeps one schedule for each price, the one
  // with the fewest decisions: what differs only in what the model does not see is proposed once.
  BestStates(std::size_t most, bool distinct_prices)
      : most_(most), distinct_prices_(distinct_prices) {}

  // True if a schedule with this price would be kept.
  bool would_keep(double seconds) const { return seconds <= worst(); }
  void add(double seconds, const std::vector<Directive>& directives);

  bool empty() const { return states_.empty(); }
  double best() const {
    return empty() ? std::numeric_limits<double>::infinity() : states_.begin()->first.seconds;
  }
  // Returns the price of the last one kept; infinite while fewer than `most` are kept.
  double worst() const;
  // Returns those that fit, the cheapest first.
  std::vector<Proposal> proposals(const SearchSpace& space) const;

 private:
  struct Key {
    double seconds = 0;
    std::size_t num_decisions = 0;
    std::size_t number = 0;  // in the order in which they were added

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  std::size_t most_;
  bool distinct_prices_;
  std::size_t num_added_ = 0;
  std::map<Key, std::vector<Directive>> states_;
};

}  // namespace thallo
