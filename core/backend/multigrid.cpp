#include "core/backend/multigrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/backend/with_type.h"
#include "core/base/stop_scope.h"
#include "core/kernel/multigrid.h"

namespace thallo {
namespace {

// The least work of a part, in scalars that it reads: about 20 microseconds. Less is done before
// another thread wakes up.
constexpr std::int64_t MinReadsPerPart = 50'000;

// A coarse element and its share in a fine one, or the other way round.
struct Share {
  std::int64_t at = 0;
  double weight = 0;
};
class Shares {
 public:
  void add(const Share& share) { list_[count_++] = share; }
  const Share* begin() const { return list_.data(); }
  const Share* end() const { return list_.data() + count_; }

 private:
  std::array<Share, 3> list_;
  std::size_t count_ = 0;
};

// Along one dim: the coarse elements that make up a fine one.
Shares coarse_of(std::int64_t fine, std::int64_t num_coarse) {
  Shares shares;
  const std::int64_t before = fine / 2;
  const bool is_between = fine % 2 != 0 && before + 1 < num_coarse;
  shares.add({before, is_between ? 0.5 : 1});
  if (is_between) shares.add({before + 1, 0.5});
  return shares;
}

// Along one dim: the fine elements that a coarse one is in.
Shares fine_of(std::int64_t coarse, std::int64_t num_coarse, std::int64_t num_fine) {
  Shares shares;
  for (std::int64_t fine = std::max<std::int64_t>(2 * coarse - 1, 0);
       fine <= std::min(2 * coarse + 1, num_fine - 1); ++fine) {
    for (const Share& share : coarse_of(fine, num_coarse))
      if (share.at == coarse) shares.add({fine, share.weight});
  }
  return shares;
}

// Along the first dim, so that loops over X have no conditions: each coarse element X of a range is
// in the fine element 2 X + fine with this weight. With an offset, the coarse element X + jump is
// in the fine element that is so much further, and the weight is the product of both.
struct CoarseRun {
  std::int64_t first = 0, end = 0;  // of X
  std::int64_t fine = 0, jump = 0;
  double weight = 0;
};
std::vector<CoarseRun> coarse_runs(std::int64_t num_fine, std::optional<int> offset) {
  const std::int64_t num_coarse = (num_fine + 1) / 2;
  std::vector<CoarseRun> runs;
  const auto add = [&runs](std::int64_t coarse, std::int64_t fine, std::int64_t jump,
                           double weight) {
    const auto goes_on = std::ranges::find_if(runs, [&](const CoarseRun& run) {
      return run.end == coarse && run.fine == fine && run.jump == jump && run.weight == weight;
    });
    if (goes_on == runs.end())
      runs.push_back({coarse, coarse + 1, fine, jump, weight});
    else
      ++goes_on->end;
  };
  for (std::int64_t coarse = 0; coarse < num_coarse; ++coarse) {
    for (const Share& share : fine_of(coarse, num_coarse, num_fine)) {
      const std::int64_t fine = share.at - 2 * coarse, neighbor = share.at + offset.value_or(0);
      if (!offset) add(coarse, fine, 0, share.weight);
      if (!offset || neighbor < 0 || neighbor >= num_fine) continue;
      for (const Share& other : coarse_of(neighbor, num_coarse))
        add(coarse, fine, other.at - coarse, share.weight * other.weight);
    }
  }
  return runs;
}

// A row of elements along the first dim: where it is in the others, and its first element.
struct Row {
  std::int64_t y = 0, z = 0, first = 0;
};

template <class Real>
class GridCycle final : public HostMultigrid {
 public:
  GridCycle(const KernelProgram& program, HostMemory& memory, RunParts run_parts)
      : program_(program),
        memory_(memory),
        run_parts_(std::move(run_parts)),
        grid_(grid_levels(program, [&](DimId dim) { return memory.sizes().extent(dim); })),
        channels_(grid_channels(program, memory.sizes())),
        levels_(reinterpret_cast<Real*>(memory.buffer(program.multigrid->levels))),
        residual_(size(0)),
        correction_(size(0)),
        rest_(size(0)) {
    if (program.vectors.contains(SolverVector::Damping)) damping_.resize(size(0));
    for (const GridLevel& fine : grid_.levels) shares_.push_back(coarse_runs(fine.extents[0], {}));
  }

  void run(RunMultigrid::Pass pass) override {
    pass == RunMultigrid::Pass::Build ? build() : cycle();
  }

