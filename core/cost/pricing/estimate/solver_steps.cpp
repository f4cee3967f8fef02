#include "core/cost/pricing/estimate/solver_steps.h"

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

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
    if (!sizes_.options.linear_solver->is_direct()) iteration(starts_product);
    by_elements(Phase::Retract, "retract", {V::X, V::P, V::B, V::R}, {}, 3, true);
    accept();
    return std::move(steps_);
  }

 private:
  bool damped() const { return sizes_.options.solver == SolverKind::LevenbergMarquardt; }
  bool has_blocks() const { return sizes_.options.preconditioner->form() == InverseForm::Blocks; }
  bool preconditioned() const {
    return sizes_.options.preconditioner->form() != InverseForm::Identity;
  }

  void linearization() {
    clear(V::B);
    if (has_blocks()) {
      by_elements(Phase::Linearize, "finish_linearize", {V::B}, {V::D}, 1, false);
    } else {
      clear(V::D);
      by_elements(Phase::Linearize, "finish_linearize", {V::B}, {}, 1, false);
    }
    if (damped()) {
      by_elements(Phase::Damp, "damp", {V::B, V::D, V::Scale},
                  {V::Damping, V::InverseDiagonal, V::X, V::R, V::Z}, 3, true);
    } else {
      by_elements(Phase::Damp, "damp", {V::B, V::D}, {V::InverseDiagonal, V::X, V::R, V::Z, V::P},
                  3, true);
    }
  }

  void iteration(bool starts_product) {
    const V z = preconditioned() ? V::Z : V::R;
    const bool starts_here = !starts_product;
    if (damped()) {
      starts_here
          ? flat(Phase::Direction, "direction", {z, V::P, V::Damping}, {V::P, V::Ap}, 1, false)
          : flat(Phase::Direction, "direction", {z, V::P}, {V::P}, 0, false);
      update(Phase::Update, "update", {V::X, V::P, V::R, V::Ap, V::InverseDiagonal, V::B},
             {V::X, V::R, z}, 3);
      flat(Phase::ResetDirection, "reset_direction", {V::X, V::Damping}, {V::Ap}, 0, false);
      update(Phase::ResetUpdate, "reset_update", {V::X, V::B, V::Ap, V::InverseDiagonal}, {V::R, z},
             3);
    } else {
      starts_here
          ? flat(Phase::Direction, "direction", {z, V::P, V::X}, {V::P, V::X, V::Ap}, 0, false)
          : flat(Phase::Direction, "direction", {z, V::P, V::X}, {V::P, V::X}, 0, false);
      update(Phase::Update, "update", {V::R, V::Ap, V::InverseDiagonal}, {V::R, z}, 2);
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

  // A preconditioner with blocks couples the channels of an element.
  void update(Phase phase, const char* label, std::initializer_list<V> reads,
              std::initializer_list<V> writes, double sums) {
    has_blocks() ? by_elements(phase, label, reads, writes, sums, false)
                 : flat(phase, label, reads, writes, sums, false);
  }

  // A kernel over all unknown scalars, which reads and writes vectors.
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
    step.multiply_add(static_cast<double>(writes.size()));
    if (sums > 0) step.reduce(sums);
    if (in_double) step.in_double();
    StepWork work = std::move(step).take();
    work.points_per_thread = PointsPerThread;
    steps_.push_back(std::move(work));
  }

  // Takes over the trial point.
  void accept() {
    StepBuilder step(anatomy_.graph(), sizes_.extents, Phase::Accept, "accept", sizes_.num_unknowns,
                     DomainId());
    const double scalar = sizes_.scalar(ScalarType::Working);
    step.at_point(Access::Kind::Read, {{TrialTable, 0}, sizes_.num_unknowns, scalar, scalar}, 1);
    step.at_point(Access::Kind::Store, {{FieldTable, 0}, sizes_.num_unknowns, scalar, scalar}, 1);
    StepWork work = std::move(step).take();
    work.points_per_thread = PointsPerThread;
    steps_.push_back(std::move(work));
  }

  // A kernel over the elements of the unknowns: these of equal extents are one element. It reads
  // and writes vectors, blocks of the preconditioner, and where it retracts the unknowns.
  void by_elements(Phase phase, const char* label, std::initializer_list<V> reads,
                   std::initializer_list<V> writes, double sums, bool in_double) {
    const Energy& energy = anatomy_.energy();
    std::set<std::vector<DimId>> spaces;
    double elements = 0;
    for (const FieldId unknown : energy.unknowns())
      if (spaces.insert(energy.field(unknown).dims).second)
        elements += sizes_.elements(energy.field(unknown).dims);
    StepBuilder step(anatomy_.graph(), sizes_.extents, phase, label, elements, DomainId());
    for (const FieldId unknown : energy.unknowns()) {
      const Field& field = energy.field(unknown);
      const double channels = field.tangent_channels();
      const double share = sizes_.elements(field.dims) / elements;
      const auto access = [&](Access::Kind kind, V vector) {
        step.at_point(kind, vector_table(energy, sizes_, vector, unknown, vector_storage(plan_)),
                      channels, share);
      };
      for (const V vector : reads) access(Access::Kind::Read, vector);
      for (const V vector : writes) access(Access::Kind::Store, vector);
      if (has_blocks() && phase == Phase::Linearize) {
        const Table blocks = block_table(energy, sizes_, unknown, vector_storage(plan_));
        step.at_point(Access::Kind::Read, blocks, channels, share);
      } else if (has_blocks() && phase != Phase::Retract) {
        const Table blocks = block_table(energy, sizes_, unknown, vector_storage(plan_));
        const double entries = blocks.element_bytes / blocks.scalar_bytes;
        step.at_point(Access::Kind::Read, blocks, entries, share);
        if (phase == Phase::Damp) step.at_point(Access::Kind::Store, blocks, entries, share);
        step.multiply_add(channels * channels * share);
      }
      if (phase == Phase::Retract) {
        const Table values = field_table(anatomy_, sizes_, unknown);
        Table trial = values;
        trial.key.first = TrialTable;
        step.at_point(Access::Kind::Read, values, field.channels, share);
        step.at_point(Access::Kind::Store, trial, field.channels, share);
      }
      step.multiply_add(static_cast<double>(writes.size()) * channels * share);
    }
    if (sums > 0) step.reduce(sums);
    if (in_double) step.in_double();
    steps_.push_back(std::move(step).take());
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
