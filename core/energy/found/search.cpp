#include "core/energy/found/search.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <ranges>
#include <unordered_set>

#include <fmt/format.h>

#include "core/energy/inlining.h"
#include "core/energy/print.h"
#include "core/ir/missing_nodes.h"

namespace thallo {
namespace {

constexpr double MinFlops = 8;
// A shift larger than any in an energy. It is added to coordinates while they are renamed, so that
// no index component is a plain domain, of which the simplifier would decide a bounds test.
constexpr std::int64_t FarInside = std::int64_t{1} << 40;

std::vector<ExprId> roots_of(const Energy::Data& data) {
  std::vector<ExprId> roots;
  for (const ResidualGroup& group : data.groups)
    roots.insert(roots.end(), group.residuals.begin(), group.residuals.end());
  for (const Intermediate& intermediate : data.intermediates)
    roots.insert(roots.end(), intermediate.values.begin(), intermediate.values.end());
  return roots;
}

// The cost of one operation, without its operands, in flops of a GPU: divisions and roots take
// several, functions many.
double flops_of_operation(const ExprGraph& graph, ExprId expression) {
  constexpr double Division = 8;
  constexpr double Function = 16;
  const Op op = graph[expression].op;
  switch (info(op).kind) {
    case OpKind::Leaf:
    case OpKind::Opaque: return 0;
    case OpKind::Arithmetic: break;
    case OpKind::Root: return Division;
    case OpKind::Sample: return op == Op::Sample ? Division : Function;
    case OpKind::Transcendental: return Function;
    case OpKind::Sum:
    case OpKind::Choice: return 1;
  }
  if (op != Op::PowI) return static_cast<double>(graph.operands(expression).size()) - 1;
  const int n = graph.exponent(expression);
  return std::abs(n) - 1 + (n < 0 ? Division : 0);
}

}  // namespace

FoundSearch::FoundSearch(FoundIntermediates& result)
    : result_(result),
      data_(result.energy_.data()),
      graph_(result.graph_),
      coordinates_(graph_, data_.maps),
      operands_(graph_, coordinates_),
      roots_(roots_of(data_)),
      root_set_(roots_.begin(), roots_.end()),
      order_(operands_.reachable(roots_)),
      facts_(graph_, result.energy_, operands_, roots_) {
  for (const auto& [expression, name] : data_.names) names_.try_emplace(expression, name);
  std::size_t owner = 0;
  const auto own = [&](const std::vector<ExprId>& roots) {
    for (const ExprId root : roots) owners_[root].insert(owner);
    ++owner;
  };
  for (const ResidualGroup& group : data_.groups) own(group.residuals);
  for (const Intermediate& intermediate : data_.intermediates) own(intermediate.values);
  for (const ExprId user : std::views::reverse(order_)) {
    const std::set<std::size_t> of_user = owners_[user];
    for (const ExprId operand : operands_.of(user)) {
      users_[operand].insert(user);
      owners_[operand].insert(of_user.begin(), of_user.end());
    }
  }
  for (const ExprId id : order_) {
    const std::vector<ExprId>& operands = operands_.of(id);
    const bool has_sum =
        graph_[id].op == Op::Sum ||
        std::ranges::any_of(operands, [&](ExprId operand) { return with_sums_.contains(operand); });
    if (has_sum) with_sums_.insert(id);
  }
}

void FoundSearch::run() && {
  collect_kinds();
  drop_covered();
  group_channels();
  name_all();
  for (const ExprId id : order_) {
    if (operands_.of(id) != graph_.operands(id)) result_.operands_.emplace(id, operands_.of(id));
  }
}

double FoundSearch::flops_of(ExprId expression, double enough) const {
  std::vector<ExprId> waiting = {expression};
  std::unordered_set<ExprId> met = {expression};
  double flops = 0;
  while (!waiting.empty() && flops < enough) {
    const ExprId id = waiting.back();
    waiting.pop_back();
    flops += flops_of_operation(graph_, id);
    for (const ExprId operand : graph_.operands(id))
      if (met.insert(operand).second) waiting.push_back(operand);
  }
  return flops;
}

bool FoundSearch::may_be_stored(ExprId expression) {
  return !root_set_.contains(expression) && !graph_.is_boolean(expression) &&
         !graph_.operands(expression).empty() && !with_sums_.contains(expression) &&
         !coordinates_.of(expression).empty() && flops_of(expression, MinFlops) >= MinFlops;
}

DomainId FoundSearch::own_domain(DimId dim, std::size_t number) {
  const auto [domain, is_new] = own_domains_.try_emplace({dim, number});
  if (is_new) {
    std::string name = data_.dims[dim.index()].name;
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (number > 0) name += std::to_string(number + 1);
    domain->second = graph_.indices().add_domain(dim, name);
  }
  return domain->second;
}

// Puts an expression over domains of the search. The least shift of each domain is 1, so that no
// index component is a plain domain, of which a bounds test would be simplified to true.
FoundSearch::Canonical FoundSearch::canonical(ExprId expression) {
  IndexTable& indices = graph_.indices();
  Canonical result;
  result.position.coordinates = coordinates_.in_order(expression, data_.fields);
  std::map<DimId, std::size_t> numbers;
  std::map<AtomId, Affine> far_inside;
  for (const AtomId atom : result.position.coordinates) {
    const DimId dim = coordinates_.dim(atom);
    const DomainId domain = own_domain(dim, numbers[dim]++);
    result.domains.push_back(domain);
    far_inside[atom] = indices.add(indices.component(domain), IndexTable::component(FarInside));
  }
  AtomReplacement& rename =
      renamings_
          .try_emplace({result.position.coordinates, result.domains}, graph_, std::move(far_inside))
          .first->second;
  const ExprId renamed = rename(expression);

  const Shifts& least = least_shifts(renamed);
  std::vector<std::int64_t> to_one;
  for (const DomainId domain : result.domains) {
    const auto shift = least.find(domain);
    // A domain without one is only in arguments of maps and in combinations.
    result.position.shifts.push_back(shift == least.end() ? 0 : shift->second);
    to_one.push_back(1 - result.position.shifts.back() - FarInside);
  }
  result.expression = shifted(renamed, result.domains, to_one);
  return result;
}

// The least shift of each domain in an expression that is renamed to domains of the search.
const FoundSearch::Shifts& FoundSearch::least_shifts(ExprId renamed) {
  const IndexTable& indices = graph_.indices();
  for (const ExprId id : missing_nodes(graph_, renamed, least_shifts_)) {
    Shifts least;
    const auto meet = [&](DomainId domain, std::int64_t shift) {
      const auto [known, is_first] = least.try_emplace(domain, shift);
      if (!is_first) known->second = std::min(known->second, shift);
    };
    const Op op = graph_[id].op;
    if (op == Op::Access || op == Op::InBounds || op == Op::IndexValue) {
      for (Affine component : indices[graph_.index(id)]) {
        const std::int64_t shift = std::exchange(component.constant, 0) - FarInside;
        if (const DomainId domain = indices.as_domain(component); domain.valid())
          meet(domain, shift);
      }
    }
    for (const ExprId operand : graph_.operands(id))
      for (const auto& [domain, shift] : least_shifts_.at(operand)) meet(domain, shift);
    least_shifts_.emplace(id, std::move(least));
  }
  return least_shifts_.at(renamed);
}

// Adds a number to each of the domains in an expression.
ExprId FoundSearch::shifted(ExprId expression, const std::vector<DomainId>& domains,
                            const std::vector<std::int64_t>& by) {
  IndexTable& indices = graph_.indices();
  DomainSubstitution moved;
  for (std::size_t i = 0; i < domains.size(); ++i)
    moved[domains[i]] = indices.add(indices.component(domains[i]), IndexTable::component(by[i]));
  return graph_.substitute(expression, moved, shifted_[{domains, by}]);
}

void FoundSearch::collect_kinds() {
  std::map<ExprId, Kind> kinds;
  for (const ExprId id : order_) {
    if (!may_be_stored(id)) continue;
    const Canonical canonical = this->canonical(id);
    Kind& kind = kinds[canonical.expression];
    kind.domains = canonical.domains;
    kind.occurrences.push_back({id, canonical.position});
    kind.owners.insert(owners_[id].begin(), owners_[id].end());
  }
  // The hash must not depend on which intermediates the author named: they are inlined first. That
  // is done at plain domains, where inlining adds no bounds tests.
  Inlining written_out(graph_, result_.energy_);
  ContentHash content(graph_, data_);
  for (auto& [expression, kind] : kinds) {
    std::vector<std::int64_t> first = kind.occurrences.front().position.shifts;
    for (const Occurrence& o : kind.occurrences) {
      for (std::size_t i = 0; i < first.size(); ++i)
        first[i] = std::min(first[i], o.position.shifts[i]);
    }
    for (Occurrence& o : kind.occurrences) {
      for (std::size_t i = 0; i < first.size(); ++i) o.position.shifts[i] -= first[i];
      kind.positions.insert(o.position);
    }
    if (!is_shared(kind)) continue;
    kind.flops = flops_of(expression);
    const std::vector<std::int64_t> to_zero(kind.domains.size(), -1);
    kind.hash = content.of(written_out(shifted(expression, kind.domains, to_zero)), kind.domains);
    kinds_.push_back(std::move(kind));
  }
  std::ranges::sort(kinds_, [](const Kind& a, const Kind& b) {
    return std::tuple(-a.flops, a.hash) < std::tuple(-b.flops, b.hash);
  });
}

// Read once, over the same space: not worth storing. A kind is shared if it has several positions
// or users, or a user over other coordinates.
bool FoundSearch::is_shared(const Kind& kind) {
  std::set<ExprId> users;
  bool is_smaller = false;
  for (const Occurrence& o : kind.occurrences) {
    for (const ExprId user : users_.at(o.expression)) {
      users.insert(user);
      std::vector<AtomId> own = o.position.coordinates;
      std::ranges::sort(own);
      is_smaller = is_smaller || coordinates_.of(user) != own;
    }
  }
  return kind.positions.size() > 1 || users.size() > 1 || is_smaller;
}

// Drops each kind that is only a piece of larger ones: the residuals and intermediates reach it
// only through kinds over the same domains that are read at the same positions. kinds_ is sorted by
// flops, so that larger ones come first.
void FoundSearch::drop_covered() {
  std::map<std::pair<std::vector<DomainId>, std::set<Position>>, Detour> detours;
  std::erase_if(kinds_, [&](const Kind& kind) {
    Detour& detour = detours[{kind.domains, kind.positions}];
    const bool is_covered = std::ranges::none_of(
        kind.occurrences, [&](const Occurrence& o) { return is_reached(o.expression, detour); });
    if (is_covered) return true;
    for (const Occurrence& o : kind.occurrences) detour.closed.insert(o.expression);
    return false;
  });
}

// What is known of an expression stays true: all that is closed later has no more flops.
bool FoundSearch::is_reached(ExprId expression, Detour& around) const {
  const auto known = around.is_reached.find(expression);
  if (known != around.is_reached.end()) return known->second;
  const auto users = users_.find(expression);
  const bool reached =
      root_set_.contains(expression) ||
      (users != users_.end() && std::ranges::any_of(users->second, [&](ExprId user) {
         return !around.closed.contains(user) && is_reached(user, around);
       }));
  around.is_reached.emplace(expression, reached);
  return reached;
}

void FoundSearch::group_channels() {
  using Place = std::tuple<std::vector<DomainId>, std::set<Position>, std::set<std::size_t>>;
  std::map<Place, std::vector<Kind*>> groups;
  for (Kind& kind : kinds_)
    groups[Place{kind.domains, kind.positions, kind.owners}].push_back(&kind);
  for (auto& [place, channels] : groups) {
    std::ranges::sort(channels, {}, &Kind::hash);
    add(channels);
  }
}

// Chooses the shift of a coordinate that the space of the channels begins at: reads with this shift
// are at the plain domain. No read of a channel may fall outside of the space; among the shifts for
// which none does, that with most reads is chosen. False if there is none.
bool FoundSearch::choose_origin(const std::vector<Kind*>& channels, std::size_t coordinate,
                                std::int64_t& origin) const {
  const DimId dim = graph_.indices().domain(channels.front()->domains[coordinate]).dim;
  std::map<std::int64_t, int> reads;  // shift -> how many reads have it
  for (const Position& position : channels.front()->positions) ++reads[position.shifts[coordinate]];
  std::vector<std::int64_t> shifts;
  for (const auto& [shift, count] : reads) shifts.push_back(shift);
  std::ranges::stable_sort(shifts, [&](std::int64_t a, std::int64_t b) {
    return std::tuple(-reads[a], a) < std::tuple(-reads[b], b);
  });
  for (const std::int64_t candidate : shifts) {
    const bool is_inside = std::ranges::all_of(channels, [&](const Kind* kind) {
      return std::ranges::all_of(kind->occurrences, [&](const Occurrence& o) {
        const Affine at{o.position.shifts[coordinate] - candidate,
                        {{o.position.coordinates[coordinate], 1}}};
        return facts_.is_inside(o.expression, {at}, std::span(&dim, 1));
      });
    });
    origin = candidate;
    if (is_inside) return true;
  }
  origin = shifts.front();
  return false;
}

void FoundSearch::add(const std::vector<Kind*>& channels) {
  IndexTable& indices = graph_.indices();
  const std::size_t number = result_.all_.size();
  FoundIntermediate found{.domains = channels.front()->domains};
  std::vector<std::int64_t> origin(found.domains.size());
  bool is_inside = true;
  for (std::size_t i = 0; i < origin.size(); ++i)
    is_inside = choose_origin(channels, i, origin[i]) && is_inside;

  const auto read_at = [&](const Position& position) {
    MultiIndex index;
    for (std::size_t i = 0; i < origin.size(); ++i)
      index.push_back({position.shifts[i] - origin[i], {{position.coordinates[i], 1}}});
    return index;
  };
  for (const Position& position : channels.front()->positions)
    found.positions.push_back(read_at(position));
  std::vector<FoundIntermediates::Definition> definitions;
  Hasher hasher;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Kind& kind = *channels[c];
    const Occurrence& first = kind.occurrences.front();
    FoundIntermediates::Definition definition{first.expression, {}};
    std::vector<std::int64_t> shifts;
    for (std::size_t i = 0; i < origin.size(); ++i) {
      shifts.push_back(origin[i] - first.position.shifts[i]);
      definition.in_own_space[first.position.coordinates[i]] =
          indices.add(indices.component(found.domains[i]), IndexTable::component(shifts[i]));
    }
    AtomReplacement& to_own_space =
        own_spaces_
            .try_emplace({first.position.coordinates, found.domains, std::move(shifts)}, graph_,
                         definition.in_own_space)
            .first->second;
    found.values.push_back(to_own_space(definition.expression));
    definitions.push_back(std::move(definition));
    for (const Occurrence& o : kind.occurrences)
      result_.reads_[o.expression] = {number, static_cast<int>(c), read_at(o.position)};
    hasher.update(kind.hash);
  }
  found.name = name_of(channels);
  for (const ExprId id : graph_.reachable(found.values))
    found.flops += flops_of_operation(graph_, id);
  if (!is_inside) {
    const ExprPrinter printer(graph_, names_of(result_.energy_));
    std::string places;
    for (const MultiIndex& index : found.positions) {
      places += fmt::format("{}({})", places.empty() ? "" : ", ",
                            printer.text(indices.intern(MultiIndex(index))));
    }
    found.why_not = fmt::format(
        "it is read at {}, which is outside of its domain for some points, and not every use is "
        "under a condition that says it is inside",
        places);
  }
  result_.all_.push_back(std::move(found));
  result_.definitions_.push_back(std::move(definitions));
  hashes_.push_back(hasher.finish());
}

