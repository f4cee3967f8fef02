// Which spec is used, and how measured ones are kept.
#include "core/backend/choose_device_spec.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/assets.h"
#include "core/base/io/file.h"
#include "core/base/log.h"
#include "core/cost/device/spec_file.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith, testing::HasSubstr, testing::IsEmpty;

// Is calibrated at once, and counts how often; what it finds is the spec of an H200 with that count
// as its number of units.
class CountingBackend final : public Backend {
 public:
  explicit CountingBackend(std::string signature) : signature_(std::move(signature)) {}
  std::string_view name() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() const override { return {{.name = "counting"}}; }
  std::string signature() const override { return signature_; }
  Expected<DeviceSpec> calibrate() override {
    auto spec = named_device_spec("h200", "cuda");
    if (spec) spec->units = ++calibrations;
    return spec;
  }
  Expected<std::unique_ptr<Executable>> compile(GeneratedProgram, const CompileOptions&) override {
    return fail("it only counts");
  }

  int calibrations = 0;

 private:
  std::string signature_;
};

class KeptSpec : public testing::Test {
 protected:
  fs::path kept_file() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(cache_.path() / "devices"))
      files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.front();
  }

  test::TempDir cache_;
  test::ScopedEnv folder_{"THALLO_CACHE_DIR", cache_.path().c_str()};
  test::ScopedEnv named_{"THALLO_DEVICE_SPEC", nullptr};
  CountingBackend backend_{"a device"};
  LogCapture log_;
};

TEST_F(KeptSpec, IsMeasuredOnceForASignature) {
  EXPECT_EQ(measured_device_spec(backend_)->units, 1);
  EXPECT_EQ(measured_device_spec(backend_)->units, 1);
  EXPECT_EQ(backend_.calibrations, 1);
  CountingBackend same("a device");
  EXPECT_EQ(measured_device_spec(same)->units, 1);
  EXPECT_EQ(same.calibrations, 0);
  CountingBackend other("another device");
  EXPECT_EQ(measured_device_spec(other)->units, 1);
  EXPECT_EQ(other.calibrations, 1);
}

TEST_F(KeptSpec, IsReplacedWhenItIsMeasuredAnew) {
  EXPECT_EQ(measured_device_spec(backend_)->units, 1);
  EXPECT_EQ(calibrate_and_keep(backend_)->units, 2);
  EXPECT_EQ(measured_device_spec(backend_)->units, 2);
}

TEST_F(KeptSpec, IsMeasuredAgainWhenItsFileCannotBeRead) {
  EXPECT_EQ(measured_device_spec(backend_)->units, 1);
  ASSERT_TRUE(write_file(kept_file(), "name = 'of another version'\n"));
  EXPECT_EQ(measured_device_spec(backend_)->units, 2);
  EXPECT_EQ(measured_device_spec(backend_)->units, 2);
}

TEST_F(KeptSpec, IsNotKeptWithoutACache) {
  const test::ScopedEnv off("THALLO_CACHE_DIR", "");
  EXPECT_EQ(measured_device_spec(backend_)->units, 1);
  EXPECT_EQ(measured_device_spec(backend_)->units, 2);
}

TEST(NamedSpec, IsAFileOrAShippedOne) {
  const auto shipped = named_device_spec("h200", "cuda");
  ASSERT_TRUE(shipped) << shipped.error().message();
  EXPECT_EQ(shipped->name, "NVIDIA H200");
  const test::TempDir folder;
  DeviceSpec mine = *shipped;
  mine.name = "mine";
  ASSERT_TRUE(write_device_spec(mine, folder.path() / "mine.toml"));
  EXPECT_EQ(named_device_spec((folder.path() / "mine.toml").string(), "auto")->name, "mine");
  const auto wrong = named_device_spec("h20", "cuda");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(),
              EndsWith("no device spec 'h20'; did you mean 'h200'?; write a name or the path of a "
                       ".toml file (legal: cpu, h100, h200, interpreter, jetson_nano, tesla_k80, "
                       "titan_x_pascal)"));
  EXPECT_THAT(named_device_spec("none.toml", "cuda").error().message(), HasSubstr("none.toml"));
}

TEST(NamedSpec, IsOneOfTheBackend) {
  const auto wrong = named_device_spec("h200", "cpu");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(),
              EndsWith("h200.toml: this is a spec of backend cuda, and the backend is cpu"));
  const test::TempDir folder;
  const std::string file = (folder.path() / "mine,h200.toml").string();
  ASSERT_TRUE(write_device_spec(named_device_spec("h200", "cuda").value(), file));
  EXPECT_EQ(named_device_spec(file, "cuda").value().backend, "cuda");
  EXPECT_THAT(named_device_spec(file, "cpu").error().message(),
              EndsWith("this is a spec of backend cuda, and the backend is cpu"));
  EXPECT_EQ(named_device_spec("cpu,h100,h200", "cuda")->name,
            named_device_spec("h100", "cuda")->name);
  EXPECT_EQ(named_device_spec("cpu,h100", "auto")->backend, "cpu");
  EXPECT_THAT(named_device_spec("cpu,h200", "interpreter").error().message(),
              HasSubstr("cpu.toml: this is a spec of backend cpu, and the backend is interpreter"));
  EXPECT_THAT(named_device_spec("cpu,h20", "cuda").error().message(), HasSubstr("'h20'"));
}

TEST(NamedSpec, IsThatOfTheFlagOrElseOfTheEnvironment) {
  const test::ScopedEnv none("THALLO_DEVICE_SPEC", nullptr);
  EXPECT_THAT(wanted_device_spec(""), IsEmpty());
  EXPECT_EQ(wanted_device_spec("h200"), "h200");
  const test::ScopedEnv some("THALLO_DEVICE_SPEC", "h100");
  EXPECT_EQ(wanted_device_spec(""), "h100");
  EXPECT_EQ(wanted_device_spec("h200"), "h200");
}

TEST(NamedSpec, CanBeEveryShippedOne) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(find_asset("devices").value())) {
    const auto spec = named_device_spec(entry.path().stem().string(), "auto");
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_THAT(spec->signature, IsEmpty()) << "a shipped spec is of no certain device";
    EXPECT_GE(spec->cached_copy, spec->copy) << entry.path();
    EXPECT_GE(spec->launch, spec->node) << entry.path();
    EXPECT_GE(spec->node, spec->programmatic_node) << entry.path();
    EXPECT_GE(spec->float_flops, spec->double_flops) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace thallo
