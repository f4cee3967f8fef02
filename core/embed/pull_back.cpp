#include "core/embed/pull_back.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/stop_scope.h"
#include "core/base/suggest.h"
#include "core/diff/slope_energy.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/solve/start_state.h"

namespace thallo {
namespace {

using Vector = std::vector<double>;

// With at most so many unknowns, of a batch of each member, JtJ is factored; with more, conjugate
// gradients solve with it.
constexpr std::int64_t MostDenseUnknowns = 512;
// The damping of JtJ, of which nothing is left in the answer: it keeps what residuals leave open
// from making it singular.
constexpr double RadiusOfJtJ = 1e8;
constexpr int MostIterationsOfJtJ = 2000;
constexpr double ToleranceOfJtJ = 1e-10;
constexpr int MostIterations = 200;
constexpr double Tolerance = 1e-10;
// |r| where the iterations end without an answer, relative to |v|: what is left lies in directions
// that residuals leave open.
constexpr double MostLeft = 1e-6;
// How far the next step of Gauss-Newton leads from what is no minimum, relative to |X| and whatever
// that is, and by which part of the cost it promises to lower it.
constexpr double LongStep = 1e-2;
constexpr double LeastStep = 1e-10;
constexpr double MuchLower = 1e-4;

double dot(const Vector& a, const Vector& b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
}
double norm(const Vector& a) { return std::sqrt(dot(a, a)); }
void add(Vector& to, double factor, const Vector& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
}

// A program of an energy whose data change, and its linearization.
class GradientProgram {
 public:
  static Expected<GradientProgram> make(Backend& backend, const CompileOptions& compile,
                                        Energy energy, const ProgramOptions& options) {
    GradientProgram made(std::move(energy));
    const Energy& own = *made.energy_;
    THALLO_TRY(made.executable_,
               backend.compile(generate(make_program(own, default_plan(own), options)), compile));
    return made;
  }

  const Energy& energy() const { return *energy_; }
  Executable& executable() { return *executable_; }

  Expected<void> bind(const Binding& binding) { return executable_->bind(binding); }
  // Runs with the state of these options.
  void start(const IterationOptions& options) {
    const std::vector<SolverState> states(executable_->num_states(), start_state(options));
    executable_->write_states(states, executable_->all_states());
    for (const Phase phase :
         {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize, Phase::SaveScale})
      executable_->run(phase);
  }
  // -∇ of the energy, by steps.
  Vector negative_gradient() {
    start({});
    return read(SolverVector::B);
  }
  Vector read(SolverVector vector) {
    return executable_->read_buffer(executable_->program().vector(vector));
  }
  void write(SolverVector vector, const Vector& values) {
    executable_->write_buffer(executable_->program().vector(vector), values);
  }

 private:
  explicit GradientProgram(Energy energy) : energy_(std::make_unique<Energy>(std::move(energy))) {}

  std::unique_ptr<Energy> energy_;  // has one address, whoever owns the program
  std::unique_ptr<Executable> executable_;
};

// A binding of an energy that was made of another one, whose data it has.
Binding with_data_of(const Energy& from, const Binding& data, const Energy& energy) {
  Binding binding(energy);
  const auto set = [](const Expected<void>& done) { THALLO_ASSERT(done, "{}", done.error().what); };
  for (const Dim& dim : energy.dims()) {
    const DimId known = from.find_dim(dim.name);
    set(binding.set_extent(dim.name, known.valid() ? data.extent(known) : 1));
  }
  for (const Field& field : from.fields()) {
    if (!field.is_input()) continue;
    const HostArray& values = data.field(from.find_field(field.name));
    if (energy.field(energy.find_field(field.name)).kind == FieldKind::Param) {
      set(binding.set_param(field.name, values.value(0)));
    } else {
      set(binding.set_field(field.name, values));
    }
  }
  for (std::size_t m = 0; m < from.maps().size(); ++m)
    set(binding.share_map(from.maps()[m].name, data.shared_map(MapId(m))));
  return binding;
}

}  // namespace

// What is compiled, and the data of the last call.
class PullBack::Programs {
 public:
  Programs(const Energy& energy, Backend& backend, CompileOptions options)
      : energy_(energy), backend_(backend), options_(std::move(options)) {
    options_.precision = Precision::Double;
  }

