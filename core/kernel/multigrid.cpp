#include "core/kernel/multigrid.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/diff/gradient.h"
#include "core/energy/print.h"
#include "core/kernel/lower.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/vector_layout.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

constexpr std::size_t MaxDims = 3;
// With larger ones a cycle costs more than the iterations that it saves. In three dims an element
// with more of them meets too many others.
constexpr std::int64_t MaxOffset = 4;
constexpr std::int64_t MaxOffset3 = 2;
constexpr std::size_t MaxEntries = 4096;

using Offset = std::array<int, 3>;

// Every offset of at most `radius`, the first dim fastest.
std::vector<Offset> offsets_within(int radius, int num_dims) {
  const auto range = [&](int dim) { return dim < num_dims ? radius : 0; };
  std::vector<Offset> offsets;
  for (int z = -range(2); z <= range(2); ++z)
    for (int y = -range(1); y <= range(1); ++y)
      for (int x = -range(0); x <= range(0); ++x) offsets.push_back({x, y, z});
  return offsets;
}

int radius_of(const std::vector<Multigrid::Entry>& entries) {
  int radius = 0;
  for (const Multigrid::Entry& entry : entries)
    for (const int offset : entry.offset) radius = std::max(radius, std::abs(offset));
  return radius;
}

// Coarse elements whose neighborhoods of one fine element reach those of each other. Further levels
// reach no further.
int coarse_radius(int radius) { return (radius + 2) / 2; }

GridStencil coarse_stencil(const GridStencil& fine, int num_dims) {
  std::set<std::pair<int, int>> channels;
  for (const Multigrid::Entry& entry : fine.entries) channels.emplace(entry.row, entry.col);
  GridStencil coarse{.radius = coarse_radius(fine.radius)};
  for (const auto& [row, col] : channels)
    for (const Offset& offset : offsets_within(coarse.radius, num_dims))
      coarse.entries.push_back({row, col, offset});
  return coarse;
}

class GridCheck {
 public:
  explicit GridCheck(const Energy& energy) : energy_(energy), graph_(energy.graph()) {}

  Expected<void> run() {
    if (auto legal = check_dims(); !legal) return legal;
    if (!energy_.bounds().empty())
      return refuse(fmt::format("'{}' has bounds, and which of its entries are free changes",
                                energy_.field(energy_.bounds().front().unknown).name));
    Differentiator differentiator(graph_, energy_);
    std::set<Multigrid::Entry> entries;  // of the pairs of residuals' reads
    for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
      const ResidualGroup& group = energy_.groups()[g];
      std::vector<ResidualRef> residuals;
      for (std::size_t r = 0; r < group.residuals.size(); ++r) {
        residuals.push_back({g, r});
        THALLO_CHECK(check_reads(group, differentiator.gradient(group.residuals[r]), entries));
      }
      if (const auto& gathers = check_gather(energy_, residuals); !gathers)
        return refuse(gathers.error().what);
    }
    GridStencil fine{.radius = radius_of({entries.begin(), entries.end()}),
                     .entries = {entries.begin(), entries.end()}};
    const std::size_t num_entries =
        coarse_stencil(fine, static_cast<int>(dims().size())).entries.size();
    if (num_entries <= MaxEntries) return {};
    return refuse(
        fmt::format("the channels of an element meet {} others on a coarse level, more "
                    "than {}",
                    num_entries, MaxEntries));
  }

 private:
  const std::vector<DimId>& dims() const { return energy_.field(energy_.unknowns().front()).dims; }
  static tl::unexpected<Diagnostic> refuse(const std::string& why) {
    return fail("preconditioner multigrid is not for this energy: {}", why);
  }

  Expected<void> check_dims() {
    const Field& first = energy_.field(energy_.unknowns().front());
    int channels = 0;
    for (const FieldId unknown : energy_.unknowns()) {
      const Field& field = energy_.field(unknown);
      if (field.dims != first.dims) {
        return refuse(
            fmt::format("'{}' and '{}' are not over the same dims", first.name, field.name));
      }
      first_channel_[unknown] = channels;
      channels += field.tangent_channels();
    }
    if (first.dims.empty() || first.dims.size() > MaxDims) {
      return refuse(fmt::format("'{}' is over {} dims, and a grid has one to three", first.name,
                                first.dims.size()));
    }
    if (channels <= max_block_channels) return {};
    return refuse(
        fmt::format("an element has {} channels, more than {}", channels, max_block_channels));
  }

  std::string text(const Partial& read) const {
    return fmt::format("{}({})", energy_.field(read.unknown).name,
                       ExprPrinter(graph_, names_of(energy_)).text(read.index));
  }

  // The domain of each component and the offset from it; empty if the access is another.
  struct Place {
    std::vector<AtomId> domains;
    std::vector<std::int64_t> offsets;
  };
  std::optional<Place> place(const Partial& read) const {
    Place result;
    for (const Affine& component : graph_.indices()[read.index]) {
      if (component.terms.size() != 1 || component.terms.front().coefficient != 1) return {};
      if (!graph_.indices().atom(component.terms.front().atom).is_domain()) return {};
      result.domains.push_back(component.terms.front().atom);
      result.offsets.push_back(component.constant);
    }
    return result;
  }

  Expected<void> check_reads(const ResidualGroup& group, const Gradient& reads,
                             std::set<Multigrid::Entry>& entries) {
    std::vector<Place> places;
    for (const Partial& read : reads) {
      if (!read.loops.empty())
        return refuse(fmt::format("a residual of '{}' reads {} in a Sum", group.name, text(read)));
      const auto at = place(read);
      if (!at) {
        return refuse(
            fmt::format("a residual of '{}' reads {}, which is at no fixed offset from "
                        "the residual",
                        group.name, text(read)));
      }
      places.push_back(*at);
    }
    const std::int64_t most = dims().size() == MaxDims ? MaxOffset3 : MaxOffset;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      for (std::size_t j = 0; j < reads.size(); ++j) {
        Multigrid::Entry entry{.row = first_channel_.at(reads[i].unknown) + reads[i].channel,
                               .col = first_channel_.at(reads[j].unknown) + reads[j].channel};
        bool is_near = places[i].domains == places[j].domains;
        for (std::size_t d = 0; d < dims().size() && is_near; ++d) {
          const std::int64_t offset = places[j].offsets[d] - places[i].offsets[d];
          is_near = std::abs(offset) <= most;
          if (is_near) entry.offset[d] = static_cast<int>(offset);
        }
        if (!is_near) {
          return refuse(
              fmt::format("a residual of '{}' reads both {} and {}, which are not at a "
                          "fixed offset of at most {} elements",
                          group.name, text(reads[i]), text(reads[j]), most));
        }
        entries.insert(entry);
      }
    }
    return {};
  }

  const Energy& energy_;
  ExprGraph graph_;  // the energy's expressions and their derivatives
  std::map<FieldId, int> first_channel_;
};

}  // namespace

