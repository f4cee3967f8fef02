#include "core/cost/pricing/estimate/resolver.h"

#include <algorithm>
#include <numeric>

namespace thallo {
namespace {

std::vector<int> all_channels(std::size_t count) {
  std::vector<int> channels(count);
  std::iota(channels.begin(), channels.end(), 0);
  return channels;
}

}  // namespace

void Resolver::decide(const std::vector<Materialization>& stored) {
  if (stored == stored_) return;
  stored_ = stored;
  inlined_.clear();
}

Effort Resolver::operator()(const Effort& effort) {
  if (effort.reads.empty()) return effort;
  Effort result = effort;
  result.reads.clear();
  for (const Place& place : places_of(anatomy_, effort.reads)) read(place, result);
  return result;
}

Effort Resolver::values(std::size_t intermediate) {
  const Wanted wanted{
      intermediate, all_channels(anatomy_.intermediates()[intermediate].values.size()), {}};
  return (*this)(own_effort(wanted, false));
}

Effort Resolver::derivatives(std::size_t intermediate) {
  const Wanted wanted{
      intermediate, {}, all_channels(anatomy_.intermediates()[intermediate].derivatives.size())};
  return (*this)(own_effort(wanted, stored_[intermediate].value));
}

std::vector<Resolver::Place> Resolver::places_of(const Anatomy& anatomy,
                                                 const std::vector<Load>& reads) {
  std::vector<Place> places;
  for (const Load& load : reads) {
    const auto intermediate = static_cast<std::size_t>(anatomy.intermediate_of(load.field));
    auto found = std::ranges::find_if(places, [&](const Place& place) {
      return place.wanted.intermediate == intermediate && place.index == load.index;
    });
    if (found == places.end()) {
      places.push_back({{intermediate, {}, {}}, load.index, load.times});
      found = places.end() - 1;
    }
    (anatomy.is_gradient(load.field) ? found->wanted.derivatives : found->wanted.values) =
        load.channels;
    found->times = std::max(found->times, load.times);
  }
  return places;
}

void Resolver::read(const Place& place, Effort& into) {
  const std::size_t i = place.wanted.intermediate;
  const IntermediateAnatomy& intermediate = anatomy_.intermediates()[i];
  Wanted computed = place.wanted;
  if (stored_[i].value && !computed.values.empty()) {
    into.add_load(
        {anatomy_.energy().intermediates()[i].field, place.index, computed.values, place.times});
    computed.values.clear();
  }
  if (stored_[i].gradient && !computed.derivatives.empty()) {
    into.add_load({intermediate.gradient, place.index, computed.derivatives, place.times});
    computed.derivatives.clear();
  }
  if (computed.values.empty() && computed.derivatives.empty()) return;
  const Effort& effort = inlined(computed);
  into.add_operations(effort, place.times);
  for (Load load : effort.loads) {
    if (load.index.valid()) load.index = compose(load.index, place);
    load.times *= place.times;
    into.add_load(load);
  }
}

const Effort& Resolver::inlined(const Wanted& wanted) {
  if (const auto found = inlined_.find(wanted); found != inlined_.end()) return found->second;
  Effort effort = (*this)(own_effort(wanted, stored_[wanted.intermediate].value));
  return inlined_.emplace(wanted, std::move(effort)).first->second;
}

// With `has_values`, derivatives that contain a value load it.
const Effort& Resolver::own_effort(const Wanted& wanted, bool has_values) {
  const auto key = std::pair(wanted, has_values);
  if (const auto found = own_efforts_.find(key); found != own_efforts_.end()) return found->second;
  const IntermediateAnatomy& intermediate = anatomy_.intermediates()[wanted.intermediate];
  std::vector<ExprId> roots;
  for (const int c : wanted.values)
    roots.push_back(intermediate.values[static_cast<std::size_t>(c)]);
  for (const int c : wanted.derivatives)
    roots.push_back(intermediate.derivatives[static_cast<std::size_t>(c)]);
  std::vector<std::pair<ExprId, Load>> known;
  if (has_values) {
    const IndexId here = anatomy_.graph().indices().intern(intermediate.domains);
    const FieldId field = anatomy_.energy().intermediates()[wanted.intermediate].field;
    for (std::size_t c = 0; c < intermediate.values.size(); ++c) {
      const ExprId value = intermediate.values[c];
      if (!anatomy_.graph().operands(value).empty())
        known.emplace_back(value, Load{field, here, {static_cast<int>(c)}, 1});
    }
  }
  return own_efforts_
      .emplace(key, effort_of(anatomy_, roots, intermediate.domains, extents_, known))
      .first->second;
}

// The index at which somebody who reads the intermediate at `place` loads what the intermediate
// loads at `index`.
IndexId Resolver::compose(IndexId index, const Place& place) {
  const auto key = std::tuple(index, place.index, place.wanted.intermediate);
  if (const auto found = composed_.find(key); found != composed_.end()) return found->second;
  IndexTable& indices = anatomy_.graph().indices();
  const std::vector<DomainId>& domains =
      anatomy_.intermediates()[place.wanted.intermediate].domains;
  const MultiIndex at = indices[place.index];
  DomainSubstitution substitution;
  for (std::size_t d = 0; d < domains.size(); ++d) substitution.emplace(domains[d], at[d]);
  const IndexId composed = indices.substitute(index, substitution);
  composed_.emplace(key, composed);
  return composed;
}

}  // namespace thallo