  Expected<FieldValues> gradients(const Binding& binding, const FieldValues& by_unknowns,
                                  const std::vector<std::string>& inputs) {
    THALLO_TRY(const auto by, find_inputs(inputs));
    THALLO_CHECK(bind_jtj(binding));
    THALLO_TRY(Vector v, by_steps(binding, by_unknowns));
    const std::vector<bool> is_free = find_free(binding);
    keep(v, is_free);
    THALLO_CHECK(check_minimum(binding, is_free));
    THALLO_TRY(const Vector lambda, solve(binding, v, is_free));
    return by_inputs(binding, lambda, by);
  }

 private:
  Expected<std::set<FieldId>> find_inputs(const std::vector<std::string>& names) const {
    std::set<FieldId> found;
    std::vector<std::string> legal;
    for (const Field& field : energy_.fields())
      if (field.kind == FieldKind::Array || field.kind == FieldKind::Param)
        legal.push_back(field.name);
    for (const std::string& name : names) {
      if (std::ranges::find(legal, name) == legal.end()) {
        return fail(
            unknown_name(fmt::format("'{}' has no array or param", energy_.name()), name, legal));
      }
      found.insert(energy_.find_field(name));
    }
    return found;
  }

  ProgramOptions options_of_gradient() const { return {.precision = Precision::Double}; }

  Expected<void> bind_jtj(const Binding& binding) {
    const DimId members = energy_.members();
    const std::int64_t systems =
        members.valid() ? std::max<std::int64_t>(1, binding.extent(members)) : 1;
    const bool is_dense = binding.num_unknowns(energy_) / systems <= MostDenseUnknowns;
    if (!jtj_ || is_dense != is_dense_) {
      ProgramOptions options{.solver = SolverKind::LevenbergMarquardt,
                             .preconditioner = block_jacobi_preconditioner(),
                             .linear_solver = is_dense ? dense_solver() : pcg_solver(),
                             .precision = Precision::Double};
      THALLO_TRY(jtj_, GradientProgram::make(backend_, options_, energy_, options));
      is_dense_ = is_dense;
    }
    THALLO_CHECK(jtj_->bind(binding));
    IterationOptions options{.solver = SolverKind::LevenbergMarquardt,
                             .num_linear_iterations = MostIterationsOfJtJ,
                             .q_tolerance = 0,
                             .residual_tolerance = ToleranceOfJtJ,
                             .residual_reset_period = 0,
                             .trust_region_radius = RadiusOfJtJ};
    jtj_options_ = options;
    jtj_->start(options);
    Executable& executable = jtj_->executable();
    std::vector<SolverState> states(executable.num_states());
    executable.read_states(states, executable.all_states());
    cost_ = 0;
    for (const SolverState& state : states) cost_ += at(state, StateSlot::Cost);
    return {};
  }

  // (JtJ + D)⁻¹ r
  Vector solve_with_jtj(const Vector& r) {
    Executable& executable = jtj_->executable();
    SolverState state = start_state(jtj_options_);
    at(state, StateSlot::Stop) = is_dense_ ? 1 : 0;
    executable.write_states(std::vector<SolverState>(executable.num_states(), state),
                            executable.all_states());
    jtj_->write(SolverVector::B, r);
    executable.run(Phase::Damp);
    if (is_dense_)
      executable.run(Phase::DirectSolve);
    else
      executable.run_linear_loop({.max_iterations = MostIterationsOfJtJ,
                                  .is_interrupted = [] { return StopScope::is_stop_requested(); }});
    check_stop();
    return jtj_->read(SolverVector::X);
  }

