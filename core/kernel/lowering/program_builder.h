// The program under construction: the graph that is extended, its fields and buffers, and the ways
// lowering adds to them. Private to lowering.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diff/gradient.h"
#include "core/energy/energy.h"
#include "core/energy/inlining.h"
#include "core/kernel/lower.h"
#include "core/kernel/program.h"

namespace thallo {

// A parallel Sum: its value is a field over the domains that are free in it.
struct StoredSum {
  FieldId values;
  std::vector<DomainId> domains;
  std::vector<DomainId> summed;  // the domains of the Sum
  ExprId summand;
  FieldId product;  // the Sum's derivative times the direction; invalid until it is needed
};

class ProgramBuilder {
 public:
  ProgramBuilder(const Energy& energy, const Plan& plan, const ProgramOptions& options);

  const Energy& energy() const { return energy_; }
  const Plan& plan() const { return plan_; }
  const ProgramOptions& options() const { return options_; }
  bool eliminates() const { return options_.eliminated.valid(); }
  bool is_eliminated(FieldId unknown) const;
  bool forms_schur_complement() const { return options_.forms_schur_complement(); }
  bool has_linear_loop() const { return options_.has_linear_loop(); }
  bool has_members() const { return energy_.members().valid(); }
  // True if JtJ is in blocks, one for each member of a batch, which kernels factor.
  bool factors_members() const { return has_members() && options_.linear_solver->is_direct(); }
  const Preconditioner& preconditioner() const { return *options_.preconditioner; }
  bool has_bounds() const { return !energy_.bounds().empty(); }
  // True if the linear solve leaves out some scalars.
  bool holds_scalars() const { return has_bounds() || !energy_.exclusions().empty(); }
  bool damped() const { return options_.solver == SolverKind::LevenbergMarquardt; }
  // True if the r at the start of a linear solve is kept: it is not b, or b is in double.
  bool has_reduced_b() const {
    return damped() && (eliminates() || options_.precision == Precision::Mixed);
  }
  ExprGraph& graph() { return program_.graph; }
  KernelProgram& program() { return program_; }

  // Buffers, made on first use.
  std::size_t vector(SolverVector v);
  // The part of a vector that belongs to the unknown, which must be in it: a field over its dims,
  // with its tangent channels.
  FieldId vector_view(SolverVector v, FieldId unknown);
  // The whole vector: a field over `unknown_scalars`, or `kept_scalars`.
  FieldId flat(SolverVector v);
  // Of the block-Jacobi preconditioner: lower triangles, row by row.
  FieldId blocks(std::size_t space);
  FieldId block_inverse(std::size_t space);
  FieldId eliminated_blocks(std::size_t space);
  // The row of an unknown's channel in the blocks of its space; none where there are no blocks.
  struct BlockRow {
    std::size_t space = 0;
    int row = 0;
    int diagonal() const { return triangle_position(row, row); }  // its channel of blocks()
  };
  std::optional<BlockRow> block_row(FieldId unknown, int channel) const;
  FieldId matrix();  // N x N: a dense JtJ
  // In double, over pairs of the scalars that are kept.
  FieldId kept_matrix(const std::string& name);
  FieldId mask(FieldId unknown);  // invalid when the unknown has no exclusion
  // A byte for each channel of an unknown with bounds: 1 = free, 0 = excluded, or pushed over a
  // bound by the gradient. Invalid for other unknowns.
  FieldId free_channels(FieldId unknown);
  FieldId stored_values(const Intermediate& intermediate);
  FieldId stored_values(const PlannedSum& sum, const std::vector<DomainId>& domains);
  // The values of an unknown, a stored intermediate or a stored Sum at the trial point.
  FieldId trial_values(FieldId of);
  // The values of an unknown at a point that the solver keeps.
  FieldId kept_values(FieldId unknown);
  // A copy of a field, rounded to the working precision.
  FieldId rounded_values(FieldId of);
  // Adds a field over these domains to the end of a buffer, which is made for its first field. All
  // fields of a buffer have one type.
  FieldId stored_field(BufferKind kind, const std::string& buffer,
                       const std::vector<DomainId>& domains, int channels,
                       ScalarType type = ScalarType::Working);

  std::size_t buffer_of(FieldId field) const;
  // The whole of a stored buffer as one field over `dim`, which must have that extent. To be called
  // once all fields of the buffer are made.
  FieldId flat_view(const std::string& buffer, DimId dim);
  std::string unused_buffer_name(const std::string& wanted) const;

  // A dim whose extent is known when the program is bound (BoundTables).
  DimId add_dim(const std::string& name);
  // A sparse map of the program's own, whose contents are computed when it is bound (BoundTables).
  MapId add_table(const std::string& name, const std::vector<DomainId>& in, std::vector<DimId> out,
                  bool optional);
  MapId add_table(const std::string& name, std::vector<DimId> in, std::vector<DimId> out,
                  bool optional);

  // All fields with values at X and at the trial point: unknowns, stored intermediates, stored
  // Sums.
  std::vector<FieldId> point_values();
  std::map<FieldId, FieldId> at_trial();  // rebinds each of them to its trial_values()
  // Maps the view of `v` to that of `other`, for every unknown.
  std::map<FieldId, FieldId> paired_views(SolverVector v, SolverVector other);

  // The inverse of a map from one dim to one dim, made on first use.
  InverseMap inverse_of(MapId map);
  // The table of another map in the order of the lists of this inverse, made on first use.
  MapId followed(MapId inverse_of, MapId other);

