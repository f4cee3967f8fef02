// A stored JtJ of affine accesses is a set of diagonals: for two unknowns and each way in which the
// element of the second follows from the element of the first (an offset, mostly), a field over the
// first one's dims with a channel for each pair of their channels that occurs. Of an entry and its
// mirror image only one is stored, which the product uses both ways. Both kernels, the one that
// fills and the one that applies, gather at the output. For the latter the points are the
// *elements* where a diagonal starts, so that following a diagonal backwards is inverting an
// access, too.

#include "core/kernel/lowering/operators.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

struct DiagonalKey {
  FieldId row, col;
  IndexId col_index;  // in the domains of the row's element

  friend auto operator<=>(const DiagonalKey&, const DiagonalKey&) = default;
};
using ChannelPair = std::pair<int, int>;

class StoredJtJLowering {
 public:
  StoredJtJLowering(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces,
                    ProductGathers& gathers)
      : b_(builder),
        g_(builder.graph()),
        pieces_(pieces),
        part_(*pieces.front().part),
        gathers_(gathers) {}

  void run() {
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) collect(piece);
    if (diagonals_.empty()) return;
    Kernel apply = part_kernel(part_, Role::JtJp, "apply_jtj");
    std::vector<std::vector<Addend>> filled(pieces_.size());
    std::vector<Addend> applied;
    for (const auto& [key, entries] : diagonals_) {
      const FieldId field =
          b_.stored_field(BufferKind::Product, fmt::format("JtJ.{}", part_.name),
                          element_of(key.row), static_cast<int>(entries.size()), part_.jtj_type);
      int channel = 0;
      for (const auto& [channels, addends] : entries) {
        for (auto [piece, addend] : addends) {
          addend.field = field;
          addend.channel = channel;
          filled[piece].push_back(std::move(addend));
        }
        add_products(key, channels, field, channel++, applied);
      }
    }
    fill(filled);
    gathers_.add(std::move(apply), part_, std::move(applied), ProductShare::OfSum);
  }

 private:
  // One piece stores its sums; several add theirs to zeros.
  void fill(const std::vector<std::vector<Addend>>& filled) {
    const bool adds = pieces_.size() > 1;
    if (adds) {
      const std::string buffer = fmt::format("JtJ.{}", part_.name);
      b_.step(Phase::Linearize, ClearBuffer{b_.program().find_buffer(buffer)});
    }
    for (const std::vector<Addend>& addends : filled) {
      if (addends.empty()) continue;
      Kernel kernel = part_kernel(part_, Role::FillJtJ, "fill_jtj");
      gather(b_, kernel, addends, adds ? added_to_memory(b_) : stored());
      b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
    }
  }

  // The domains of an unknown's element. Unknowns over the same dims have the same, so that equal
  // diagonals have equal indices.
  const std::vector<DomainId>& element_of(FieldId unknown) {
    const std::vector<DimId>& dims = b_.energy().field(unknown).dims;
    const auto [it, inserted] = elements_.try_emplace(dims);
    if (inserted) it->second = b_.fresh_domains(dims);
    return it->second;
  }

  // The index as a function of the element that `through` reads.
  IndexId from_element(IndexId index, FieldId row, IndexId through,
                       std::span<const DomainId> points) {
    const auto inverse =
        invert_access(g_.indices(), b_.program().maps, through, points, element_of(row));
    THALLO_ASSERT(inverse.has_value(), "JtJ through an access without inverse: {}",
                  inverse.error().what);
    return g_.indices().substitute(index, inverse->point);
  }

  // The key of the same diagonal as seen from its other end.
  DiagonalKey mirrored(const DiagonalKey& key) {
    const IndexId start = g_.indices().intern(element_of(key.row));
    return {key.col, key.row, from_element(start, key.col, key.col_index, element_of(key.row))};
  }

  // Decides which of an entry and its mirror image is stored. Offsets decide before hashes, which
  // depend on the ids of domains.
  bool comes_first(const DiagonalKey& a, ChannelPair i, const DiagonalKey& b, ChannelPair j) const {
    const auto order = [&](const DiagonalKey& key, ChannelPair channels) {
      std::vector<std::int64_t> offset;
      for (const Affine& component : g_.indices()[key.col_index])
        offset.push_back(component.constant);
      return std::tuple(key.row, key.col, offset, g_.indices().hash(key.col_index), channels);
    };
    return order(a, i) < order(b, j);
  }

  void collect(std::size_t piece) {
    const PartExpressions& e = pieces_[piece];
    const std::vector<Target> cols = with_fresh_loops(b_, e.targets);
    for (const Target& row : e.targets) {
      for (const Target& col : cols) {
        const ExprId value = normal_entry(g_, e, row, col);
        if (g_.is_constant(value, 0)) continue;
        const DiagonalKey key{row.unknown, col.unknown,
                              from_element(col.index, row.unknown, row.index, e.domains())};
        const ChannelPair channels{row.channel, col.channel};
        if (comes_first(mirrored(key), {col.channel, row.channel}, key, channels)) continue;
        std::vector<DomainId> loops = row.loops;
        loops.insert(loops.end(), col.loops.begin(), col.loops.end());
        diagonals_[key][channels].push_back({piece, {{}, row.index, 0, e.domains(), loops, value}});
      }
    }
  }

  // Ap of the row += entry * p of the column, and the other way round unless the entry is its own
  // mirror image.
  void add_products(const DiagonalKey& key, ChannelPair channels, FieldId field, int channel,
                    std::vector<Addend>& to) {
    const std::vector<DomainId>& points = element_of(key.row);
    const IndexId here = g_.indices().intern(points);
    const ExprId entry = b_.read(field, here, channel);
    const auto [i, j] = channels;
    const ExprId p_col = b_.read(b_.vector_view(SolverVector::P, key.col), key.col_index, j);
    to.push_back(
        {b_.vector_view(SolverVector::Ap, key.row), here, i, points, {}, g_.mul(entry, p_col)});
    if (i == j && mirrored(key) == key) return;
    const ExprId p_row = b_.read(b_.vector_view(SolverVector::P, key.row), here, i);
    to.push_back({b_.vector_view(SolverVector::Ap, key.col),
                  key.col_index,
                  j,
                  points,
                  {},
                  g_.mul(entry, p_row)});
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const std::vector<PartExpressions>& pieces_;
  const Part& part_;
  ProductGathers& gathers_;
  std::map<std::vector<DimId>, std::vector<DomainId>> elements_;
  // With the piece that adds each.
  std::map<DiagonalKey, std::map<ChannelPair, std::vector<std::pair<std::size_t, Addend>>>>
      diagonals_;
};

}  // namespace

void lower_stored_jtj(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces,
                      ProductGathers& gathers) {
  StoredJtJLowering(builder, pieces, gathers).run();
}

}  // namespace thallo
