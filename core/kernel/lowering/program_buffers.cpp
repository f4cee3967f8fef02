// The buffers of a program under construction, which are made on first use.

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/lowering/program_builder.h"

namespace thallo {
namespace {

// A buffer's name is one of the solver's ("p"), or a prefix and a name of the energy, so that no
// Sum, part or intermediate has the name of another buffer.
std::string values_name(const std::string& of) { return fmt::format("values.{}", of); }

}  // namespace

FieldId ProgramBuilder::add_field(Field field) {
  program_.fields.push_back(std::move(field));
  return FieldId(program_.fields.size() - 1);
}

// The plan's vector type is for the vectors of PCG; direct solvers take and return the working
// precision, but for the Schur complement, to which small differences of large numbers matter. The
// kernels of PCG that read p also read x in its place.
ScalarType ProgramBuilder::vector_type(SolverVector v) const {
  constexpr std::array pcg = {SolverVector::P, SolverVector::R, SolverVector::Z, SolverVector::Ap,
                              SolverVector::X};
  const bool is_of_pcg = std::ranges::find(pcg, v) != pcg.end();
  if (v == SolverVector::Move) return ScalarType::Double;
  if (forms_schur_complement()) {
    const bool is_double = is_of_kept(v) || v == SolverVector::X;
    return is_double || (is_of_pcg && has_linear_loop()) ? ScalarType::Double : ScalarType::Working;
  }
  return is_of_pcg && has_linear_loop() ? plan_.vector_type : ScalarType::Working;
}

std::size_t ProgramBuilder::vector(SolverVector v) {
  const auto [it, inserted] = program_.vectors.try_emplace(v, program_.buffers.size());
  if (inserted) {
    const std::string name(to_string(v));
    BufferDecl buffer{.name = name, .kind = BufferKind::Vector, .type = vector_type(v)};
    for (const FieldId unknown : program_.unknowns) {
      if (is_of_kept(v) && is_eliminated(unknown)) continue;
      const Field& field = energy_.field(unknown);
      buffer.fields.push_back(add_field({.name = fmt::format("{}.{}", name, field.name),
                                         .kind = FieldKind::Buffer,
                                         .type = buffer.type,
                                         .dims = field.dims,
                                         .channels = field.tangent_channels()}));
    }
    buffer.flat =
        add_field({.name = name,
                   .kind = FieldKind::Buffer,
                   .type = buffer.type,
                   .dims = {is_of_kept(v) ? program_.kept_scalars : program_.unknown_scalars}});
    program_.buffers.push_back(std::move(buffer));
  }
  return it->second;
}

FieldId ProgramBuilder::vector_view(SolverVector v, FieldId unknown) {
  const BufferDecl& buffer = program_.buffers[vector(v)];
  const auto at = std::ranges::lower_bound(program_.unknowns, unknown);
  auto position = at - program_.unknowns.begin();
  if (is_of_kept(v)) {
    position -= std::count_if(program_.unknowns.begin(), at,
                              [this](FieldId other) { return is_eliminated(other); });
  }
  return buffer.fields[static_cast<std::size_t>(position)];
}

FieldId ProgramBuilder::flat(SolverVector v) { return program_.buffers[vector(v)].flat; }

FieldId ProgramBuilder::blocks(std::size_t space) {
  return element_blocks(&UnknownSpace::blocks, "blocks", space);
}

FieldId ProgramBuilder::eliminated_blocks(std::size_t space) {
  return element_blocks(&UnknownSpace::eliminated_blocks, "eliminated_blocks", space);
}

FieldId ProgramBuilder::block_inverse(std::size_t space) {
  return element_blocks(&UnknownSpace::block_inverse, "block_inverse", space);
}

std::optional<ProgramBuilder::BlockRow> ProgramBuilder::block_row(FieldId unknown,
                                                                  int channel) const {
  for (std::size_t s = 0; s < program_.spaces.size(); ++s) {
    if (!program_.spaces[s].blocks) continue;
    int first = 0;
    for (const FieldId other : program_.spaces[s].unknowns) {
      if (other == unknown) return BlockRow{s, first + channel};
      first += energy_.field(other).tangent_channels();
    }
  }
  return {};
}

FieldId ProgramBuilder::element_blocks(std::optional<std::size_t> UnknownSpace::*buffer,
                                       std::string_view name, std::size_t space) {
  UnknownSpace& s = program_.spaces[space];
  if (!(s.*buffer)) {
    s.*buffer = program_.buffers.size();
    const std::string full_name = fmt::format("{}.{}", name, space);
    const ScalarType type = forms_schur_complement() ? ScalarType::Double : ScalarType::Working;
    const FieldId field = add_field({.name = full_name,
                                     .kind = FieldKind::Buffer,
                                     .type = type,
                                     .dims = s.dims,
                                     .channels = s.channels * (s.channels + 1) / 2});
    program_.buffers.push_back(
        {.name = full_name, .kind = BufferKind::ElementBlock, .type = type, .fields = {field}});
  }
  return program_.buffers[*(s.*buffer)].fields.front();
}

FieldId ProgramBuilder::matrix() {
  if (!program_.dense_jtj) {
    program_.dense_jtj = program_.buffers.size();
    const FieldId field = add_field({.name = "JtJ",
                                     .kind = FieldKind::Buffer,
                                     .dims = {program_.unknown_scalars, program_.unknown_scalars}});
    program_.buffers.push_back({.name = "JtJ", .kind = BufferKind::Matrix, .fields = {field}});
  }
  return program_.buffers[*program_.dense_jtj].fields.front();
}

FieldId ProgramBuilder::kept_matrix(const std::string& name) {
  const auto [it, inserted] = buffers_.try_emplace(name, program_.buffers.size());
  if (inserted) {
    const FieldId field = add_field({.name = name,
                                     .kind = FieldKind::Buffer,
                                     .type = ScalarType::Double,
                                     .dims = {program_.kept_scalars, program_.kept_scalars}});
    program_.buffers.push_back(
        {.name = name, .kind = BufferKind::Matrix, .type = ScalarType::Double, .fields = {field}});
  }
  return program_.buffers[it->second].fields.front();
}

FieldId ProgramBuilder::mask(FieldId unknown) {
  if (energy_.find_exclusion(unknown) == nullptr) return {};
  const auto [it, inserted] = program_.masks.try_emplace(unknown, program_.buffers.size());
  if (inserted) {
    const Field& field = energy_.field(unknown);
    const std::string name = fmt::format("mask.{}", field.name);
    const FieldId id = add_field(
        {.name = name, .kind = FieldKind::Buffer, .type = ScalarType::UInt8, .dims = field.dims});
    program_.buffers.push_back(
        {.name = name, .kind = BufferKind::Mask, .type = ScalarType::UInt8, .fields = {id}});
  }
  return program_.buffers[it->second].fields.front();
}

FieldId ProgramBuilder::free_channels(FieldId unknown) {
  if (energy_.find_bounds(unknown) == nullptr) return {};
  const std::string name = fmt::format("free.{}", energy_.field(unknown).name);
  const auto [it, inserted] = buffers_.try_emplace(name, program_.buffers.size());
  if (inserted) {
    const Field& field = energy_.field(unknown);
    const FieldId id = add_field({.name = name,
                                  .kind = FieldKind::Buffer,
                                  .type = ScalarType::UInt8,
                                  .dims = field.dims,
                                  .channels = field.channels});
    program_.buffers.push_back(
        {.name = name, .kind = BufferKind::Mask, .type = ScalarType::UInt8, .fields = {id}});
  }
  return program_.buffers[it->second].fields.front();
}

FieldId ProgramBuilder::stored_values(const Intermediate& intermediate) {
  // The intermediate's own field is where its values are stored; reads of it need no rewriting.
  const std::string name = values_name(energy_.field(intermediate.field).name);
  const auto [it, inserted] = buffers_.try_emplace(name, program_.buffers.size());
  if (inserted) {
    program_.buffers.push_back(
        {.name = name, .kind = BufferKind::Values, .fields = {intermediate.field}});
  }
  return intermediate.field;
}

FieldId ProgramBuilder::stored_values(const PlannedSum& sum, const std::vector<DomainId>& domains) {
  const FieldId field = stored_field(BufferKind::Values, values_name(sum.name), domains, 1);
  program_.fields[field.index()].name = sum.name;
  return field;
}

FieldId ProgramBuilder::copy_of(FieldId of, BufferKind kind, std::string_view prefix) {
  const Field field = program_.field(of);
  const std::string name = fmt::format("{}.{}", prefix, field.name);
  const auto [it, inserted] = buffers_.try_emplace(name, program_.buffers.size());
  if (inserted) {
    const FieldId id = add_field(
        {.name = name, .kind = FieldKind::Buffer, .dims = field.dims, .channels = field.channels});
    program_.buffers.push_back({.name = name, .kind = kind, .fields = {id}});
  }
  return program_.buffers[it->second].fields.front();
}

FieldId ProgramBuilder::trial_values(FieldId of) {
  return copy_of(of, BufferKind::Values, "trial");
}

FieldId ProgramBuilder::kept_values(FieldId unknown) {
  return copy_of(unknown, BufferKind::Values, "kept");
}

FieldId ProgramBuilder::rounded_values(FieldId of) {
  return copy_of(of, BufferKind::Rounded, "rounded");
}

FieldId ProgramBuilder::stored_field(BufferKind kind, const std::string& buffer,
                                     const std::vector<DomainId>& domains, int channels,
                                     ScalarType type) {
  std::vector<DimId> dims;
  for (const DomainId domain : domains) dims.push_back(graph().indices().domain(domain).dim);
  const FieldId id = add_field({.name = buffer,
                                .kind = FieldKind::Buffer,
                                .type = type,
                                .dims = std::move(dims),
                                .channels = channels});
  const auto [it, inserted] = buffers_.try_emplace(buffer, program_.buffers.size());
  if (inserted) program_.buffers.push_back({.name = buffer, .kind = kind, .type = type});
  program_.buffers[it->second].fields.push_back(id);
  return id;
}

std::size_t ProgramBuilder::buffer_of(FieldId field) const {
  const auto holds = [&](const BufferDecl& buffer) {
    return std::ranges::find(buffer.fields, field) != buffer.fields.end();
  };
  const auto found = std::ranges::find_if(program_.buffers, holds);
  THALLO_ASSERT(found != program_.buffers.end(), "'{}' is in no buffer",
                program_.field(field).name);
  return static_cast<std::size_t>(found - program_.buffers.begin());
}

FieldId ProgramBuilder::flat_view(const std::string& buffer, DimId dim) {
  BufferDecl& decl = program_.buffers[program_.find_buffer(buffer)];
  if (!decl.flat.valid()) {
    decl.flat =
        add_field({.name = buffer, .kind = FieldKind::Buffer, .type = decl.type, .dims = {dim}});
  }
  return decl.flat;
}

std::string ProgramBuilder::unused_buffer_name(const std::string& wanted) const {
  std::string name = wanted;
  for (int i = 2; buffers_.contains(name); ++i) name = fmt::format("{}.{}", wanted, i);
  return name;
}

}  // namespace thallo