 private:
  using Entry = Multigrid::Entry;
  using Reals = std::vector<Real>;

  void build() {
    if (!damping_.empty()) load(program_.vector(SolverVector::Damping), damping_);
    double& radius = slot(StateSlot::LevelsRadius);
    double& age = slot(StateSlot::LevelsAge);
    const double now = slot(StateSlot::Radius);
    const bool is_stale = !(radius > 0) || now > MultigridMostChange * radius ||
                          radius > MultigridMostChange * now || age >= MultigridMostAge;
    if (is_stale) {
      radius = 0;  // levels of which a part was built are stale
      for (std::size_t l = 0; l + 1 < grid_.levels.size(); ++l) coarsen(l);
      for (std::size_t l = 1; l < grid_.levels.size(); ++l) weigh(l);
      radius = now;
      age = 0;
    }
    weigh(0);
    age += 1;
  }

  void cycle() {
    load(program_.vector(SolverVector::R), residual_);
    visit(0, residual_.data(), correction_.data());
    with_vector(program_.vector(SolverVector::Z), [&]<class Scalar>(Scalar* z, std::size_t at) {
      *z = static_cast<Scalar>(correction_[at]);
    });
  }

  double& slot(StateSlot which) {
    return memory_.doubles(program_.state)[static_cast<std::size_t>(which)];
  }
  const GridLevel& level(std::size_t l) const { return grid_.levels[l]; }
  const GridStencil& stencil(std::size_t l) const { return l == 0 ? grid_.fine : grid_.coarse; }
  std::size_t place(std::size_t l, std::size_t channel, std::int64_t element) const {
    return channel * static_cast<std::size_t>(level(l).elements) +
           static_cast<std::size_t>(element);
  }
  std::size_t num_channels() const { return static_cast<std::size_t>(grid_.channels); }
  std::size_t size(std::size_t l) const { return place(l, num_channels(), 0); }
  Real* vector(std::int64_t begin) { return levels_ + begin; }
  // The values of entry `e` of the matrix.
  Real* values(std::size_t l, std::size_t e) {
    Real* matrix = l == 0 ? reinterpret_cast<Real*>(memory_.buffer(program_.multigrid->matrix))
                          : levels_ + level(l).matrix;
    return matrix + place(l, e, 0);
  }

  // Calls work(row) for each row of a level, in parts of at least MinReadsPerPart if an element
  // reads so many scalars. What is written for a row must not depend on other calls.
  template <class Work>
  void for_each_row(std::size_t l, std::size_t reads, const Work& work) {
    const std::int64_t nx = level(l).extents[0], ny = level(l).extents[1];
    const std::int64_t num_rows = ny * level(l).extents[2];
    const std::int64_t num_parts = std::clamp<std::int64_t>(
        level(l).elements * static_cast<std::int64_t>(reads) / MinReadsPerPart, 1, num_rows);
    run_parts_(static_cast<int>(num_parts), [&](int part) {
      for (std::int64_t i = num_rows * part / num_parts; i < num_rows * (part + 1) / num_parts; ++i)
        work(Row{i % ny, i / ny, i * nx});
    });
  }
  // Calls work(k) for each scalar k of a level, `reads` vectors of which it reads.
  template <class Work>
  void for_each_scalar(std::size_t l, std::size_t reads, const Work& work) {
    for_each_row(l, reads * num_channels(), [&](const Row& row) {
      for (std::size_t c = 0; c < num_channels(); ++c) {
        const std::size_t first = place(l, c, row.first);
        const auto end = first + static_cast<std::size_t>(level(l).extents[0]);
        for (std::size_t k = first; k < end; ++k) work(k);
      }
    });
  }
  // Calls work(e, first, end, jump) for each entry e of the matrix that the elements [first, end)
  // of the row have, the neighbors of which are `jump` elements further.
  template <class Work>
  void for_each_entry(std::size_t l, const Row& row, const Work& work) const {
    const auto& [nx, ny, nz] = level(l).extents;
    const std::vector<Entry>& entries = stencil(l).entries;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const auto& [dx, dy, dz] = entries[e].offset;
      const std::int64_t y = row.y + dy, z = row.z + dz;
      if (y < 0 || y >= ny || z < 0 || z >= nz) continue;
      work(e, std::max<std::int64_t>(0, -dx), std::min(nx, nx - dx), dx + nx * (dy + ny * dz));
    }
  }

