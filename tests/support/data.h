// Real data for tests. They are not part of the repository: THALLO_DATA_DIR names the folder; when
// it is not set, ../shared/data beside the source tree (or shared/data in the current folder) is
// taken if it exists, and THALLO_DATA_DIR is set to it. Tests that need a file skip by name without
// it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace thallo::test {

// Sets THALLO_DATA_DIR where it can; called by main().
void find_data_folder();

// The path of "bal/dubrovnik-3-7-pre.txt" below THALLO_DATA_DIR, if the file or folder is there.
std::optional<std::filesystem::path> find_data(const std::string& name);

}  // namespace thallo::test

// Declares a path variable, or skips the test naming the file that is absent.
#define THALLO_REQUIRE_DATA(variable, name)                                        \
  const auto variable##_found = ::thallo::test::find_data(name);                   \
  if (!variable##_found) GTEST_SKIP() << "no " << (name) << " in THALLO_DATA_DIR"; \
  const std::filesystem::path variable = *variable##_found
