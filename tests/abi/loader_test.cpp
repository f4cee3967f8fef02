#include "core/plugin/loader.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/log.h"
#include "core/plugin/abi.h"
#include "tests/abi/widget.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using test::Widget;
using testing::ElementsAre, testing::IsEmpty, testing::SizeIs;

// A folder of links to test plugins, and a host with a registry of widgets.
class PluginLoader : public testing::Test {
 protected:
  PluginLoader() { registries_.offer(widgets_); }

  // Puts a test plugin into the folder, under its own or another name.
  fs::path put(const std::string& plugin, const std::string& as = "") {
    const fs::path link = folder_.path() / ((as.empty() ? plugin : as) + ".thallo.so");
    fs::create_symlink(fs::path(THALLO_TEST_PLUGINS) / (plugin + ".thallo.so"), link);
    return link;
  }
  PluginReport load() { return load_plugins({{folder_.path(), "test"}}, registries_); }
  std::string message_of(const PluginReport& report) {
    EXPECT_THAT(report.failures, SizeIs(1));
    return report.failures.empty() ? "" : report.failures.front().message;
  }
  std::string in_folder(const std::string& text) { return folder_.path().string() + "/" + text; }

  test::TempDir folder_;
  Registry<Widget> widgets_{"widget"};
  RegistrySet registries_;
  LogCapture log_;
};

TEST_F(PluginLoader, RegistersAGoodPlugin) {
  put("good");
  const PluginReport report = load();
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_THAT(report.loaded, SizeIs(1));
  EXPECT_EQ(report.loaded[0].name, "good");
  EXPECT_EQ(report.loaded[0].version, "1.2.0");
  EXPECT_EQ(report.loaded[0].core_build, core_build_id());
  EXPECT_THAT(report.loaded[0].adds, ElementsAre("widget good"));
  ASSERT_NE(widgets_.find("good"), nullptr);
  EXPECT_EQ(widgets_.find("good")->speak(), folder_.path().string());
  EXPECT_EQ(widgets_.find_entry("good")->provenance, in_folder("good.thallo.so (1.2.0)"));
}

TEST_F(PluginLoader, AnUnknownNameIsAnsweredWithTheLoadedOnes) {
  put("good");
  load();
  const auto found = widgets_.lookup("gold");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message(), "no widget 'gold'; did you mean 'good'? (loaded: good)");
}

TEST_F(PluginLoader, LoadsByNameAndNeverFromSubfolders) {
  put("good", "b");
  put("throws", "a");
  put("throws_number", "c");
  put("good", "c_without_suffix.so");  // becomes c_without_suffix.so.thallo.so
  fs::rename(in_folder("c_without_suffix.so.thallo.so"), in_folder("c_without_suffix.so"));
  fs::create_directory(folder_.path() / "below");
  fs::create_directory(folder_.path() / "folder.thallo.so");
  fs::create_symlink(THALLO_TEST_PLUGINS "/returns_error.thallo.so",
                     folder_.path() / "below" / "returns_error.thallo.so");
  const PluginReport report = load();
  ASSERT_THAT(report.loaded, SizeIs(1));
  ASSERT_THAT(report.failures, SizeIs(2));
  EXPECT_EQ(report.failures[0].path, in_folder("a.thallo.so"));
  EXPECT_EQ(report.failures[1].path, in_folder("c.thallo.so"));
}

TEST_F(PluginLoader, AFileMetTwiceIsLoadedOnce) {
  put("good");
  const PluginFolder folder{folder_.path(), "test"};
  const PluginReport report = load_plugins({folder, folder}, registries_);
  EXPECT_THAT(report.loaded, SizeIs(1));
  EXPECT_THAT(report.failures, IsEmpty());
}

TEST_F(PluginLoader, AnAbsentFolderIsNoFailureButAWarningWhereSomebodyNamedIt) {
  const PluginReport report = load_plugins(
      {{"/no/such/folder", "--plugin-path"}, {"/not/this/one", "built in"}}, registries_);
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_THAT(report.folders, SizeIs(2));
  ASSERT_THAT(log_.records(), SizeIs(1));
  EXPECT_EQ(log_.records()[0].text,
            "/no/such/folder: no such folder, though --plugin-path names it");
}

