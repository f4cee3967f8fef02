// What tests of programs on backends share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/energy/binding.h"
#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "core/schedule/plan.h"

namespace thallo::test {

// Compiles the program of a plan, in double unless `how` says otherwise.
inline std::unique_ptr<Executable> compiled(Backend& backend, const Energy& energy,
                                            const Plan& plan, const ProgramOptions& program,
                                            const CompileOptions& how = {
                                                .precision = Precision::Double}) {
  auto made = backend.compile(generate(make_program(energy, plan, program)), how);
  if (!made) throw InternalError(made.error().message(), __FILE__, __LINE__);
  return *std::move(made);
}

inline std::unique_ptr<Executable> interpreted(const Energy& energy, const Plan& plan,
                                               const ProgramOptions& program) {
  return compiled(*make_interpreter_backend().value(), energy, plan, program);
}

// Tests of the backend that the parameter, or its member `backend`, names. They are skipped where
// it cannot be had.
template <class Param = std::string>
class BackendTest : public testing::TestWithParam<Param> {
 protected:
  void SetUp() override {
    auto made = make_backend(name());
    if (!made) GTEST_SKIP() << made.error().message();
    backend_ = *std::move(made);
  }
  static std::string name() {
    const Param& param = testing::TestWithParam<Param>::GetParam();
    if constexpr (requires { param.backend; }) {
      return param.backend;
    } else {
      return param;
    }
  }

  std::unique_ptr<Backend> backend_;
};

}  // namespace thallo::test
