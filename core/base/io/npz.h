// NumPy archives (.npz): named arrays in a ZIP file, stored (numpy.savez) or deflated
// (numpy.savez_compressed).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/npy.h"

namespace thallo {

// A file within a ZIP file, as described by its directory.
struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;  // CRC-32
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // of the local header before the data
};

class NpzArchive {
 public:
  NpzArchive(std::filesystem::path file, std::string_view content, std::vector<ZipMember> arrays)
      : file_(std::move(file)),
        content_(std::make_shared<const std::string>(content)),
        arrays_(std::move(arrays)) {}

  std::size_t num_arrays() const { return arrays_.size(); }
  // Returns the name that numpy.savez(file, name=array) would use.
  std::string name(std::size_t i) const;
  // Unpacks an array. Errors refer to it as "file.npz:name".
  Expected<NpyArray> array(std::size_t i) const;

 private:
  std::filesystem::path file_;
  std::shared_ptr<const std::string> content_;
  std::vector<ZipMember> arrays_;
};

bool is_npz(std::string_view content);
// Copies the content and unpacks nothing yet.
Expected<NpzArchive> parse_npz(const std::filesystem::path& name, std::string_view content);

}  // namespace thallo