  // Calls visit(scalar, k) for the place of each scalar k in a vector of PCG.
  template <class Visit>
  void with_vector(std::size_t buffer, const Visit& visit) {
    with_type(memory_.buffer_type(buffer), [&]<class Scalar>(Scalar) {
      auto* data = reinterpret_cast<Scalar*>(memory_.buffer(buffer));
      for_each_row(0, 2 * num_channels(), [&](const Row& row) {
        for (std::size_t c = 0; c < num_channels(); ++c) {
          const auto& [first, stride] = channels_[c];
          Scalar* const scalars = data + first + stride * row.first;
          const std::size_t k = place(0, c, row.first);
          for (std::int64_t i = 0; i < level(0).extents[0]; ++i)
            visit(scalars + stride * i, k + static_cast<std::size_t>(i));
        }
      });
    });
  }
  void load(std::size_t buffer, Reals& to) {
    with_vector(buffer, [&](const auto* from, std::size_t k) { to[k] = static_cast<Real>(*from); });
  }

  // d = the diagonal with the damping, which scalars that no residual depends on do not have.
  void diagonal(std::size_t l, Reals& d) {
    const std::vector<int> entries = stencil(l).diagonal(grid_.channels);
    const Real* damping = l == 0 && !damping_.empty() ? damping_.data() : nullptr;
    for_each_row(l, 3 * num_channels(), [&](const Row& row) {
      for (std::size_t c = 0; c < num_channels(); ++c) {
        const Real* a = entries[c] < 0 ? nullptr : values(l, static_cast<std::size_t>(entries[c]));
        for (std::int64_t i = row.first; i < row.first + level(l).extents[0]; ++i) {
          const std::size_t k = place(l, c, i);
          d[k] = a == nullptr ? Real(0) : std::max(a[i], Real(0));
          if (damping != nullptr && d[k] > 0) d[k] += damping[k];
        }
      }
    });
  }

  // The weight w of scalar i is 1.6 / sum over j of |a_ij| sqrt(d_i / d_j). The last level takes 1
  // in place of 1.6, which solves for an element with one channel.
  void weigh(std::size_t l) {
    Reals &d = correction_, &inverse_root = rest_;  // between cycles nobody needs their memory
    diagonal(l, d);
    for_each_scalar(
        l, 2, [&](std::size_t k) { inverse_root[k] = d[k] > 0 ? 1 / std::sqrt(d[k]) : Real(0); });
    const bool is_last = l + 1 == grid_.levels.size();
    const Real relaxation = is_last ? Real(1) : Real(MultigridRelaxation);
    Real* const weights = vector(level(l).weights);
    const std::vector<Entry>& entries = stencil(l).entries;
    for_each_row(l, 2 * entries.size(), [&](const Row& row) {
      const auto nx = static_cast<std::size_t>(level(l).extents[0]);
      for (std::size_t c = 0; c < num_channels(); ++c)
        std::fill_n(weights + place(l, c, row.first), nx, Real(0));
      for_each_entry(l, row, [&](std::size_t e, std::int64_t first, std::int64_t end, auto jump) {
        const auto channel = [&](int which) {
          return place(l, static_cast<std::size_t>(which), row.first);
        };
        if (entries[e] == Entry{entries[e].row, entries[e].row, {}}) return;
        const Real* const a = values(l, e) + row.first;
        const Real* const of_neighbor = inverse_root.data() + channel(entries[e].col) + jump;
        Real* const sums = weights + channel(entries[e].row);
        for (std::int64_t x = first; x < end; ++x) sums[x] += std::abs(a[x]) * of_neighbor[x];
      });
      for (std::size_t c = 0; c < num_channels(); ++c) {
        const std::size_t begin = place(l, c, row.first);
        for (std::size_t k = begin; k < begin + nx; ++k) {
          weights[k] =
              d[k] > 0 ? relaxation / (d[k] + d[k] * inverse_root[k] * weights[k]) : Real(0);
        }
      }
    });
  }