  // Expressions.
  Differentiator& differentiator() { return differentiator_; }
  // Differentiates by parallel Sums too, as if they were unknowns; Jp is made of it.
  Differentiator& direct_differentiator() { return direct_differentiator_; }
  std::map<ExprId, StoredSum>& stored_sums() { return stored_sums_; }  // by the energy's Sum node
  StoredSum* find_stored_sum(FieldId values);  // null when it is no stored Sum
  // The expression with parallel Sums replaced by reads of their values, where these are stored
  // already.
  ExprId with_stored_sums(ExprId expression);
  // Replaces the values that intermediate(i) returns by with_stored_sums() of them.
  void replace_stored_sums(std::size_t intermediate);
  // The energy's intermediate; its Sums are replaced once replace_stored_sums() was called for it.
  const Intermediate& intermediate(std::size_t i) const { return intermediates_[i]; }
  ExprId state(StateSlot slot);
  ExprId read(FieldId field, IndexId index, int channel = 0) {
    return graph().access(field, index, channel);
  }
  ExprId is_free(FieldId unknown, IndexId index);  // boolean; true without exclusion
  DomainId fresh_domain(DimId dim, const std::string& name);
  std::vector<DomainId> fresh_domains(const std::vector<DimId>& dims);
  // The domains of the solver's kernels over these dims, the same at every call.
  std::vector<DomainId> element_of(const std::vector<DimId>& dims);
  // The expression with named intermediates replaced by their definitions (0 outside their dims),
  // except those whose values the plan stores.
  ExprId inlined(ExprId expression);

  // What a residual's square is multiplied by in the cost that steps minimize; absent if that is
  // its cost.
  std::optional<ExprId> cost_factor(ResidualRef residual) const;

  // Statements and kernels.
  Store store_state(StateSlot slot, ExprId value);
  Statement reduce(StateSlot slot, ExprId value, ReduceOp op = ReduceOp::Sum);
  std::size_t add_kernel(Kernel kernel);
  void launch(Phase phase, std::size_t kernel, std::optional<Gate> gate = {},
              std::map<FieldId, FieldId> rebind = {});
  // Launches a kernel of the linear operator, which reads p. It is launched in every iteration, and
  // in a residual reset with x in place of p. Returns the kernel's number.
  std::size_t launch_apply(Kernel kernel);
  // What a launch that reads x in place of p rebinds.
  std::map<FieldId, FieldId> x_for_p();
  // Does the same for a library operation of the linear operator.
  void multiply(MultiplyMatrix product);
  // Clears a buffer wherever kernels of launch_apply() run.
  void clear_in_apply(std::size_t buffer);
  // Keeps a step for later, and adds all that were kept so to a phase.
  enum class Later {
    Directions,  // prepare the directions of x which Jp reads (sum.h), for kernels that read
                 // Jp of x outside of residual resets
    Products,    // the kernels and operations of the operator, which read x in place of p, for
                 // linear solvers that start at another x than 0
    EliminatedBlocks,  // fill eliminated_blocks(), once the inverses of the blocks of eliminated
                       // unknowns are there
    Complement,        // form a Schur complement, once these are there
    Completion,        // complete what a direct solve has found
    Model,             // sum up what J makes of the step within the bounds
  };
  void keep(Later later, Step step) { later_[later].push_back(std::move(step)); }
  void keep(Later later, Kernel kernel) {
    keep(later, LaunchKernel{add_kernel(std::move(kernel)), {}, {}});
  }
  // Kernels get the gate, if there is one.
  void add_kept(Later later, Phase phase, std::optional<Gate> gate = {});
  // The statement by which a kernel of the operator adds its share of p.Ap. None where the share of
  // another one is not known, as that of a library: then a last kernel computes all of p.Ap.
  Block share_of_product(ExprId share);
  bool uses_dot() const { return uses_dot_; }
  // True for the first caller only: its kernel must write all of Ap, before any other adds to it.
  // Where unknowns are eliminated, the direction kernel does it.
  bool start_product();
  bool product_is_started() const { return product_is_started_; }
  void step(Phase phase, Step step) { program_.phases[phase].push_back(std::move(step)); }

  KernelProgram take() && { return std::move(program_); }

 private:
  FieldId add_field(Field field);
  FieldId copy_of(FieldId of, BufferKind kind, std::string_view prefix);
  ScalarType vector_type(SolverVector v) const;
  FieldId element_blocks(std::optional<std::size_t> UnknownSpace::*buffer, std::string_view name,
                         std::size_t space);
  void declare_solver();
  void find_reweighted_norms();

  const Energy& energy_;
  const Plan& plan_;
  ProgramOptions options_;
  KernelProgram program_;
  Differentiator differentiator_, direct_differentiator_;
  std::map<ExprId, StoredSum> stored_sums_;
  std::map<ResidualRef, ExprId> cost_factors_;
  std::vector<Intermediate> intermediates_;
  std::optional<Inlining> inlining_;            // remembers what it did until definitions change
  std::map<std::string, std::size_t> buffers_;  // of the energy's values and products
  std::map<std::vector<DimId>, std::vector<DomainId>> elements_;
  bool product_is_started_ = false;
  bool uses_dot_ = false;
  std::map<Later, std::vector<Step>> later_;
};

}  // namespace thallo
