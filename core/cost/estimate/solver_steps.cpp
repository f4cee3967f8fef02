#include "core/cost/estimate/solver_steps.h"

#include <initializer_list>
#include <string>

namespace thallo {
namespace {

using V = SolverVector;

// A kernel over all scalars of the unknowns computes four of them at a time.
constexpr double PointsPerThread = 4;

class SolverEstimate {
 public:
  SolverEstimate(const Anatomy& anatomy, const EstimateSizes& sizes, const Plan& plan)
      : anatomy_(anatomy), sizes_(sizes), plan_(plan) {}

  std::vector<StepWork> run(bool starts_product) {
    linearization();
    const bool is_pcg = sizes_.options.linear_solver == LinearSolverKind::Pcg;
    if (is_pcg) iteration(starts_product);
    flat(Phase::Retract, "retract", {V::X, V::P, V::B, V::R}, {}, 3, true);
    flat(Phase::Accept, "accept", {}, {}, 0, false);
    return std::move(steps_);
  }

 private:
  bool damped() const { return sizes_.options.solver == SolverKind::LevenbergMarquardt; }
  bool preconditioned() const { return sizes_.options.preconditioner != PreconditionerKind::None; }

  void linearization() {
    for (const V vector : {V::B, V::D}) clear(vector);
    flat(Phase::Linearize, "finish_linearize", {V::B}, {}, 1, false);
    if (damped()) {
      flat(Phase::Damp, "damp", {V::B, V::D, V::Scale},
           {V::Damping, V::InverseDiagonal, V::X, V::R, V::Z}, 3, false);
    } else {
      flat(Phase::Damp, "damp", {V::B, V::D}, {V::InverseDiagonal, V::X, V::R, V::Z, V::P}, 3,
           false);
    }
  }

  void iteration(bool starts_product) {
    const V z = preconditioned() ? V::Z : V::R;
    const bool starts_here = !starts_product;
    if (damped()) {
      starts_here
          ? flat(Phase::Direction, "direction", {z, V::P, V::Damping}, {V::P, V::Ap}, 1, false)
          : flat(Phase::Direction, "direction", {z, V::P}, {V::P}, 0, false);
      flat(Phase::Update, "update", {V::X, V::P, V::R, V::Ap, V::InverseDiagonal, V::B},
           {V::X, V::R, z}, 3, false);
      flat(Phase::ResetDirection, "reset_direction", {V::X, V::Damping}, {V::Ap}, 0, false);
      flat(Phase::ResetUpdate, "reset_update", {V::X, V::B, V::Ap, V::InverseDiagonal}, {V::R, z},
           3, false);
    } else {
      starts_here
          ? flat(Phase::Direction, "direction", {z, V::P, V::X}, {V::P, V::X, V::Ap}, 0, false)
          : flat(Phase::Direction, "direction", {z, V::P, V::X}, {V::P, V::X}, 0, false);
      flat(Phase::Update, "update", {V::R, V::Ap, V::InverseDiagonal}, {V::R, z}, 2, false);
    }
    bool has_library = false;
    for (const Part& part : plan_.parts) has_library = has_library || multiplies_by_library(part);
    if (has_library) flat(Phase::Apply, "dot", {V::P, V::Ap}, {}, 1, false);
  }

  ScalarType type(V vector) const {
    return vector == V::B || vector == V::D ? ScalarType::Working : plan_.vector_type;
  }

  void clear(V vector) {
    StepWork work{.phase = Phase::Linearize,
                  .kind = StepWork::Kind::Clear,
                  .label = "clear " + std::string(to_string(vector))};
    work.features.points = static_cast<std::int64_t>(sizes_.num_unknowns);
    work.features.writes.coalesced = sizes_.num_unknowns * sizes_.scalar(type(vector));
    work.features.must_write = work.features.writes.coalesced;
    steps_.push_back(std::move(work));
  }

  // A kernel over all unknown scalars, which reads and writes vectors, and the unknowns themselves
  // before and after a step.
  void flat(Phase phase, const char* label, std::initializer_list<V> reads,
            std::initializer_list<V> writes, double sums, bool in_double) {
    StepBuilder step(anatomy_.graph(), sizes_.extents, phase, label, sizes_.num_unknowns,
                     DomainId());
    const auto table = [&](V vector) {
      const double scalar = sizes_.scalar(type(vector));
      return Table{{VectorTable, 100000 + static_cast<std::size_t>(vector)},
                   sizes_.num_unknowns,
                   scalar,
                   scalar};
    };
    for (const V vector : reads) step.at_point(Access::Kind::Read, table(vector), 1);
    for (const V vector : writes) step.at_point(Access::Kind::Store, table(vector), 1);
    if (phase == Phase::Retract || phase == Phase::Accept) {
      const double scalar = sizes_.scalar(ScalarType::Working);
      const Table unknowns{{FieldTable, 0}, sizes_.num_unknowns, scalar, scalar};
      const Table trial{{FieldTable, 1}, sizes_.num_unknowns, scalar, scalar};
      step.at_point(Access::Kind::Read, phase == Phase::Retract ? unknowns : trial, 1);
      step.at_point(Access::Kind::Store, phase == Phase::Retract ? trial : unknowns, 1);
    }
    step.multiply_add(static_cast<double>(writes.size()));
    if (sums > 0) step.reduce(sums);
    if (in_double) step.in_double();
    StepWork work = std::move(step).take();
    work.points_per_thread = PointsPerThread;
    steps_.push_back(std::move(work));
  }

  const Anatomy& anatomy_;
  const EstimateSizes& sizes_;
  const Plan& plan_;
  std::vector<StepWork> steps_;
};

}  // namespace

std::vector<StepWork> solver_steps(const Anatomy& anatomy, const EstimateSizes& sizes,
                                   const Plan& plan, bool starts_product) {
  return SolverEstimate(anatomy, sizes, plan).run(starts_product);
}

}  // namespace thallo
