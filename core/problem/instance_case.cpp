#include "core/problem/instance_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cost/pricing/anatomy.h"
#include "core/kernel/bind/sizes.h"
#include "core/kernel/lower.h"
#include "core/linear/symbolic_factor.h"
#include "core/problem/kept_hops.h"
#include "core/problem/suit_program.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/schedule.h"

namespace thallo {
namespace {

// The largest factor: 12 bytes an entry make 400 MB.
constexpr double MostEntries = 3e7;
// That of a Schur complement, which has dense blocks: 8 bytes an entry make 1.6 GB.
constexpr double MostKeptEntries = 2e8;
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
// Up to this number of unknowns, a grid is a graph as any other.
constexpr std::int64_t FewUnknowns = 64;

// What a linear iteration tells an element goes one hop, so the iterations grow with the hops
// across the graph of elements. Five for each: 57, 344, 735 and 845 a step for pose graphs of 12,
// 74, 143 and 151 hops, 73, 131 and 248 for meshes of 15, 27 and 45.
constexpr double IterationsOfAHop = 5;
// On a grid half of one: 303 for an image of 448 x 320, 2,790 for 2048 x 2048. Where elements are
// excluded, those that are left are the pixels of a smaller image.
constexpr double IterationsOfAGridHop = 0.5;
// Data that hold each element end what its neighbors tell of it: 12 iterations for a denoised
// picture of any size, 350 where gradients have 20,000 times the weight of the data.
constexpr double IterationsOfAnchoring = 1.7;
// On meshes three times as many: 10, 16 and 67 a step where data hold 0.1, 0.17 and 0.005 of the
// diagonal. Poses that turn alike do not move alike.
constexpr double IterationsOfAnchoringOnAMesh = 5;
// Where a space can be eliminated, elements that meet one of it are a hop apart. With blocks and
// without that space, which leave a quarter of the iterations, bundle adjustment takes 14 a step
// where cameras are one hop apart, 16 for 2, 26 for 3, 63 for 5, 170 for 10 and 170 to 300 for 46.
constexpr double IterationsOfAKeptHop = 40;

// Where a walk is 46 hops long, of which this is 0.2, schur_pcg ends at the optimum in float; where
// it is 63, which makes 0.38, it ends 1 % above it, and pcg 0.2 %.
constexpr double MostHidden = 0.3;
constexpr double RoundingOfFloat = 6e-8;

// Few unknowns are those of fits, which may be scaled so badly that rounding keeps conjugate
// gradients from ending after as many iterations as there are unknowns.
constexpr double IterationsOfAnUnknown = 10;

// What an exact step takes, in what a linear iteration takes for a residual: for each pair of
// blocks that meet in the Schur complement, and for the cube of its rows. With 900 to 1,800 rows,
// an exact step takes as long as 10 to 20 iterations on two cores of an x86-64 machine, 15 to 27 on
// an H200.
constexpr double IterationsOfAPair = 15;
constexpr double IterationsOfACubedRow = 2e-4;
constexpr double FlopsOfACubedRow = 1.0 / 3;  // of a full matrix
// One that takes less than this is over in a millisecond on a GPU.
constexpr double LeastExactStep = 1.5e7;
// The first step takes 2 iterations in bundle adjustment, the next ones 10 and 40, and each leaves
// a hundredth of the excess of the cost, an exact one less than a thousandth.
constexpr double ShareOfAnExactStep = 1.0 / 3;

// A step that conjugate gradients end early is worth less than an exact one: meshes take 1.03 to
// 1.3 times the steps of a factor. In bundle adjustment the more so the stiffer the system is,
// which many iterations tell of: on an H200, 1.1 to 1.7 times the steps (30 to 130 iterations
// each).
constexpr double StepsOfIterating = 1.3;
constexpr double IterationsOfAStepMore = 450;

double num_meetings(const KernelProgram& program, const Binding& binding) {
  double meetings = 0;
  for (const BlockPattern& pattern : program.patterns) {
    for (const BlockPattern::Meeting& meeting : pattern.meetings) {
      double points = 1;
      for (const DomainId domain : meeting.domains)
        points *= static_cast<double>(binding.extent(program.graph.indices().domain(domain).dim));
      meetings += points;
    }
  }
  return meetings;
}

// Calls with the position of each element of the space that the map leads to.
template <class Function>
void for_each_element(const Binding& binding, MapId map, const std::vector<DimId>& space,
                      const Function& function) {
  const std::vector<std::int32_t>& values = binding.map(map);
  for (std::size_t at = 0; at + space.size() <= values.size(); at += space.size()) {
    std::int64_t element = 0, stride = 1;
    for (std::size_t d = 0; d < space.size() && element >= 0; ++d) {
      const std::int64_t extent = binding.extent(space[d]), value = values[at + d];
      element = value >= 0 && value < extent ? element + stride * value : -1;
      stride *= extent;
    }
    if (element >= 0) function(static_cast<std::size_t>(element));
  }
}

}  // namespace

bool InstanceCase::are_all_poses() const {
  return std::ranges::none_of(energy_.unknowns(), [&](FieldId unknown) {
    return energy_.field(unknown).manifold == Manifold::Euclidean;
  });
}

bool InstanceCase::varies_weights() const {
  return std::ranges::any_of(energy_.groups(),
                             [](const ResidualGroup& group) { return group.loss.has_value(); });
}

bool InstanceCase::can_eliminate() const { return elimination(*schur_pcg_solver()).has_value(); }

double InstanceCase::diagonal_iterations() const {
  if (const auto gone = elimination(*schur_pcg_solver())) {
    if (!kept_hops_) {
      kept_hops_ = std::max(1.0, kept_hops(energy_, binding_, energy_.find_unknown(gone->space)));
    }
    return IterationsOfAKeptHop * *kept_hops_;
  }
  if (const std::int64_t n = num_unknowns(); n <= FewUnknowns)
    return IterationsOfAnUnknown * static_cast<double>(n);
  const double of_data = 1 / std::sqrt(rows_.anchoring);  // may be infinite
  if (const Field* grid = find_grid()) {
    double hops = 0;
    for (const DimId dim : grid->dims) hops += static_cast<double>(binding_.extent(dim));
    hops *= std::pow(rows_.free, 1 / static_cast<double>(grid->dims.size()));
    return std::min(IterationsOfAGridHop * hops, IterationsOfAnchoring * of_data);
  }
  const double hops = graph().hops;
  const double of_hops = hops > 0 ? IterationsOfAHop * hops : max_linear_iterations();
  return are_all_poses() ? of_hops : std::min(of_hops, IterationsOfAnchoringOnAMesh * of_data);
}

IteratedSteps InstanceCase::iterated() const {
  IteratedSteps steps{.linear_iterations = preconditioner_->expected_iterations(*this),
                      .steps = StepsOfIterating};
  if (can_eliminate()) {
    steps.steps += steps.linear_iterations / IterationsOfAStepMore;
  } else if (are_all_poses() && num_unknowns() > FewUnknowns) {
    // Where poses bend over many hops, steps end early: 1.4 to 2 times the steps of a factor with
    // about as many hops as a square of the poses has along a side, 2.75 with 1.5 times as many,
    // 3.5 with 2.6 times.
    double poses = 0;
    for (const FieldId unknown : energy_.unknowns())
      poses += num_points(energy_.field(unknown).dims);
    steps.steps = 1 + graph().hops / std::sqrt(poses);
  }
  return steps;
}

double InstanceCase::num_points(const std::vector<DimId>& dims) const {
  double points = 1;
  for (const DimId dim : dims) points *= static_cast<double>(binding_.extent(dim));
  return points;
}

// A bound of the pairs of blocks at one eliminated element, which add to the Schur complement and
// are in a table: an element meets those of the maps that lead to it, or where it is read without
// one all, but no more than elements are kept.
double InstanceCase::most_pairs(FieldId eliminated) const {
  const std::vector<DimId>& dims = energy_.field(eliminated).dims;
  std::set<std::vector<DimId>> kept;
  for (const FieldId unknown : energy_.unknowns()) kept.insert(energy_.field(unknown).dims);
  kept.erase(dims);
  double elements = 0;
  for (const std::vector<DimId>& space : kept) elements += num_points(space);

  bool has_map = false;
  std::vector<double> met(static_cast<std::size_t>(num_points(dims)));
  for (std::size_t m = 0; m < energy_.maps().size(); ++m) {
    if (energy_.maps()[m].out != dims) continue;
    has_map = true;
    for_each_element(binding_, MapId(m), dims, [&](std::size_t element) { ++met[element]; });
  }
  if (!has_map) std::ranges::fill(met, elements);
  double pairs = 0;
  for (const double others : met) pairs += std::pow(std::min(others, elements), 2) / 2;
  return pairs;
}

// Finds an unknown over pixels or voxels. The factor of a two-dimensional grid of n points has
// O(n log n) entries and takes O(n^1.5) flops, while PCG needs few iterations if the data constrain
// each point.
const Field* InstanceCase::find_grid() const {
  for (const FieldId unknown : energy_.unknowns()) {
    const Field& field = energy_.field(unknown);
    const auto is_long = [&](DimId dim) { return binding_.extent(dim) > 1; };
    if (std::ranges::count_if(field.dims, is_long) > 1) return &field;
  }
  return nullptr;
}

Expected<EliminatedUnknowns> InstanceCase::elimination(const LinearSolver& solver) const {
  const auto find = [&]() -> Expected<EliminatedUnknowns> {
    ProgramOptions program{.preconditioner = block_jacobi_preconditioner(),
                           .linear_solver = &solver};
    THALLO_CHECK(suit_program(energy_, binding_, options_, program));
    if (const double pairs = most_pairs(program.eliminated);
        solver.is_direct() && pairs > MostMeetings) {
      return fail("up to {:.1e} pairs of residuals meet in the Schur complement, more than {:.0e}",
                  pairs, MostMeetings);
    }
    const std::int64_t eliminated = size_of_space(energy_, binding_, program.eliminated);
    return EliminatedUnknowns{.eliminated = eliminated,
                              .kept = num_unknowns() - eliminated,
                              .space = energy_.field(program.eliminated).name};
  };
  if (const auto known = eliminations_.find(&solver); known != eliminations_.end())
    return known->second;
  return eliminations_.emplace(&solver, find()).first->second;
}

// The condition number is about the square of the iterations: by that rounding is magnified. It is
// known of systems only of which some unknowns can be eliminated.
bool InstanceCase::outgrows_float(const LinearSolver& solver) const {
  return !solver.is_direct() && can_eliminate() &&
         std::pow(diagonal_iterations(), 2) * RoundingOfFloat > MostHidden;
}

const InstanceCase::LongestResidual& InstanceCase::longest_residual() const {
  if (longest_residual_) return *longest_residual_;
  const Anatomy anatomy(energy_, std::vector<bool>(sums_of(energy_).size()));
  LongestResidual longest;
  for (std::size_t g = 0; g < energy_.groups().size(); ++g) {
    for (std::size_t r = 0; r < energy_.groups()[g].residuals.size(); ++r) {
      const std::size_t read = anatomy.residual(g, r).partials.size();
      if (read > longest.read) longest = {energy_.groups()[g].name, read};
    }
  }
  return longest_residual_.emplace(std::move(longest));
}

int InstanceCase::loose_iterations(FieldId eliminated, const LinearSolver& solver) const {
  const auto kept =
      static_cast<double>(num_unknowns() - size_of_space(energy_, binding_, eliminated));
  const auto residuals = static_cast<double>(binding_.num_residuals(energy_));
  double cubed_rows = std::pow(kept, 3);
  if (solver.form() == MatrixForm::Csr) {
    if (const auto factor = kept_factor(solver)) cubed_rows = factor->flops / FlopsOfACubedRow;
  }
  const double exact =
      IterationsOfAPair * most_pairs(eliminated) + IterationsOfACubedRow * cubed_rows;
  if (exact < LeastExactStep || residuals == 0) return 0;
  constexpr double most = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(most, ShareOfAnExactStep * exact / residuals));
}

