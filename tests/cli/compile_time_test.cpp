// Energies that are hard to compile take a bounded time on every backend. What is measured is the
// time of the processors, which other processes hardly change: 20 s on two cores, and for CUDA,
// whose compiler is slower, on six.

#include <gmock/gmock.h>

#include <sys/resource.h>

#include <string>
#include <vector>

#include "tests/support/nvrtc.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

// Of the processes that this one has waited for, and of those that they have waited for.
double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class CompileTime : public testing::Test {
 protected:
  void expect_bounded(std::vector<std::string> arguments, double most_seconds) {
    arguments.insert(arguments.begin(), THALLO_PROGRAM);
    const double before = seconds_of_children();
    const auto result = run_process(arguments,
                                    {"THALLO_CACHE_DIR=" + (folder_.path() / "cache").string(),
                                     "TMPDIR=" + folder_.path().string(), "THALLO_LOG=warn"},
                                    std::chrono::seconds(280));
    EXPECT_THAT(result.exit_code, testing::AnyOf(0, 1)) << result.out << result.err;
    const double seconds = seconds_of_children() - before;
    EXPECT_LT(seconds, most_seconds);
    RecordProperty("seconds", std::to_string(seconds));
  }

  void run_on(const std::string& backend, const std::string& energy,
              const std::vector<std::string>& bindings) {
    std::vector<std::string> arguments = {"run", folder_.write("energy.lua", energy).string()};
    for (const std::string& binding : bindings)
      arguments.insert(arguments.end(), {"--bind", binding});
    arguments.insert(arguments.end(), {"--backend", backend, "--quiet", "--set", "nIterations=1"});
    expect_bounded(arguments, 40);
  }

  // Of a .toml problem, NVRTC compiles all kernels without a device.
  void compile_for_cuda(const std::string& energy, const std::string& bindings) {
    if (!compile_with_nvrtc("").found)
      GTEST_SKIP() << "no libnvrtc.so (a CUDA toolkit) on this machine";
    folder_.write("hard.lua", energy);
    folder_.write("hard.toml", "title = \"hard\"\n[bind]\n" + bindings);
    expect_bounded({"explain", "hard", "--plugin-path", folder_.path().string(), "--backend",
                    "cuda", "--device-spec", "h200"},
                   120);
  }

  TempDir folder_;
};

constexpr const char* WideGroup = R"(
local M, N = Dims("M", "N")
Inputs { A = Unknown(float, {M, N}), B = Unknown(float, {M, N}), T = Array(float, {M, N}) }
local n = N()
local r = {}
for i = 0, 4999 do r[i + 1] = exp(A(i, n)) * sin(B(i, n)) - T(i, n) end
Residuals { fit = r }
)";

constexpr const char* SharedUnknowns = R"(
local M, N = Dims("M", "N")
Inputs { A = Unknown(float2, {N}), T = Array(float, {M}) }
local n = N()
local r = {}
for i = 0, 4999 do r[i + 1] = exp(i / 5000 * A(n)(0)) * sin(A(n)(1) + i) - T(i) end
Residuals { fit = r }
)";

constexpr const char* DeeplyNested = R"(
local N = Dims("N")
Inputs { A = Unknown(float, {N}), T = Array(float, {N}) }
local n = N()
local a = A(n)
for i = 1, 1000 do a = sin(a) * cos(a) end
Residuals { fit = a - T(n) }
)";

TEST_F(CompileTime, OfFiveThousandResidualsIsBounded) {
  for (const char* energy : {WideGroup, SharedUnknowns}) {
    for (const char* backend : {"interpreter", "cpu"})
      run_on(backend, energy, {"M=5000", "N=2", "T=ramp"});
  }
}

TEST_F(CompileTime, OfFiveThousandResidualsIsBoundedForCuda) {
  compile_for_cuda(WideGroup, "M = 5000\nN = 2\nT = \"ramp\"\n");
}

TEST_F(CompileTime, OfAThousandNestedFunctionsIsBounded) {
  for (const char* backend : {"interpreter", "cpu"})
    run_on(backend, DeeplyNested, {"N=3", "T=ramp"});
}

TEST_F(CompileTime, OfAThousandNestedFunctionsIsBoundedForCuda) {
  compile_for_cuda(DeeplyNested, "N = 3\nT = \"ramp\"\n");
}

}  // namespace
}  // namespace thallo::test
