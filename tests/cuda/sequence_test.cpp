// How a batch is cut into what is launched at once.
#include "core/backend/cuda/sequence.h"

#include <gtest/gtest.h>

#include <vector>

namespace thallo::cuda {
namespace {

using Phases = std::vector<Phase>;

const LoopShape some_shape{.unroll = 4, .reset_every = 2};
const Phases trial = {Phase::Retract, Phase::TrialValues, Phase::TrialCost};

std::vector<Sequence> with_loop(const Phases& before) {
  return sequences_of({.before = before, .loop = LinearLoop{.max_iterations = 8}, .after = trial},
                      some_shape, false);
}

TEST(CudaSequence, PhasesAreOneListWithOrWithoutALoop) {
  using enum Phase;
  const auto list = with_loop({Accept, Linearize, Damp});
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(
      list[0],
      (Sequence{.phases = {Accept, Linearize, Damp}, .is_in_batch = true, .begins_batch = true}));
  EXPECT_EQ(
      list[1],
      (Sequence{.loop = some_shape, .phases = trial, .is_in_batch = true, .ends_batch = true}));
  // Its graph is made once, whatever the step begins with.
  using enum Phase;
  const Sequence loop = with_loop({Linearize, SaveScale, Damp}).back();
  EXPECT_EQ(with_loop({Accept, Linearize, Damp}).back(), loop);
  EXPECT_EQ(with_loop({Damp}).back(), loop);
  EXPECT_NE(with_loop({}).back(), loop) << "it begins the batch, too";
}

TEST(CudaSequence, PhasesWithoutLoopAreOneWithADirectSolveOnTheDevice) {
  using enum Phase;
  auto list = sequences_of({.before = {Setup, Values}, .after = {Cost}}, {}, true);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].phases, (Phases{Setup, Values, Cost}));
  EXPECT_TRUE(list[0].begins_batch && list[0].ends_batch);
  using enum Phase;
  list = sequences_of({.before = {Linearize, Damp, DirectSolve}, .after = {Retract}}, {}, false);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].phases, (Phases{Linearize, Damp, DirectSolve, Retract}));
}

TEST(CudaSequence, ADirectSolveByTheHostIsAlone) {
  using enum Phase;
  const auto list =
      sequences_of({.before = {Linearize, Damp, DirectSolve}, .after = trial}, {}, true);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].phases, (Phases{Linearize, Damp}));
  EXPECT_EQ(list[1].phases, (Phases{DirectSolve}));
  EXPECT_EQ(list[2].phases, trial);
  EXPECT_TRUE(list[0].begins_batch && list[2].ends_batch);
  EXPECT_FALSE(list[1].begins_batch || list[1].ends_batch);
  for (const Sequence& sequence : list) EXPECT_TRUE(sequence.is_in_batch && !sequence.loop);
  EXPECT_EQ(sequences_of({.before = {DirectSolve}}, {}, true).size(), 1u);
}

}  // namespace
}  // namespace thallo::cuda
