// The kernels of a schedule as a worker process shows them, with and without compiling them.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/backend/precompile.h"
#include "tests/explore/driven_worker.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::Contains, testing::HasSubstr, testing::SizeIs, testing::StartsWith;

struct Shown {
  std::vector<KernelText> kernels;
  KernelsAnswer answer;
};

class WorkerKernels : public testing::Test {
 protected:
  void open(const std::string& backend, const std::string& architecture) {
    ExplorationTarget target{.problem = "image_warping", .backend = backend};
    target.options.set("size", std::int64_t{16});
    OpenRequest request{.target = target};
    if (!architecture.empty()) request.architecture = architecture;
    worker_.answer_to(request);
  }
  Shown kernels(bool compile) {
    Shown shown;
    shown.answer =
        worker_.answer_to(KernelsRequest{"", compile}, [&](const WorkerMessage& message) {
          if (message.kind == WorkerMessage::Kind::Part)
            shown.kernels.push_back(message.as<KernelText>());
        });
    return shown;
  }
  static void expect_complete(const Shown& shown) {
    std::set<std::size_t> positions;
    for (const KernelText& kernel : shown.kernels) {
      positions.insert(kernel.kernel);
      EXPECT_THAT(kernel.label, HasSubstr(kernel.role));
      EXPECT_THAT(kernel.text, HasSubstr(kernel.role));
      EXPECT_FALSE(kernel.launches.empty()) << kernel.label;
    }
    EXPECT_EQ(positions.size(), shown.answer.num_kernels);
    EXPECT_THAT(shown.kernels, SizeIs(shown.answer.num_kernels));
  }

  TempDir folder_;
  ScopedEnv cache_{"THALLO_CACHE_DIR", folder_.path().c_str()};
  DrivenWorker worker_;
};

TEST_F(WorkerKernels, ShowTheTextWithTheWorkOfTheirSteps) {
  open("cpu", "");
  const Shown shown = kernels(false);
  expect_complete(shown);
  EXPECT_EQ(shown.answer.backend, "cpu");
  EXPECT_TRUE(std::ranges::is_sorted(shown.kernels, {}, &KernelText::kernel));
  const auto apply = std::ranges::find_if(shown.kernels, [](const KernelText& kernel) {
    return kernel.launches.front().phase == Phase::Apply;
  });
  ASSERT_NE(apply, shown.kernels.end());
  EXPECT_FALSE(apply->compiled);
  EXPECT_THAT(apply->text, HasSubstr("(const Args* a, "));
  EXPECT_THAT(apply->slots, Contains(StartsWith("Ap_Offset = Ap.Offset over (")));
  EXPECT_GT(apply->launches.front().flops, 256);  // the points
  EXPECT_GT(apply->launches.front().must_move, 0);
}

TEST_F(WorkerKernels, ComeOneByOneAsCompiledAndAreTheOnesThatPrepareNames) {
  open("cpu", "");
  const Shown compiled = kernels(true);
  expect_complete(compiled);
  for (const KernelText& kernel : compiled.kernels) {
    ASSERT_TRUE(kernel.compiled) << kernel.label;
    EXPECT_GT(kernel.compiled->compile_seconds, 0) << kernel.label;
  }
  for (const KernelText& kernel : kernels(true).kernels)
    EXPECT_TRUE(kernel.compiled->from_cache) << kernel.label;

  const PreparedSchedule prepared = worker_.answer_to(PrepareRequest{""});
  const Shown shown = kernels(false);
  ASSERT_EQ(shown.kernels.size(), prepared.kernels.size());
  for (const KernelText& kernel : shown.kernels)
    EXPECT_EQ(kernel.key, prepared.kernels[kernel.kernel].key) << kernel.label;
}

TEST_F(WorkerKernels, ShowTheirTextsWithoutACompiler) {
  const ScopedEnv compiler("THALLO_CC", "/nowhere/cc");
  DrivenWorker worker;
  const ExplorationTarget target{.problem = "image_warping", .backend = "cpu"};
  worker.answer_to(OpenRequest{.target = target});
  int num_texts = 0;
  worker.answer_to(KernelsRequest{""}, [&](const WorkerMessage& message) {
    num_texts += message.kind == WorkerMessage::Kind::Part ? 1 : 0;
  });
  EXPECT_GT(num_texts, 5);
  const std::string reason = worker.refusal_of(KernelsRequest{"", true});
  EXPECT_THAT(reason, HasSubstr("/nowhere/cc"));
  open("interpreter", "");
  expect_complete(kernels(false));
}

TEST_F(WorkerKernels, AreOfAnyCudaArchitectureWithoutADevice) {
  if (const auto nvrtc = make_cuda_precompiler("sm_90"); !nvrtc) GTEST_SKIP() << nvrtc.error().what;
  open("cuda", "sm_90");
  const Shown shown = kernels(false);
  expect_complete(shown);
  EXPECT_EQ(shown.answer.architecture, "sm_90");
  EXPECT_THAT(shown.kernels.front().text, HasSubstr("__global__"));
  const Shown compiled = kernels(true);
  expect_complete(compiled);
  for (const KernelText& kernel : compiled.kernels) {
    ASSERT_TRUE(kernel.compiled) << kernel.label;
    EXPECT_GT(kernel.compiled->registers, 0) << kernel.label;
    EXPECT_EQ(kernel.key, shown.kernels[kernel.kernel].key);
    EXPECT_EQ(kernel.text, shown.kernels[kernel.kernel].text);
  }
}

}  // namespace
}  // namespace thallo::test
