// Mixed precision: unknowns, what is computed of them, residuals, cost and b = JtF are in double,
// preconditioners and the linear loop in the working precision, float. So the solve ends where one
// in double does, and what it does most often costs what it costs in float.
//
// Kernels of the linear loop, and those that fill what it reads, do not read fields in double
// themselves: that would move twice the bytes. They read copies that are rounded once a
// linearization, those of arrays once a solve.
#include "core/kernel/lowering/stages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/kernel/codegen/kernel_expressions.h"

namespace thallo {
namespace {

class MixedPrecision {
 public:
  explicit MixedPrecision(ProgramBuilder& builder) : b_(builder) {}

  void run() {
    widen_fields();
    const std::set<std::size_t> exact = exact_kernels();
    const std::set<std::size_t> finish_loop = kernels_of(Phase::Retract);
    for (std::size_t k = 0; k < b_.program().kernels.size(); ++k) {
      Kernel& kernel = b_.program().kernels[k];
      const bool is_working = kernel.compute == ComputeType::Working;
      if (exact.contains(k)) {
        kernel.compute = ComputeType::Double;
        if (kernel.role == "retract")
          replace_leaves(kernel, [this](ExprId leaf) { return unscaled_leaf(leaf); });
        else if (finish_loop.contains(k))
          replace_leaves(kernel, [this](ExprId leaf) { return scaled_leaf(leaf); });
      } else if (is_working) {
        replace_leaves(kernel, [this](ExprId leaf) { return rounded_leaf(leaf); });
        readers_.insert(k);
      } else {
        replace_leaves(kernel, [this](ExprId leaf) { return scaled_leaf(leaf); });
      }
    }
    round(Phase::Setup, "round_arrays", [](FieldKind kind) { return kind == FieldKind::Array; });
    round(Phase::Linearize, "round_values",
          [](FieldKind kind) { return kind != FieldKind::Array; });
  }

 private:
  // What the energy declares in the working precision, b, and all values that it is made of.
  void widen_fields() {
    KernelProgram& program = b_.program();
    for (std::size_t f = 0; f < b_.energy().fields().size(); ++f) widen(FieldId(f));
    for (BufferDecl& buffer : program.buffers) {
      if (has_values(buffer)) widen(buffer);
    }
    widen(program.buffers[b_.vector(SolverVector::B)]);
  }
  static bool has_values(const BufferDecl& buffer) {
    return buffer.kind == BufferKind::Values || buffer.kind == BufferKind::Derivatives;
  }
  void widen(BufferDecl& buffer) {
    if (buffer.type == ScalarType::Working) buffer.type = ScalarType::Double;
    for (const FieldId field : buffer.fields) widen(field);
    if (buffer.flat.valid()) widen(buffer.flat);
  }
  void widen(FieldId field) {
    ScalarType& type = b_.program().fields[field.index()].type;
    if (type == ScalarType::Working) type = ScalarType::Double;
  }
  bool is_double(FieldId field) const {
    return b_.program().field(field).type == ScalarType::Double;
  }

  std::set<std::size_t> kernels_of(Phase phase) const {
    std::set<std::size_t> kernels;
    for (const Step& step : b_.program().steps(phase)) {
      if (const auto* launch = std::get_if<LaunchKernel>(&step)) kernels.insert(launch->kernel);
    }
    return kernels;
  }

  // The kernels outside of the linear loop, but for those that fill what only it reads, and for
  // those of the loop's operator, which the end of the loop launches once more.
  std::set<std::size_t> exact_kernels() const {
    std::set<std::size_t> exact;
    const std::set<std::size_t> applied = kernels_of(Phase::Apply);
    for (const auto& [phase, steps] : b_.program().phases) {
      for (const Step& step : steps) {
        const auto* launch = std::get_if<LaunchKernel>(&step);
        if (launch != nullptr && !applied.contains(launch->kernel) &&
            is_exact(phase, b_.program().kernels[launch->kernel]))
          exact.insert(launch->kernel);
      }
    }
    return exact;
  }
  bool is_exact(Phase phase, const Kernel& kernel) const {
    switch (phase) {
      case Phase::Setup:
      case Phase::Values:
      case Phase::TrialValues:
      case Phase::Cost:
      case Phase::TrialCost:
      case Phase::Retract:
      case Phase::Accept:
      case Phase::GroupSums:
      case Phase::Keep:
      case Phase::GoBack: return true;
      case Phase::Linearize:
        return has_statement(kernel, [this](const Statement& statement) {
          const auto* store = std::get_if<Store>(&statement.node);
          const auto* add = std::get_if<ScatterAdd>(&statement.node);
          return (store != nullptr && is_double(store->field)) ||
                 (add != nullptr && is_double(add->field)) ||
                 std::holds_alternative<Reduce>(statement.node);
        });
      case Phase::SaveScale:
      case Phase::Damp:
      case Phase::Direction:
      case Phase::Apply:
      case Phase::Update:
      case Phase::ResetDirection:
      case Phase::ResetApply:
      case Phase::ResetUpdate:
      case Phase::DirectSolve: return false;
    }
    THALLO_UNREACHABLE();
  }

