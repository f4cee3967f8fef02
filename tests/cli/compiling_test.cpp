// What happens while kernels are made and compiled: a compiler that never ends, and a program that
// takes long to make, are interrupted, run into the time limit, and leave nothing behind.

#include <gmock/gmock.h>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "tests/cli/thallo_process.h"
#include "tests/support/processes.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::IsEmpty, testing::Not;

class CliCompiling : public testing::Test {
 protected:
  // The number in a file of its folder, once it is there.
  int wait_for(const char* name) const {
    for (int i = 0; i < 300; ++i) {
      int number = 0;
      if (std::ifstream(folder_.path() / name) >> number) return number;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ADD_FAILURE() << "no compiler was started";
    return 0;
  }

  // A compiler that does what its first lines say, or else starts another program, leaves a file
  // where it is told to have temporary ones, and waits forever.
  std::string endless_compiler(
      const std::string& first = "[ \"$1\" = --version ] && echo endless && exit 0") const {
    const std::string path = (folder_.path() / "cc").string();
    std::ofstream(path) << "#!/bin/sh\n" + first
                        << fmt::format(
                               "\n"
                               "sleep 1000 &\n"
                               "touch $TMPDIR/of_the_compiler\n"
                               "echo $! > {0}/child.tmp; mv {0}/child.tmp {0}/child\n"
                               "echo $PPID > {0}/thallo.tmp; mv {0}/thallo.tmp {0}/thallo\n"
                               "wait\n",
                               folder_.path().string());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  std::vector<std::string> environment(const std::string& compiler) const {
    return {"THALLO_CC=" + compiler, "TMPDIR=" + temporary_.path().string(), "THALLO_CACHE_DIR="};
  }

  ProcessResult run_until_signal(std::vector<std::string> arguments, int signal) {
    auto run = std::async(std::launch::async, [&] {
      return thallo(std::move(arguments), environment(endless_compiler()));
    });
    if (const int process = wait_for("thallo"); process > 0) kill(process, signal);
    return run.get();
  }

  // A residual of 600 reads. The kernel that fills a JtJ, as the linear solver dense asks for it,
  // adds to 180,000 entries.
  std::vector<std::string> large_run() const {
    const std::string path = (folder_.path() / "large.lua").string();
    std::ofstream(path) << "local N = Dims('N')\n"
                           "Inputs { X = Unknown(float, {N}) }\n"
                           "local n, e = N(), 0\n"
                           "for i = 1, 600 do e = e + sin(X(n + i)) end\n"
                           "Residuals { fit = e }\n";
    return {"run",        path,        "--bind",      "N=500", "--bind",
            "X=0",        "--backend", "interpreter", "--set", "linear_solver=dense",
            "--schedule", "default"};
  }

  void expect_nothing_left() const {
    EXPECT_TRUE(std::filesystem::is_empty(temporary_.path()));
    // Whoever inherits a child that was killed needs a moment to notice.
    const int child = wait_for("child");
    for (int i = 0; i < 500 && is_running(child); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(is_running(child));
  }

  TempDir folder_;
  TempDir temporary_;
};

TEST_F(CliCompiling, CtrlCEndsTheCompilersAndLeavesNothingBehind) {
  const auto result = run_until_signal({"solve", "tiny", "--backend", "cpu"}, SIGINT);
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_EQ(result.err, "thallo: interrupted\n");
  expect_nothing_left();
}

TEST_F(CliCompiling, SoDoesSigterm) {
  const auto result = run_until_signal({"solve", "tiny", "--backend", "cpu"}, SIGTERM);
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  EXPECT_EQ(result.err, "thallo: interrupted\n");
  expect_nothing_left();
}

// Of a command that has nothing to keep, the signal ends the process.
// Finds a command that leaves compilers behind; each command that compiles is started and ended.
TEST_F(CliCompiling, EveryCommandEndsItsCompilers) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto result = run_until_signal({"verify", "tiny", "--backend", "cpu"}, signal);
    EXPECT_EQ(result.exit_code, -1) << "ended by the signal";
    EXPECT_THAT(result.err, HasSubstr("thallo: interrupted\n"));
    expect_nothing_left();
    std::filesystem::remove(folder_.path() / "thallo");
  }
}

// Finds commands that a time limit does not end; the limit is waited for.
TEST_F(CliCompiling, EndsAtTheTimeLimit) {
  const auto result =
      refused(thallo({"solve", "tiny", "--backend", "cpu", "--compile-time-limit", "1.5"},
                     environment(endless_compiler())));
  EXPECT_EQ(result.err,
            "thallo: compiling for cpu took longer than the 1.5 s that it may take; allow more, or "
            "write what is alike in the residuals once, over an index domain\n");
  expect_nothing_left();
}

// The compiler is asked for its version, and compiles what calibrates the device.
TEST_F(CliCompiling, EndsAtTheTimeLimitBeforeKernelsAreCompiled) {
  const std::vector<std::string> solve = {
      "solve", "tiny", "--backend", "cpu", "--compile-time-limit", "0.5"};
  EXPECT_EQ(refused(thallo(solve, environment(endless_compiler("")))).err,
            "thallo: opening cpu took longer than the 0.5 s that compiling may take\n");
  expect_nothing_left();
  std::filesystem::remove(folder_.path() / "child");
  auto calibrating =
      environment(endless_compiler("case \"$*\" in *calibrate*) ;; *) exec cc \"$@\";; esac"));
  calibrating.emplace_back("THALLO_DEVICE_SPEC=");
  EXPECT_THAT(refused(thallo(solve, calibrating)).err,
              HasSubstr("compiling for cpu took longer than the 0.5 s"));
  expect_nothing_left();
}

// Whatever ends it, and where: its compilers are those of its workers.
TEST_F(CliCompiling, AnExplorationEndsTheCompilersOfItsWorkers) {
  auto its = environment(endless_compiler());
  its.back() += (folder_.path() / "cache").string();
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    auto run = std::async(std::launch::async, [&] {
      return thallo({"explore", "tiny", "--backend", "cpu", "--store",
                     (folder_.path() / "tiny.store").string()},
                    its);
    });
    wait_for("thallo");
    const std::vector<int> children = children_of(getpid());
    ASSERT_EQ(children.size(), 1u);
    kill(children.front(), signal);
    const auto result = run.get();
    if (signal != SIGKILL) EXPECT_EQ(result.exit_code, 128 + signal);
    if (signal != SIGKILL) EXPECT_EQ(result.err, "thallo: interrupted\n");
    // Workers that nobody ends notice that.
    for (int i = 0; i < 100 && !std::filesystem::is_empty(temporary_.path()); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    expect_nothing_left();
    std::filesystem::remove(folder_.path() / "thallo");
  }
}

// Something else may have killed it, as where memory runs out.
TEST_F(CliCompiling, ACompilerThatIsKilledOnceIsStartedAgain) {
  const std::string path = (folder_.path() / "cc").string();
  std::ofstream(path) << fmt::format(
      "#!/bin/sh\n"
      "if mkdir {0}/killed_$(basename \"$*\" | cut -c1-9); then kill -9 $$; fi\n"
      "exec cc \"$@\"\n",
      folder_.path().string());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  succeeded(thallo({"solve", "tiny", "--backend", "cpu"}, environment(path)));
}

TEST_F(CliCompiling, TheTimeLimitCountsTheGenerationOfKernels) {
  std::vector<std::string> arguments = large_run();
  arguments.insert(arguments.end(), {"--compile-time-limit", "0.5"});
  EXPECT_THAT(refused(thallo(arguments)).err,
              HasSubstr("compiling for interpreter took longer than the 0.5 s"));
}

// Finds generation that ignores signals; a large energy keeps it busy.
TEST_F(CliCompiling, SignalsEndTheGenerationOfKernels) {
  const std::filesystem::path timeout = "/usr/bin/timeout";
  if (!std::filesystem::exists(timeout)) GTEST_SKIP() << "no " << timeout;
  for (const int signal : {SIGINT, SIGTERM}) {
    std::vector<std::string> command = {timeout.string(),
                                        "--preserve-status",
                                        "--signal",
                                        std::to_string(signal),
                                        "--kill-after",
                                        "10",
                                        "1",
                                        THALLO_PROGRAM};
    const std::vector<std::string> arguments = large_run();
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto result = run_process(command, {});
    EXPECT_EQ(result.exit_code, 128 + signal);
    EXPECT_EQ(result.err, "thallo: interrupted\n");
  }
}

TEST_F(CliCompiling, TheTimeLimitIsANumberThatChangesNothingElse) {
  auto result = thallo({"solve", "tiny", "--backend", "interpreter", "--compile-time-limit", "50"});
  EXPECT_EQ(result.exit_code, Ok) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  result = thallo({"solve", "tiny", "--compile-time-limit", "-1"});
  EXPECT_EQ(result.exit_code, User);
  EXPECT_THAT(result.err, HasSubstr("--compile-time-limit"));
}

// `script` gives a program a terminal.
TEST_F(CliCompiling, ATerminalShowsHowManyKernelsAreCompiled) {
  const std::filesystem::path script = "/usr/bin/script";
  if (!std::filesystem::exists(script)) GTEST_SKIP() << "no " << script;
  if (!std::filesystem::exists("/dev/pts/ptmx")) GTEST_SKIP() << "no terminals: no /dev/pts";
  const std::string command = fmt::format("{} --plugin-path {} solve tiny --backend cpu",
                                          THALLO_PROGRAM, THALLO_TINY_FOLDER);
  const std::string cache = "THALLO_CACHE_DIR=" + temporary_.path().string();
  EXPECT_THAT(
      succeeded(run_process({script.string(), "-q", "-e", "-c", command, "/dev/null"}, {cache}))
          .out,
      HasSubstr("compiling kernels [----"));
  const auto piped = thallo({"solve", "tiny", "--backend", "cpu"}, {cache});
  EXPECT_THAT(piped.err, Not(HasSubstr("compiling")));
}

}  // namespace
}  // namespace thallo::test
