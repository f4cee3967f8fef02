// The entries of the finest matrix follow from the pairs of accesses of the residuals, as those of
// a stored JtJ do (stored_jtj.cpp), but both triangles are stored: a smoother reads whole rows.
// Each entry is a field of its own, so that neighboring threads read adjacent values.

#include "core/kernel/lowering/preconditioners/multigrid.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/kernel/lowering/accumulate.h"
#include "core/kernel/lowering/part_expressions.h"

namespace thallo {
namespace {

class MultigridLowering {
 public:
  MultigridLowering(ProgramBuilder& builder, const std::vector<PartExpressions>& pieces)
      : b_(builder), g_(builder.graph()), pieces_(pieces) {
    for (const FieldId unknown : space().unknowns)
      for (int c = 0; c < b_.energy().field(unknown).tangent_channels(); ++c)
        channels_.push_back({unknown, c});
  }

  void run() {
    // A channel that no residual depends on has a diagonal of zeros.
    for (int c = 0; c < std::ssize(channels_); ++c) addends_[{c, c, {}}];
    for (const PartExpressions& piece : pieces_) collect(piece);
    declare();
    if (pieces_.size() > 1) b_.step(Phase::Linearize, ClearBuffer{b_.program().multigrid->matrix});
    for (const PartExpressions& piece : pieces_) fill(piece);
  }

 private:
  using Channel = std::pair<FieldId, int>;

  const UnknownSpace& space() const { return b_.program().spaces.front(); }
  int number_of(FieldId unknown, int channel) const {
    const auto found = std::ranges::find(channels_, Channel{unknown, channel});
    return static_cast<int>(found - channels_.begin());
  }

  void collect(const PartExpressions& e) {
    for (const Target& row : e.targets) {
      for (const Target& col : e.targets) {
        THALLO_ASSERT(row.loops.empty() && col.loops.empty());
        const ExprId value = normal_entry(g_, e, row, col);
        if (g_.is_constant(value, 0)) continue;
        Multigrid::Entry entry{.row = number_of(row.unknown, row.channel),
                               .col = number_of(col.unknown, col.channel)};
        for (std::size_t d = 0; d < space().dims.size(); ++d) {
          const std::int64_t offset =
              g_.indices()[col.index][d].constant - g_.indices()[row.index][d].constant;
          entry.offset[d] = static_cast<int>(offset);
        }
        addends_[entry].push_back({&e, {{}, row.index, 0, e.domains(), {}, value}});
      }
    }
  }

  void declare() {
    const std::vector<DomainId> element = b_.element_of(space().dims);
    Multigrid multigrid;
    for (const auto& [entry, addends] : addends_) {
      multigrid.entries.push_back(entry);
      const FieldId field = b_.stored_field(BufferKind::Multigrid, "multigrid.matrix", element, 1);
      fields_.emplace(entry, field);
      entry_of_.emplace(field, entry);
    }
    multigrid.scalars = b_.add_dim("scalars of multigrid.levels");
    const FieldId levels = b_.stored_field(BufferKind::Multigrid, "multigrid.levels",
                                           {b_.fresh_domain(multigrid.scalars, "i")}, 1);
    multigrid.matrix = b_.buffer_of(fields_.begin()->second);
    multigrid.levels = b_.buffer_of(levels);
    b_.program().multigrid = std::move(multigrid);
  }

  // One piece stores its sums; several add theirs to zeros.
  void fill(const PartExpressions& e) {
    std::vector<Addend> added;
    for (const auto& [entry, addends] : addends_) {
      for (const auto& [piece, addend] : addends) {
        if (piece != &e) continue;
        added.push_back(addend);
        added.back().field = fields_.at(entry);
      }
    }
    if (added.empty()) return;
    Kernel kernel{.role = "fill_multigrid",
                  .label = fmt::format("fill_multigrid [{}]", e.part->name)};
    const AtElement finish = pieces_.size() > 1 ? added_to_memory(b_) : stored();
    gather(b_, kernel, added,
           [&](Block& body, FieldId field, IndexId here, int channel, ExprId sum) {
             finish(body, field, here, channel, g_.mul(is_free(entry_of_.at(field), here), sum));
           });
    b_.launch(Phase::Linearize, b_.add_kernel(std::move(kernel)));
  }

  // True if both elements of the entry are.
  ExprId is_free(const Multigrid::Entry& entry, IndexId here) {
    MultiIndex there = g_.indices()[here];
    for (std::size_t d = 0; d < there.size(); ++d) there[d].constant += entry.offset[d];
    const auto of = [&](int channel, IndexId at) {
      return b_.is_free(channels_[static_cast<std::size_t>(channel)].first, at);
    };
    return g_.mul(of(entry.row, here), of(entry.col, g_.indices().intern(std::move(there))));
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const std::vector<PartExpressions>& pieces_;
  std::vector<Channel> channels_;  // of an element
  std::map<Multigrid::Entry, std::vector<std::pair<const PartExpressions*, Addend>>> addends_;
  std::map<Multigrid::Entry, FieldId> fields_;
  std::map<FieldId, Multigrid::Entry> entry_of_;
};

}  // namespace

void MultigridPreconditioner::lower_matrix(ProgramBuilder& builder,
                                           const std::vector<PartExpressions>& pieces) const {
  MultigridLowering(builder, pieces).run();
}

}  // namespace thallo
