#include "core/cli/commands/skeleton.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/io/file.h"

namespace thallo::cli {
namespace {

namespace fs = std::filesystem;

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

bool is_skeleton_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= MaxNameLength && is_letter(name.front()) &&
         std::ranges::all_of(
             name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::vector<SkeletonFile> filled_skeleton(std::string_view what, std::string_view name,
                                          std::string_view version) {
  const fs::path folder = fs::path("templates") / what;
  std::vector<SkeletonFile> files;
  std::error_code error;  // no such folder has no files
  const fs::directory_iterator templates(find_asset(folder).value_or(fs::path()), error);
  for (const fs::directory_entry& entry : templates) {
    auto content = read_file(entry.path());
    if (!content) throw UserError(content.error());
    content = replace_all(std::move(*content), "@NAME@", name);
    content = replace_all(std::move(*content), "@CLASS@", class_name(name));
    content = replace_all(std::move(*content), "@VERSION@", version);
    files.push_back({replace_all(entry.path().stem().string(), "NAME", name), std::move(*content)});
  }
  if (files.empty())
    throw UserError(fmt::format("the templates of Thallo are not installed: there is no {}",
                                ("share/thallo" / folder).string()));
  std::ranges::sort(files, {}, &SkeletonFile::name);
  return files;
}

}  // namespace thallo::cli
