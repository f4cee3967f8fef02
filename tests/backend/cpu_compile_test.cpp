// How the cpu backend compiles C texts: several in one text, each with its own entry in the cache.

#include "core/backend/cpu/compile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/backend/cpu/combine.h"
#include "core/backend/cpu/compile_groups.h"
#include "core/base/error.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::StartsWith,
    testing::UnorderedElementsAre;

TEST(CombinedText, PrefixesNamesOfFileScopeButNotDirectivesAndComments) {
  const FileScope scope = file_scope_of(R"(#include <math.h>
typedef int idx_t;
typedef struct {
  double* state;  // of the solver
} Args;
struct Angle { float rest; };
enum { Stop = 0, Rz = 3,
  PAp };
static const float weights[] = {0x1p-3f, 1e+2f};
#pragma omp declare simd notinbranch
float sinf(float);
/* void f() {} */
static inline idx_t half(idx_t x) { return x / 2; }
void apply(const Args* a,
    double* partial) {
  for (idx_t i = 0; i < 2; ++i) partial[i] = sinf((float)a->state[Stop]);
}
)");
  EXPECT_THAT(scope.defined, UnorderedElementsAre("idx_t", "Args", "Angle", "Stop", "Rz", "PAp",
                                                  "weights", "half", "apply"));
  EXPECT_THAT(scope.declared, ElementsAre("sinf"));
  EXPECT_EQ(with_prefix("#define f 1\n// f\nint f(int f2) { return 1.f + f - /* f */ 2e-3f; }\n",
                        {"f"}, "k0_"),
            "#define f 1\n// f\nint k0_f(int f2) { return 1.f + k0_f - /* f */ 2e-3f; }\n");
}

std::vector<std::size_t> group_sizes(const std::vector<GroupedText>& texts, int num_threads) {
  std::vector<std::size_t> sizes;
  for (const auto& group : compile_groups(texts, num_threads)) sizes.push_back(group.size());
  std::ranges::sort(sizes);
  return sizes;
}