  // A of level l + 1 = P^T A P. A diagonal entry that is nothing but rounding becomes 0.
  void coarsen(std::size_t l) {
    Reals &d = correction_, &magnitude = rest_;  // the latter of the coarse diagonal
    diagonal(l, d);
    std::fill_n(values(l + 1, 0), place(l + 1, grid_.coarse.entries.size(), 0), Real(0));
    std::fill_n(magnitude.begin(), size(l + 1), Real(0));
    for (std::size_t e = 0; e < stencil(l).entries.size(); ++e) {
      check_stop();
      const Entry& entry = stencil(l).entries[e];
      const auto channel = static_cast<std::size_t>(entry.row);
      const bool is_diagonal = entry == Entry{entry.row, entry.row, {}};
      const Real* a = is_diagonal ? d.data() + place(l, channel, 0) : values(l, e);
      Real* const sizes =
          entry.row == entry.col ? magnitude.data() + place(l + 1, channel, 0) : nullptr;
      Real* const center = values(l + 1, grid_.coarse.position({entry.row, entry.col, {}}));
      const std::vector<CoarseRun> runs = coarse_runs(level(l).extents[0], entry.offset[0]);
      for_each_row(l + 1, 16, [&](const Row& row) {
        add_coarse(l, entry.offset, a, row, runs, center, sizes);
      });
    }
    const Real negligible = 64 * std::numeric_limits<Real>::epsilon();
    const std::vector<int> on_diagonal = grid_.coarse.diagonal(grid_.channels);
    for (std::size_t c = 0; c < num_channels(); ++c) {
      if (on_diagonal[c] < 0) continue;
      Real* a = values(l + 1, static_cast<std::size_t>(on_diagonal[c]));
      for (std::int64_t i = 0; i < level(l + 1).elements; ++i)
        if (!(a[i] > negligible * magnitude[place(l + 1, c, i)])) a[i] = 0;
    }
  }

  // What a fine entry at this offset adds to a row of coarse elements: `center` has the values of
  // the coarse entry of the same channels without an offset.
  void add_coarse(std::size_t l, const std::array<int, 3>& offset, const Real* a, const Row& row,
                  const std::vector<CoarseRun>& runs, Real* center, Real* magnitude) {
    const auto& [nx, ny, nz] = level(l).extents;
    const std::int64_t coarse_ny = level(l + 1).extents[1], coarse_nz = level(l + 1).extents[2];
    for (const Share& z : fine_of(row.z, coarse_nz, nz)) {
      for (const Share& y : fine_of(row.y, coarse_ny, ny)) {
        const std::int64_t to_y = y.at + offset[1], to_z = z.at + offset[2];
        if (to_y < 0 || to_y >= ny || to_z < 0 || to_z >= nz) continue;
        const Real* const fine = a + nx * (y.at + ny * z.at);
        for (const Share& other_z : coarse_of(to_z, coarse_nz)) {
          for (const Share& other_y : coarse_of(to_y, coarse_ny)) {
            const double outer = z.weight * y.weight * other_z.weight * other_y.weight;
            for (const CoarseRun& run : runs) {
              const std::int64_t jump =
                  grid_.coarse.jump(run.jump, other_y.at - row.y, other_z.at - row.z);
              const auto weight = static_cast<Real>(outer * run.weight);
              Real* const to = center + jump * level(l + 1).elements + row.first;
              for (std::int64_t x = run.first; x < run.end; ++x)
                to[x] += weight * fine[2 * x + run.fine];
              if (magnitude == nullptr || jump != 0) continue;
              for (std::int64_t x = run.first; x < run.end; ++x)
                magnitude[row.first + x] += std::abs(weight * fine[2 * x + run.fine]);
            }
          }
        }
      }
    }
  }

  // rest = r - A v where w > 0, else 0.
  void subtract_product(std::size_t l, const Real* r, const Real* v) {
    const Real* const w = vector(level(l).weights);
    const Real* damping = l == 0 && !damping_.empty() ? damping_.data() : nullptr;
    const std::vector<Entry>& entries = stencil(l).entries;
    for_each_row(l, 2 * entries.size(), [&](const Row& row) {
      const auto nx = static_cast<std::size_t>(level(l).extents[0]);
      for (std::size_t c = 0; c < num_channels(); ++c) {
        const std::size_t k = place(l, c, row.first);
        std::copy_n(r + k, nx, rest_.data() + k);
      }
      for_each_entry(l, row, [&](std::size_t e, std::int64_t first, std::int64_t end, auto jump) {
        const auto channel = [&](int which) {
          return place(l, static_cast<std::size_t>(which), row.first);
        };
        const Real* const a = values(l, e) + row.first;
        const Real* const in = v + channel(entries[e].col) + jump;
        Real* const out = rest_.data() + channel(entries[e].row);
        for (std::int64_t x = first; x < end; ++x) out[x] -= a[x] * in[x];
      });
      for (std::size_t c = 0; c < num_channels(); ++c) {
        const std::size_t begin = place(l, c, row.first);
        for (std::size_t k = begin; damping != nullptr && k < begin + nx; ++k)
          rest_[k] -= damping[k] * v[k];
        for (std::size_t k = begin; k < begin + nx; ++k) rest_[k] = w[k] > 0 ? rest_[k] : Real(0);
      }
    });
  }

