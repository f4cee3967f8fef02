// thallo new: what it writes, and what it refuses. (tests/package builds what it writes.)
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/cli/thallo_process.h"

namespace thallo::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf, testing::HasSubstr, testing::Not;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CliNew : public testing::Test {
 protected:
  ProcessResult make(const std::string& name, const std::string& what = "problem") const {
    return thallo({"new", what, name, "--dir", folder_.path().string()});
  }
  // That it fails with this message and leaves the folder as it is.
  void expect_refused(const std::string& name, const std::string& message,
                      const std::string& what = "problem") const {
    const auto count = [&] {
      return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
    };
    const auto before = count();
    EXPECT_THAT(refused(make(name, what)).err, HasSubstr(message));
    EXPECT_EQ(count(), before) << name;
  }

  TempDir folder_;
};

TEST_F(CliNew, WritesAProblemWithItsNameThatNeedsNoBuild) {
  const auto result = succeeded(make("tv_denoise2"));
  const fs::path made = folder_.path() / "tv_denoise2";
  for (const char* name : {"CMakeLists.txt", "README.md", "tv_denoise2.cpp", "tv_denoise2.lua"}) {
    EXPECT_THAT(result.out, HasSubstr(name));
    EXPECT_THAT(read_text(made / name), AllOf(HasSubstr("tv_denoise2"), Not(HasSubstr("@"))));
  }
  EXPECT_THAT(read_text(made / "tv_denoise2.cpp"), HasSubstr("class TvDenoise2Problem"));
  ASSERT_EQ(make("smooth").exit_code, Ok);
  succeeded(
      thallo({"run", (folder_.path() / "smooth" / "smooth.lua").string(), "--bind", "A=ramp.0",
              "--bind", "W=4", "--bind", "H=3", "--bind", "w=1", "--backend", "interpreter"}));
}

TEST_F(CliNew, RefusesNamesThatAreNone) {
  for (const char* name : {"TvDenoise", "tv-denoise", "2d", "_x", "a/b", "..", "tv denoise",
                           "\xc3\xa4", "a234567890123456789012345678901234567890123456789"})
    expect_refused(name, "'" + std::string(name) + "' cannot be the name of a problem: it takes");
  expect_refused("tiny", "there is a problem 'tiny' already, in ");
  expect_refused("SkipZeros", "'SkipZeros' cannot be the name of a construct: it takes",
                 "construct");
  expect_refused("materialize", "there is a plugin 'materialize' already, in ", "construct");
  expect_refused("tiny", "there is a problem 'tiny' already, in ", "construct");
  for (const char* name : {"end", "loss", "assume_schedule"})
    expect_refused(name, "because the language has a meaning for the word", "construct");
  expect_refused("clear_reorder", "the construct reorder reads statements of that name",
                 "construct");
  expect_refused("reorder", "there is a plugin 'reorder' already, in ");
}

TEST_F(CliNew, WritesAConstructWithItsName) {
  const auto result = succeeded(make("skip_small", "construct"));
  const fs::path made = folder_.path() / "skip_small";
  for (const char* name : {"CMakeLists.txt", "README.md", "skip_small.cpp", "example.sched"}) {
    EXPECT_THAT(result.out, HasSubstr(name));
    EXPECT_THAT(read_text(made / name), AllOf(HasSubstr("skip_small"), Not(HasSubstr("@"))));
  }
  EXPECT_THAT(read_text(made / "skip_small.cpp"), AllOf(HasSubstr("class SkipSmallConstruct"),
                                                        HasSubstr("THALLO_PLUGIN(\"skip_small\"")));
  EXPECT_THAT(result.out, HasSubstr("--schedule example.sched"));
}

TEST_F(CliNew, OverwritesNothingAndSaysWhatItCannotWrite) {
  fs::create_directory(folder_.path() / "mine");
  const fs::path file = folder_.write("mine/mine.lua", "precious");
  expect_refused("mine", "is there already; nothing is overwritten");
  EXPECT_EQ(read_text(file), "precious");
  folder_.write("plain", "a file");
  expect_refused("plain", "is there already; nothing is overwritten");
  fs::create_symlink(folder_.path() / "nowhere", folder_.path() / "dangling");
  expect_refused("dangling", "is there already; nothing is overwritten");
  EXPECT_THAT(refused(thallo({"new", "problem", "mine", "--dir", "/no/such/folder"})).err,
              HasSubstr("--dir /no/such/folder: there is no such folder"));
  EXPECT_THAT(refused(thallo({"new", "problem", "mine", "--dir", "/proc"})).err,
              HasSubstr("/proc/mine cannot be made: "));
  EXPECT_THAT(refused(thallo({"new", "serach", "mine"})).err,
              HasSubstr("thallo new makes no 'serach'; did you mean 'search'? (legal: "
                        "problem, construct, search, cost_model, energy)"));
}