  // Takes gradients by what unknowns store to gradients by their steps.
  Expected<Vector> by_steps(const Binding& binding, const FieldValues& by_unknowns) {
    for (const auto& [name, values] : by_unknowns) {
      if (!energy_.find_unknown(name).valid()) {
        return fail(unknown_name(fmt::format("'{}' has no unknown", energy_.name()), name,
                                 energy_.unknown_names()));
      }
    }
    if (!pairing_) {
      THALLO_TRY(auto energy, pairing_energy(energy_));
      THALLO_TRY(pairing_, GradientProgram::make(backend_, options_, std::move(energy),
                                                 options_of_gradient()));
    }
    Binding paired = with_data_of(energy_, binding, pairing_->energy());
    for (const FieldId unknown : energy_.unknowns()) {
      const Field& field = energy_.field(unknown);
      const std::size_t size = static_cast<std::size_t>(binding.num_elements(energy_, unknown)) *
                               static_cast<std::size_t>(field.channels);
      const auto given = by_unknowns.find(field.name);
      if (given != by_unknowns.end() && given->second.size() != size) {
        return fail("the gradient by '{}' has {} numbers; needed are {}", field.name,
                    given->second.size(), size);
      }
      THALLO_CHECK(paired.set_field(direction_of(field.name),
                                    given == by_unknowns.end() ? Vector(size) : given->second));
    }
    THALLO_CHECK(pairing_->bind(paired));
    Vector v = pairing_->negative_gradient();
    for (double& number : v) number = -number;
    return v;
  }

  // Which entries of a step the solve moves: none that is excluded or held, or at a bound that the
  // gradient points out of.
  std::vector<bool> find_free(const Binding& binding) {
    const Vector b = jtj_->read(SolverVector::B);
    std::vector<bool> is_free(b.size(), true);
    EnergyEvaluator evaluator(energy_, binding);
    const auto excluded = evaluator.excluded(), held = evaluator.held();
    for (std::size_t i = 0; i < b.size(); ++i) is_free[i] = excluded[i] == 0 && held[i] == 0;
    if (energy_.bounds().empty()) return is_free;
    const EnergyEvaluator::Box box = evaluator.bounds();
    for (const Bounds& bounds : energy_.bounds()) {
      const HostArray& x = binding.field(bounds.unknown);
      const auto first = static_cast<std::size_t>(evaluator.layout().column(bounds.unknown, 0, 0));
      for (std::size_t k = 0; k < x.size(); ++k) {
        const std::size_t i = first + k;
        if ((x.value(k) <= box.lower[i] && b[i] <= 0) || (x.value(k) >= box.upper[i] && b[i] >= 0))
          is_free[i] = false;
      }
    }
    return is_free;
  }

