#include "core/cost/device/spec_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <variant>

#include "core/base/io/file.h"
#include "core/cost/device/spec_fields.h"
#include "tests/cost/sample_spec.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using test::sample_spec;
using testing::EndsWith, testing::HasSubstr, testing::StartsWith;

bool operator==(const RateCurve& a, const RateCurve& b) {
  return std::ranges::equal(a.points(), b.points(), [](const auto& p, const auto& q) {
    return p.size == q.size && p.rate == q.rate;
  });
}

class SpecFile : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_device_spec(sample_spec(), path()));
    text_ = read_file(path()).value();
  }
  std::filesystem::path path() const { return folder_.path() / "device.toml"; }

  // The message for the sample file in which the line of a key is replaced ("": taken away).
  std::string message_with(const std::string& key, const std::string& line) const {
    const std::string changed =
        std::regex_replace(text_, std::regex("\n" + key + " = [^\n]*\n"), "\n" + line + "\n");
    EXPECT_NE(changed, text_) << key;
    folder_.write("device.toml", changed);
    const auto spec = read_device_spec(path());
    return spec ? "no fault" : spec.error().message();
  }

  test::TempDir folder_;
  std::string text_;
};

TEST_F(SpecFile, IsTheSameAsATextAndReadBackAsItWasWritten) {
  EXPECT_EQ(device_spec_text(sample_spec()), text_);
  auto spec = parse_device_spec(text_, "sent.toml");
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(device_spec_text(*spec), text_);
  const auto broken = parse_device_spec("name = ", "sent.toml");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message(), StartsWith("sent.toml:1: "));
  spec = read_device_spec(path());
  ASSERT_TRUE(spec) << spec.error().message();
  const DeviceSpec written = sample_spec();
  for (const SpecField& field : spec_fields()) {
    EXPECT_TRUE(
        std::visit([&](auto member) { return (*spec).*member == written.*member; }, field.member))
        << field.name;
  }
  EXPECT_THAT(text_, HasSubstr("\n# B/s: read and written, arrays far larger than the cache\n"
                               "copy = "));
}

TEST_F(SpecFile, HasEveryFieldAndNoOther) {
  for (const SpecField& field : spec_fields()) {
    const std::string message = message_with(std::string(field.name), "");
    EXPECT_THAT(message, StartsWith(path().string() + ": a device spec must have '"));
    EXPECT_THAT(message, HasSubstr("'" + std::string(field.name) + "' ("));
  }
  EXPECT_THAT(message_with("copy", ""),
              EndsWith("a device spec must have 'copy' (B/s; read and written, arrays far larger "
                       "than the cache), and this has not"));
  EXPECT_THAT(
      message_with("copy", "cpoy = 3"),
      testing::ContainsRegex("device.toml:[0-9]+: unknown key 'cpoy'; did you mean 'copy'\\? "
                             "\\(legal: name, backend, "));
}

TEST_F(SpecFile, RefusesValuesThatAreNone) {
  EXPECT_THAT(message_with("copy", "copy = 0"),
              EndsWith("'copy' must be a positive number, and is 0"));
  EXPECT_THAT(message_with("read", "read = -4e12"),
              EndsWith("'read' must be a positive number, and is -4000000000000"));
  EXPECT_THAT(message_with("node", "node = inf"),
              EndsWith("'node' must be a positive number, and is inf"));
  EXPECT_THAT(message_with("launch", "launch = '4 us'"),
              EndsWith("'launch' must be a positive number"));
  EXPECT_THAT(message_with("library", "library = -1.0"),
              EndsWith("'library' must be a positive number or 0, and is -1"));
  EXPECT_EQ(message_with("library", "library = 0"), "no fault");
  const std::string form = "'gather' must be a list of pairs [size, rate of that size]";
  EXPECT_THAT(message_with("gather", "gather = 3e12"), EndsWith(form));
  EXPECT_THAT(message_with("gather", "gather = [3, 4]"), EndsWith(form));
  EXPECT_THAT(message_with("gather", "gather = [[3, 4, 5]]"), EndsWith(form));
  EXPECT_THAT(message_with("gather", "gather = [[3, 'x']]"), EndsWith(form));
  EXPECT_THAT(message_with("gather", "gather = []"), EndsWith("'gather': it has no point"));
  EXPECT_THAT(message_with("gather", "gather = [[192, 1e9], [32, 2e9]]"),
              EndsWith("'gather': size 32 follows size 192; sizes must ascend"));
  EXPECT_THAT(message_with("atomic", "atomic = [[1, 0]]"),
              EndsWith("'atomic': rate 0 is not positive"));
}

TEST_F(SpecFile, RefusesTextsThatAreNone) {
  EXPECT_THAT(message_with("backend", "backend = 3"),
              EndsWith("'backend' must be a text that is not empty"));
  EXPECT_THAT(message_with("name", "name = ''"),
              EndsWith("'name' must be a text that is not empty"));
  EXPECT_EQ(message_with("signature", "signature = ''"), "no fault");
  folder_.write("device.toml", "name = 'x'\ncopy =\n");
  const auto spec = read_device_spec(path());
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message(), StartsWith(path().string() + ":2: "));
  EXPECT_THAT(read_device_spec(folder_.path() / "none.toml").error().message(),
              HasSubstr("none.toml"));
}

}  // namespace
}  // namespace thallo
