#include "core/problem/choose_schedule.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/backend/choose_device_spec.h"
#include "core/base/log.h"
#include "core/language/load_energy.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::StartsWith;

constexpr const char* Stencil = R"(
local W = Dims("W")
Inputs { X = Unknown(float, {W}, 0), A = Array(float, {W}, 1) }
local x = W()
local r = Residuals { fit = X(x) - A(x), smooth = sin(X(x)) - sin(X(x + 1)) }
)";
constexpr const char* Scheduled = R"(
r.fit.J:set_materialize(true)
)";

class ChooseSchedule : public testing::Test {
 protected:
  static EnergyFile load(const std::string& text) {
    auto file = load_energy_text(text, "stencil.lua");
    EXPECT_TRUE(file.has_value()) << (file ? "" : file.error().message());
    return *std::move(file);
  }
  static Binding bind(const EnergyFile& file) {
    Binding binding(file.energy);
    EXPECT_TRUE(binding.set_extent("W", 100'000));
    return binding;
  }
  // What "" chooses, for the device that `spec` names.
  static Expected<Schedule> choose(const EnergyFile& file, const std::string& which,
                                   const std::string& spec, const ProgramOptions& program = {},
                                   std::vector<AutoStep>* steps = nullptr) {
    const Binding binding = bind(file);
    AutoTarget target{
        .binding = binding, .program = program, .memory_limit = 1 << 30, .device = [&spec] {
          return named_device_spec(spec, "auto");
        }};
    if (steps != nullptr) target.told = [steps](const auto& told) { *steps = told; };
    return choose_schedule(which, file, loaded_constructs(), &target);
  }
};

TEST_F(ChooseSchedule, IsTheSchedulesOfTheTextIfItHasOneElseAuto) {
  const EnergyFile plain = load(Stencil);
  const EnergyFile scheduled = load(std::string(Stencil) + Scheduled);
  EXPECT_EQ(choose(scheduled, "", "h200").value(),
            choose_schedule("file", scheduled, loaded_constructs()).value());
  const Schedule chosen = choose(plain, "", "h200").value();
  EXPECT_EQ(chosen, choose(plain, "auto", "h200").value());
  EXPECT_FALSE(chosen.empty());
  // Of a text with a schedule, auto is what it is without.
  EXPECT_EQ(choose(scheduled, "auto", "h200").value().text(loaded_constructs()),
            chosen.text(loaded_constructs()));
}

TEST_F(ChooseSchedule, ADeterministicProgramGathersAndTellsThePrice) {
  const EnergyFile plain = load(Stencil);
  const ProgramOptions program{.is_deterministic = true};
  for (const std::string which : {"default", "auto", ""}) {
    std::vector<AutoStep> steps;
    const auto chosen = choose(plain, which, "h200", program, &steps);
    ASSERT_TRUE(chosen) << chosen.error().message();
    const Plan plan = make_plan(plain.energy, *chosen, loaded_constructs()).value();
    EXPECT_TRUE(check_program(plain.energy, plan, program));
    if (which == "default") continue;
    ASSERT_EQ(steps.back().subject, OrderOfAdditions);
    const auto& compared = steps.back().compared;
    EXPECT_THAT(
        order_text(steps),
        HasSubstr(fmt::format("{:.2f} times the", compared[0].seconds / compared[1].seconds)));
    std::vector<AutoStep> without;
    ASSERT_TRUE(choose(plain, which, "h200", {}, &without));
    EXPECT_EQ(order_text(without), "");
  }
}

// At the statement that decides, or else at the first one of the part.
TEST_F(ChooseSchedule, WhatADeterministicProgramCannotBeIsRefusedAtItsPlace) {
  const ProgramOptions program{.is_deterministic = true};
  const auto fault = [&](const char* schedule) {
    return choose(load(std::string(Stencil) + schedule), "file", "h200", program).error();
  };
  const Diagnostic scattered = fault(Scheduled);
  EXPECT_EQ(scattered.where.text(), "stencil.lua:7:1");
  EXPECT_EQ(scattered.what,
            "r.fit.JtF is scattered at the residual, and the order of atomic additions differs "
            "from run to run: solver option deterministic wants it gathered at the output");
  EXPECT_THAT(scattered.alternatives, ElementsAre("r.fit.JtF:compute_at_output(true)"));
  EXPECT_THAT(fault(R"(
r.fit.JtF:compute_at_output(true)
r.fit.JtJp:compute_at_output(true)
r.smooth.JtF:compute_at_output(true)
r.smooth.JtJp:compute_at_output(false)
)")
                  .message(),
              StartsWith("stencil.lua:10:1: r.smooth.JtJp is scattered"));
  EXPECT_THAT(fault(R"(
r.fit.JtF:compute_at_output(true)
r.fit:strategy("[Jt][[J]p]")
r.fit.J:storage("csr")
r.smooth.JtF:compute_at_output(true)
r.smooth.JtJp:compute_at_output(true)
)")
                  .what,
              HasSubstr("r.fit.J is stored as csr"));
  // What the text of an energy leaves unsaid is gathered where nobody has named its schedule.
  const EnergyFile scheduled = load(std::string(Stencil) + Scheduled);
  const auto completed = choose(scheduled, "", "h200", program);
  ASSERT_TRUE(completed) << completed.error().message();
  const Plan plan = make_plan(scheduled.energy, *completed, loaded_constructs()).value();
  EXPECT_TRUE(check_program(scheduled.energy, plan, program));
  EXPECT_TRUE(stores_j(plan.parts.front().strategy));
}

TEST_F(ChooseSchedule, WithoutADeviceOrConstructsThereIsNoAuto) {
  const EnergyFile plain = load(Stencil);
  EXPECT_TRUE(choose_schedule("", plain, loaded_constructs()).value().empty());
  EXPECT_THAT(choose_schedule("auto", plain, loaded_constructs()).error().what,
              HasSubstr("for an instance on a device"));
  const Binding binding = bind(plain);
  const AutoTarget target{.binding = binding, .device = []() -> Expected<DeviceSpec> {
                            ADD_FAILURE() << "asked for though nothing can be chosen";
                            return fail("none");
                          }};
  EXPECT_TRUE(choose_schedule("", plain, ConstructRegistry("construct"), &target).value().empty());
}

TEST_F(ChooseSchedule, ADeviceThatCannotBeMeasuredLeavesTheDefaultAndSaysSo) {
  const EnergyFile plain = load(Stencil);
  const LogCapture log;
  EXPECT_TRUE(choose(plain, "", "no_such_device").value().empty());
  ASSERT_EQ(log.records().size(), 1U);
  EXPECT_THAT(log.records().front().text, HasSubstr("no device spec 'no_such_device'"));
  EXPECT_THAT(choose(plain, "auto", "no_such_device").error().what, HasSubstr("no_such_device"));
}

TEST_F(ChooseSchedule, AutoIsTheDefaultWhereWeighingTakesVeryManySteps) {
  const EnergyFile large = load(R"(
local W = Dims("W")
Inputs { X = Unknown(float, {W}, 0) }
local x, e = W(), 0
for i = 1, 400 do e = e + exp(X(x + i) * X(x - i)) end
Residuals { fit = e }
)");
  for (const std::string which : {"", "auto"}) {
    const LogCapture log;
    const auto chosen = choose(large, which, "h200");
    ASSERT_TRUE(chosen) << chosen.error().message();
    EXPECT_TRUE(chosen->empty());
    ASSERT_EQ(log.records().size(), 1U);
    EXPECT_THAT(log.records().front().text,
                HasSubstr("the default schedule is used, since auto would weigh"));
  }
}

// Each of the derivatives has the whole sum in it, which is moved and inlined once for all of them.
TEST_F(ChooseSchedule, AutoWeighsDerivativesThatShareALongSum) {
  const EnergyFile shared = load(R"(
local W = Dims("W")
Inputs { X = Unknown(float, {W}, 0) }
local x, e = W(), 0
for i = 1, 60 do e = e + i * X(x + i) end
Residuals { fit = e^2 }
)");
  const LogCapture log;
  const auto chosen = choose(shared, "auto", "h200");
  ASSERT_TRUE(chosen) << chosen.error().message();
  EXPECT_TRUE(log.records().empty()) << log.records().front().text;
}

}  // namespace
}  // namespace thallo::test