  static void keep(Vector& values, const std::vector<bool>& is_free) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!is_free[i]) values[i] = 0;
  }

  Expected<void> check_minimum(const Binding& binding, const std::vector<bool>& is_free) {
    Vector b = jtj_->read(SolverVector::B);
    keep(b, is_free);
    Vector step = solve_with_jtj(b);
    keep(step, is_free);
    double x2 = 0;
    for (const FieldId unknown : energy_.unknowns())
      for (const double x : binding.field(unknown).to_doubles()) x2 += x * x;
    const double length = norm(step), size = std::sqrt(x2), lower = dot(b, step) / 2;
    if (length <= LongStep * size + LeastStep || lower <= MuchLower * cost_) return {};
    return fail(
        "the unknowns of '{}' are no minimum: the next step is {:.1e} long, beside {:.1e} of the "
        "unknowns, and promises to lower the cost, {:.1e}, by {:.1e}; solve on, with smaller "
        "tolerances",
        energy_.name(), length, size, cost_, lower);
  }

  // H λ
  Expected<Vector> multiply(Binding& binding, const Vector& lambda) {
    THALLO_CHECK(set_direction(binding, slope_->energy(), lambda));
    for (const FieldId unknown : energy_.unknowns()) {
      const std::string name = direction_of(energy_.field(unknown).name);
      THALLO_CHECK(slope_->executable().upload(binding, slope_->energy().find_field(name)));
    }
    Vector product = slope_->negative_gradient();
    for (double& number : product) number = -number;
    return product;
  }

  Expected<void> set_direction(Binding& binding, const Energy& energy, const Vector& lambda) const {
    auto from = lambda.begin();
    for (const FieldId unknown : energy_.unknowns()) {
      const Field& direction =
          energy.field(energy.find_field(direction_of(energy_.field(unknown).name)));
      const auto size =
          binding.num_elements(energy, energy.find_field(direction.name)) * direction.channels;
      THALLO_CHECK(binding.set_field(direction.name, Vector(from, from + size)));
      from += size;
    }
    return {};
  }

  // H λ = v over the free entries, by conjugate gradients that take their preconditioner as it
  // comes (it is not the same in each iteration).
  Expected<Vector> solve(const Binding& data, const Vector& v, const std::vector<bool>& is_free) {
    if (!slope_) {
      const std::set<FieldId> all(energy_.unknowns().begin(), energy_.unknowns().end());
      THALLO_TRY(auto energy, slope_energy(energy_, all));
      THALLO_ASSERT(energy, "the cost depends on no unknown");
      THALLO_TRY(slope_, GradientProgram::make(backend_, options_, *std::move(energy),
                                               options_of_gradient()));
    }
    Binding binding = with_data_of(energy_, data, slope_->energy());
    Vector lambda(v.size()), r = v;
    const double size = norm(v);
    if (size == 0) return lambda;
    THALLO_CHECK(set_direction(binding, slope_->energy(), lambda));
    THALLO_CHECK(slope_->bind(binding));
    const auto precondition = [&](const Vector& of) {
      Vector z = solve_with_jtj(of);
      keep(z, is_free);
      return z;
    };
    Vector z = precondition(r), p = z;
    double rz = dot(r, z);
    for (int i = 0; i < MostIterations && norm(r) > Tolerance * size; ++i) {
      THALLO_TRY(Vector q, multiply(binding, p));
      keep(q, is_free);
      const double curvature = dot(p, q);
      if (!(curvature > 0)) {
        if (norm(r) <= MostLeft * size) break;
        return fail(
            "the second derivatives of '{}' at the solution are not positive: a direction has "
            "curvature {:.1e}, so that it is no minimum, or residuals leave the direction open",
            energy_.name(), curvature / dot(p, p));
      }
      add(lambda, rz / curvature, p);
      const Vector before = r;
      add(r, -rz / curvature, q);
      z = precondition(r);
      const double next = dot(r, z);
      const double beta = (next - dot(before, z)) / rz;
      for (std::size_t k = 0; k < p.size(); ++k) p[k] = z[k] + beta * p[k];
      rz = next;
      if (!(rz > 0)) break;
    }
    if (norm(r) <= MostLeft * size) return lambda;
    return fail(
        "what is made of the solution of '{}' depends on directions that residuals leave open "
        "(H λ = v has no answer: {:.0e} of v is left); add residuals that hold them, or exclude "
        "unknowns that are to stay",
        energy_.name(), norm(r) / size);
  }

  Expected<FieldValues> by_inputs(const Binding& data, const Vector& lambda,
                                  const std::set<FieldId>& by) {
    FieldValues result;
    for (const FieldId id : by) {
      const auto size = data.num_elements(energy_, id) * energy_.field(id).channels;
      result[energy_.field(id).name] = Vector(static_cast<std::size_t>(size));
    }
    if (by != by_) {
      mixed_.reset();
      THALLO_TRY(auto energy, slope_energy(energy_, by));
      if (energy) {
        THALLO_TRY(mixed_, GradientProgram::make(backend_, options_, *std::move(energy),
                                                 options_of_gradient()));
      }
      by_ = by;
    }
    if (!mixed_) return result;
    Binding binding = with_data_of(energy_, data, mixed_->energy());
    THALLO_CHECK(set_direction(binding, mixed_->energy(), lambda));
    THALLO_CHECK(mixed_->bind(binding));
    const Vector all = mixed_->negative_gradient();
    auto from = all.begin();
    for (const FieldId id : mixed_->energy().unknowns()) {
      const Field& field = mixed_->energy().field(id);
      std::copy_n(from, result[field.name].size(), result[field.name].begin());
      from += std::ssize(result[field.name]);
    }
    return result;
  }

  const Energy& energy_;
  Backend& backend_;
  CompileOptions options_;
  std::optional<GradientProgram> jtj_, pairing_, slope_, mixed_;
  IterationOptions jtj_options_;
  bool is_dense_ = false;
  double cost_ = 0;       // of the data of the last call
  std::set<FieldId> by_;  // of mixed_
};

PullBack::PullBack(const Energy& energy, Backend& backend, CompileOptions options)
    : programs_(std::make_unique<Programs>(energy, backend, std::move(options))) {}
PullBack::~PullBack() = default;

Expected<FieldValues> PullBack::gradients(const Binding& binding, const FieldValues& by_unknowns,
                                          const std::vector<std::string>& inputs) {
  return programs_->gradients(binding, by_unknowns, inputs);
}

}  // namespace thallo