  // correction = M^-1 residual of level l.
  void visit(std::size_t l, const Real* residual, Real* correction) {
    const Real* const w = vector(level(l).weights);
    for_each_scalar(l, 2, [&](std::size_t k) { correction[k] = w[k] * residual[k]; });
    if (l + 1 == grid_.levels.size()) return;
    subtract_product(l, residual, correction);
    Real* const coarse_residual = vector(level(l + 1).residual);
    Real* const coarse_correction = vector(level(l + 1).correction);
    restrict_rest(l, coarse_residual);
    visit(l + 1, coarse_residual, coarse_correction);
    prolong(l, coarse_correction, correction);
    subtract_product(l, residual, correction);
    for_each_scalar(l, 3, [&](std::size_t k) { correction[k] += w[k] * rest_[k]; });
  }

  // coarse = P^T rest.
  void restrict_rest(std::size_t l, Real* coarse) {
    const auto& [nx, ny, nz] = level(l).extents;
    const auto& [coarse_nx, coarse_ny, coarse_nz] = level(l + 1).extents;
    for_each_row(l + 1, 9 * num_channels(), [&](const Row& row) {
      for (std::size_t c = 0; c < num_channels(); ++c) {
        Real* const to = coarse + place(l + 1, c, row.first);
        std::fill_n(to, coarse_nx, Real(0));
        for (const Share& z : fine_of(row.z, coarse_nz, nz)) {
          for (const Share& y : fine_of(row.y, coarse_ny, ny)) {
            const Real* const from = rest_.data() + place(l, c, nx * (y.at + ny * z.at));
            for (const CoarseRun& run : shares_[l]) {
              const auto weight = static_cast<Real>(z.weight * y.weight * run.weight);
              for (std::int64_t x = run.first; x < run.end; ++x)
                to[x] += weight * from[2 * x + run.fine];
            }
          }
        }
      }
    });
  }

  // correction += P coarse where w > 0.
  void prolong(std::size_t l, const Real* coarse, Real* correction) {
    const Real* const w = vector(level(l).weights);
    const auto& [coarse_nx, coarse_ny, coarse_nz] = level(l + 1).extents;
    for_each_row(l, 4 * num_channels(), [&](const Row& row) {
      for (std::size_t c = 0; c < num_channels(); ++c) {
        const std::size_t k = place(l, c, row.first);
        for (const Share& z : coarse_of(row.z, coarse_nz)) {
          for (const Share& y : coarse_of(row.y, coarse_ny)) {
            const Real* const from =
                coarse + place(l + 1, c, coarse_nx * (y.at + coarse_ny * z.at));
            for (const CoarseRun& run : shares_[l]) {
              const auto weight = static_cast<Real>(z.weight * y.weight * run.weight);
              Real* const to = correction + k + run.fine;
              const Real* const of_fine = w + k + run.fine;
              for (std::int64_t x = run.first; x < run.end; ++x)
                to[2 * x] += of_fine[2 * x] > 0 ? weight * from[x] : Real(0);
            }
          }
        }
      }
    });
  }

  const KernelProgram& program_;
  HostMemory& memory_;
  RunParts run_parts_;
  GridLevels grid_;
  std::vector<GridChannel> channels_;
  Real* levels_;
  std::vector<std::vector<CoarseRun>>
      shares_;  // by level, of its elements in those of the next one
  // Of level 0, channel by channel; `rest_` is that of each level in turn.
  Reals residual_, correction_, rest_;
  Reals damping_;  // empty if there is none
};

}  // namespace

std::unique_ptr<HostMultigrid> make_host_multigrid(const KernelProgram& program, HostMemory& memory,
                                                   RunParts run_parts) {
  if (memory.buffer_type(program.multigrid->levels) == ScalarType::Double)
    return std::make_unique<GridCycle<double>>(program, memory, std::move(run_parts));
  return std::make_unique<GridCycle<float>>(program, memory, std::move(run_parts));
}

}  // namespace thallo
