#include "core/cost/model/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/assets.h"
#include "core/cost/device/spec_file.h"
#include "core/cost/model/analytic.h"
#include "core/cost/model/roofline.h"

namespace thallo {
namespace {

DeviceSpec shipped_spec(const std::string& name) {
  const auto path = find_asset("devices/" + name + ".toml");
  EXPECT_TRUE(path.has_value());
  return read_device_spec(*path).value();
}
DeviceSpec h200() { return shipped_spec("h200"); }

// A kernel that reads and writes so many floats in order.
StepWork copy_of(double scalars) {
  StepWork step{.phase = Phase::Direction, .label = "copy"};
  step.features.points = static_cast<std::int64_t>(scalars);
  step.features.reads.coalesced = step.features.writes.coalesced = 4 * scalars;
  step.features.must_read = step.features.must_write = 4 * scalars;
  step.features.loads = scalars;
  for (const Access::Kind kind : {Access::Kind::Read, Access::Kind::Store})
    step.features.accesses.push_back({.kind = kind,
                                      .motion = Motion::ByOne,
                                      .count = scalars,
                                      .bytes = 4,
                                      .element = 4,
                                      .table = 4 * scalars});
  step.points_per_thread = 4;
  return step;
}

// A kernel whose points add to random elements of a table.
StepWork additions_to(double points, double elements) {
  StepWork step{.phase = Phase::Apply, .label = "scatter"};
  step.features.points = static_cast<std::int64_t>(points);
  step.features.atomics = points;
  step.features.scatters.gathered = 4 * points;
  step.features.accesses.push_back({.kind = Access::Kind::Add,
                                    .motion = Motion::Jumps,
                                    .count = points,
                                    .bytes = 4,
                                    .element = 4,
                                    .table = 4 * elements});
  return step;
}

double seconds(const CostModel& model, const StepWork& step, const DeviceSpec& device,
               double loop_bytes = 1e9) {
  ProgramWork program;
  program.loop_bytes = loop_bytes;
  return model.seconds(step, program, device);
}

TEST(Roofline, IsBytesOverBandwidthOrOperationsOverPeak) {
  const DeviceSpec device = h200();
  const auto model = make_roofline_model();
  StepWork step = copy_of(1e8);
  EXPECT_DOUBLE_EQ(seconds(*model, step, device), 8e8 / device.copy);
  step.features.flops.adds = 1e13;
  EXPECT_DOUBLE_EQ(seconds(*model, step, device), 1e13 / device.float_flops);
  step.in_double = true;
  EXPECT_DOUBLE_EQ(seconds(*model, step, device), 1e13 / device.double_flops);
  // Read and written, 32 bytes each instead of 4.
  EXPECT_DOUBLE_EQ(seconds(*make_roofline_model(), additions_to(1e6, 1e6), device),
                   2 * 32 * 1e6 / device.copy);
}

TEST(Analytic, ALongCopyTakesTheTimeOfItsBytes) {
  const DeviceSpec device = h200();
  const double predicted = seconds(*make_analytic_model(), copy_of(1e9), device, 8e9);
  EXPECT_NEAR(predicted, 8e9 / device.copy, 0.25 * predicted);
}

TEST(Analytic, ACopyTakesTheTimeOfItsBytesWhichIsLessInTheCache) {
  const DeviceSpec device = h200();
  const auto model = make_analytic_model();
  EXPECT_LT(seconds(*model, copy_of(2e6), device, 16e6),
            seconds(*model, copy_of(2e6), device, 1e9));
  EXPECT_DOUBLE_EQ(seconds(*make_analytic_model(), StepWork{}, device), device.programmatic_node);
  EXPECT_DOUBLE_EQ(
      seconds(*make_analytic_model(), StepWork{.kind = StepWork::Kind::Library}, device),
      device.library);
}

TEST(Analytic, SaysWhatAStepWaitsFor) {
  const DeviceSpec device = h200();
  const auto times_of = [&](const StepWork& step) {
    ProgramWork program;
    program.loop_bytes = 1e9;
    const StepTimes times = StepTimes::of(terms_of(step, program, device));
    EXPECT_DOUBLE_EQ(times.total(), make_analytic_model()->seconds(step, program, device));
    return times;
  };
  const StepTimes copy = times_of(copy_of(1e9));
  EXPECT_GT(copy.memory, 2 * copy.threads);
  EXPECT_EQ(copy.additions, 0);
  const StepTimes scatter = times_of(additions_to(1e6, 1));
  EXPECT_GT(scatter.additions, 2 * scatter.memory);
  EXPECT_EQ(scatter.start, device.programmatic_node);
}

TEST(Analytic, TheThreadThatVisitsTheMostPointsIsWaitedFor) {
  const DeviceSpec device = h200();
  StepWork gather = copy_of(1e4);
  gather.points_per_thread = 1;
  gather.features.flops.adds = 1e9;
  gather.features.visits[MapId(0)] = 1e6;
  ProgramWork program;
  const auto threads = [&](double largest_degree) {
    program.maps[MapId(0)] = {.points = 1e6, .elements = 1e4, .largest_degree = largest_degree};
    return StepTimes::of(terms_of(gather, program, device)).threads;
  };
  EXPECT_DOUBLE_EQ(threads(100), threads(1)) << "each thread visits as many";
  EXPECT_NEAR(threads(1e5), 1000 * threads(100), 1e-6 * threads(1e5));
}

TEST(Analytic, TeamsDivideListsWhereThereIsRoomForMoreThreads) {
  const DeviceSpec device = h200();
  const auto threads = [&](double elements, int team) {
    StepWork gather = copy_of(elements);
    gather.points_per_thread = 1;
    gather.team = team;
    gather.features.points = static_cast<std::int64_t>(elements);
    gather.features.flops.adds = 1e6 * elements;
    gather.features.visits[MapId(0)] = 100 * elements;
    ProgramWork program;
    program.maps[MapId(0)] = {
        .points = 100 * elements, .elements = elements, .largest_degree = 400};
    return StepTimes::of(terms_of(gather, program, device)).threads;
  };
  EXPECT_NEAR(threads(1000, 1), 8 * threads(1000, 8), 0.1 * threads(1000, 1));
  EXPECT_DOUBLE_EQ(threads(1000, 0), threads(1000, 32)) << "as usual_team() says";
  EXPECT_NEAR(threads(1e6, 1), threads(1e6, 8), 0.1 * threads(1e6, 1)) << "all are busy";
}

TEST(Analytic, AdditionsToFewElementsWaitForEachOther) {
  const DeviceSpec device = h200();
  const auto model = make_analytic_model();
  const double to_one = seconds(*model, additions_to(1e6, 1), device);
  const double to_some = seconds(*model, additions_to(1e6, 1000), device);
  const double to_many = seconds(*model, additions_to(1e6, 1e6), device);
  EXPECT_NEAR(to_one, 1e6 / device.atomic.at(1), 0.1 * to_one);
  EXPECT_GT(to_one, 5 * to_some);
  EXPECT_GT(to_some, 2 * to_many);
}

// Each thread adds to a copy of its own, and the copies are added up once, however many additions
// there were before; or one thread adds alone.
TEST(Analytic, ThreadsOfAHostAddUpTheirCopiesOnce) {
  const DeviceSpec device = shipped_spec("cpu");
  const auto additions = [&](StepWork step, double elements) {
    step.features.must_write = 4 * elements;
    ProgramWork program;
    program.loop_bytes = 1e9;
    return terms_of(step, program, device)[Term::Contend];
  };
  const double more =
      additions(additions_to(2e8, 1e6), 1e6) - additions(additions_to(1e8, 1e6), 1e6);
  EXPECT_NEAR(more, 1e8 / device.atomic.at(1e6), 1e-6 * more) << "without copies";
  const double copies = additions(additions_to(1e8, 1e6), 1e6) - more;
  EXPECT_NEAR(copies, 16e6 / device.copy, 0.1 * copies);
  EXPECT_LT(additions(additions_to(1e4, 1e6), 1e6), 0.1 * copies) << "one thread";
  // Of scalars side by side, one a sector waits for memory.
  StepWork runs = additions_to(1e8 / 16, 1e6);
  Access& run = runs.features.accesses.front();
  run.bytes = run.element = 64;
  run.scalars = 16;
  EXPECT_LT(additions(runs, 1e6), 0.6 * additions(additions_to(1e8, 1e6), 1e6));
}

TEST(Analytic, AVectorIsOneAdditionWhereItsScalarsWouldBeFour) {
  const DeviceSpec device = h200();
  StepWork vectors = additions_to(1e6, 1);
  Access& access = vectors.features.accesses.front();
  access.bytes = access.element = access.table = 16;
  access.scalars = 4;
  StepWork scalars = vectors;
  scalars.features.accesses.front().pieces = 4;
  const auto model = make_analytic_model();
  EXPECT_NEAR(seconds(*model, scalars, device), 4 * seconds(*model, vectors, device),
              0.1 * seconds(*model, scalars, device));
}

TEST(Analytic, AMapThatSendsLanesToOneElementSavesAdditionsOnlyWhereLanesAddUp) {
  const DeviceSpec device = h200();
  ProgramWork program;
  program.loop_bytes = 1e9;
  MapStatistics& map = program.maps[MapId(0)];
  map.points = 1e6;
  map.spread.fill(1.0 / 32);  // a warp has one element
  StepWork step = additions_to(1e6, 1e4);
  step.features.accesses.front().map = MapId(0);
  const auto model = make_analytic_model();
  const double added_up = model->seconds(step, program, device);
  step.aggregates = false;
  EXPECT_GT(model->seconds(step, program, device), 4 * added_up);
}

TEST(Prediction, CountsPhasesAsOftenAsTheyRun) {
  const DeviceSpec device = h200();
  const auto model = make_analytic_model();
  ProgramWork program;
  program.loop_bytes = 1e9;
  for (const Phase phase : {Phase::Setup, Phase::Linearize, Phase::Apply, Phase::ResetApply}) {
    program.steps.push_back(copy_of(1e6));
    program.steps.back().phase = phase;
  }
  const double once = model->seconds(program.steps.front(), program, device);
  const Prediction p =
      predict(*model, program, device, {.linear_iterations = 20, .reset_period = 10});
  EXPECT_DOUBLE_EQ(p.linear_iteration, once + once / 10 + device.loop_turn);
  // The host hands over the steps beside the loop, starts the loop and waits.
  const double host =
      p.nonlinear_iteration - std::max(once, device.launch) - 20 * p.linear_iteration;
  EXPECT_GT(host, 2 * device.round_trip);
  EXPECT_LT(host, 20 * device.round_trip);
  program.bytes = 2 * device.memory;
  EXPECT_TRUE(std::isinf(predict(*model, program, device, {}).nonlinear_iteration));
}

TEST(CostModels, AreInARegistry) {
  CostModelRegistry registry("cost model");
  add_cost_models(registry);
  EXPECT_NE(registry.find("roofline"), nullptr);
  EXPECT_NE(registry.find("analytic"), nullptr);
}

}  // namespace
}  // namespace thallo
