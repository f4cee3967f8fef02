// The declarations of a random energy, with the builder and the draws that all its parts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "core/energy/builder.h"

namespace thallo::random_energy {

// Random choices that are a function of the seed on every platform: the distributions of the
// standard library are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(seed) {}

  // Returns an integer from low to high, both included; each is as likely (Lemire 2019).
  int between(int low, int high) {
    const auto count = static_cast<std::uint64_t>(std::int64_t{high} - low + 1);
    std::uint64_t bits = bits_();
    const std::uint64_t num_biased = (0 - count) % count;
    while (bits * count < num_biased) bits = bits_();
    const std::uint64_t quotient =  // (bits * count) >> 64, where count has at most 32 bits
        ((bits >> 32) * count + (((bits & 0xffffffff) * count) >> 32)) >> 32;
    return static_cast<int>(low + static_cast<std::int64_t>(quotient));
  }

  // Returns a number in [low, high).
  double uniform(double low, double high) {
    const double fraction = static_cast<double>(bits_()) * 0x1p-64;
    return (fraction < 1 ? fraction : 0x1.fffffffffffffp-1) * (high - low) + low;
  }

  bool chance(double p) { return uniform(0, 1) < p; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<int>(from.size()) - 1))];
  }

 private:
  std::mt19937_64 bits_;
};

enum class Kind {
  Everything,  // make_random_energy()
  Stencils,    // make_random_stencil_energy()
  Problem,     // make_random_problem()
};

// Data lie near multiples of Grid, thresholds half way between, so that values and differences of
// two values stay clear of thresholds.
constexpr double Grid = 0.25;

// What a Problem does not have is absent; the others have all but volumes and a mask.
struct RandomInputs {
  RandomInputs(std::uint64_t seed, Kind kind);
  RandomInputs(const RandomInputs&) = delete;
  RandomInputs& operator=(const RandomInputs&) = delete;

  bool is_local() const { return kind != Kind::Everything; }
  bool is_problem() const { return kind == Kind::Problem; }
  IndexExpr index(DomainId domain) { return {&e, e.graph().indices().component(domain)}; }
  double threshold() { return Grid * draws.between(-4, 4) + Grid / 2; }
  Expr any_channel(const Vec& v) {
    return v[static_cast<std::size_t>(draws.between(0, static_cast<int>(v.size()) - 1))];
  }

  const Kind kind;
  Draws draws;
  EnergyBuilder e;

  DimId W, H, N, E, F, K;  // images, points, edges, links, and the kernel of Sums
  DomainId k;              // the loop variable of Sums
  std::vector<FieldHandle> images, points, volumes;  // unknowns over (W, H), (N) and (W, H, K)
  std::optional<FieldHandle> weights;                // an unknown over (K)
  std::optional<FieldHandle> image_data, image_dx, image_dy, mask;  // over (W, H)
  std::optional<FieldHandle> point_data, edge_data, link_data, kernel, layers;
  std::vector<MapHandle> corners;        // from an edge to each of its points
  std::optional<MapHandle> far;          // from an edge to a point, or to none
  std::optional<MapHandle> edge, pixel;  // of a link
  std::vector<Expr> params;
  // Intermediates, by what they are over: images, points, the kernel and nothing.
  std::vector<FieldHandle> image_values, point_values, kernel_values, single_values;

 private:
  void declare_everything();
  void declare_problem();
  void declare_image();
  void declare_points();
  FieldHandle add_array(const char* name, std::vector<DimId> dims, int channels = 1);
};

}  // namespace thallo::random_energy