TEST_F(CliNew, WritesARandomEnergyThatAllCommandsTake) {
  const auto write = [&](const std::string& name) {
    return thallo({"new", "energy", name, "--random", "7", "--dir", folder_.path().string()});
  };
  const auto made = succeeded(write("any"));
  const std::string text = (folder_.path() / "any.lua").string();
  EXPECT_THAT(made.out, AllOf(HasSubstr("any.toml"), HasSubstr("thallo explore " + text)));
  ASSERT_EQ(write("other").exit_code, Ok);
  const std::string of_other = read_text(folder_.path() / "other.lua");
  EXPECT_EQ(read_text(text).substr(read_text(text).find('\n')),
            of_other.substr(of_other.find('\n')));
  EXPECT_THAT(refused(write("any")).err,
              HasSubstr("any.lua is there already; nothing is overwritten"));

  std::vector<std::string> small = {text};
  for (const auto* dim : {"W", "H", "N", "E", "F"})
    if (read_text(folder_.path() / "any.toml").find(std::string("\n") + dim + " = ") !=
        std::string::npos)
      small.insert(small.end(), {"--bind", std::string(dim) + "=6"});
  const auto of = [&](std::vector<std::string> command, std::vector<std::string> flags) {
    command.insert(command.end(), small.begin(), small.end());
    command.insert(command.end(), flags.begin(), flags.end());
    return thallo(command);
  };
  EXPECT_THAT(of({"print", "energy"}, {}).out, HasSubstr("residual "));
  const auto checked = of({"check"}, {"--check-points", "5"});
  EXPECT_EQ(checked.exit_code, Ok) << checked.out << checked.err;
  succeeded(of({"run"}, {"--backend", "interpreter", "--json"}));
  EXPECT_THAT(of({"explore"}, {"--count"}).out, HasSubstr("schedules"));
}

TEST_F(CliNew, SaysWhatARandomEnergyNeeds) {
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "new");
    arguments.insert(arguments.end(), {"--dir", folder_.path().string()});
    const auto result = thallo(arguments);
    EXPECT_NE(result.exit_code, Ok);
    EXPECT_TRUE(fs::is_empty(folder_.path()));
    return result.err;
  };
  EXPECT_THAT(refused({"energy", "mine"}), HasSubstr("say which one, e.g. --random 1"));
  EXPECT_THAT(refused({"energy", "mine", "--random", "first"}), HasSubstr("--random"));
  EXPECT_THAT(refused({"energy", "Mine", "--random", "1"}),
              HasSubstr("'Mine' cannot be the name of an energy"));
  EXPECT_THAT(refused({"energy", "tiny", "--random", "1"}),
              HasSubstr("there is a problem 'tiny' already"));
  EXPECT_THAT(refused({"search", "mine", "--random", "1"}),
              HasSubstr("a search is not made at random; an energy is"));
}

TEST_F(CliNew, WritesASearchAndACostModel) {
  const auto search = succeeded(make("patient", "search"));
  EXPECT_THAT(search.out, HasSubstr("plugins explore image_warping --search patient"));
  EXPECT_THAT(read_text(folder_.path() / "patient" / "patient.cpp"),
              AllOf(HasSubstr("registrar.add<Search>(\"patient\""), Not(HasSubstr("@"))));
  const auto model = succeeded(make("by_bytes", "cost_model"));
  EXPECT_THAT(model.out,
              HasSubstr("plugins explain image_warping --schedule auto --model by_bytes"));
  EXPECT_THAT(read_text(folder_.path() / "by_bytes" / "by_bytes.cpp"),
              AllOf(HasSubstr("class ByBytesModel"), Not(HasSubstr("@"))));
  expect_refused("greedy", "there is a search 'greedy' already, in thallo", "search");
  expect_refused("roofline", "there is a cost model 'roofline' already, in thallo", "cost_model");
}

}  // namespace
}  // namespace thallo::test
