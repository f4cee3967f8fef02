#include "core/cli/commands/skeleton.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace thallo::cli {
namespace {

// The descriptor of a plugin has room for a name of 63 characters.
constexpr std::size_t MaxNameLength = 48;

std::string class_name(std::string_view name) {
  std::string result;
  bool starts_word = true;
  for (const char c : name) {
    if (c != '_')
      result += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    starts_word = c == '_';
  }
  return result;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

const std::string_view SkeletonCMakeHead = R"(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Where Thallo is installed: -DCMAKE_PREFIX_PATH=DIR.
find_package(Thallo @VERSION@ REQUIRED)

)";

bool is_skeleton_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= MaxNameLength && is_letter(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::vector<SkeletonFile> filled_skeleton(std::vector<SkeletonFile> files, std::string_view name,
                                          std::string_view version) {
  for (SkeletonFile& file : files) {
    file.content = replace_all(std::move(file.content), "@NAME@", name);
    file.content = replace_all(std::move(file.content), "@CLASS@", class_name(name));
    file.content = replace_all(std::move(file.content), "@VERSION@", version);
  }
  return files;
}

}  // namespace thallo::cli
