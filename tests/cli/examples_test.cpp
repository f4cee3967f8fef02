// The examples that the helps show: none is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

// The help of "" is that of the program.
const std::vector<std::string> Commands = {"",        "problems", "solve",   "run",    "check",
                                           "print",   "explain",  "explore", "verify", "new",
                                           "plugins", "devices",  "bench"};

// The command lines of a help, without "thallo" and what is said of them behind two blanks.
std::vector<std::string> examples_of(const std::string& command) {
  std::vector<std::string> examples;
  std::vector<std::string> arguments = {"--help"};
  if (!command.empty()) arguments.insert(arguments.begin(), command);
  std::istringstream help(thallo(arguments).out);
  for (std::string line; std::getline(help, line);) {
    constexpr std::string_view Start = "  thallo ";
    if (line.starts_with(Start))
      examples.push_back(line.substr(0, line.find("  ", Start.size())).substr(Start.size()));
  }
  return examples;
}

bool needs_or_writes_a_file(const std::string& example) {
  constexpr std::array Signs = {".lua", ".bz2", "--nist", "--out", "new "};
  return std::ranges::any_of(
      Signs, [&](const char* sign) { return example.find(sign) != std::string::npos; });
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Takes seconds: it alone finds an example in a help that its command refuses.
//
// What is wrong with arguments is said at once; what is still at work after a second was not
// refused.
TEST(CliExamples, AreNotRefused) {
  const TempDir folder;  // for the files that they make
  int num_run = 0;
  for (const std::string& command : Commands) {
    for (const std::string& example : examples_of(command)) {
      if (needs_or_writes_a_file(example)) continue;
      std::vector<std::string> arguments = words(example);
      // Others would be ended while they compile.
      if ((arguments.front() == "solve" || arguments.front() == "verify") &&
          std::ranges::find(arguments, "--backend") == arguments.end())
        arguments.insert(arguments.end(), {"--backend", "interpreter"});
      arguments.insert(arguments.begin(),
                       {"/usr/bin/env", "-C", folder.path().string(), THALLO_PROGRAM});
      const ProcessResult result =
          run_process(arguments, {"THALLO_LOG=warn"}, std::chrono::seconds(1));
      EXPECT_NE(result.exit_code, User) << "thallo " << example << "\n" << result.err;
      ++num_run;
    }
  }
  EXPECT_GE(num_run, 12);
}

}  // namespace
}  // namespace thallo::test
