#include "core/solve/descent_report.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/solve/descent.h"
#include "core/solve/stopping_tests.h"

namespace thallo {
namespace {

std::string number(double value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return std::string(text.data());
}

}  // namespace

std::string RoundingFloor::text() const {
  return "steps that promise to lower the cost by " + number(most_promised_) + " down to " +
         number(last_.promised) + " of it all " +
         (last_.changed > 0 ? "change it by about " + number(last_.changed) : "leave it as it is");
}

std::string StoppingTests::rounding_floor_text() const { return rounding_floor_.text(); }

DescentReport Descent::report() const {
  return {.initial_cost = initial_energy_cost_,
          .final_cost = energy_cost_,
          .initial_minimized_cost = initial_cost_,
          .final_minimized_cost = cost_,
          .refused_decrease = refused_decrease_,
          .gradient_max = gradient_max_,
          .gradient_cosine = gradient_cosine_,
          .num_iterations = num_iterations_,
          .num_accepted = num_accepted_,
          .termination = termination_,
          .cause = has_ended_ && termination_ == Termination::RoundingFloor
                       ? tests_.rounding_floor_text()
                       : std::string()};
}

}  // namespace thallo
