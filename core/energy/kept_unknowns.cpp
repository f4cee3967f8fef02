// What an energy says of the entries of its unknowns: some are excluded, channels of some are held,
// and some are kept within bounds.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/energy/builder.h"
#include "core/energy/dependence.h"

namespace thallo {

void FieldHandle::bounds(const Bound& lower, const Bound& upper, SourceLocation where) const {
  builder_->bounds(id_, lower, upper, std::move(where));
}

void EnergyBuilder::exclude(const FieldHandle& unknown, const std::vector<IndexExpr>& domains,
                            Expr condition, SourceLocation where) {
  exclude(unknown.id(), domain_ids(domains, "an exclusion"), condition, std::move(where));
}

void EnergyBuilder::exclude(FieldId unknown, const std::vector<DomainId>& domains, Expr condition,
                            SourceLocation where) {
  if (UnknownDependence(data_).value(id_of(condition)))
    logger("energy").warn(
        "{}: the condition of what is excluded of '{}' reads an unknown; it is looked at once, "
        "where "
        "a solve starts, and entries that do not fulfil it there may do so later",
        where.text(), data_.fields[unknown.index()].name);
  const auto same = std::ranges::find(data_.exclusions, unknown, &Exclusion::unknown);
  if (same == data_.exclusions.end()) {
    data_.exclusions.push_back({unknown, domains, id_of(condition)});
    return;
  }
  if (same->domains.size() != domains.size()) {
    report({fmt::format("'{}' is excluded over {} domains and over {}",
                        data_.fields[unknown.index()].name, same->domains.size(), domains.size()),
            std::move(where)});
    return;
  }
  DomainSubstitution to_first;
  for (std::size_t i = 0; i < domains.size(); ++i)
    to_first[domains[i]] = data_.graph.indices().component(same->domains[i]);
  same->condition = data_.graph.binary(Op::Or, same->condition,
                                       data_.graph.substitute(id_of(condition), to_first));
}

void EnergyBuilder::hold(FieldId unknown, std::set<int> channels,
                         const std::vector<DomainId>& domains, Expr condition,
                         SourceLocation where) {
  const Field& field = data_.fields[unknown.index()];
  const auto has_all = [&](int first, int last) {
    return std::ranges::count_if(channels, [&](int c) { return c >= first && c < last; }) ==
           last - first;
  };
  const auto has_none = [&](int first, int last) {
    return std::ranges::none_of(channels, [&](int c) { return c >= first && c < last; });
  };
  const auto fault = [&](const std::string& what) {
    report({fmt::format("'{}': {}", field.name, what), where, {}});
  };
  if (!channels.empty() && (*channels.begin() < 0 || *channels.rbegin() >= field.channels))
    return fault(fmt::format("there is no channel {}; channels count from 0, the last is {}",
                             *channels.begin() < 0 ? *channels.begin() : *channels.rbegin(),
                             field.channels - 1));
  if (has_all(0, field.channels)) return exclude(unknown, domains, condition, std::move(where));
  const int num_first =  // of the position of a pose
      field.manifold == Manifold::Euclidean ? 0 : shift_channels(field.manifold);
  if (field.manifold != Manifold::Euclidean && num_first == 0)
    return fault(fmt::format("the channels of an {} are held together", to_string(field.manifold)));
  if (field.manifold != Manifold::Euclidean &&
      !((has_all(0, num_first) || has_none(0, num_first)) &&
        (has_all(num_first, field.channels) || has_none(num_first, field.channels))))
    return fault(
        fmt::format("the channels of a pose are held together, 0 to {} (its position) or {} to {} "
                    "(its rotation)",
                    num_first - 1, num_first, field.channels - 1));
  if (UnknownDependence(data_).value(id_of(condition)))
    return fault("the condition under which channels are held reads an unknown");
  data_.held.push_back({unknown, domains, id_of(condition), std::move(channels)});
}

std::vector<DomainId> EnergyBuilder::element_domains(FieldId field, std::vector<DomainId>& free) {
  std::vector<DomainId> domains;
  for (const DimId dim : data_.fields[field.index()].dims) {
    const auto found = std::ranges::find_if(
        free, [&](DomainId d) { return data_.graph.indices().domain(d).dim == dim; });
    domains.push_back(found == free.end() ? add_domain(dim) : *found);
    if (found != free.end()) free.erase(found);
  }
  return domains;
}

void EnergyBuilder::bounds(FieldId unknown, const Bound& lower, const Bound& upper,
                           SourceLocation where) {
  const Field field = data_.fields[unknown.index()];
  const auto fault = [&](const std::string& what) {
    report({fmt::format("the bounds of '{}': {}", field.name, what), where, {}});
  };
  if (field.kind != FieldKind::Unknown)
    return fault(fmt::format("it is an {}, and only unknowns have bounds", to_string(field.kind)));
  if (field.manifold != Manifold::Euclidean)
    return fault(fmt::format("a step moves the channels of an {} together, so none has bounds",
                             to_string(field.manifold)));
  if (std::ranges::find(data_.bounds, unknown, &Bounds::unknown) != data_.bounds.end())
    return fault("there are some already; give both sides at once");
  const auto num_channels = static_cast<std::size_t>(field.channels);
  Bounds made{unknown, {}, {}, {}, where};
  std::vector<DomainId> free;
  for (const auto& [given, side] :
       {std::pair(&lower, &made.lower), std::pair(&upper, &made.upper)}) {
    if (given->of_channels.size() != 1 && given->of_channels.size() != num_channels)
      return fault(
          fmt::format("{} numbers for {}", given->of_channels.size(),
                      num_channels == 1 ? "1 channel" : fmt::format("{} channels", num_channels)));
    for (std::size_t c = 0; c < num_channels; ++c) {
      side->push_back(id_of(given->of_channels[given->of_channels.size() == 1 ? 0 : c]));
      free = merge_domains(free, data_.graph.free_domains(side->back()));
    }
  }
  UnknownDependence dependence(data_);
  for (std::size_t c = 0; c < num_channels; ++c) {
    const ExprId lo = made.lower[c], hi = made.upper[c];
    if (dependence.value(lo) || dependence.value(hi)) return fault("they read an unknown");
    if (!data_.graph.is_constant(lo) || !data_.graph.is_constant(hi)) continue;
    const double from = data_.graph.constant_value(lo), to = data_.graph.constant_value(hi);
    constexpr double Infinity = std::numeric_limits<double>::infinity();
    if (!(from <= to) || from == Infinity || to == -Infinity)
      return fault(fmt::format("there is no number from {} to {}", from, to));
  }
  made.domains = element_domains(unknown, free);
  data_.bounds.push_back(std::move(made));
}

// A read of what is held has the value of the unknown and no derivative, so that no step moves it.
void EnergyBuilder::freeze_held() {
  if (data_.held.empty()) return;
  ExprGraph& graph = data_.graph;
  const auto freeze = [&](ExprId leaf) -> std::optional<ExprId> {
    if (graph[leaf].op != Op::Access) return {};
    ExprId is_held = graph.boolean(false);
    for (const Exclusion& held : data_.held) {
      if (graph.field(leaf) != held.unknown || !held.channels.contains(graph.channel(leaf)))
        continue;
      DomainSubstitution here;
      const MultiIndex index = graph.indices()[graph.index(leaf)];
      for (std::size_t i = 0; i < held.domains.size(); ++i) here[held.domains[i]] = index[i];
      is_held = graph.binary(Op::Or, is_held, graph.substitute(held.condition, here));
    }
    return graph.select(is_held, graph.unary(Op::Freeze, leaf), leaf);
  };
  const auto rewrite = [&](ExprId& root) { root = graph.rewrite(root, freeze); };
  for (ResidualGroup& group : data_.groups) std::ranges::for_each(group.residuals, rewrite);
  for (Intermediate& made : data_.intermediates) std::ranges::for_each(made.values, rewrite);
  for (NamedSum& named : data_.sums) rewrite(named.sum);
  for (NamedExpression& named : data_.names) rewrite(named.expression);
}

}  // namespace thallo
