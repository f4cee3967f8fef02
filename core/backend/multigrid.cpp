#include "core/backend/multigrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/backend/with_type.h"
#include "core/base/stop_scope.h"
#include "core/kernel/multigrid.h"

namespace thallo {
namespace {

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

template <class Real>
class HostMultigrid {
 public:
  HostMultigrid(const KernelProgram& program, HostMemory& memory)
      : program_(program),
        memory_(memory),
        grid_(grid_levels(program, [&](DimId dim) { return memory.sizes().extent(dim); })),
        channels_(grid_channels(program, memory.sizes())),
        levels_(reinterpret_cast<Real*>(memory.buffer(program.multigrid->levels))) {
    if (const auto found = program.vectors.find(SolverVector::Damping);
        found != program.vectors.end())
      damping_ = loaded(found->second);
  }

  void build() {
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
    std::vector<Real> residual = loaded(program_.vector(SolverVector::R));
    std::vector<Real> correction(residual.size());
    visit(0, residual, correction);
    with_vector(program_.vector(SolverVector::Z), [&](auto* z, std::size_t c, std::int64_t i) {
      using Scalar = std::remove_pointer_t<decltype(z)>;
      z[channels_[c].first + channels_[c].stride * i] =
          static_cast<Scalar>(correction[place(0, c, i)]);
    });
  }

 private:
  using Entry = Multigrid::Entry;

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
  std::span<Real> vector(std::size_t l, std::int64_t begin) {
    return {levels_ + begin, place(l, num_channels(), 0)};
  }
  // The values of entry `e` of the matrix.
  Real* values(std::size_t l, std::size_t e) {
    Real* matrix = l == 0 ? reinterpret_cast<Real*>(memory_.buffer(program_.multigrid->matrix))
                          : levels_ + level(l).matrix;
    return matrix + place(l, e, 0);
  }

  // Calls visit(data, channel, element) for each scalar of a vector of PCG.
  template <class Visit>
  void with_vector(std::size_t buffer, Visit visit) const {
    with_type(memory_.buffer_type(buffer), [&]<class Scalar>(Scalar) {
      auto* data = reinterpret_cast<Scalar*>(memory_.buffer(buffer));
      for (std::size_t c = 0; c < num_channels(); ++c)
        for (std::int64_t i = 0; i < level(0).elements; ++i) visit(data, c, i);
    });
  }
  // Channel by channel.
  std::vector<Real> loaded(std::size_t buffer) const {
    std::vector<Real> result(place(0, num_channels(), 0));
    with_vector(buffer, [&](const auto* data, std::size_t c, std::int64_t i) {
      result[place(0, c, i)] =
          static_cast<Real>(data[channels_[c].first + channels_[c].stride * i]);
    });
    return result;
  }

  // Calls visit(i, j, n) for every run of n adjacent elements i that have an element j at the
  // offset.
  template <class Visit>
  void for_each_run(std::size_t l, const std::array<int, 3>& offset, Visit visit) const {
    const auto& [nx, ny, nz] = level(l).extents;
    const std::int64_t first = std::max(0, -offset[0]);
    const std::int64_t end = std::min(nx, nx - offset[0]);
    if (first >= end) return;
    const std::int64_t jump = offset[0] + nx * (offset[1] + ny * offset[2]);
    for (std::int64_t z = std::max(0, -offset[2]); z < std::min(nz, nz - offset[2]); ++z) {
      for (std::int64_t y = std::max(0, -offset[1]); y < std::min(ny, ny - offset[1]); ++y) {
        const std::int64_t i = first + nx * (y + ny * z);
        visit(i, i + jump, end - first);
      }
    }
  }

  // The diagonal with the damping, which scalars that no residual depends on do not have.
  std::vector<Real> diagonal(std::size_t l) {
    std::vector<Real> result(place(l, num_channels(), 0));
    const std::vector<int> entries = stencil(l).diagonal(grid_.channels);
    for (std::size_t c = 0; c < num_channels(); ++c) {
      if (entries[c] < 0) continue;
      const Real* a = values(l, static_cast<std::size_t>(entries[c]));
      for (std::int64_t i = 0; i < level(l).elements; ++i) {
        Real& d = result[place(l, c, i)];
        d = std::max(a[i], Real(0));
        if (l == 0 && d > 0 && !damping_.empty()) d += damping_[place(0, c, i)];
      }
    }
    return result;
  }

