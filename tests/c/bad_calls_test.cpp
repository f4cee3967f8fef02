// What thallo.h answers to calls that are wrong. None of them may end the program.
#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <thread>

#include "tests/c/line_problem.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::Each, testing::HasSubstr;

std::string thread_error() { return thallo_error_text(nullptr); }

// Calls every function that takes a solver.
std::vector<thallo_status> call_all(thallo_solver* solver) {
  const std::int64_t one = 1;
  double number = 0;
  int goes_on = 0;
  const char* text = nullptr;
  thallo_times times;
  thallo_iteration iteration;
  return {thallo_bind_unknown(solver, "line", THALLO_DOUBLE, &number, &one, 1),
          thallo_bind_array(solver, "time", THALLO_DOUBLE, &number, &one, 1),
          thallo_bind_number(solver, "w", 1),
          thallo_set_option(solver, "solver", "gn"),
          thallo_set_callback(solver, nullptr, nullptr),
          thallo_solve(solver),
          thallo_begin(solver),
          thallo_step(solver, &goes_on),
          thallo_finish(solver),
          thallo_current_cost(solver, &number),
          thallo_summary_number(solver, "final_cost", &number),
          thallo_summary_text(solver, "why", &text),
          thallo_summary_times(solver, "total", &times),
          thallo_summary_iteration(solver, 0, &iteration),
          thallo_free(solver)};
}

TEST(CBadCalls, FailuresOfOneSolverAreItsOwnAndNullIsNone) {
  EXPECT_THAT(call_all(nullptr), Each(THALLO_INVALID_HANDLE));
  EXPECT_THAT(thread_error(), HasSubstr("the solver is NULL"));
  EXPECT_EQ(thallo_error_code(nullptr), THALLO_INVALID_HANDLE);
  LineProblem a, b;
  EXPECT_EQ(thallo_bind_number(a.solver, "v", 1), THALLO_INVALID_INPUT);
  EXPECT_EQ(thallo_set_option(b.solver, "v", "1"), THALLO_INVALID_OPTION);
  EXPECT_EQ(thallo_error_code(a.solver), THALLO_INVALID_INPUT);
  EXPECT_EQ(thallo_error_code(b.solver), THALLO_INVALID_OPTION);
}

TEST(CBadCalls, UseAfterFreeIsNoticedAlsoWhenThereAreNewSolvers) {
  thallo_solver* freed = nullptr;
  {
    LineProblem p;
    freed = p.solver;
    p.bind();
  }
  const LineProblem other;
  EXPECT_NE(other.solver, freed);
  EXPECT_THAT(call_all(freed), Each(THALLO_INVALID_HANDLE));
  EXPECT_THAT(thread_error(), HasSubstr("it was freed, or never made"));
  EXPECT_EQ(thallo_error_code(freed), THALLO_INVALID_HANDLE);
  int on_stack = 0;
  EXPECT_THAT(call_all(reinterpret_cast<thallo_solver*>(&on_stack)), Each(THALLO_INVALID_HANDLE));
}

TEST(CBadCalls, ArgumentsThatAreNull) {
  BoundLine p;
  p.ok(thallo_solve(p.solver));
  const std::int64_t one = 1;
  double number = 0;
  const char* text = nullptr;
  thallo_times times;
  const auto refused = [&](thallo_status status, const std::string& argument) {
    EXPECT_EQ(status, THALLO_INVALID_ARGUMENT);
    EXPECT_EQ(thallo_error_code(p.solver), THALLO_INVALID_ARGUMENT);
    EXPECT_EQ(p.error(), "argument '" + argument + "' is NULL");
  };
  refused(thallo_bind_array(p.solver, nullptr, THALLO_DOUBLE, &number, &one, 1), "name");
  refused(thallo_bind_array(p.solver, "time", THALLO_DOUBLE, nullptr, &one, 1), "values");
  refused(thallo_bind_array(p.solver, "time", THALLO_DOUBLE, &number, nullptr, 1), "extents");
  refused(thallo_bind_unknown(p.solver, "line", THALLO_DOUBLE, nullptr, &one, 1), "values");
  refused(thallo_bind_number(p.solver, nullptr, 1), "name");
  refused(thallo_set_option(p.solver, nullptr, "1"), "name");
  refused(thallo_set_option(p.solver, "solver", nullptr), "value");
  refused(thallo_step(p.solver, nullptr), "goes_on");
  refused(thallo_current_cost(p.solver, nullptr), "cost");
  refused(thallo_summary_number(p.solver, nullptr, &number), "name");
  refused(thallo_summary_number(p.solver, "seconds", nullptr), "number");
  refused(thallo_summary_text(p.solver, "why", nullptr), "text");
  refused(thallo_summary_text(p.solver, nullptr, &text), "name");
  refused(thallo_summary_times(p.solver, nullptr, &times), "name");
  refused(thallo_summary_iteration(p.solver, 0, nullptr), "record");
}

