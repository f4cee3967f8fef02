// A folder for the files of one test, removed with everything in it at the end of the scope.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace thallo::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file with this content and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace thallo::test