TEST_F(PluginLoader, FailuresAreLoggedAsWarnings) {
  put("no_section");
  const PluginReport report = load();
  ASSERT_THAT(log_.records(), SizeIs(1));
  EXPECT_EQ(log_.records()[0].level, LogLevel::Warn);
  EXPECT_EQ(log_.records()[0].text, message_of(report));
}

TEST_F(PluginLoader, LibraryWithoutTheSectionIsNoPlugin) {
  put("no_section");
  const PluginReport report = load();
  EXPECT_EQ(message_of(report),
            in_folder("no_section.thallo.so: not a plugin (no section '.thallo_plugin'). Was it "
                      "built with thallo_add_plugin()?"));
  EXPECT_EQ(report.failures[0].stage, PluginStage::Descriptor);
}

TEST_F(PluginLoader, TextFileIsNoPlugin) {
  folder_.write("text.thallo.so", "int main() {}\n");
  EXPECT_EQ(message_of(load()),
            in_folder("text.thallo.so: not a plugin (not an ELF file). Was it built with "
                      "thallo_add_plugin()?"));
}

TEST_F(PluginLoader, TruncatedLibraryIsNoPlugin) {
  std::ifstream in(THALLO_TEST_PLUGINS "/good.thallo.so", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  folder_.write("cut.thallo.so", good.substr(0, 1000));
  EXPECT_THAT(message_of(load()),
              testing::MatchesRegex(
                  in_folder("cut.thallo.so: not a plugin \\(truncated ELF file: its section "
                            "headers should be [0-9]+ bytes at [0-9]+, but the file has 1000 "
                            "bytes\\)\\. Was it built with thallo_add_plugin\\(\\)\\?")));
}

TEST_F(PluginLoader, OtherAbiIsRefusedUnopened) {
  put("other_abi");
  const PluginReport report = load();
  EXPECT_EQ(message_of(report),
            in_folder("other_abi.thallo.so: built for plugin ABI 3, this thallo speaks ABI 2. "
                      "Rebuild it."));
  EXPECT_EQ(report.failures[0].stage, PluginStage::Versions);
  EXPECT_EQ(std::getenv("THALLO_TEST_OPENED"), nullptr);
}

TEST_F(PluginLoader, OtherBuildIsRefusedUnopenedWithBothVersions) {
  put("other_build");
  EXPECT_EQ(message_of(load()),
            in_folder("other_build.thallo.so: built against core 0.0.1+11ab0000 (g++ 11.1.0), this "
                      "is " THALLO_CORE_BUILD_ID ". C++ plugins must match exactly; rebuild it."));
  EXPECT_EQ(std::getenv("THALLO_TEST_OPENED"), nullptr);
}

TEST_F(PluginLoader, UndefinedSymbolIsNamedDemangled) {
  put("undefined_symbol");
  const PluginReport report = load();
  EXPECT_EQ(message_of(report),
            in_folder("undefined_symbol.thallo.so: cannot be loaded: undefined symbol "
                      "thallo::vanished_function(int). Rebuild it against this thallo."));
  EXPECT_EQ(report.failures[0].stage, PluginStage::Load);
}

TEST_F(PluginLoader, DescriptorWithoutFunctionCannotBeLoaded) {
  put("no_function");
  EXPECT_EQ(message_of(load()),
            in_folder("no_function.thallo.so: cannot be loaded: it has no function "
                      "thallo_register_into. Use THALLO_PLUGIN()."));
}

TEST_F(PluginLoader, WhatIsNeededAndMissingIsNamed) {
  put("good");
  put("needs_missing");
  const PluginReport report = load();
  EXPECT_EQ(message_of(report),
            in_folder("needs_missing.thallo.so: needs construct 'split_merge', which no loaded "
                      "plugin provides (searched: ") +
                folder_.path().string() + ")");
  EXPECT_EQ(report.failures[0].stage, PluginStage::Needs);
}

TEST_F(PluginLoader, WhatIsNeededMayComeFromALaterPlugin) {
  put("needs_good", "a_needs_good");
  put("good", "b_good");
  const PluginReport report = load();
  EXPECT_THAT(report.failures, IsEmpty());
  ASSERT_THAT(report.loaded, SizeIs(2));
  EXPECT_EQ(report.loaded[0].name, "good");
  EXPECT_EQ(widgets_.find("listener")->speak(), "heard " + folder_.path().string());
}

TEST_F(PluginLoader, ANameThatIsTakenIsRefusedWithItsOwner) {
  put("good", "a_good");
  put("duplicate", "b_duplicate");
  const PluginReport report = load();
  EXPECT_EQ(message_of(report),
            in_folder("b_duplicate.thallo.so: widget 'good' is already provided by ") +
                in_folder("a_good.thallo.so (1.2.0); ignored."));
  EXPECT_EQ(report.failures[0].stage, PluginStage::Register);
  EXPECT_THAT(widgets_.names(), ElementsAre("good")) << "registration is all or nothing";
}

TEST_F(PluginLoader, ASecondPluginOfTheSameNameIsRefused) {
  put("good", "a_good");
  put("good_again", "b_good");
  EXPECT_EQ(message_of(load()),
            in_folder("b_good.thallo.so: plugin 'good' is already provided by ") +
                in_folder("a_good.thallo.so (1.2.0); ignored."));
  EXPECT_THAT(widgets_.names(), ElementsAre("good"));
}

TEST_F(PluginLoader, AnExceptionWhileRegisteringIsItsText) {
  put("throws");
  EXPECT_EQ(message_of(load()),
            in_folder("throws.thallo.so: registration failed: the tables were not found"));
  EXPECT_TRUE(widgets_.empty()) << "registration is all or nothing";
}

TEST_F(PluginLoader, AnythingThrownStaysInThePlugin) {
  put("throws_number");
  EXPECT_EQ(message_of(load()), in_folder("throws_number.thallo.so: registration failed: an "
                                          "exception that is no std::exception"));
}

TEST_F(PluginLoader, AnErrorReturnedIsItsText) {
  put("returns_error");
  EXPECT_EQ(message_of(load()),
            in_folder("returns_error.thallo.so: registration failed: no license for widgets"));
}

TEST_F(PluginLoader, AKindTheProgramDoesNotHaveIsNamed) {
  put("no_registry");
  EXPECT_EQ(message_of(load()),
            in_folder("no_registry.thallo.so: registration failed: this program has no registry of "
                      "gadgets::Gadget"));
}

TEST_F(PluginLoader, OneBadPluginDoesNotStopTheOthers) {
  for (const char* plugin : {"no_section", "other_abi", "other_build", "undefined_symbol", "throws",
                             "returns_error", "needs_missing", "good"}) {
    put(plugin);
  }
  const PluginReport report = load();
  EXPECT_THAT(report.failures, SizeIs(7));
  EXPECT_THAT(widgets_.names(), ElementsAre("good"));
}

TEST(PluginFolders, CommandLineThenEnvironmentThenBuiltIn) {
  setenv("THALLO_PLUGIN_PATH", "/from/environment::/second", 1);
  const std::vector<std::string> command_line = {"/from/command_line"};
  const auto folders = plugin_folders(command_line);
  unsetenv("THALLO_PLUGIN_PATH");
  ASSERT_THAT(folders, SizeIs(5));
  EXPECT_EQ(folders[0].path, "/from/command_line");
  EXPECT_EQ(folders[0].origin, "the option 'plugin_path'");
  EXPECT_EQ(folders[1].path, "/from/environment");
  EXPECT_EQ(folders[1].origin, "THALLO_PLUGIN_PATH");
  EXPECT_EQ(folders[2].path, "/second");
  EXPECT_EQ(folders[3].path, fs::canonical(THALLO_LIB_DIR) / "thallo" / "plugins");
  EXPECT_EQ(folders[4].path, fs::canonical(THALLO_LIB_DIR) / "thallo" / "problems");
}

TEST(RegisterGuarded, CutsTheTextToTheGivenSize) {
  RegistrySet registries;
  Registrar registrar(registries, "/folder", "test");
  char error[5];
  const auto complain = [](Registrar&) -> Expected<void> { return fail("much too long"); };
  EXPECT_EQ(detail::register_guarded(complain, registrar, error, sizeof(error)), 1);
  EXPECT_STREQ(error, "much");
}

}  // namespace
}  // namespace thallo
