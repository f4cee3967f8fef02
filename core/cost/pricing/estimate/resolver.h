// Replaces reads of intermediates in an effort by what a plan makes of them: loads where values or
// derivatives are stored, else the effort of computing them at that place. Private to estimates.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "core/cost/pricing/effort.h"
#include "core/schedule/plan.h"

namespace thallo {

class Resolver {
 public:
  Resolver(Anatomy& anatomy, const std::vector<std::int64_t>& extents)
      : anatomy_(anatomy), extents_(extents) {}

  // What is stored of each intermediate from now on.
  void decide(const std::vector<Materialization>& stored);
  // The effort without reads.
  Effort operator()(const Effort& effort);
  // Of computing an intermediate's values, or its derivatives, at a point of its own.
  Effort values(std::size_t intermediate);
  Effort derivatives(std::size_t intermediate);

 private:
  // Which channels of an intermediate are wanted at one place.
  struct Wanted {
    std::size_t intermediate = 0;
    std::vector<int> values;
    std::vector<int> derivatives;
    friend auto operator<=>(const Wanted&, const Wanted&) = default;
  };
  struct Place {
    Wanted wanted;
    IndexId index;
    double times = 1;
  };
  static std::vector<Place> places_of(const Anatomy& anatomy, const std::vector<Load>& reads);
  void read(const Place& place, Effort& into);
  const Effort& inlined(const Wanted& wanted);
  const Effort& own_effort(const Wanted& wanted, bool has_values);
  IndexId compose(IndexId index, const Place& place);

  Anatomy& anatomy_;
  const std::vector<std::int64_t>& extents_;
  std::vector<Materialization> stored_;
  std::map<Wanted, Effort> inlined_;  // as decided
  std::map<std::pair<Wanted, bool>, Effort> own_efforts_;
  std::map<std::tuple<IndexId, IndexId, std::size_t>, IndexId> composed_;
};

}  // namespace thallo
