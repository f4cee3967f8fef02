#include "core/backend/cuda/loop_shape.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace thallo::cuda {
namespace {

constexpr double PassMicroseconds = 3.5;
constexpr double LaunchMicroseconds = 0.85;
// A solve that may run for longer mostly stops by its tolerances before.
constexpr int UsualIterations = 50;

}  // namespace

LoopShape choose_loop_shape(const LinearLoop& loop, int iteration_launches, int reset_launches) {
  const int max_iterations = std::clamp(loop.max_iterations, 1, UsualIterations);
  const bool resets = loop.reset_period > 0 && reset_launches > 0;
  LoopShape best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int unroll = 1; unroll <= std::min(MaxUnroll, max_iterations); ++unroll) {
    const int reset_every = resets ? std::gcd(unroll, loop.reset_period) : 0;
    const int num_resets = resets ? unroll / reset_every : 0;
    const double body = PassMicroseconds + LaunchMicroseconds * (unroll * iteration_launches +
                                                                 num_resets * reset_launches);
    const int passes = (max_iterations + unroll - 1) / unroll;
    // On average, a solve that stops early does so in the middle of a body.
    const double cost = body * passes + 0.5 * LaunchMicroseconds * unroll * iteration_launches;
    if (cost < best_cost) {
      best_cost = cost;
      best = {.unroll = unroll, .reset_every = reset_every};
    }
  }
  return best;
}

}  // namespace thallo::cuda
