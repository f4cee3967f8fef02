#include "core/kernel/lowering/schur_half.h"

#include <utility>
#include <vector>

#include "core/kernel/lowering/operators.h"

namespace thallo {
namespace {

constexpr const char* Complement = SchurHalf::Buffer;
constexpr const char* FirstEntries = "kept_jtj";

}  // namespace

SchurHalf::SchurHalf(ProgramBuilder& builder) : b_(builder) {
  if (b_.options().linear_solver->form() != MatrixForm::Csr) return;
  blocks_.emplace(b_, std::string(Complement) + ".half", ScalarType::Double);
  const std::vector<UnknownSpace>& spaces = b_.program().spaces;
  for (std::size_t row = 0; row < spaces.size(); ++row) {
    for (std::size_t col = row; col < spaces.size(); ++col) {
      if (spaces[row].is_eliminated || spaces[col].is_eliminated) continue;
      blocks_->add_blocks(spaces[row].unknowns.front(), spaces[col].unknowns.front(),
                          spaces[row].channels, spaces[col].channels);
    }
  }
  blocks_->declare();
  for (const auto& [unknowns, blocks] : blocks_->blocks())
    b_.program().patterns[blocks.pattern].has_products = true;
}

SchurHalf::Place SchurHalf::place(const UnknownScalar& row, const UnknownScalar& col,
                                  DomainId any) {
  const auto at_row = *b_.block_row(row.unknown, row.channel);
  const auto at_col = *b_.block_row(col.unknown, col.channel);
  if (at_col.space < at_row.space) return place(col, row, any);  // H + H^T stays the same
  const std::vector<UnknownSpace>& spaces = b_.program().spaces;
  const StoredBlocks::Unknowns unknowns = {spaces[at_row.space].unknowns.front(),
                                           spaces[at_col.space].unknowns.front()};
  const int channel = at_row.row * spaces[at_col.space].channels + at_col.row;
  return {unknowns, blocks_->block(unknowns.first, unknowns.second, row.index, col.index, any),
          channel};
}

Statement SchurHalf::add(const UnknownScalar& row, const UnknownScalar& col, ExprId value,
                         DomainId any) {
  if (!blocks_) return {MatrixAdd{b_.kept_matrix(Complement), row, col, value}};
  const Place at = place(row, col, any);
  return {ScatterAdd{blocks_->blocks().at(at.unknowns).values, at.block, at.channel, value}};
}

Statement SchurHalf::add_first(const UnknownScalar& row, const UnknownScalar& col, ExprId value,
                               DomainId any) {
  has_first_entries_ = true;
  if (!blocks_) return {MatrixAdd{b_.kept_matrix(FirstEntries), row, col, value}};
  const Place at = place(row, col, any);
  return {ScatterAdd{first_values(at.unknowns), at.block, at.channel, value}};
}

FieldId SchurHalf::first_values(const StoredBlocks::Unknowns& unknowns) {
  const auto [it, inserted] = first_values_.try_emplace(unknowns);
  if (inserted) {
    const StoredBlocks::Blocks& blocks = blocks_->blocks().at(unknowns);
    it->second = b_.stored_field(BufferKind::Product, FirstEntries, {blocks.here},
                                 static_cast<int>(blocks.entries.size()), ScalarType::Double);
  }
  return it->second;
}

void SchurHalf::begin() {
  const std::size_t buffer = blocks_ ? b_.program().find_buffer(blocks_->buffer())
                                     : b_.buffer_of(b_.kept_matrix(Complement));
  if (!has_first_entries_ || blocks_)
    b_.keep(ProgramBuilder::Later::Complement, ClearBuffer{buffer});
  if (!has_first_entries_) return;
  b_.step(Phase::Linearize, ClearBuffer{b_.program().find_buffer(FirstEntries)});
  b_.keep(ProgramBuilder::Later::Complement, copy_of_first_entries());
}

Kernel SchurHalf::copy_of_first_entries() {
  Kernel kernel{.role = "copy_kept", .label = "copy_kept", .compute = ComputeType::Double};
  const auto copy = [&](const std::vector<DomainId>& point, FieldId from, FieldId to) {
    const IndexId here = b_.graph().indices().intern(point);
    kernel.sections.push_back({.domains = point});
    for (int channel = 0; channel < b_.program().field(from).channels; ++channel)
      kernel.sections.back().body.push_back(
          {Store{to, here, channel, b_.read(from, here, channel)}});
  };
  for (const auto& [unknowns, values] : first_values_) {
    const StoredBlocks::Blocks& blocks = blocks_->blocks().at(unknowns);
    copy({blocks.here}, values, blocks.values);
  }
  if (!blocks_) {
    const FieldId from = b_.kept_matrix(FirstEntries);
    copy(b_.element_of(b_.program().field(from).dims), from, b_.kept_matrix(Complement));
  }
  return kernel;
}

void SchurHalf::finish() {
  if (blocks_) {
    b_.keep(
        ProgramBuilder::Later::Complement,
        mirror_halves(b_, *blocks_, Complement, "mirror_complement", b_.program().kept_scalars));
  } else {
    b_.keep(ProgramBuilder::Later::Complement, dense_halves(b_, b_.kept_matrix(Complement)));
  }
}

}  // namespace thallo