Expected<void> InstanceCase::check_matrix() const {
  const auto& [group, read] = longest_residual();
  if (read <= MostRead) return {};
  return fail("a residual of '{}' reads {} unknowns, which meet in {} entries of JtJ", group, read,
              read * (read + 1) / 2);
}

Expected<FactorSize> InstanceCase::factor() const { return graph().factor; }

Expected<FactorSize> InstanceCase::kept_factor(const LinearSolver& solver) const {
  const auto find = [&]() -> Expected<FactorSize> {
    THALLO_TRY(const auto unknowns, elimination(solver));
    const KeptGraph graph = kept_graph(energy_, binding_, energy_.find_unknown(unknowns.space));
    const std::int64_t elements = std::ssize(graph.offsets) - 1;
    if (graph.neighbors.empty()) return fail("no map leads to what is kept");
    const auto channels = static_cast<double>(unknowns.kept) / static_cast<double>(elements);
    const double block = channels * channels;
    const SymbolicFactor symbolic(
        MatrixPattern{.n = elements, .offsets = graph.offsets, .columns = graph.neighbors});
    const auto size = symbolic.size(MostKeptEntries / block);
    if (!size) return fail("the factor of S has more than {:.1e} entries", MostKeptEntries);
    return FactorSize{.entries = block * size->entries,
                      .flops = block * channels * size->flops,
                      .matrix_entries = block * size->matrix_entries};
  };
  if (!kept_factor_) kept_factor_ = find();
  return *kept_factor_;
}