  void replace_leaves(Kernel& kernel, const ExprGraph::LeafRule& rule) {
    ExprGraph::Rebuilt rebuilt;
    rewrite_expressions(kernel, [&](std::span<const ExprId> expressions) {
      std::vector<ExprId> rewritten;
      for (const ExprId expression : expressions)
        rewritten.push_back(b_.graph().rewrite(expression, rule, rebuilt));
      return rewritten;
    });
  }

  // The loop solves for b over its largest entry: products of the loop leave the range of float if
  // residuals are measured in large or small units. Eliminated unknowns, which are solved for once
  // the loop has ended, belong to it.
  ExprId largest_b() {
    ExprGraph& g = b_.graph();
    const ExprId largest = b_.state(StateSlot::BMax);
    return g.select(g.binary(Op::Less, g.constant(0), largest), largest, g.constant(1));
  }
  bool reads(ExprId leaf, SolverVector vector) const {
    if (b_.graph()[leaf].op != Op::Access) return false;
    const FieldId field = b_.graph().field(leaf);
    const BufferDecl& buffer = b_.program().buffers[b_.vector(vector)];
    return buffer.flat == field || std::ranges::count(buffer.fields, field) > 0;
  }
  std::optional<ExprId> scaled_leaf(ExprId leaf) {
    if (!reads(leaf, SolverVector::B)) return {};
    return b_.graph().div(leaf, largest_b());
  }
  // What the step reads of the loop: x, the residual and, where x is delayed, p.
  std::optional<ExprId> unscaled_leaf(ExprId leaf) {
    const bool is_scaled = reads(leaf, SolverVector::X) || reads(leaf, SolverVector::R) ||
                           reads(leaf, SolverVector::P);
    return is_scaled ? std::optional(b_.graph().mul(largest_b(), leaf)) : std::nullopt;
  }

  std::optional<ExprId> rounded_leaf(ExprId leaf) {
    ExprGraph& g = b_.graph();
    const std::vector<ExprId> at = g.operands(leaf);
    switch (g[leaf].op) {
      case Op::Access:
        if (auto scaled = scaled_leaf(leaf)) return scaled;
        return g.access(copy_of(g.field(leaf)), g.index(leaf), g.channel(leaf));
      case Op::Sample: {
        const Sampler read = g.sampler(leaf);
        return g.sample({copy_of(read.image), copy_of(read.dx), copy_of(read.dy)}, at[0], at[1],
                        g.channel(leaf));
      }
      case Op::SampleLayer:
        return g.sample_layer(copy_of(g.layers(leaf)), at[0], at[1], at[2], g.channel(leaf));
      default: return {};
    }
  }

  // Returns the rounded copy of what is stored in double, and any other field itself.
  FieldId copy_of(FieldId field) {
    if (!field.valid() || !is_double(field) || !has_copy(field)) return field;
    const auto [it, inserted] = copies_.try_emplace(field, FieldId());
    if (inserted) it->second = b_.rounded_values(field);
    return it->second;
  }
  bool has_copy(FieldId field) const {
    switch (b_.program().field(field).kind) {
      case FieldKind::Unknown:
      case FieldKind::Array:
      case FieldKind::Intermediate: return true;
      case FieldKind::Param: return false;
      case FieldKind::Buffer:
        return std::ranges::any_of(b_.program().buffers, [field](const BufferDecl& buffer) {
          return has_values(buffer) && std::ranges::count(buffer.fields, field) > 0;
        });
    }
    THALLO_UNREACHABLE();
  }

  // Adds a kernel that makes the copies of fields of some kinds to a phase: before the first step
  // that may read one, so behind those that compute the values.
  void round(Phase phase, const char* name, bool (*is_wanted)(FieldKind)) {
    Kernel kernel{.role = name, .label = name};
    for (const auto& [field, copy] : copies_) {
      const Field from = b_.program().field(field);
      if (!is_wanted(from.kind)) continue;
      kernel.sections.push_back({.domains = b_.element_of(from.dims)});
      const IndexId here = b_.graph().indices().intern(kernel.sections.back().domains);
      for (int c = 0; c < from.channels; ++c)
        kernel.sections.back().body.push_back({Store{copy, here, c, b_.read(field, here, c)}});
    }
    if (kernel.sections.empty()) return;
    std::vector<Step>& steps = b_.program().phases[phase];
    const auto may_read = [this](const Step& step) {
      const auto* launch = std::get_if<LaunchKernel>(&step);
      return launch != nullptr && readers_.contains(launch->kernel);
    };
    steps.insert(std::ranges::find_if(steps, may_read),
                 LaunchKernel{.kernel = b_.add_kernel(std::move(kernel))});
  }

  ProgramBuilder& b_;
  std::map<FieldId, FieldId> copies_;
  std::set<std::size_t> readers_;  // the kernels that read copies, if they read fields in double
};

}  // namespace

void mix_precision(ProgramBuilder& builder) { MixedPrecision(builder).run(); }

}  // namespace thallo
