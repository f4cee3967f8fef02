#include "core/cost/pricing/estimate/step_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernel/lanes.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

using Touched = std::vector<std::pair<std::pair<int, std::size_t>, double>>;

// Several accesses to a table touch together what the largest of them touches.
void touch(Touched& touched, std::pair<int, std::size_t> key, double bytes) {
  const auto found = std::ranges::find(touched, key, &Touched::value_type::first);
  if (found == touched.end()) {
    touched.emplace_back(key, bytes);
  } else {
    found->second = std::max(found->second, bytes);
  }
}

double sum(const Touched& touched) {
  double bytes = 0;
  for (const auto& [key, of_table] : touched) bytes += of_table;
  return bytes;
}

// Instructions for the scalars of a chunk, as AccessNotes (core/kernel/access_notes.h) finds them.
double pieces(const Access& of_chunk, const Table& table, int gap) {
  const auto chunk = static_cast<int>(of_chunk.element / table.scalar_bytes);
  const int width = std::gcd(chunk, static_cast<int>(LaneBytes / table.scalar_bytes));
  const bool has_vectors =
      width > 1 && (of_chunk.kind != Access::Kind::Add || table.is_added_in_vectors);
  if (!has_vectors) return of_chunk.scalars;
  const double vectors = std::floor((of_chunk.scalars + gap) / width);
  const double rest = std::max(0.0, of_chunk.scalars - width * vectors);
  const bool loads_rest_at_once = of_chunk.kind == Access::Kind::Read && rest > 1;
  return vectors + (loads_rest_at_once ? 1 : rest);
}

}  // namespace

StepBuilder::StepBuilder(const ExprGraph& graph, const std::vector<std::int64_t>& extents,
                         Phase phase, std::string label, double points, DomainId first)
    : graph_(graph), extents_(extents), points_(points), first_(first) {
  step_.phase = phase;
  step_.label = std::move(label);
  step_.features.points = static_cast<std::int64_t>(points);
  step_.features.chained_loads = 1;
}

void StepBuilder::visit(MapId map, double times) {
  step_.features.visits[map] += times * points_;
  step_.team = 0;
}

void StepBuilder::add_operations(const Effort& effort, double times) {
  KernelFeatures& f = step_.features;
  f.flops.adds += times * effort.flops.adds;
  f.flops.multiplies += times * effort.flops.multiplies;
  f.flops.fused += times * effort.flops.fused;
  f.flops.divisions += times * effort.flops.divisions;
  f.flops.transcendentals += times * effort.flops.transcendentals;
  f.index_operations += times * effort.index_operations;
  f.passes += times * effort.passes;
}

void StepBuilder::reduce(double scalars) {
  step_.features.reductions += scalars * points_;
  step_.features.flops.adds += scalars * points_;
  step_.reduces = true;
}

// As FeatureCounter (core/kernel/features.cpp) finds it for generated code.
std::pair<Motion, MapId> StepBuilder::motion_of(IndexId index) const {
  if (!index.valid()) return {Motion::Jumps, {}};
  const IndexTable& indices = graph_.indices();
  const MultiIndex& components = indices[index];
  Motion motion = Motion::Still;
  for (std::size_t k = 0; k < components.size(); ++k) {
    for (const AffineTerm& term : components[k].terms) {
      const Atom& atom = indices.atom(term.atom);
      if (atom.is_domain()) {
        if (atom.domain != first_) continue;
        const bool by_one = k == 0 && term.coefficient == 1 && motion == Motion::Still;
        motion = by_one ? Motion::ByOne : Motion::Jumps;
      } else if (std::ranges::binary_search(indices.domains_of(atom.argument), first_)) {
        return {Motion::Jumps, atom.map};
      }
    }
  }
  return {motion, {}};
}