const InstanceCase::Graph& InstanceCase::graph() const {
  if (!graph_) graph_ = make_graph();
  return *graph_;
}

// The pattern of JtJ does not depend on the schedule.
InstanceCase::Graph InstanceCase::make_graph() const {
  const auto without = [](std::string why) {
    return Graph{.factor = fail({std::move(why), {}, {}})};
  };
  const bool may_eliminate = options_.preconditioner.empty() ||
                             options_.preconditioner == block_jacobi_preconditioner()->name();
  if (const auto gone = elimination(*schur_pcg_solver());
      may_eliminate && gone && gone->eliminated >= gone->kept) {
    return without(
        fmt::format("'{}' is eliminated at less cost than a sparse factor does it", gone->space));
  }
  if (const std::int64_t n = num_unknowns(); n > FewUnknowns) {
    if (const Field* grid = find_grid())
      return without(fmt::format("'{}' is over a grid, whose factor fills in", grid->name));
    if (n > MostUnknowns)
      return without(fmt::format("{} unknowns are more than {}", n, MostUnknowns));
  }
  if (const auto formed = check_matrix(); !formed) return without(formed.error().message());
  const KernelProgram program = make_program(energy_, default_plan(energy_),
                                             {.solver = options_.solver,
                                              .preconditioner = no_preconditioner(),
                                              .linear_solver = sparse_cholesky_solver()});
  if (const double meetings = num_meetings(program, binding_); meetings > MostMeetings) {
    return without(fmt::format("{:.1e} pairs of unknowns meet in JtJ, more than {:.0e}", meetings,
                               MostMeetings));
  }
  const auto sizes =
      ProgramSizes::make(program, binding_, memory_limit_, TableContents::ForExtents);
  if (!sizes) return without(sizes.error().message());
  const StoredMatrix& matrix = program.matrices.back();
  const auto& maps = sizes->tables().maps;
  const MatrixPattern pattern{.n = sizes->num_unknowns(),
                              .offsets = maps.at(matrix.offsets),
                              .columns = maps.at(matrix.columns)};
  const SymbolicFactor symbolic(pattern);
  const auto size = symbolic.size(MostEntries);
  Graph graph =
      size ? Graph{.factor = *size}
           : without(fmt::format("the factor of JtJ has more than {:.1e} entries", MostEntries));
  graph.hops = static_cast<double>(symbolic.hops_across());
  return graph;
}

}  // namespace thallo