// The name that the author gave to all channels; empty when there is none.
std::string FoundSearch::name_of(const std::vector<Kind*>& channels) const {
  std::string name;
  for (const Kind* kind : channels) {
    const auto named = std::ranges::find_if(kind->occurrences, [&](const Occurrence& occurrence) {
      return names_.contains(occurrence.expression);
    });
    if (named == kind->occurrences.end()) return "";
    const std::string& own = names_.at(named->expression);
    if (!name.empty() && own != name) return "";
    name = own;
  }
  return name;
}

// Sorts the intermediates by flops, most first. One without a name, or whose name something
// else has, is named by as many digits of its hash as it takes to differ from all other names,
// but at least 4.
void FoundSearch::name_all() {
  std::vector<std::size_t> order(hashes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple(-result_.all_[a].flops, hashes_[a]) <
           std::tuple(-result_.all_[b].flops, hashes_[b]);
  });
  std::set<std::string> taken = {"r"};
  for (const Field& field : data_.fields) taken.insert(field.name);
  for (const SparseMap& map : data_.maps) taken.insert(map.name);
  for (const NamedSum& sum : data_.sums) taken.insert(sum.name);
  std::vector<FoundIntermediate> sorted;
  std::vector<std::vector<FoundIntermediates::Definition>> definitions;
  std::vector<std::size_t> place(order.size());
  for (const std::size_t i : order) {
    place[i] = sorted.size();
    sorted.push_back(std::move(result_.all_[i]));
    definitions.push_back(std::move(result_.definitions_[i]));
    Hash128 hash = hashes_[i];
    std::string& name = sorted.back().name;
    for (std::size_t digits = 4; name.empty() || !taken.insert(name).second; ++digits) {
      if (digits > hash.hex().size()) {  // two have the same content
        hash = Hasher().update(hash).finish();
        digits = 4;
      }
      name = "%" + hash.hex().substr(0, digits);
    }
  }
  result_.all_ = std::move(sorted);
  result_.definitions_ = std::move(definitions);
  for (auto& [expression, read] : result_.reads_) read.found = place[read.found];
}

}  // namespace thallo
