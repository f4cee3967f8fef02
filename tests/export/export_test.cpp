// thallo export: what an exported solver computes, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/cli/thallo_process.h"
#include "tests/export/exported_solver.h"

namespace thallo::test {
namespace {

using testing::HasSubstr;

constexpr double Rounding = 1e-9;

// An energy text in a folder.
class Export : public testing::Test {
 protected:
  std::string energy(const std::string& name, const std::string& text) const {
    folder_.write(name, text);
    return (folder_.path() / name).string();
  }

  std::string smoothing() const {
    return energy("smoothing.lua", R"(local W, H = Dims("W", "H")
Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}), w = Param(float) }
local x, y = W(), H()
local slope = Select(InBounds(x + 1, y), X(x, y) - X(x + 1, y), 0)
Residuals { fit = X(x, y) - A(x, y), reg = w * slope }
)");
  }
  // The flags of a problem on the cpu.
  static std::vector<std::string> with(const std::string& file,
                                       const std::vector<std::string>& bindings,
                                       const std::vector<std::string>& others = {}) {
    std::vector<std::string> all = {file};
    for (const std::string& binding : bindings) all.insert(all.end(), {"--bind", binding});
    all.insert(all.end(), others.begin(), others.end());
    if (std::ranges::find(all, "--backend") == all.end())
      all.insert(all.end(), {"--backend", "cpu"});
    return all;
  }
  std::string refusal(std::vector<std::string> problem) const {
    return ExportedSolver(std::move(problem)).write();
  }

  TempDir folder_;
};

TEST_F(Export, SolvesAGridByPcgInMixedPrecision) {
  expect_equal_solves(with(smoothing(), {"W=23", "H=17", "A=random", "w=2"},
                           {"--schedule", "default", "--set", "linear_solver=pcg"}),
                      1e-6);
}

// The product is gathered through the inverse of maps, which the exported solver makes.
TEST_F(Export, SolvesAGraphThroughInverseMaps) {
  const std::string file = energy("springs.lua", R"(local N, E = Dims("N", "E")
Inputs {
  X = Unknown(float2, {N}), A = Array(float2, {N}),
  V0 = Sparse({E}, {N}), V1 = Sparse({E}, {N})
}
local n, e = N(), E()
Residuals {
  fit = X(n) - A(n),
  spring = dot(X(V0(e)) - X(V1(e)), X(V0(e)) - X(V1(e))) - 1
}
)");
  folder_.write("gathered.sched", "r.spring.JtJp:compute_at_output(true)\n");
  expect_equal_solves(with(file, {"N=40", "E=90", "A=random", "V0=random", "V1=random"},
                           {"--double", "--set", "linear_solver=pcg", "--schedule",
                            (folder_.path() / "gathered.sched").string()}),
                      Rounding);
}

TEST_F(Export, SolvesAFitByTheDenseSolver) {
  const std::string file = energy("fit.lua", R"(local N, C = Dims("N", "C")
Inputs { curve = Unknown(float2, {C}), x = Array(double, {N}), y = Array(double, {N}) }
local n, c = N(), curve(0)
Residuals { fit = c(0) * exp(c(1) * x(n)) - y(n) }
)");
  expect_equal_solves(with(file, {"N=30", "C=1", "x=random", "y=ramp", "curve=ones"},
                           {"--double", "--set", "linear_solver=dense", "--schedule", "default"}),
                      Rounding);
}

TEST_F(Export, RefusesWhatItCannotTakeAlongBeforeItWrites) {
  const std::vector<std::string> data = {"W=8", "H=8", "A=random", "w=2"};
  EXPECT_THAT(refusal(with(smoothing(), data, {"--set", "linear_solver=sparse_cholesky"})),
              HasSubstr("linear_solver sparse_cholesky factors a sparse matrix, which an export "
                        "cannot (legal: pcg, schur_pcg, dense, schur_cholesky)"));
  EXPECT_THAT(refusal(with(smoothing(), data, {"--set", "preconditioner=multigrid"})),
              HasSubstr("preconditioner multigrid is steps of a backend"));
  EXPECT_THAT(refusal(with(smoothing(), data, {"--backend", "interpreter"})),
              HasSubstr("--backend interpreter: there is no export for it"));
}

TEST_F(Export, WritesToNoFolderOfOthers) {
  const auto write = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"export", smoothing()};
    for (const char* binding : {"W=8", "H=8", "A=random", "w=2"})
      words.insert(words.end(), {"--bind", binding});
    words.insert(words.end(), {"--backend", "cpu", "--schedule", "default", "--set",
                               "linear_solver=pcg", "--out", (folder_.path() / "solver").string()});
    words.insert(words.end(), flags.begin(), flags.end());
    return thallo(words);
  };
  std::filesystem::create_directory(folder_.path() / "solver");
  folder_.write("solver/notes.txt", "mine\n");
  const ProcessResult refused = write({});
  EXPECT_EQ(refused.exit_code, User);
  EXPECT_THAT(refused.err, HasSubstr("it holds files that no export has written; --force"));
  EXPECT_EQ(write({"--force"}).exit_code, Ok);
  EXPECT_EQ(write({}).exit_code, Ok);  // an export by now
}

}  // namespace
}  // namespace thallo::test