  // The weight w of scalar i is 1.6 / sum over j of |a_ij| sqrt(d_i / d_j). The last level takes 1
  // in place of 1.6, which solves for an element with one channel.
  void weigh(std::size_t l) {
    const std::vector<Real> d = diagonal(l);
    std::vector<Real> sums(d.size());
    for (std::size_t e = 0; e < stencil(l).entries.size(); ++e) {
      const Entry& entry = stencil(l).entries[e];
      const Real* a = values(l, e);
      const bool is_diagonal = entry == Entry{entry.row, entry.row, {}};
      const auto row = place(l, static_cast<std::size_t>(entry.row), 0);
      const auto col = place(l, static_cast<std::size_t>(entry.col), 0);
      for_each_run(l, entry.offset, [&](std::int64_t i, std::int64_t j, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k) {
          const Real d_i = d[row + static_cast<std::size_t>(i + k)];
          const Real d_j = d[col + static_cast<std::size_t>(j + k)];
          if (!(d_i > 0) || !(d_j > 0)) continue;
          sums[row + static_cast<std::size_t>(i + k)] +=
              is_diagonal ? d_i : std::abs(a[i + k]) * std::sqrt(d_i / d_j);
        }
      });
    }
    const bool is_last = l + 1 == grid_.levels.size();
    const Real relaxation = is_last ? Real(1) : Real(MultigridRelaxation);
    const std::span<Real> weights = vector(l, level(l).weights);
    for (std::size_t k = 0; k < d.size(); ++k)
      weights[k] = d[k] > 0 ? relaxation / sums[k] : Real(0);
  }

  // Calls visit(i, weight, coordinates) for the fine elements that a coarse one is in.
  template <class Visit>
  void for_each_fine(std::size_t l, std::int64_t coarse, Visit visit) const {
    std::array<Shares, 3> shares;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t n = level(l + 1).extents[d];
      shares[d] = fine_of(coarse % n, n, level(l).extents[d]);
      coarse /= n;
    }
    const auto& [xs, ys, zs] = shares;
    const auto& [nx, ny, nz] = level(l).extents;
    for (const Share& z : zs)
      for (const Share& y : ys)
        for (const Share& x : xs)
          visit(x.at + nx * (y.at + ny * z.at), static_cast<Real>(x.weight * y.weight * z.weight),
                std::array{x.at, y.at, z.at});
  }

  // A of level l + 1 = P^T A P. A diagonal entry that is nothing but rounding becomes 0.
  void coarsen(std::size_t l) {
    const GridLevel& coarse = level(l + 1);
    std::fill_n(values(l + 1, 0), place(l + 1, grid_.coarse.entries.size(), 0), Real(0));
    std::vector<Real> magnitude(place(l + 1, num_channels(), 0));  // of the diagonal
    const std::vector<Real> d = diagonal(l);
    for (std::size_t e = 0; e < stencil(l).entries.size(); ++e) {
      check_stop();
      const Entry& entry = stencil(l).entries[e];
      const bool is_diagonal = entry == Entry{entry.row, entry.row, {}};
      const Real* a =
          is_diagonal ? d.data() + place(l, static_cast<std::size_t>(entry.row), 0) : values(l, e);
      Real* const sizes =
          entry.row == entry.col
              ? magnitude.data() + place(l + 1, static_cast<std::size_t>(entry.row), 0)
              : nullptr;
      Real* const center = values(l + 1, grid_.coarse.position({entry.row, entry.col, {}}));
      for (std::int64_t i = 0; i < coarse.elements; ++i)
        add_coarse(l, entry.offset, a, i, center, sizes);
    }
    const Real negligible = 64 * std::numeric_limits<Real>::epsilon();
    const std::vector<int> on_diagonal = grid_.coarse.diagonal(grid_.channels);
    for (std::size_t c = 0; c < num_channels(); ++c) {
      if (on_diagonal[c] < 0) continue;
      Real* a = values(l + 1, static_cast<std::size_t>(on_diagonal[c]));
      for (std::int64_t i = 0; i < coarse.elements; ++i)
        if (!(a[i] > negligible * magnitude[place(l + 1, c, i)])) a[i] = 0;
    }
  }

