#include "core/problem/choose_linear_solver.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cost/pricing/anatomy.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/lower.h"
#include "core/linear/symbolic_factor.h"
#include "core/problem/suit_program.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/schedule.h"

namespace thallo {
namespace {

// Up to this number of unknowns, one thread block of a GPU can solve the system, and a host solves
// it in microseconds.
constexpr std::int64_t FewUnknowns = 64;

// Up to this number of unknowns that are kept, forming and factoring the Schur complement takes
// less than the iterations of a step, on a GPU (dubrovnik-16, 144 kept: 2.7 ms in all beside 4.0;
// trafalgar-21, 189: 2.3 beside 3.9; ladybug-49, 441: 10.2 beside 10.9) and on a host by far
// (ladybug-49 1.8 s beside 3.4).
constexpr std::int64_t FewKept = 512;

// The longest time of one factorization. In a second, PCG can run about a thousand linear
// iterations over a JtJ with 10^6 entries, so a longer factorization is not certain to pay off.
constexpr double MostSeconds = 1;
// What an entry of JtJ adds to a linear iteration of PCG, by the same measure.
constexpr double SecondsOfEntry = 1e-9;
// The largest factor: 12 bytes an entry make 400 MB.
constexpr double MostEntries = 3e7;
// With more unknowns than this, the pattern is not built, because that may take longer than a
// solve.
constexpr std::int64_t MostUnknowns = 500'000;
// A residual that reads n unknowns adds to n (n + 1) / 2 entries of JtJ at each point, each by a
// statement of a kernel. With more unknowns than this, compiling the kernel takes longer than a
// solve.
constexpr std::size_t MostRead = 64;
// The number of pairs of elements, over all points, whose places in JtJ are looked up; that takes
// some seconds.
constexpr double MostMeetings = 2e7;

class Chooser {
 public:
  Chooser(const Energy& energy, const Binding& binding, const SolverOptions& options,
          std::int64_t memory_limit, const LinearSolverRegistry& solvers)
      : energy_(energy),
        binding_(binding),
        options_(options),
        memory_limit_(memory_limit),
        solvers_(solvers) {}

  LinearSolverChoice choose() const {
    const std::int64_t n = binding_.num_unknowns(energy_);
    if (options_.linear_solver.empty() && options_.names_pcg())
      return pcg("options of pcg are set and no linear solver is");
    if (options_.solver == SolverKind::GaussNewton)
      return pcg("Gauss-Newton does not damp, and pcg copes with a singular JtJ");
    if (n > FewUnknowns) {
      if (auto choice = by_elimination()) return *std::move(choice);
      if (const Field* grid = find_grid())
        return pcg(fmt::format("'{}' is over a grid, whose factor fills in", grid->name));
      if (n > MostUnknowns)
        return pcg(fmt::format("{} unknowns are more than {}", n, MostUnknowns));
    }
    if (const auto [group, read] = most_read(); read > MostRead) {
      return pcg(
          fmt::format("a residual of '{}' reads {} unknowns, which meet in {} entries of JtJ",
                      group, read, read * (read + 1) / 2));
    }
    if (n <= FewUnknowns) return {dense_solver(), fmt::format("{} unknowns are few", n)};
    return by_factor();
  }

 private:
  static LinearSolverChoice pcg(std::string reason) { return {pcg_solver(), std::move(reason)}; }

  // Elimination pays where it takes most of the unknowns.
  std::optional<LinearSolverChoice> by_elimination() const {
    if (options_.preconditioner.value_or(PreconditionerKind::BlockJacobi) !=
        PreconditionerKind::BlockJacobi)
      return {};
    ProgramOptions program{.preconditioner = PreconditionerKind::BlockJacobi,
                           .linear_solver = schur_pcg_solver()};
    if (!suit_program(energy_, binding_, options_, program)) return {};
    const std::int64_t eliminated = size_of_space(energy_, binding_, program.eliminated);
    const std::int64_t all = binding_.num_unknowns(energy_);
    if (2 * eliminated < all) return {};
    const std::string reason =
        fmt::format("{} of {} unknowns can be eliminated, those over the dims of '{}'", eliminated,
                    all, energy_.field(program.eliminated).name);
    program.linear_solver = schur_cholesky_solver();
    if (all - eliminated > FewKept || most_pairs(program.eliminated) > MostMeetings ||
        !suit_program(energy_, binding_, options_, program))
      return LinearSolverChoice{schur_pcg_solver(), reason};
    return LinearSolverChoice{
        schur_cholesky_solver(),
        fmt::format("{}, and the {} others are few enough to factor", reason, all - eliminated)};
  }

  double num_points(const std::vector<DimId>& dims) const {
    double points = 1;
    for (const DimId dim : dims) points *= static_cast<double>(binding_.extent(dim));
    return points;
  }

  // A bound of the pairs of residual points at one eliminated element, which add to the Schur
  // complement and are in a table: a point meets no more others than elements are kept.
  double most_pairs(FieldId eliminated) const {
    std::set<std::vector<DimId>> kept;
    for (const FieldId unknown : energy_.unknowns()) kept.insert(energy_.field(unknown).dims);
    kept.erase(energy_.field(eliminated).dims);
    double elements = 0;
    for (const std::vector<DimId>& dims : kept) elements += num_points(dims);
    double points = 0;
    for (const ResidualGroup& group : energy_.groups()) {
      std::vector<DimId> dims;
      for (const DomainId domain : group.domains)
        dims.push_back(energy_.graph().indices().domain(domain).dim);
      points += num_points(dims);
    }
    return points * elements / 2;
  }