// Every coordinate that is looked up is read once for a point.
void StepBuilder::read_maps(IndexId index, double times) {
  if (!index.valid()) return;
  const IndexTable& indices = graph_.indices();
  for (const Affine& component : indices[index]) {
    for (const AffineTerm& term : component.terms) {
      const Atom& atom = indices.atom(term.atom);
      if (atom.is_domain() || std::ranges::find(looked_up_, term.atom) != looked_up_.end())
        continue;
      looked_up_.push_back(term.atom);
      KernelFeatures& f = step_.features;
      f.index_bytes += sizeof(std::int32_t) * points_ * times;
      f.loads += points_ * times;
      f.chained_loads = 2;
      double entries = 1;
      for (const DomainId domain : indices.domains_of(atom.argument))
        entries *= static_cast<double>(extents_[indices.domain(domain).dim.index()]);
      touch(read_, {-1, term.atom.index()},
            sizeof(std::int32_t) * std::min(entries, points_ * times));
    }
  }
}

void StepBuilder::add_to_chunk(Access access, const Table& table, int gap) {
  access.bytes = access.scalars * table.scalar_bytes;
  access.pieces = pieces(access, table, gap);
  access.table = access.element * table.elements;
  KernelFeatures& f = step_.features;
  const double bytes = access.count * access.bytes;
  AccessBytes& all = access.kind == Access::Kind::Read    ? f.reads
                     : access.kind == Access::Kind::Store ? f.writes
                                                          : f.scatters;
  switch (access.motion) {
    case Motion::Still: all.uniform += bytes; break;
    case Motion::ByOne: all.coalesced += bytes; break;
    case Motion::Jumps: all.gathered += bytes; break;
  }
  if (access.kind == Access::Kind::Read) f.loads += access.count * access.scalars;
  if (access.kind == Access::Kind::Add) f.atomics += access.count * access.pieces;
  f.accesses.push_back(access);
}

void StepBuilder::add(const Access& access, const Table& table, double channels) {
  const double bytes = std::min(access.count, table.elements) * channels * table.scalar_bytes;
  if (access.kind != Access::Kind::Store) touch(read_, table.key, bytes);
  if (access.kind != Access::Kind::Read) touch(written_, table.key, bytes);
  Access of_chunk = access;
  if (!table.is_blocked) {
    of_chunk.scalars = channels;
    of_chunk.element = table.element_bytes;
    return add_to_chunk(of_chunk, table, 0);
  }
  // It is not known which they are: the first of them.
  const int all = static_cast<int>(table.element_bytes / table.scalar_bytes);
  for (int first = 0; first < std::min<double>(all, channels);) {
    const Chunk chunk = blocked_chunk(all, first);
    of_chunk.scalars = std::min<double>(chunk.width, channels - first);
    of_chunk.element = chunk.stride * table.scalar_bytes;
    add_to_chunk(of_chunk, table, chunk.stride - chunk.width);
    first += chunk.width;
  }
}

void StepBuilder::access(Access::Kind kind, const Table& table, IndexId index, double channels,
                         double times) {
  const auto [motion, map] = motion_of(index);
  read_maps(index, times);
  if (motion == Motion::Still) return at_one(kind, table, channels, times);
  if (list_ && map == *list_) return at_point(kind, table, channels);
  if (list_)
    return add({.kind = kind, .motion = Motion::Jumps, .count = points_ * times}, table, channels);
  add({.kind = kind, .motion = motion, .map = map, .count = points_ * times}, table, channels);
}

void StepBuilder::at_one(Access::Kind kind, const Table& table, double channels, double times) {
  double count = points_ * times;
  // Lanes that add to one element add up first.
  if (kind == Access::Kind::Add) count /= MapStatistics::Lanes;
  add({.kind = kind, .motion = Motion::Still, .count = count}, table, channels);
}

void StepBuilder::at_point(Access::Kind kind, const Table& table, double channels, double times) {
  add({.kind = kind, .motion = Motion::ByOne, .count = points_ * times}, table, channels);
}

void StepBuilder::through_list(Access::Kind kind, const Table& table, double channels,
                               double times) {
  const double count = points_ * times;
  step_.features.index_bytes += sizeof(std::int32_t) * count;
  step_.features.loads += count;
  step_.features.chained_loads = 2;
  add({.kind = kind, .motion = Motion::Jumps, .count = count}, table, channels);
}

StepWork StepBuilder::take() && {
  step_.features.must_read = sum(read_);
  step_.features.must_write = sum(written_);
  return std::move(step_);
}

}  // namespace thallo