  // What a fine entry at this offset adds to the rows of a coarse element: `center` has the values
  // of the coarse entry of the same channels without an offset.
  void add_coarse(std::size_t l, const std::array<int, 3>& offset, const Real* a,
                  std::int64_t coarse, Real* center, Real* magnitude) {
    const std::array<std::int64_t, 3>& extents = level(l + 1).extents;
    const std::array<std::int64_t, 3> at = {coarse % extents[0], coarse / extents[0] % extents[1],
                                            coarse / extents[0] / extents[1]};
    for_each_fine(l, coarse, [&](std::int64_t i, Real weight, const auto& fine) {
      if (a[i] == 0) return;
      std::array<Shares, 3> shares;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t j = fine[d] + offset[d];
        if (j < 0 || j >= level(l).extents[d]) return;
        shares[d] = coarse_of(j, extents[d]);
      }
      const auto& [xs, ys, zs] = shares;
      for (const Share& z : zs) {
        for (const Share& y : ys) {
          for (const Share& x : xs) {
            const Real added = weight * static_cast<Real>(x.weight * y.weight * z.weight) * a[i];
            const std::int64_t jump = grid_.coarse.jump(x.at - at[0], y.at - at[1], z.at - at[2]);
            center[jump * level(l + 1).elements + coarse] += added;
            if (magnitude != nullptr && jump == 0) magnitude[coarse] += std::abs(added);
          }
        }
      }
    });
  }

  // to = r - A v where w > 0, else 0.
  void subtract_product(std::size_t l, std::span<const Real> r, std::span<const Real> v,
                        std::span<Real> to) {
    std::ranges::copy(r, to.begin());
    for (std::size_t e = 0; e < stencil(l).entries.size(); ++e) {
      const Entry& entry = stencil(l).entries[e];
      const Real* a = values(l, e);
      Real* out = to.data() + place(l, static_cast<std::size_t>(entry.row), 0);
      const Real* in = v.data() + place(l, static_cast<std::size_t>(entry.col), 0);
      for_each_run(l, entry.offset, [&](std::int64_t i, std::int64_t j, std::int64_t n) {
        for (std::int64_t k = 0; k < n; ++k) out[i + k] -= a[i + k] * in[j + k];
      });
    }
    const std::span<const Real> w = vector(l, level(l).weights);
    for (std::size_t k = 0; k < to.size(); ++k) {
      if (l == 0 && !damping_.empty()) to[k] -= damping_[k] * v[k];
      if (!(w[k] > 0)) to[k] = 0;
    }
  }

  // correction = M^-1 residual of level l.
  void visit(std::size_t l, std::span<const Real> residual, std::span<Real> correction) {
    const std::span<const Real> w = vector(l, level(l).weights);
    for (std::size_t k = 0; k < w.size(); ++k) correction[k] = w[k] * residual[k];
    if (l + 1 == grid_.levels.size()) return;

    std::vector<Real> rest(w.size());
    subtract_product(l, residual, correction, rest);
    const std::span<Real> coarse_residual = vector(l + 1, level(l + 1).residual);
    const std::span<Real> coarse_correction = vector(l + 1, level(l + 1).correction);
    std::ranges::fill(coarse_residual, Real(0));
    transfer(l, [&](std::size_t coarse, std::size_t fine, Real weight) {
      coarse_residual[coarse] += weight * rest[fine];
    });
    visit(l + 1, coarse_residual, coarse_correction);
    transfer(l, [&](std::size_t coarse, std::size_t fine, Real weight) {
      if (w[fine] > 0) correction[fine] += weight * coarse_correction[coarse];
    });
    subtract_product(l, residual, correction, rest);
    for (std::size_t k = 0; k < w.size(); ++k) correction[k] += w[k] * rest[k];
  }

  // Calls visit(coarse, fine, weight) for all scalars of the two levels that depend on each other.
  template <class Visit>
  void transfer(std::size_t l, Visit visit) const {
    for (std::int64_t coarse = 0; coarse < level(l + 1).elements; ++coarse) {
      for_each_fine(l, coarse, [&](std::int64_t fine, Real weight, const auto&) {
        for (std::size_t c = 0; c < num_channels(); ++c)
          visit(place(l + 1, c, coarse), place(l, c, fine), weight);
      });
    }
  }

  const KernelProgram& program_;
  HostMemory& memory_;
  GridLevels grid_;
  std::vector<GridChannel> channels_;
  Real* levels_;
  std::vector<Real> damping_;  // of level 0; empty if there is none
};

}  // namespace

void run_multigrid(const KernelProgram& program, HostMemory& memory, RunMultigrid::Pass pass) {
  if (memory.sizes().num_unknowns() == 0) return;
  const auto run = [&](auto multigrid) {
    pass == RunMultigrid::Pass::Build ? multigrid.build() : multigrid.cycle();
  };
  if (memory.buffer_type(program.multigrid->levels) == ScalarType::Double) {
    run(HostMultigrid<double>(program, memory));
  } else {
    run(HostMultigrid<float>(program, memory));
  }
}

}  // namespace thallo