TEST(CompileGroups, AreBalancedWithWorkForEachThread) {
  std::vector<GroupedText> texts(13, {.bytes = 1000, .level = 3});
  EXPECT_THAT(group_sizes(texts, 1), ElementsAre(6, 7));
  EXPECT_THAT(group_sizes(texts, 4), ElementsAre(3, 3, 3, 4));
  EXPECT_EQ(group_sizes(texts, 64), std::vector<std::size_t>(13, 1));
  EXPECT_THAT(group_sizes({}, 4), IsEmpty());
  texts = {{.bytes = 100}, {.bytes = 300}, {.bytes = 100}, {.bytes = 100}};
  EXPECT_THAT(compile_groups(texts, 2), ElementsAre(ElementsAre(1), ElementsAre(0, 2, 3)));
  const std::vector<GroupedText> large(3, {.bytes = 30'000});
  EXPECT_THAT(group_sizes(large, 1), ElementsAre(1, 1, 1));
  // A declaration that a function has vector variants would change how another text is compiled.
  const GroupedText plain{.bytes = 100, .level = 3};
  const GroupedText small{.bytes = 100, .level = 1};
  const GroupedText sines{.bytes = 100, .level = 3, .scope = {.declared = {"sinf"}}};
  EXPECT_THAT(compile_groups(std::vector{plain, small, sines, plain, sines}, 1),
              UnorderedElementsAre(ElementsAre(0, 3), ElementsAre(1), ElementsAre(2, 4)));
}

// Texts that define the same names, as kernels do.
CSource returns(int value) {
  return {fmt::format("returns{}", value),
          fmt::format("typedef struct {{ int member; }} Args;\n"
                      "enum {{ Value = {0} }};\n"
                      "static inline int helper(Args a) {{ return a.member; }}\n"
                      "int value(void) {{ return helper((Args){{.member = Value}}); }}\n",
                      value)};
}

// Counts what the compiler is started for, in an empty cache.
class CompileAll : public testing::Test {
 protected:
  void SetUp() override {
    const auto compiler = find_host_compiler();
    if (!compiler) GTEST_SKIP() << compiler.error().message();
    compiler_ = *compiler;
    its_command_ = compiler->command;
    compiler_.command = (folder_.path() / "cc").string();
    become("exec " + its_command_ + " \"$@\"");
  }

  // What the compiler does from now on, as lines of a shell's script.
  void become(const std::string& script) const {
    std::ofstream(compiler_.command)
        << fmt::format("#!/bin/sh\necho \"$@\" >> {}\n{}\n", calls_.string(), script);
    fs::permissions(compiler_.command, fs::perms::owner_all);
  }
  // Lets the compiler fail so often, and then work.
  void fail_first(int times, const std::string& script) const {
    become(fmt::format("[ $(wc -l < {}) -gt {} ] && exec {} \"$@\"\n{}", calls_.string(), times,
                       its_command_, script));
  }
  std::string fault_of(const CSource& source) const {
    try {
      const auto compiled = compile({source});
      return compiled ? "" : "the text is to blame: " + compiled.error().what;
    } catch (const DeviceError& error) {
      return error.what();
    }
  }

  Expected<std::vector<CompiledSource>> compile(const std::vector<CSource>& sources) const {
    return compile_all(compiler_, sources, 1);
  }
  // The arguments of each compiler that was started.
  std::vector<std::string> calls() const {
    std::vector<std::string> lines;
    std::ifstream file(calls_);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  static int value_of(const CompiledSource& compiled) {
    return reinterpret_cast<int (*)()>(compiled.symbol("value"))();
  }
  static void expect_values(const std::vector<CompiledSource>& compiled,
                            const std::vector<int>& values) {
    ASSERT_EQ(compiled.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(value_of(compiled[i]), values[i]);
  }

  test::TempDir folder_;
  test::TempDir cache_folder_;
  test::ScopedEnv cache_{"THALLO_CACHE_DIR", cache_folder_.path().c_str()};
  fs::path calls_ = folder_.path() / "calls";
  std::string its_command_;
  HostCompiler compiler_;
};

TEST_F(CompileAll, OneProcessCompilesAProgram) {
  const auto compiled = compile({returns(1), returns(2), returns(3), returns(2)});
  ASSERT_TRUE(compiled) << compiled.error().message();
  expect_values(*compiled, {1, 2, 3, 2});
  EXPECT_EQ(calls().size(), 1u);
  EXPECT_EQ(compiled->front().library, compiled->back().library);
  for (const CompiledSource& source : *compiled) {
    EXPECT_FALSE(source.from_cache);
    EXPECT_GT(source.seconds, 0);
  }
}

TEST_F(CompileAll, WhatIsInTheCacheIsNotCompiledWithAnotherGroup) {
  ASSERT_TRUE(compile({returns(1), returns(2)}));
  const auto compiled = compile({returns(3), returns(2), returns(4), returns(1)});
  ASSERT_TRUE(compiled) << compiled.error().message();
  expect_values(*compiled, {3, 2, 4, 1});
  std::vector<bool> from_cache;
  for (const CompiledSource& source : *compiled) from_cache.push_back(source.from_cache);
  EXPECT_THAT(from_cache, ElementsAre(false, true, false, true));
  EXPECT_EQ(calls().size(), 2u);
  EXPECT_EQ((*compiled)[1].library, (*compiled)[3].library) << "loaded once";
}

TEST_F(CompileAll, ALibraryThatIsGoneIsCompiledAgain) {
  ASSERT_TRUE(compile({returns(1), returns(2)}));
  fs::directory_entry library;  // larger than the entries of its kernels
  for (const auto& entry : fs::directory_iterator(cache_folder_.path())) {
    if (library.path().empty() || entry.file_size() > library.file_size()) library = entry;
  }
  fs::remove(library.path());
  for (const bool is_cached : {false, true}) {
    const auto compiled = compile({returns(2), returns(1)});
    ASSERT_TRUE(compiled) << compiled.error().message();
    expect_values(*compiled, {2, 1});
    EXPECT_EQ(compiled->front().from_cache, is_cached);
  }
}

TEST_F(CompileAll, ATextThatDoesNotCompileIsNamedAndTheOthersAreKept) {
  const auto refused =
      compile({returns(1), {"wrong", "int value(void) { return x; }\n"}, returns(2)});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, StartsWith("kernel 'wrong' does not compile ("));
  EXPECT_THAT(refused.error().what, HasSubstr("wrong.c"));
  const auto others = compile({returns(1), returns(2)});
  ASSERT_TRUE(others) << others.error().message();
  expect_values(*others, {1, 2});
  for (const CompiledSource& source : *others) EXPECT_TRUE(source.from_cache);
}

// Both have a variable of one name.
TEST_F(CompileAll, TextsThatDoNotCompileTogetherAreCompiledAlone) {
  const CSource one{"one", "static int x = 1;\nint value(void) { return x; }\n"};
  const CSource two{"two", "static int x = 2;\nint value(void) { return x; }\n"};
  const auto compiled = compile({one, two});
  ASSERT_TRUE(compiled) << compiled.error().message();
  expect_values(*compiled, {1, 2});
  EXPECT_EQ(calls().size(), 3u);
}

// As gcc, its linker and clang say it, and where the compiler itself is killed.
constexpr std::array<const char*, 5> Kills = {
    "kill -KILL $$", "kill -TERM $$",
    "echo 'cc: fatal error: Killed signal terminated program cc1' >&2; exit 1",
    "echo 'collect2: fatal error: ld terminated with signal 9 [Killed]' >&2; exit 1",
    "echo 'clang: error: unable to execute command: Terminated' >&2; exit 254"};

TEST_F(CompileAll, ACompilerThatSomethingElseEndsIsStartedAgain) {
  int value = 1;
  for (const char* kill : Kills) {
    fs::remove(calls_);
    fail_first(2, kill);
    const auto compiled = compile({returns(value)});
    ASSERT_TRUE(compiled) << kill << ": " << compiled.error().message();
    expect_values(*compiled, {value++});
    EXPECT_EQ(calls().size(), 3u) << kill;
  }
}

TEST_F(CompileAll, TheTextIsNotToBlameForACompilerThatIsEndedEachTime) {
  for (const char* kill : Kills) {
    become(kill);
    const bool is_term = std::string_view(kill).find("TERM") != std::string_view::npos ||
                         std::string_view(kill).find("Terminated") != std::string_view::npos;
    EXPECT_EQ(fault_of(returns(1)),
              fmt::format("{}(returns1): was ended by signal {} each time", compiler_.command,
                          is_term ? "15 (Terminated)" : "9 (Killed)"));
  }
}

TEST_F(CompileAll, ATextAtWhichTheCompilerCrashesIsToBlame) {
  become(
      "echo 'cc: internal compiler error: Segmentation fault signal terminated program cc1'\nexit "
      "4");
  EXPECT_THAT(fault_of(returns(1)), StartsWith("the text is to blame: kernel 'returns1' does not"));
  EXPECT_EQ(calls().size(), 1u);
}

// As on a disk that is full: to load half of a library would end the process.
TEST_F(CompileAll, AnIncompleteLibraryIsNotLoaded) {
  for (const int size : {0, 4000}) {
    become(
        fmt::format("{} \"$@\"\nfor file; do case $file in *kernel.so) truncate -s {} $file;; "
                    "esac; done",
                    its_command_, size));
    EXPECT_THAT(fault_of(returns(1)),
                StartsWith(compiler_.command + "(returns1): wrote no whole library ("));
  }
  fs::remove(calls_);
  fail_first(1, "for file; do case $file in *kernel.so) echo x > $file;; esac; done");
  const auto compiled = compile({returns(1)});
  ASSERT_TRUE(compiled) << compiled.error().message();
  expect_values(*compiled, {1});
}

TEST_F(CompileAll, ACompilerThatLosesItsFolderIsStartedAgain) {
  fail_first(1, "for file; do case $file in *.c) rm -r $(dirname $file);; esac; done; exit 1");
  const auto compiled = compile({returns(1)});
  ASSERT_TRUE(compiled) << compiled.error().message();
  expect_values(*compiled, {1});
}

// What a macro defines has no prefix.
TEST_F(CompileAll, TextsWithMacrosAreCompiledAlone) {
  const CSource one{"one", "#define DEFINE(name) int name(void)\nDEFINE(value) { return 1; }\n"};
  const CSource two{"two", "#define DEFINE(name) int name(void)\nDEFINE(value) { return 2; }\n"};
  const auto compiled = compile({one, returns(3), two, returns(4)});
  ASSERT_TRUE(compiled) << compiled.error().message();
  expect_values(*compiled, {1, 3, 2, 4});
  EXPECT_EQ(calls().size(), 3u);
}

// The groups of two threads overlap and list their texts in opposite orders.
TEST_F(CompileAll, TwoThreadsCompileEachTextOnce) {
  std::vector<CSource> up;
  for (int i = 0; i < 6; ++i) up.push_back(returns(i));
  const std::array texts = {std::vector(up.begin(), up.begin() + 4),
                            std::vector(up.rbegin(), up.rbegin() + 4)};
  std::latch both(2);
  const auto run = [&](std::size_t thread) {
    both.arrive_and_wait();
    return compile(texts[thread]);
  };
  auto other = std::async(std::launch::async, run, 1u);
  const auto first = run(0);
  const auto second = other.get();
  ASSERT_TRUE(first && second);
  expect_values(*first, {0, 1, 2, 3});
  expect_values(*second, {5, 4, 3, 2});
  EXPECT_NE((*first)[2].from_cache, (*second)[3].from_cache);
  EXPECT_NE((*first)[3].from_cache, (*second)[2].from_cache);
}

TEST_F(CompileAll, TheEnvironmentLimitsTheOptimization) {
  const auto level = [&](const char* limit) {
    const test::ScopedEnv variable("THALLO_CC_OPTIMIZATION", limit);
    compiler_.highest_level = find_host_compiler().value().highest_level;
    const auto compiled = compile({returns(1)});
    EXPECT_TRUE(compiled && !compiled->front().from_cache) << "another level is another key";
    const std::string last = calls().back();
    return last.substr(0, last.find(' '));
  };
  EXPECT_EQ(level(nullptr), "-O3");
  EXPECT_EQ(level("2"), "-O2");
  EXPECT_EQ(level("0"), "-O0");
  // A large text is not optimized more than it is without a limit.
  EXPECT_THAT(
      optimization_levels({.highest_level = 2}, std::array{std::size_t{100'000}, std::size_t{100}}),
      ElementsAre(1, 2));
}

TEST(HostCompiler, OptimizesTextsLessTheLongerTheyAreWithinLegalLimits) {
  const std::array<std::size_t, 4> sizes = {200'000, 100'000, 1'000, 50'000};
  EXPECT_THAT(optimization_levels({.highest_level = 3}, sizes), ElementsAre(0, 1, 3, 3));
  for (const char* limit : {"4", "-1", "fast", "01"}) {
    const test::ScopedEnv variable("THALLO_CC_OPTIMIZATION", limit);
    const auto compiler = find_host_compiler();
    ASSERT_FALSE(compiler);
    EXPECT_EQ(compiler.error().message(),
              fmt::format("THALLO_CC_OPTIMIZATION is '{}' (legal: 0, 1, 2, 3)", limit));
  }
}

}  // namespace
}  // namespace thallo