Expected<void> check_multigrid(const Energy& energy) { return GridCheck(energy).run(); }

std::size_t GridStencil::position(const Multigrid::Entry& entry) const {
  const auto found = std::ranges::find(entries, entry);
  THALLO_ASSERT(found != entries.end());
  return static_cast<std::size_t>(found - entries.begin());
}

std::vector<int> GridStencil::diagonal(int channels) const {
  std::vector<int> result;
  for (int c = 0; c < channels; ++c) {
    const auto found = std::ranges::find(entries, Multigrid::Entry{c, c, {}});
    result.push_back(found == entries.end() ? -1 : static_cast<int>(found - entries.begin()));
  }
  return result;
}

std::string label_of(const RunMultigrid& step) {
  return step.pass == RunMultigrid::Pass::Build ? "multigrid build" : "multigrid cycle";
}

KernelFeatures count_features(const KernelProgram& program, const RunMultigrid& step,
                              const ProgramSizes& sizes, Precision precision) {
  const GridLevels grid = grid_levels(program, [&](DimId dim) { return sizes.extent(dim); });
  const auto scalar = static_cast<double>(size_of(
      memory_type(program, program.buffers[program.multigrid->levels].fields.front(), precision)));
  const bool builds = step.pass == RunMultigrid::Pass::Build;
  // A cycle multiplies twice by each matrix. A build weighs each and multiplies it from both sides,
  // which takes as long as two cycles, on a host and on an H200.
  const double passes = builds ? 4 : 2;
  KernelFeatures f;
  for (std::size_t l = 0; l < grid.levels.size(); ++l) {
    const auto elements = static_cast<double>(grid.levels[l].elements);
    const double entries =
        elements * static_cast<double>((l == 0 ? grid.fine : grid.coarse).entries.size());
    const double scalars = elements * grid.channels;
    f.points += static_cast<std::int64_t>(scalars);
    f.flops.adds += passes * entries;
    f.flops.multiplies += passes * entries;
    f.flops.fused += passes * entries;
    f.reads.coalesced += scalar * passes * (entries + 2 * scalars);
    f.writes.coalesced += scalar * (builds ? (l == 0 ? 0 : entries) + scalars : 2 * scalars);
  }
  f.must_read = f.reads.coalesced;
  f.must_write = f.writes.coalesced;
  return f;
}

GridLevels grid_shape(const KernelProgram& program) {
  THALLO_ASSERT(program.multigrid.has_value());
  const UnknownSpace& space = program.spaces.front();
  const std::vector<Multigrid::Entry>& entries = program.multigrid->entries;
  GridLevels grid{.num_dims = static_cast<int>(space.dims.size()),
                  .channels = space.channels,
                  .fine = {radius_of(entries), entries}};
  grid.coarse = coarse_stencil(grid.fine, grid.num_dims);
  return grid;
}

GridLevels grid_levels(const KernelProgram& program,
                       const std::function<std::int64_t(DimId)>& extent) {
  GridLevels grid = grid_shape(program);
  GridLevel level;
  for (std::size_t d = 0; d < program.spaces.front().dims.size(); ++d)
    level.extents[d] = extent(program.spaces.front().dims[d]);
  const auto take = [&grid](std::int64_t scalars) {
    grid.scalars += scalars;
    return grid.scalars - scalars;
  };
  for (;;) {
    level.elements = level.extents[0] * level.extents[1] * level.extents[2];
    const std::int64_t scalars = grid.channels * level.elements;
    level.weights = take(scalars);
    if (!grid.levels.empty()) {
      level.residual = take(scalars);
      level.correction = take(scalars);
      level.matrix = take(static_cast<std::int64_t>(grid.coarse.entries.size()) * level.elements);
    }
    grid.levels.push_back(level);
    if (level.elements <= 1) return grid;
    for (std::int64_t& n : level.extents) n = (n + 1) / 2;
  }
}

std::vector<GridChannel> grid_channels(const KernelProgram& program, const ProgramSizes& sizes) {
  const VectorLayout layout(program);
  const BufferDecl& r = program.buffers[program.vector(SolverVector::R)];
  const std::vector<BufferView> views = layout.views(r, sizes);
  std::vector<GridChannel> channels;
  for (const FieldId field : r.fields) {
    const auto view = std::ranges::find(views, field, &BufferView::field);
    for (int c = 0; c < program.field(field).channels; ++c) {
      const ChannelPlace place = layout.place(field, c);
      channels.push_back({view->begin + sizes.offset(place.chunk) + place.first, place.stride});
    }
  }
  return channels;
}

}  // namespace thallo
