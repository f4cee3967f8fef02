#include "core/kernel/elimination.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/diff/gradient.h"
#include "core/energy/print.h"
#include "core/energy/unknown_spaces.h"
#include "core/kernel/lower.h"

namespace thallo {

Elimination::Elimination(const Energy& energy) : energy_(energy), graph_(energy.graph()) {
  Differentiator differentiator(graph_, energy);
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    for (const ExprId residual : energy.groups()[g].residuals) {
      residuals_.push_back({.group = g});
      for (const Partial& partial : differentiator.gradient(residual))
        residuals_.back().reads.insert({partial.unknown, partial.index, !partial.loops.empty()});
    }
  }
}

std::vector<FieldId> Elimination::space_of(FieldId unknown) const {
  return unknown_spaces(energy_)[thallo::space_of(energy_, unknown)];
}

int Elimination::num_channels(const std::vector<FieldId>& space) const {
  int channels = 0;
  for (const FieldId unknown : space) channels += energy_.field(unknown).tangent_channels();
  return channels;
}

std::string Elimination::text(const Read& read) const {
  return fmt::format("{}({})", energy_.field(read.unknown).name,
                     ExprPrinter(graph_, names_of(energy_)).text(read.index));
}

Expected<void> Elimination::check(FieldId unknown) const {
  const std::vector<FieldId> space = space_of(unknown);
  const std::string& name = energy_.field(unknown).name;
  if (space.size() == energy_.unknowns().size()) {
    return fail("'{}' cannot be eliminated: all unknowns are over its dims, and none would be left",
                name);
  }
  if (const int channels = num_channels(space); channels > max_block_channels) {
    return fail("'{}' cannot be eliminated: an element has {} channels, more than {}", name,
                channels, max_block_channels);
  }
  for (const Residual& residual : residuals_) {
    const std::string& group = energy_.groups()[residual.group].name;
    const Read* first = nullptr;
    for (const Read& read : residual.reads) {
      if (std::ranges::find(space, read.unknown) == space.end()) continue;
      if (read.is_in_sum) {
        return fail("'{}' cannot be eliminated: a residual of '{}' reads {} in a Sum", name, group,
                    text(read));
      }
      if (first != nullptr && first->index != read.index) {
        return fail("'{}' cannot be eliminated: a residual of '{}' reads both {} and {}", name,
                    group, text(*first), text(read));
      }
      first = &read;
    }
  }
  return {};
}

Expected<void> Elimination::check_kept(FieldId eliminated) const {
  const std::vector<FieldId> gone = space_of(eliminated);
  for (const FieldId unknown : energy_.unknowns()) {
    if (std::ranges::find(gone, unknown) != gone.end()) continue;
    if (const int channels = num_channels(space_of(unknown)); channels > max_block_channels) {
      return fail("'{}' cannot be kept: an element has {} channels, more than {}",
                  energy_.field(unknown).name, channels, max_block_channels);
    }
  }
  return {};
}

std::vector<FieldId> Elimination::spaces() const {
  std::vector<FieldId> result;
  for (const FieldId unknown : energy_.unknowns())
    if (space_of(unknown).front() == unknown && check(unknown)) result.push_back(unknown);
  return result;
}

}  // namespace thallo
