#include "core/kernel/lowering/program_builder.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/energy/inlining.h"
#include "core/energy/unknown_spaces.h"
#include "core/kernel/lowering/gather_product.h"

namespace thallo {
namespace {

// A buffer's name is one of the solver's ("p"), or a prefix and a name of the energy, so that no
// Sum, part or intermediate has the name of another buffer.
std::string values_name(const std::string& of) { return fmt::format("values.{}", of); }

}  // namespace

ProgramBuilder::ProgramBuilder(const Energy& energy, const Plan& plan,
                               const ProgramOptions& options)
    : energy_(energy),
      plan_(plan),
      options_(options),
      differentiator_(program_.graph, energy),
      direct_differentiator_(program_.graph, energy),
      intermediates_(energy.intermediates()) {
  program_.name = energy.name();
  program_.graph = energy.graph();
  program_.dims = energy.dims();
  program_.unknown_scalars = DimId(program_.dims.size());
  program_.dims.push_back({.name = "unknown_scalars"});
  program_.maps = energy.maps();
  program_.fields = energy.fields();
  program_.unknowns = energy.unknowns();
  program_.vector_order = plan.vector_order;
  program_.scales_steps = options.scales_steps;
  program_.passes = options.passes;
  for (const std::vector<FieldId>& unknowns : unknown_spaces(energy)) {
    UnknownSpace space{
        .dims = energy.field(unknowns.front()).dims, .unknowns = unknowns, .channels = 0};
    for (const FieldId unknown : unknowns)
      space.channels += energy.field(unknown).tangent_channels();
    space.is_eliminated = std::ranges::find(unknowns, options.eliminated) != unknowns.end();
    program_.spaces.push_back(std::move(space));
  }
  const auto has_other_sum = [this](const Part& part) {
    return multiplies_by_library(part) ||
           (eliminates() && gathers_sum_of_product(program_.spaces, part));
  };
  uses_dot_ = !options.linear_solver->is_direct() && std::ranges::any_of(plan.parts, has_other_sum);
  program_.state = add_field({.name = "state",
                              .kind = FieldKind::Buffer,
                              .type = ScalarType::Double,
                              .dims = {},
                              .channels = num_state_slots});
  program_.buffers.push_back({.name = "state",
                              .kind = BufferKind::State,
                              .type = ScalarType::Double,
                              .fields = {program_.state}});
  declare_solver();
}

// Declares what the solver's kernels use before anything that depends on the plan, so that these
// kernels are the same text under every schedule.
void ProgramBuilder::declare_solver() {
  const bool is_pcg = !options_.linear_solver->is_direct();
  element_of({program_.unknown_scalars});
  for (const UnknownSpace& space : program_.spaces) element_of(space.dims);
  using Vector = SolverVector;
  for (const Vector v : {Vector::B, Vector::D, Vector::X, Vector::R, Vector::InverseDiagonal})
    vector(v);
  if (damped()) {
    for (const Vector v : {Vector::Scale, Vector::Damping}) vector(v);
    if (eliminates()) vector(Vector::ReducedB);
  }
  if (is_pcg) {
    for (const Vector v : {Vector::P, Vector::Ap}) vector(v);
    if (options_.preconditioner != PreconditionerKind::None) vector(Vector::Z);
  }
  for (std::size_t s = 0; s < program_.spaces.size(); ++s) {
    if (options_.preconditioner != PreconditionerKind::BlockJacobi) break;
    if (!has_block(program_.spaces[s])) continue;
    blocks(s);
    block_inverse(s);
    if (eliminates() && !program_.spaces[s].is_eliminated) eliminated_blocks(s);
  }
  for (const FieldId unknown : energy_.unknowns()) {
    mask(unknown);
    trial_values(unknown);
  }
}

FieldId ProgramBuilder::add_field(Field field) {
  program_.fields.push_back(std::move(field));
  return FieldId(program_.fields.size() - 1);
}

// The plan's vector type is for the vectors of PCG; direct solvers take and return the working
// precision.
ScalarType ProgramBuilder::vector_type(SolverVector v) const {
  constexpr std::array pcg = {SolverVector::P, SolverVector::R, SolverVector::Z, SolverVector::Ap,
                              SolverVector::X};
  const bool is_of_pcg =
      !options_.linear_solver->is_direct() && std::ranges::find(pcg, v) != pcg.end();
  return is_of_pcg ? plan_.vector_type : ScalarType::Working;
}

std::size_t ProgramBuilder::vector(SolverVector v) {
  const auto [it, inserted] = program_.vectors.try_emplace(v, program_.buffers.size());
  if (inserted) {
    const std::string name(to_string(v));
    BufferDecl buffer{.name = name, .kind = BufferKind::Vector, .type = vector_type(v)};
    for (const FieldId unknown : program_.unknowns) {
      const Field& field = energy_.field(unknown);
      buffer.fields.push_back(add_field({.name = fmt::format("{}.{}", name, field.name),
                                         .kind = FieldKind::Buffer,
                                         .type = buffer.type,
                                         .dims = field.dims,
                                         .channels = field.tangent_channels()}));
    }
    buffer.flat = add_field({.name = name,
                             .kind = FieldKind::Buffer,
                             .type = buffer.type,
                             .dims = {program_.unknown_scalars}});
    program_.buffers.push_back(std::move(buffer));
  }
  return it->second;
}

FieldId ProgramBuilder::vector_view(SolverVector v, FieldId unknown) {
  const BufferDecl& buffer = program_.buffers[vector(v)];
  const auto position = std::ranges::find(program_.unknowns, unknown) - program_.unknowns.begin();
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
    const FieldId field = add_field({.name = full_name,
                                     .kind = FieldKind::Buffer,
                                     .dims = s.dims,
                                     .channels = s.channels * (s.channels + 1) / 2});
    program_.buffers.push_back(
        {.name = full_name, .kind = BufferKind::ElementBlock, .fields = {field}});
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

FieldId ProgramBuilder::trial_values(FieldId of) {
  const Field field = program_.field(of);
  const std::string name = fmt::format("trial.{}", field.name);
  const auto [it, inserted] = buffers_.try_emplace(name, program_.buffers.size());
  if (inserted) {
    const FieldId id = add_field(
        {.name = name, .kind = FieldKind::Buffer, .dims = field.dims, .channels = field.channels});
    program_.buffers.push_back({.name = name, .kind = BufferKind::Values, .fields = {id}});
  }
  return program_.buffers[it->second].fields.front();
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

InverseMap ProgramBuilder::inverse_of(MapId map) {
  const auto known = std::ranges::find(program_.inverses, map, &InverseMap::of);
  if (known != program_.inverses.end()) return *known;
  const SparseMap& source = program_.maps[map.index()];
  const SparseMap offsets{.name = source.name + ".offsets", .in = source.out, .out = source.in};
  const SparseMap points{.name = source.name + ".points", .in = source.in, .out = source.in};
  const InverseMap inverse{map, MapId(program_.maps.size()), MapId(program_.maps.size() + 1)};
  program_.maps.push_back(offsets);
  program_.maps.push_back(points);
  program_.inverses.push_back(inverse);
  return inverse;
}

MapId ProgramBuilder::add_table(const std::string& name, const std::vector<DomainId>& in,
                                std::vector<DimId> out, bool optional) {
  std::vector<DimId> dims;
  for (const DomainId domain : in) dims.push_back(graph().indices().domain(domain).dim);
  return add_table(name, std::move(dims), std::move(out), optional);
}

MapId ProgramBuilder::add_table(const std::string& name, std::vector<DimId> in,
                                std::vector<DimId> out, bool optional) {
  program_.maps.push_back(
      {.name = name, .in = std::move(in), .out = std::move(out), .optional = optional});
  return MapId(program_.maps.size() - 1);
}

DimId ProgramBuilder::add_dim(const std::string& name) {
  program_.dims.push_back({.name = name});
  return DimId(program_.dims.size() - 1);
}

std::vector<FieldId> ProgramBuilder::point_values() {
  std::vector<FieldId> fields = energy_.unknowns();
  for (std::size_t i = 0; i < energy_.intermediates().size(); ++i) {
    if (plan_.intermediates[i].value) fields.push_back(stored_values(energy_.intermediates()[i]));
  }
  for (const auto& [sum, stored] : stored_sums_) fields.push_back(stored.values);
  return fields;
}

std::map<FieldId, FieldId> ProgramBuilder::at_trial() {
  std::map<FieldId, FieldId> rebind;
  for (const FieldId field : point_values()) rebind[field] = trial_values(field);
  return rebind;
}

std::map<FieldId, FieldId> ProgramBuilder::paired_views(SolverVector v, SolverVector other) {
  std::map<FieldId, FieldId> pairs;
  for (const FieldId unknown : energy_.unknowns())
    pairs[vector_view(v, unknown)] = vector_view(other, unknown);
  return pairs;
}

ExprId ProgramBuilder::state(StateSlot slot) {
  return graph().access(program_.state, graph().indices().intern(MultiIndex{}),
                        static_cast<int>(slot));
}

ExprId ProgramBuilder::is_free(FieldId unknown, IndexId index) {
  const FieldId field = mask(unknown);
  if (!field.valid()) return graph().boolean(true);
  return graph().logical_not(graph().binary(Op::Eq, read(field, index), graph().constant(0)));
}

DomainId ProgramBuilder::fresh_domain(DimId dim, const std::string& name) {
  return graph().indices().add_domain(dim, name);
}

std::vector<DomainId> ProgramBuilder::fresh_domains(const std::vector<DimId>& dims) {
  std::vector<DomainId> result;
  for (const DimId dim : dims) result.push_back(fresh_domain(dim, program_.dims[dim.index()].name));
  return result;
}

std::vector<DomainId> ProgramBuilder::element_of(const std::vector<DimId>& dims) {
  const auto [known, is_new] = elements_.try_emplace(dims);
  if (is_new) known->second = fresh_domains(dims);
  return known->second;
}

StoredSum* ProgramBuilder::find_stored_sum(FieldId values) {
  for (auto& [sum, stored] : stored_sums_) {
    if (stored.values == values) return &stored;
  }
  return nullptr;
}

ExprId ProgramBuilder::with_stored_sums(ExprId expression) {
  std::map<ExprId, ExprId> reads;
  for (const auto& [sum, stored] : stored_sums_)
    reads.emplace(sum, read(stored.values, graph().indices().intern(stored.domains)));
  return graph().replace(expression, reads);
}

void ProgramBuilder::replace_stored_sums(std::size_t intermediate) {
  for (ExprId& value : intermediates_[intermediate].values) value = with_stored_sums(value);
}

ExprId ProgramBuilder::inlined(ExprId expression) {
  Inlining inlining(graph(), energy_, [this](FieldId field) -> const Intermediate* {
    const auto read = std::ranges::find(intermediates_, field, &Intermediate::field);
    if (read == intermediates_.end()) return nullptr;
    const auto position = static_cast<std::size_t>(read - intermediates_.begin());
    return plan_.intermediates[position].value ? nullptr : &*read;
  });
  return inlining(expression);
}

Store ProgramBuilder::store_state(StateSlot slot, ExprId value) {
  return {program_.state, graph().indices().intern(MultiIndex{}), static_cast<int>(slot), value};
}

Statement ProgramBuilder::reduce(StateSlot slot, ExprId value, ReduceOp op) {
  return {Reduce{op, static_cast<int>(slot), value}};
}

std::size_t ProgramBuilder::add_kernel(Kernel kernel) {
  program_.kernels.push_back(std::move(kernel));
  return program_.kernels.size() - 1;
}

void ProgramBuilder::launch(Phase phase, std::size_t kernel, std::optional<Gate> gate,
                            std::map<FieldId, FieldId> rebind) {
  step(phase, LaunchKernel{kernel, gate, std::move(rebind)});
}

std::map<FieldId, FieldId> ProgramBuilder::x_for_p() {
  std::map<FieldId, FieldId> reading_x = paired_views(SolverVector::P, SolverVector::X);
  reading_x[flat(SolverVector::P)] = flat(SolverVector::X);
  return reading_x;
}

void ProgramBuilder::launch_apply(Kernel kernel) {
  const std::size_t id = add_kernel(std::move(kernel));
  launch(Phase::Apply, id, Gate{StateSlot::Stop, 0});
  if (eliminates()) start_products_.push_back(LaunchKernel{id, {}, x_for_p()});
  launch(Phase::ResetApply, id, Gate{StateSlot::Resetting, 1}, x_for_p());
}

void ProgramBuilder::multiply(MultiplyMatrix product) {
  step(Phase::Apply, product);
  if (product.x == vector(SolverVector::P)) product.x = vector(SolverVector::X);
  if (eliminates()) start_products_.push_back(product);
  step(Phase::ResetApply, product);
}

void ProgramBuilder::multiply_at_start() {
  for (Step& product : std::exchange(start_products_, {})) step(Phase::Damp, std::move(product));
}

void ProgramBuilder::fill_eliminated_blocks() {
  for (Step& fill : std::exchange(block_steps_, {})) step(Phase::Damp, std::move(fill));
}

Block ProgramBuilder::share_of_product(ExprId share) {
  if (uses_dot_) return {};
  return {reduce(StateSlot::PAp, share)};
}

bool ProgramBuilder::start_product() {
  return !eliminates() && !std::exchange(product_is_started_, true);
}

bool ProgramBuilder::is_eliminated(FieldId unknown) const {
  const Field& field = program_.field(unknown);
  return eliminates() && field.kind == FieldKind::Unknown &&
         field.dims == program_.field(options_.eliminated).dims;
}

}  // namespace thallo
