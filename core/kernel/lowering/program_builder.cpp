#include "core/kernel/lowering/program_builder.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "core/energy/reweighted_norm.h"
#include "core/energy/unknown_spaces.h"
#include "core/kernel/lowering/gather_product.h"

namespace thallo {

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
  if (forms_schur_complement()) {
    program_.kept_scalars = DimId(program_.dims.size());
    program_.dims.push_back({.name = "kept_scalars"});
  }
  program_.maps = energy.maps();
  program_.fields = energy.fields();
  program_.unknowns = energy.unknowns();
  program_.vector_order = plan.vector_order;
  find_reweighted_norms();
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
  uses_dot_ = has_linear_loop() && std::ranges::any_of(plan.parts, has_other_sum);
  program_.state = add_field({.name = "state",
                              .kind = FieldKind::Buffer,
                              .type = ScalarType::Double,
                              .channels = num_state_slots});
  program_.buffers.push_back({.name = "state",
                              .kind = BufferKind::State,
                              .type = ScalarType::Double,
                              .fields = {program_.state}});
  declare_solver();
}

void ProgramBuilder::find_reweighted_norms() {
  const auto is_frozen = [this](std::size_t node) {
    return graph()[ExprId(node)].op == Op::Freeze;
  };
  if (std::ranges::none_of(std::views::iota(std::size_t{0}, graph().size()), is_frozen)) return;
  ReweightedNorms norms(graph(), energy_);
  for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
    const ResidualGroup& group = energy_.groups()[g];
    const auto factors = norms.cost_factors(group);
    for (std::size_t r = 0; r < group.residuals.size(); ++r) {
      if (factors[r] && !group.loss) {
        cost_factors_.emplace(ResidualRef{g, r}, *factors[r]);
      } else if (norms.has_frozen_parts(group.residuals[r])) {
        program_.knows_minimized_cost = false;
      }
    }
  }
  if (!program_.knows_minimized_cost) cost_factors_.clear();
  if (!cost_factors_.empty()) program_.minimized_cost = StateSlot::MinimizedCost;
}

std::optional<ExprId> ProgramBuilder::cost_factor(ResidualRef residual) const {
  const auto found = cost_factors_.find(residual);
  return found == cost_factors_.end() ? std::nullopt : std::optional(found->second);
}

// Declares what the solver's kernels use before anything that depends on the plan, so that these
// kernels are the same text under every schedule.
void ProgramBuilder::declare_solver() {
  element_of({program_.unknown_scalars});
  for (const UnknownSpace& space : program_.spaces) element_of(space.dims);
  using Vector = SolverVector;
  for (const Vector v : {Vector::B, Vector::D, Vector::X, Vector::R, Vector::InverseDiagonal})
    vector(v);
  if (damped()) {
    for (const Vector v : {Vector::Scale, Vector::Damping}) vector(v);
    if (has_reduced_b() && has_linear_loop()) vector(Vector::ReducedB);
  }
  if (forms_schur_complement()) {
    for (const Vector v : {Vector::KeptB, Vector::KeptX, Vector::KeptFree}) vector(v);
  }
  if (has_linear_loop()) {
    for (const Vector v : {Vector::P, Vector::Ap}) vector(v);
    if (preconditioner().form() != InverseForm::Identity) vector(Vector::Z);
  }
  if (has_bounds()) vector(Vector::Move);
  if (factors_members()) blocks(0);
  for (std::size_t s = 0; s < program_.spaces.size(); ++s) {
    if (preconditioner().form() != InverseForm::Blocks) break;
    program_.spaces[s].lacks_block = !has_block(program_.spaces[s]);
    if (program_.spaces[s].lacks_block) continue;
    blocks(s);
    const bool is_kept = eliminates() && !program_.spaces[s].is_eliminated;
    if (!is_kept || has_linear_loop()) block_inverse(s);
    if (is_kept && has_linear_loop()) eliminated_blocks(s);
  }
  for (const FieldId unknown : energy_.unknowns()) {
    mask(unknown);
    free_channels(unknown);
    trial_values(unknown);
  }
}

InverseMap ProgramBuilder::inverse_of(MapId map) {
  const auto known = std::ranges::find(program_.inverses, map, &InverseMap::of);
  if (known != program_.inverses.end()) return *known;
  const SparseMap& source = program_.maps[map.index()];
  const SparseMap offsets{.name = source.name + ".offsets", .in = source.out, .out = source.in};
  const SparseMap points{.name = source.name + ".points", .in = source.in, .out = source.in};
  const InverseMap inverse{
      .of = map, .offsets = MapId(program_.maps.size()), .points = MapId(program_.maps.size() + 1)};
  program_.maps.push_back(offsets);
  program_.maps.push_back(points);
  program_.inverses.push_back(inverse);
  return inverse;
}

MapId ProgramBuilder::followed(MapId inverse_of, MapId other) {
  InverseMap& inverse = *std::ranges::find(program_.inverses, inverse_of, &InverseMap::of);
  const auto known = std::ranges::find(inverse.followed, other, &InverseMap::Followed::of);
  if (known != inverse.followed.end()) return known->table;
  const SparseMap& source = program_.maps[other.index()];
  const MapId table =
      add_table(fmt::format("{}.{}", program_.maps[inverse.points.index()].name, source.name),
                std::vector<DimId>(source.in), source.out, source.optional);
  inverse.followed.push_back({other, table});
  return table;
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
  inlining_.reset();
}

ExprId ProgramBuilder::inlined(ExprId expression) {
  if (!inlining_) {
    inlining_.emplace(graph(), energy_, [this](FieldId field) -> const Intermediate* {
      const auto read = std::ranges::find(intermediates_, field, &Intermediate::field);
      if (read == intermediates_.end()) return nullptr;
      const auto position = static_cast<std::size_t>(read - intermediates_.begin());
      return plan_.intermediates[position].value ? nullptr : &*read;
    });
  }
  return (*inlining_)(expression);
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

std::size_t ProgramBuilder::launch_apply(Kernel kernel) {
  const std::size_t id = add_kernel(std::move(kernel));
  launch(Phase::Apply, id, Gate{StateSlot::Stop, 0});
  if (eliminates()) keep(Later::Products, LaunchKernel{id, {}, x_for_p()});
  launch(Phase::ResetApply, id, Gate{StateSlot::Resetting, 1}, x_for_p());
  return id;
}

void ProgramBuilder::clear_in_apply(std::size_t buffer) {
  step(Phase::Apply, ClearBuffer{buffer});
  if (eliminates()) keep(Later::Products, ClearBuffer{buffer});
  step(Phase::ResetApply, ClearBuffer{buffer});
}

void ProgramBuilder::multiply(MultiplyMatrix product) {
  step(Phase::Apply, product);
  if (product.x == vector(SolverVector::P)) product.x = vector(SolverVector::X);
  if (eliminates()) keep(Later::Products, product);
  step(Phase::ResetApply, product);
}

void ProgramBuilder::add_kept(Later later, Phase phase, std::optional<Gate> gate) {
  for (Step kept : later_[later]) {
    if (auto* kernel = std::get_if<LaunchKernel>(&kept); kernel != nullptr && gate)
      kernel->gate = gate;
    step(phase, std::move(kept));
  }
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
