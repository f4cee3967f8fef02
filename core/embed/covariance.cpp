#include "core/embed/covariance.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/stop_scope.h"
#include "core/base/suggest.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"
#include "core/linear/symmetric_inverse.h"

namespace thallo {
namespace {

// A factor of JtJ with more entries than this would not fit into memory either.
constexpr std::size_t MaxEntriesOfJtJ = 200'000'000;

// An element that exists.
struct FoundElement {
  FieldId unknown;
  std::int64_t position = 0;  // linear
};

// The linear position of an element.
Expected<std::int64_t> position_of(const Energy& energy, const Binding& binding, FieldId unknown,
                                   const UnknownElement& element) {
  const std::vector<DimId>& dims = energy.field(unknown).dims;
  if (element.at.size() != dims.size()) {
    return fail("unknown '{}' has {} dims, and ({}) has {} coordinates", element.unknown,
                dims.size(), fmt::join(element.at, ", "), element.at.size());
  }
  std::int64_t position = 0;
  for (std::size_t d = dims.size(); d-- > 0;) {
    const std::int64_t extent = binding.extent(dims[d]);
    if (element.at[d] < 0 || element.at[d] >= extent) {
      return fail("unknown '{}' has no element ({}): coordinate {} is outside 0 <= value < {}",
                  element.unknown, fmt::join(element.at, ", "), d, extent);
    }
    position = position * extent + element.at[d];
  }
  return position;
}

Expected<FieldId> find_unknown(const Energy& energy, const std::string& name) {
  if (const FieldId unknown = energy.find_unknown(name); unknown.valid()) return unknown;
  return fail(unknown_name(fmt::format("'{}' has no unknown", energy.name()), name,
                           energy.unknown_names()));
}

Expected<FoundElement> find_element(const Energy& energy, const Binding& binding,
                                    const UnknownElement& element) {
  THALLO_TRY(const auto unknown, find_unknown(energy, element.unknown));
  THALLO_TRY(const auto position, position_of(energy, binding, unknown, element));
  return FoundElement{unknown, position};
}

// "X(3, 5), channel 1"
std::string text_of(const Energy& energy, const Binding& binding, const UnknownEntry& entry) {
  const Field& field = energy.field(entry.unknown);
  return fmt::format("{}({}), channel {}", field.name,
                     fmt::join(binding.coordinates(field.dims, entry.element), ", "),
                     entry.channel);
}

// What of JtJ a few of its columns depend on: the rows and columns of unknowns that neither keep
// their start nor are unconnected with them.
struct ConnectedPart {
  SparseMatrix matrix;
  std::vector<std::optional<std::int64_t>> place;  // by column of J
  std::vector<std::int64_t> column;                // of J, by row of the matrix
};

ConnectedPart connected_part(const SparseMatrix& jtj, const std::vector<std::uint8_t>& kept,
                             const std::vector<std::int64_t>& wanted) {
  ConnectedPart part;
  part.place.resize(kept.size());
  const auto reach = [&](std::int64_t column) {
    auto& place = part.place[static_cast<std::size_t>(column)];
    if (place || kept[static_cast<std::size_t>(column)] != 0) return;
    place = static_cast<std::int64_t>(part.column.size());
    part.column.push_back(column);
  };
  const auto for_each_entry = [&](std::int64_t row, const auto& body) {
    const auto i = static_cast<std::size_t>(row);
    for (std::size_t k = jtj.offsets[i]; k < jtj.offsets[i + 1]; ++k)
      if (jtj.values[k] != 0) body(jtj.columns[k], jtj.values[k]);
  };
  std::ranges::for_each(wanted, reach);
  for (std::size_t next = 0; next < part.column.size(); ++next)
    for_each_entry(part.column[next], [&](std::int64_t column, double) { reach(column); });
  part.matrix.num_columns = std::ssize(part.column);
  for (const std::int64_t row : part.column) {
    for_each_entry(row, [&](std::int64_t column, double value) {
      if (const auto& place = part.place[static_cast<std::size_t>(column)])
        part.matrix.add(*place, value);
    });
    part.matrix.end_row();
  }
  return part;
}

}  // namespace

Expected<std::size_t> count_rows(const Energy& energy, const Binding& binding,
                                 std::span<const UnknownElement> elements) {
  int rows = 0;
  for (const UnknownElement& element : elements) {
    THALLO_TRY(const auto found, find_element(energy, binding, element));
    rows += energy.field(found.unknown).tangent_channels();
  }
  return static_cast<std::size_t>(rows);
}

Expected<Covariance> covariance(const Energy& energy, const Binding& binding,
                                std::span<const UnknownElement> elements) {
  EnergyEvaluator evaluator(energy, binding);
  const Linearization linearization = evaluator.linearize();
  const UnknownLayout& layout = linearization.layout();
  Covariance result;
  std::vector<std::int64_t> columns;  // of J
  for (const UnknownElement& element : elements) {
    THALLO_TRY(const auto found, find_element(energy, binding, element));
    for (int c = 0; c < energy.field(found.unknown).tangent_channels(); ++c)
      columns.push_back(layout.column(found.unknown, found.position, c));
    result.offsets.push_back(columns.size());
  }

  const auto jtj = linearization.jtj(MaxEntriesOfJtJ);
  if (!jtj) {
    return fail("JtJ of '{}' has more than {} entries; its inverse would not fit into memory",
                energy.name(), MaxEntriesOfJtJ);
  }
  std::vector<std::uint8_t> kept = evaluator.excluded();
  std::ranges::transform(kept, evaluator.held(), kept.begin(), std::bit_or());
  const ConnectedPart part = connected_part(*jtj, kept, columns);
  const SymmetricInverse inverse(part.matrix);
  if (inverse.has_too_many_dependent_rows()) {
    return fail(
        "J is rank-deficient: too many unknowns that are connected with these are not determined; "
        "exclude unknowns that are to stay, or add residuals that hold them");
  }
  result.values.assign(columns.size() * columns.size(), 0.0);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    check_stop();
    const auto place = part.place[static_cast<std::size_t>(columns[j])];
    if (!place) continue;
    const auto solved = inverse.column(*place);
    if (!solved) {
      return fail(
          "J is rank-deficient: the residuals do not determine {} beside the other unknowns; "
          "exclude unknowns that are to stay, or add residuals that hold them",
          text_of(energy, binding, layout.entry(columns[j])));
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto other = part.place[static_cast<std::size_t>(columns[i])])
        result.values[i * columns.size() + j] = (*solved)[static_cast<std::size_t>(*other)];
  }
  return result;
}

}  // namespace thallo
