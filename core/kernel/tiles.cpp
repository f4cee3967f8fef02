#include "core/kernel/tiles.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/kernel/memory_type.h"

namespace thallo {
namespace {

DimId grouped_dim(KernelProgram& program, DimId of, int size) {
  for (const GroupedDim& known : program.grouped_dims)
    if (known.of == of && known.size == size) return known.groups;
  const DimId groups(program.dims.size());
  program.dims.push_back({fmt::format("{}/{}", program.dims[of.index()].name, size)});
  program.grouped_dims.push_back({groups, of, size});
  return groups;
}

class RowGrouping {
 public:
  RowGrouping(ExprGraph& graph, DomainId row, DomainId group, int rows)
      : g_(graph), dim_(graph.indices().domain(row).dim) {
    IndexTable& indices = graph.indices();
    for (int r = 0; r < rows; ++r) {
      const Affine at = indices.add(IndexTable::component(std::int64_t{r}),
                                    indices.component(group), std::int64_t{rows});
      rows_.push_back({{row, at}});
      exists_.push_back(graph.in_bounds(at, dim_));
    }
  }

  // Each run of statements once for each row. The rows go through a loop together.
  Block grouped(const Block& block) {
    Block result;
    for (auto begin = block.begin(); begin != block.end();) {
      if (const auto* loop = std::get_if<Loop>(&begin->node)) {
        result.push_back({Loop{loop->domains, grouped(loop->body)}});
        ++begin;
        continue;
      }
      const auto end = std::find_if(begin, block.end(), [](const Statement& statement) {
        return std::holds_alternative<Loop>(statement.node);
      });
      for (std::size_t r = 0; r < rows_.size(); ++r)
        result.push_back({Guard{exists_[r], of_row({begin, end}, rows_[r])}});
      begin = end;
    }
    return result;
  }

 private:
  Block of_row(Block block, const DomainSubstitution& row) {
    const auto index = [&](IndexId& id) { id = g_.indices().substitute(id, row); };
    const auto value = [&](ExprId& id) { id = g_.substitute(id, row); };
    for (Statement& statement : block) {
      std::visit(
          Overloaded{[&](Store& s) { index(s.index), value(s.value); },
                     [&](ScatterAdd& s) { index(s.index), value(s.value); },
                     [&](MatrixAdd& s) { index(s.row.index), index(s.col.index), value(s.value); },
                     [&](Reduce& s) { value(s.value); },
                     [&](Loop& s) { s.body = of_row(std::move(s.body), row); },
                     [&](Guard& s) {
                       value(s.condition);
                       s.body = of_row(std::move(s.body), row);
                     }},
          statement.node);
    }
    return block;
  }

  ExprGraph& g_;
  DimId dim_;
  std::vector<DomainSubstitution> rows_;
  std::vector<ExprId> exists_;
};

// The least (sign -1) or largest (sign 1) value of an offset.
std::int64_t bound(const Window::Offset& offset, int sign, const ProgramSizes& sizes) {
  std::int64_t result = offset.constant;
  for (const auto& [dim, coefficient] : offset.loops)
    if (sign * coefficient > 0) result += coefficient * (sizes.extent(dim) - 1);
  return result;
}

std::int64_t extent_of(const LaunchShape& shape, const Window::Component& component,
                       const ProgramSizes& sizes) {
  const auto low = [&](const Window::Offset& offset) { return bound(offset, -1, sizes); };
  const auto high = [&](const Window::Offset& offset) { return bound(offset, 1, sizes); };
  const std::int64_t first = low(*std::ranges::min_element(component.offsets, {}, low));
  const std::int64_t last = high(*std::ranges::max_element(component.offsets, {}, high));
  const std::int64_t points =
      component.coordinate < 0
          ? 0
          : tile_extent(shape, static_cast<std::size_t>(component.coordinate)) - 1;
  return std::max<std::int64_t>(0, component.step * points + last - first + 1);
}

// Scalars of shared memory, with what rows leave of their pitch.
std::int64_t num_places(const LaunchShape& shape, const Window& window, const ProgramSizes& sizes) {
  const std::int64_t scalars = window_scalars(shape, window, sizes);
  const std::int64_t row = extent_of(shape, window.components.front(), sizes);
  return window.components.size() == 1 || row == 0 ? scalars
                                                   : scalars / row * row_pitch(shape, window);
}

}  // namespace

void group_rows(KernelProgram& program, Kernel& kernel, int rows) {
  if (rows == 1) return;
  IndexTable& indices = program.graph.indices();
  for (Section& section : kernel.sections) {
    if (section.domains.size() < 2) continue;
    const Domain row = indices.domain(section.domains[1]);
    const DomainId group = indices.add_domain(grouped_dim(program, row.dim, rows), row.name);
    RowGrouping grouping(program.graph, section.domains[1], group, rows);
    section.body = grouping.grouped(section.body);
    section.domains[1] = group;
  }
}

int tile_extent(const LaunchShape& shape, std::size_t domain) {
  if (domain == 0) return shape.tile_width;
  return domain == 1 ? shape.threads_per_block / shape.tile_width : 1;
}

std::int64_t num_tiles(const LaunchShape& shape, const CodeBody& section,
                       const ProgramSizes& sizes) {
  std::int64_t tiles = 1;
  for (std::size_t d = 0; d < section.extents.size(); ++d) {
    const std::int64_t extent = tile_extent(shape, d);
    tiles *= (sizes.extent(section.extents[d]) + extent - 1) / extent;
  }
  return tiles;
}

std::span<const ValueId> window_index(const CodeBody& section, const Instruction& load) {
  const Instruction& element = section[load.operands[0]];
  const bool has_rank_1 =
      section.windows[static_cast<std::size_t>(load.window)].components.size() == 1;
  return has_rank_1 ? std::span(load.operands).first(1) : std::span(element.operands);
}

int row_pitch(const LaunchShape& shape, const Window& window) {
  constexpr int MostReached = 32;  // around the points of a tile
  const Window::Component& row = window.components.front();
  const int points =
      row.coordinate < 0 ? 0 : tile_extent(shape, static_cast<std::size_t>(row.coordinate));
  return static_cast<int>(row.step) * points + MostReached;
}

std::int64_t window_scalars(const LaunchShape& shape, const Window& window,
                            const ProgramSizes& sizes) {
  std::int64_t scalars = 1;
  for (const Window::Component& component : window.components)
    scalars *= extent_of(shape, component, sizes);
  return scalars;
}

std::int64_t window_bytes(const KernelCode& code, const ProgramSizes& sizes, Precision precision) {
  std::int64_t most = 0;
  for (const CodeBody& section : code.sections) {
    std::int64_t scalars = 0;
    for (const Window& window : section.windows) scalars += num_places(code.shape, window, sizes);
    most = std::max(most, scalars);
  }
  const ScalarType real = code.compute == ComputeType::Double
                              ? ScalarType::Double
                              : memory_type(ScalarType::Working, precision);
  return most * static_cast<std::int64_t>(size_of(real));
}

bool windows_fit(const KernelCode& code, const ProgramSizes& sizes, Precision precision) {
  constexpr std::int64_t MaxBytes = 40 * 1024;
  const auto row_fits = [&](const Window& window) {
    return window.components.size() == 1 ||
           extent_of(code.shape, window.components.front(), sizes) <= row_pitch(code.shape, window);
  };
  return std::ranges::all_of(code.sections,
                             [&](const CodeBody& section) {
                               return std::ranges::all_of(section.windows, row_fits);
                             }) &&
         window_bytes(code, sizes, precision) <= MaxBytes;
}

}  // namespace thallo