TEST(CBadCalls, CreationSaysWhatIsWrong) {
  const auto refused = [](const thallo_option* options, std::size_t count, thallo_status code,
                          const char* message) {
    auto* solver = reinterpret_cast<thallo_solver*>(16);
    EXPECT_EQ(thallo_create_from_text(LineText, "line.lua", options, count, &solver), code);
    EXPECT_EQ(solver, nullptr);
    EXPECT_EQ(thallo_error_code(nullptr), code);
    EXPECT_THAT(thread_error(), HasSubstr(message));
  };
  refused(nullptr, 1, THALLO_INVALID_ARGUMENT, "argument 'options' is NULL");
  const thallo_option nameless = {nullptr, "1"}, valueless = {"threads", nullptr};
  refused(&nameless, 1, THALLO_INVALID_ARGUMENT, "options[0] has a name that is NULL");
  refused(&valueless, 1, THALLO_INVALID_ARGUMENT, "options[0] has a value that is NULL");
  const thallo_option misspelled = {"bakcend", "cpu"}, unknown = {"backend", "gpu"},
                      text = {"threads", "many"}, negative = {"threads", "-1"};
  refused(&misspelled, 1, THALLO_INVALID_OPTION, "did you mean 'backend'?");
  refused(&unknown, 1, THALLO_INVALID_OPTION, "interpreter");
  refused(&text, 1, THALLO_INVALID_OPTION, "'many'");
  refused(&negative, 1, THALLO_INVALID_OPTION, "threads");

  thallo_solver* solver = nullptr;
  EXPECT_EQ(thallo_create_from_text("Residuals { fit = X(0) }", "fit.lua", nullptr, 0, &solver),
            THALLO_INVALID_ENERGY);
  EXPECT_THAT(thread_error(), HasSubstr("fit.lua:1"));
  EXPECT_EQ(thallo_create_from_file("/nowhere/curve.lua", nullptr, 0, &solver),
            THALLO_INVALID_ENERGY);
  EXPECT_THAT(thread_error(), HasSubstr("curve.lua"));
  EXPECT_EQ(thallo_create_from_file(nullptr, nullptr, 0, &solver), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_create_from_text(LineText, nullptr, nullptr, 0, &solver),
            THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(thallo_create_from_text(LineText, "line.lua", nullptr, 0, nullptr),
            THALLO_INVALID_ARGUMENT);
}

TEST(CBadCalls, InputsThatTheEnergyHasNot) {
  LineProblem p;
  double values[4] = {};
  const std::int64_t shape[] = {2, 2}, negative = -1, huge = std::numeric_limits<int64_t>::max();
  const auto refused = [&](thallo_status status, const char* message) {
    EXPECT_EQ(status, THALLO_INVALID_INPUT);
    EXPECT_THAT(p.error(), HasSubstr(message));
  };
  const auto array = [&](const char* name, const std::int64_t* extents, std::size_t count) {
    return thallo_bind_array(p.solver, name, THALLO_DOUBLE, values, extents, count);
  };
  refused(array("heigth", shape, 1), "did you mean 'height'?");
  refused(array("w", shape, 1), "param 'w' is bound to an array; it needs a number");
  refused(array("height", shape, 2), "2 extents, (2, 2); it needs 1");
  refused(array("height", &negative, 1), "shape (-1)");
  refused(array("height", &huge, 1), "an extent is 0 or more");
  refused(array("line", shape, 1), "bind it by thallo_bind_unknown()");
  refused(thallo_bind_unknown(p.solver, "height", THALLO_DOUBLE, values, shape, 1),
          "'height' is no unknown");
  refused(thallo_bind_number(p.solver, "v", 1), "has no input 'v'");
  refused(thallo_bind_number(p.solver, "height", 1), "it needs an array");
  refused(thallo_bind_number(p.solver, "N", 1.5), "cannot have the extent 1.5");
  EXPECT_EQ(thallo_bind_array(p.solver, "height", 9, values, shape, 1), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), AllOf(HasSubstr("type 9"), HasSubstr("THALLO_UINT8")));
}