  // Finds an unknown over pixels or voxels. The factor of a two-dimensional grid of n points has
  // O(n log n) entries and takes O(n^1.5) flops, while PCG needs few iterations if the data
  // constrain each point.
  const Field* find_grid() const {
    for (const FieldId unknown : energy_.unknowns()) {
      const Field& field = energy_.field(unknown);
      const auto is_long = [&](DimId dim) { return binding_.extent(dim) > 1; };
      if (std::ranges::count_if(field.dims, is_long) > 1) return &field;
    }
    return nullptr;
  }

  // Returns the group with the residual that reads the most unknowns, and their number.
  std::pair<std::string, std::size_t> most_read() const {
    const Anatomy anatomy(energy_, std::vector<bool>(sums_of(energy_).size()));
    std::pair<std::string, std::size_t> most;
    for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
      for (std::size_t r = 0; r < energy_.groups()[g].residuals.size(); ++r) {
        const std::size_t read = anatomy.residual(g, r).partials.size();
        if (read > most.second) most = {energy_.groups()[g].name, read};
      }
    }
    return most;
  }

  double num_meetings(const KernelProgram& program) const {
    double meetings = 0;
    for (const BlockPattern& pattern : program.patterns) {
      for (const BlockPattern::Meeting& meeting : pattern.meetings) {
        double points = 1;
        for (const DomainId domain : meeting.domains)
          points *=
              static_cast<double>(binding_.extent(program.graph.indices().domain(domain).dim));
        meetings += points;
      }
    }
    return meetings;
  }

  // The pattern of JtJ does not depend on the schedule.
  LinearSolverChoice by_factor() const {
    const KernelProgram program = make_program(energy_, default_plan(energy_),
                                               {.solver = options_.solver,
                                                .preconditioner = PreconditionerKind::None,
                                                .linear_solver = sparse_cholesky_solver()});
    if (const double meetings = num_meetings(program); meetings > MostMeetings) {
      return pcg(fmt::format("{:.1e} pairs of unknowns meet in JtJ, more than {:.0e}", meetings,
                             MostMeetings));
    }
    const auto sizes =
        ProgramSizes::make(program, binding_, memory_limit_, TableContents::ForExtents);
    if (!sizes) return pcg(sizes.error().message());
    const StoredMatrix& matrix = program.matrices.back();
    const auto& maps = sizes->tables().maps;
    const MatrixPattern pattern{.n = sizes->num_unknowns(),
                                .offsets = maps.at(matrix.offsets),
                                .columns = maps.at(matrix.columns)};
    const auto size = SymbolicFactor(pattern).size(MostEntries);
    if (!size) {
      return pcg(fmt::format("the factor of JtJ has more than {:.1e} entries", MostEntries));
    }
    const double half =
        (static_cast<double>(pattern.columns.size()) + static_cast<double>(pattern.n)) / 2;
    const auto [solver, seconds] = quickest(*size);
    std::string takes = fmt::format(
        "the factor of JtJ has {:.2g} entries, {:.1f} times as many as the triangle of JtJ, and "
        "takes {:.1e} flops, ",
        size->entries, size->entries / half, size->flops);
    if (solver->takes_modes())
      takes += fmt::format("more than {} is expected to take without it, ", solver->name());
    takes += fmt::format("about {:.2g} s by {}", seconds, solver->name());
    if (seconds > MostSeconds) return pcg(fmt::format("{}, more than {:g} s", takes, MostSeconds));
    if (const auto most = seconds_of_pcg(2 * half); most && seconds > *most) {
      return pcg(fmt::format("{}, more than the {:.2g} s of {} iterations of pcg", takes, *most,
                             options_.num_linear_iterations));
    }
    return {solver, takes};
  }

  // The seconds of all linear iterations that PCG may make for one step, if somebody has said how
  // many they are. The few of the default are no measure: an exact step is worth more.
  std::optional<double> seconds_of_pcg(double entries) const {
    if (options_.num_linear_iterations == SolverOptions().num_linear_iterations) return {};
    return options_.num_linear_iterations * entries * SecondsOfEntry;
  }

  std::pair<const LinearSolver*, double> quickest(const FactorSize& size) const {
    std::pair best(sparse_cholesky_solver(), sparse_cholesky_solver()->expected_seconds(size));
    for (const auto* entry : solvers_.entries()) {
      if (entry->item->form() != MatrixForm::Csr) continue;
      if (entry->item->takes_modes() && !are_all_poses()) continue;
      const double seconds = entry->item->expected_seconds(size);
      if (seconds < best.second) best = {entry->item.get(), seconds};
    }
    return best;
  }

  bool are_all_poses() const {
    return std::ranges::none_of(energy_.unknowns(), [&](FieldId unknown) {
      return energy_.field(unknown).manifold == Manifold::Euclidean;
    });
  }

  const Energy& energy_;
  const Binding& binding_;
  const SolverOptions& options_;
  std::int64_t memory_limit_;
  const LinearSolverRegistry& solvers_;
};

}  // namespace

LinearSolverChoice choose_linear_solver(const Energy& energy, const Binding& binding,
                                        const SolverOptions& options, std::int64_t memory_limit,
                                        const LinearSolverRegistry& solvers) {
  THALLO_ASSERT(options.chooses_linear_solver());
  return Chooser(energy, binding, options, memory_limit, solvers).choose();
}

}  // namespace thallo
