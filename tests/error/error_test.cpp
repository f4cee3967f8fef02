// Runs the files *.case of four folders: a text that must be refused, and the message it must be
// refused with.
//
//   energy/         an energy text
//   schedule/       an energy text that loads, but whose schedule is not legal
//   schedule_file/  a schedule file
//   pins/           an energy text that loads, but whose schedule cannot be pinned
//
// A file is
//
//   # name: wrong_rank
//   # description: a field read with one index too few
//   <text; its first line is line 1>
//   ----
//   <message>
//
// THALLO_UPDATE_GOLDEN=1 writes the messages that were found into the files; review the difference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/frontend/schedule_text.h"
#include "core/language/load_energy.h"
#include "core/schedule/pins.h"
#include "core/schedule/schedule_reader.h"
#include "tests/support/loaded_constructs.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string header;  // the lines that begin with '#'
  std::string input;
  std::string expected;
};

Case read_case(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::size_t begin = 0;
  while (begin < text.size() && text[begin] == '#')
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  constexpr std::string_view Separator = "\n----\n";
  const std::size_t end = std::min(text.find(Separator, begin), text.size());
  Case result{text.substr(0, begin), text.substr(begin, end - begin), {}};
  if (end < text.size()) result.expected = text.substr(end + Separator.size());
  while (result.expected.ends_with('\n')) result.expected.pop_back();
  return result;
}

std::vector<fs::path> find_cases(const char* folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(THALLO_ERROR_CASES) / folder, error))
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

// The message of what was read from the text of a case; "" when it was taken.
template <class T>
std::string message_of(const Expected<T>& read) {
  return read ? "" : read.error().message();
}
std::string energy_message(const std::string& text) {
  return message_of(load_energy_text(text, "energy.lua"));
}
std::string schedule_message(const std::string& text) {
  const auto loaded = load_energy_text(text, "energy.lua");
  EXPECT_TRUE(loaded) << loaded.error().message();
  if (!loaded) return "";
  return message_of(read_schedule(loaded->energy, loaded->schedule, test::loaded_constructs()));
}
std::string pins_message(const std::string& text) {
  const auto loaded = load_energy_text(text, "energy.lua");
  EXPECT_TRUE(loaded) << loaded.error().message();
  if (!loaded) return "";
  return message_of(
      read_pins(loaded->energy, loaded->schedule, test::loaded_constructs(), "energy.lua"));
}
std::string schedule_file_message(const std::string& text) {
  return message_of(load_schedule_text(text, "energy.sched"));
}

void expect_refused(const fs::path& path, std::string (*read)(const std::string&)) {
  const Case found = read_case(path);
  EXPECT_NE(found.header.find("# name: " + path.stem().string() + "\n"), std::string::npos);
  EXPECT_NE(found.header.find("# description: "), std::string::npos);
  const std::string message = read(found.input);
  ASSERT_NE(message, "") << "the text is taken";
  if (std::getenv("THALLO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << found.header << found.input << "\n----\n"
                                          << message << "\n";
  } else {
    EXPECT_EQ(message, found.expected);
  }
}

std::string stem_of(const testing::TestParamInfo<fs::path>& tested) {
  return tested.param.stem().string();
}

class EnergyText : public testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EnergyText);
TEST_P(EnergyText, IsRefused) { expect_refused(GetParam(), energy_message); }
INSTANTIATE_TEST_SUITE_P(Cases, EnergyText, testing::ValuesIn(find_cases("energy")), stem_of);

class ScheduleText : public testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScheduleText);
TEST_P(ScheduleText, IsRefused) { expect_refused(GetParam(), schedule_message); }
INSTANTIATE_TEST_SUITE_P(Cases, ScheduleText, testing::ValuesIn(find_cases("schedule")), stem_of);

class ScheduleFileText : public testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScheduleFileText);
TEST_P(ScheduleFileText, IsRefused) { expect_refused(GetParam(), schedule_file_message); }
INSTANTIATE_TEST_SUITE_P(Cases, ScheduleFileText, testing::ValuesIn(find_cases("schedule_file")),
                         stem_of);

class PinsText : public testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PinsText);
TEST_P(PinsText, IsRefused) { expect_refused(GetParam(), pins_message); }
INSTANTIATE_TEST_SUITE_P(Cases, PinsText, testing::ValuesIn(find_cases("pins")), stem_of);

}  // namespace
}  // namespace thallo