TEST(CBadCalls, ArraysOfADevice) {
  BoundLine p;
  double values[4] = {};
  const std::int64_t shape[] = {4, 1}, strides[] = {2};
  const auto array = [&](const char* name, thallo_type type, const void* address,
                         std::size_t num_extents, const std::int64_t* of, std::size_t num_strides) {
    return thallo_bind_device_array(p.solver, name, type, address, shape, num_extents, of,
                                    num_strides, nullptr);
  };
  EXPECT_EQ(array("height", THALLO_DOUBLE, nullptr, 1, nullptr, 0), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("argument 'address' is NULL"));
  EXPECT_EQ(array("height", THALLO_DOUBLE, values, 1, nullptr, 1), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("argument 'strides' is NULL"));
  EXPECT_EQ(array("height", 7, values, 1, nullptr, 0), THALLO_INVALID_ARGUMENT);
  EXPECT_EQ(array("heigth", THALLO_DOUBLE, values, 1, nullptr, 0), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("did you mean 'height'?"));
  EXPECT_EQ(array("height", THALLO_DOUBLE, values, 2, nullptr, 0), THALLO_INVALID_INPUT);
  EXPECT_EQ(array("line", THALLO_DOUBLE, values, 1, nullptr, 0), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("thallo_bind_device_unknown()"));
  EXPECT_EQ(thallo_bind_device_unknown(p.solver, "height", THALLO_DOUBLE, values, shape, 1, nullptr,
                                       0, nullptr),
            THALLO_INVALID_INPUT);
  // It is bound, and the solve on the host refuses it.
  p.ok(array("height", THALLO_DOUBLE, values, 1, strides, 1));
  EXPECT_EQ(thallo_solve(p.solver), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("array 'height' over (N): it is bound to an array in the memory "
                                   "of a device, which only backend cuda takes"));
}

