// A line that is fitted to points by thallo.h.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/c/thallo.h"

namespace thallo::test {

constexpr const char* LineText = R"(
local N, U = Dims("N", "U")
Inputs { line = Unknown(float2, {U}), time = Array(double, {N}), height = Array(double, {N}),
         w = Param(float) }
local n = N()
local p = line(0)
Residuals { fit = w * (p(0) * time(n) + p(1) - height(n)) })";

// height = 2 time + 1
struct LineProblem {
  explicit LineProblem(std::vector<thallo_option> options = {{"backend", "interpreter"}}) {
    EXPECT_EQ(
        thallo_create_from_text(LineText, "line.lua", options.data(), options.size(), &solver),
        THALLO_OK)
        << thallo_error_text(nullptr);
  }
  ~LineProblem() { thallo_free(solver); }
  LineProblem(const LineProblem&) = delete;
  LineProblem& operator=(const LineProblem&) = delete;

  void bind() {
    const std::int64_t one = 1, n = static_cast<std::int64_t>(time.size());
    ok(thallo_bind_unknown(solver, "line", THALLO_DOUBLE, line.data(), &one, 1));
    ok(thallo_bind_array(solver, "time", THALLO_DOUBLE, time.data(), &n, 1));
    ok(thallo_bind_array(solver, "height", THALLO_DOUBLE, height.data(), &n, 1));
    ok(thallo_bind_number(solver, "w", 1));
  }
  void ok(thallo_status status) const { EXPECT_EQ(status, THALLO_OK) << error(); }
  std::string error() const { return thallo_error_text(solver); }
  double number(const char* name) const {
    double value = 0;
    ok(thallo_summary_number(solver, name, &value));
    return value;
  }
  std::string text(const char* name) const {
    const char* value = "";
    ok(thallo_summary_text(solver, name, &value));
    return value;
  }

  std::vector<double> line = {0, 0}, time = {0, 1, 2, 3}, height = {1, 3, 5, 7};
  thallo_solver* solver = nullptr;
};

// With all that it needs.
struct BoundLine : LineProblem {
  BoundLine() { bind(); }
};

}  // namespace thallo::test