TEST(CBadCalls, InputsThatAreMissingOrDoNotFit) {
  LineProblem p;
  EXPECT_EQ(thallo_solve(p.solver), THALLO_INVALID_INPUT);
  p.bind();
  const std::int64_t two = 2;
  p.ok(thallo_bind_array(p.solver, "time", THALLO_DOUBLE, p.time.data(), &two, 1));
  EXPECT_EQ(thallo_solve(p.solver), THALLO_INVALID_INPUT);
  EXPECT_THAT(p.error(), HasSubstr("dim 'N' is"));
  EXPECT_EQ(thallo_begin(p.solver), THALLO_INVALID_INPUT);
  p.bind();
  p.height[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(thallo_solve(p.solver), THALLO_SOLVE_FAILED);
  EXPECT_THAT(p.error(), HasSubstr("the cost of 'line' at the start is inf"));
  EXPECT_THAT(p.line, Each(0));
}

TEST(CBadCalls, OptionsThatThereAreNot) {
  LineProblem p;
  EXPECT_EQ(thallo_set_option(p.solver, "nIteration", "3"), THALLO_INVALID_OPTION);
  EXPECT_THAT(p.error(), HasSubstr("did you mean 'nIterations'?"));
  EXPECT_EQ(thallo_set_option(p.solver, "solver", "newton"), THALLO_INVALID_OPTION);
  EXPECT_EQ(thallo_set_option(p.solver, "nIterations", "-3"), THALLO_INVALID_OPTION);
}

TEST(CBadCalls, CallsInTheWrongOrder) {
  BoundLine p;
  double number = 0;
  int goes_on = 7;
  const auto refused = [&](thallo_status status, const char* message) {
    EXPECT_EQ(status, THALLO_WRONG_ORDER);
    EXPECT_THAT(p.error(), HasSubstr(message));
  };
  refused(thallo_step(p.solver, &goes_on), "step() needs a solve that begin() has begun");
  EXPECT_EQ(goes_on, 7);
  refused(thallo_finish(p.solver), "finish() needs");
  refused(thallo_current_cost(p.solver, &number), "current_cost() needs");
  refused(thallo_summary_number(p.solver, "final_cost", &number), "was not solved yet");
  p.ok(thallo_begin(p.solver));
  refused(thallo_begin(p.solver), "call thallo_finish()");
  refused(thallo_solve(p.solver), "call thallo_finish()");
  p.ok(thallo_step(p.solver, &goes_on));
  p.ok(thallo_finish(p.solver));
  p.ok(thallo_solve(p.solver));
}

TEST(CBadCalls, AStepCanBeRepeatedWithCorrectedData) {
  BoundLine p;
  p.ok(thallo_begin(p.solver));
  int goes_on = 0;
  const double height = p.height[2];
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    p.height[2] = bad;
    EXPECT_EQ(thallo_step(p.solver, &goes_on), THALLO_INVALID_INPUT) << p.error();
  }
  p.height[2] = height;
  p.ok(thallo_step(p.solver, &goes_on));
  p.ok(thallo_finish(p.solver));
}

TEST(CBadCalls, NamesThatNoSummaryHas) {
  BoundLine p;
  p.ok(thallo_solve(p.solver));
  double number = 0;
  const char* text = nullptr;
  thallo_times times;
  thallo_iteration record;
  EXPECT_EQ(thallo_summary_number(p.solver, "final_costs", &number), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("did you mean 'final_cost'?"));
  EXPECT_EQ(thallo_summary_text(p.solver, "schedul", &text), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("did you mean 'schedule'?"));
  EXPECT_EQ(thallo_summary_times(p.solver, "linar", &times), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("did you mean 'linear'?"));
  EXPECT_EQ(thallo_summary_iteration(p.solver, 1000, &record), THALLO_INVALID_ARGUMENT);
  EXPECT_THAT(p.error(), HasSubstr("legal: 0 to "));
  EXPECT_EQ(thallo_summary_iteration(p.solver, -1, &record), THALLO_INVALID_ARGUMENT);
}

struct Meeting {
  std::atomic<bool> has_begun = false, may_end = false;
};

int wait_for_end(const thallo_iteration*, void* user) {
  auto& meeting = *static_cast<Meeting*>(user);
  meeting.has_begun = true;
  while (!meeting.may_end) std::this_thread::yield();
  return 0;
}

TEST(CBadCalls, ASecondThreadIsRefusedWhileOneIsSolving) {
  BoundLine p;
  Meeting meeting;
  p.ok(thallo_set_callback(p.solver, wait_for_end, &meeting));
  std::jthread solving([&] { p.ok(thallo_solve(p.solver)); });
  while (!meeting.has_begun) std::this_thread::yield();
  EXPECT_THAT(call_all(p.solver), Each(THALLO_BUSY));
  EXPECT_EQ(thallo_error_code(p.solver), THALLO_BUSY) << "this thread's own last failure";
  EXPECT_THAT(p.error(), HasSubstr("another call is working on this solver"));
  meeting.may_end = true;
  solving.join();
  EXPECT_EQ(thallo_error_code(p.solver), THALLO_OK) << "the solver has had no failure";
  EXPECT_EQ(p.number("converged"), 1);
}

}  // namespace
}  // namespace thallo::test
