#include "core/base/io/npz.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <boost/crc.hpp>

#include "core/base/io/file.h"

namespace thallo {
namespace {

using namespace std::literals;

// The records of a ZIP file, by the specification of PKWARE (APPNOTE.TXT). Each begins with a
// signature and has a part of fixed size, of so many bytes.
constexpr std::string_view LocalHeader = "PK\3\4"sv;
constexpr std::string_view DirectoryEntry = "PK\1\2"sv;
constexpr std::string_view EndOfDirectory = "PK\5\6"sv;
constexpr std::string_view Locator64 = "PK\6\7"sv;
constexpr std::string_view EndOfDirectory64 = "PK\6\6"sv;
constexpr std::size_t LocalBytes = 30, EntryBytes = 46, EndBytes = 22, LocatorBytes = 20,
                      End64Bytes = 56;

// Stands for a number that a record of 64 bits has.
constexpr std::uint32_t In64 = std::numeric_limits<std::uint32_t>::max();

template <class T>
T load(std::string_view record, std::size_t at) {
  T value{};
  std::memcpy(&value, record.data() + at, sizeof(T));
  return value;
}

// The record that begins there, "" where there is no such record.
std::string_view record_at(std::string_view content, std::uint64_t at, std::string_view signature,
                           std::size_t num_bytes) {
  if (at > content.size() || content.size() - at < num_bytes) return {};
  const std::string_view record = content.substr(at, num_bytes);
  return record.starts_with(signature) ? record : std::string_view();
}

class ZipParser {
 public:
  ZipParser(const std::filesystem::path& file, std::string_view content)
      : file_(file), content_(content) {}

  Expected<std::vector<ZipMember>> parse() {
    if (!find_directory())
      return fail_at({file_}, "is truncated: the list of its arrays is absent");
    std::vector<ZipMember> members;
    for (std::uint64_t i = 0; i < num_members_; ++i) {
      ZipMember member;
      if (!parse_member(member)) {
        return fail_at({file_}, "is damaged: entry {} (of {}) of the list of its arrays is none", i,
                       num_members_);
      }
      members.push_back(std::move(member));
    }
    return members;
  }

 private:
  // Sets where the directory begins and how many entries it has.
  bool find_directory() {
    // A comment may follow the record.
    const std::size_t at = content_.rfind(EndOfDirectory);
    const std::string_view end = record_at(content_, at, EndOfDirectory, EndBytes);
    if (end.empty()) return false;
    num_members_ = load<std::uint16_t>(end, 10);
    at_ = load<std::uint32_t>(end, 16);
    if (at < LocatorBytes) return true;
    const std::string_view locator =
        record_at(content_, at - LocatorBytes, Locator64, LocatorBytes);
    if (locator.empty()) return true;
    const std::string_view end64 =
        record_at(content_, load<std::uint64_t>(locator, 8), EndOfDirectory64, End64Bytes);
    if (end64.empty()) return false;
    num_members_ = load<std::uint64_t>(end64, 32);
    at_ = load<std::uint64_t>(end64, 48);
    return true;
  }

  bool parse_member(ZipMember& member) {
    const std::string_view entry = record_at(content_, at_, DirectoryEntry, EntryBytes);
    if (entry.empty()) return false;
    const std::size_t name_bytes = load<std::uint16_t>(entry, 28);
    const std::size_t extra_bytes = load<std::uint16_t>(entry, 30);
    const std::size_t comment_bytes = load<std::uint16_t>(entry, 32);
    const std::string_view rest = content_.substr(at_ + EntryBytes);
    if (rest.size() < name_bytes + extra_bytes + comment_bytes) return false;
    at_ += EntryBytes + name_bytes + extra_bytes + comment_bytes;
    member.name = rest.substr(0, name_bytes);
    member.flags = load<std::uint16_t>(entry, 8);
    member.method = load<std::uint16_t>(entry, 10);
    member.checksum = load<std::uint32_t>(entry, 16);
    member.packed_bytes = load<std::uint32_t>(entry, 20);
    member.bytes = load<std::uint32_t>(entry, 24);
    member.offset = load<std::uint32_t>(entry, 42);
    return read_sizes64(rest.substr(name_bytes, extra_bytes), member);
  }

  // Those numbers that do not fit into 32 bits stand in an extra field, in this order.
  static bool read_sizes64(std::string_view extra, ZipMember& member) {
    constexpr std::uint16_t Sizes64 = 1;
    while (extra.size() >= 4) {
      const auto kind = load<std::uint16_t>(extra, 0);
      const std::size_t num_bytes = load<std::uint16_t>(extra, 2);
      extra.remove_prefix(4);
      if (extra.size() < num_bytes) return false;
      std::string_view field = extra.substr(0, num_bytes);
      extra.remove_prefix(num_bytes);
      if (kind != Sizes64) continue;
      for (std::uint64_t* number : {&member.bytes, &member.packed_bytes, &member.offset}) {
        if (*number != In64) continue;
        if (field.size() < sizeof(*number)) return false;
        *number = load<std::uint64_t>(field, 0);
        field.remove_prefix(sizeof(*number));
      }
    }
    return true;
  }

  const std::filesystem::path& file_;
  std::string_view content_;
  std::uint64_t at_ = 0;
  std::uint64_t num_members_ = 0;
};

Expected<std::string> unpack(const std::filesystem::path& name, std::string_view content,
                             const ZipMember& member) {
  constexpr std::uint16_t IsEncrypted = 1, Stored = 0, Deflated = 8;
  if ((member.flags & IsEncrypted) != 0) return fail_at({name}, "is encrypted");
  if (member.method != Stored && member.method != Deflated) {
    return fail_at({name}, "is packed by method {} of ZIP; stored (0) and deflated (8) can be read",
                   member.method);
  }
  const std::string_view header = record_at(content, member.offset, LocalHeader, LocalBytes);
  if (header.empty()) return fail_at({name}, "is damaged: no data begin at {}", member.offset);
  const std::uint64_t begin = member.offset + LocalBytes + load<std::uint16_t>(header, 26) +
                              load<std::uint16_t>(header, 28);
  if (begin > content.size() || content.size() - begin < member.packed_bytes) {
    return fail_at({name}, "is truncated: {} bytes should follow at {}, of {} bytes in the file",
                   member.packed_bytes, begin, content.size());
  }
  const std::string_view packed = content.substr(begin, member.packed_bytes);
  THALLO_TRY(auto bytes, member.method == Deflated ? inflate(name, packed, member.bytes)
                                                   : Expected<std::string>(packed));
  boost::crc_32_type checksum;
  checksum.process_bytes(bytes.data(), bytes.size());
  if (checksum.checksum() != member.checksum)
    return fail_at({name}, "is damaged: its checksum is {:08x}, but {:08x} in the list",
                   checksum.checksum(), member.checksum);
  return bytes;
}

}  // namespace

std::string NpzArchive::name(std::size_t i) const {
  const std::string_view name = arrays_[i].name;
  return std::string(name.substr(0, name.rfind('.')));
}

Expected<NpyArray> NpzArchive::array(std::size_t i) const {
  const std::filesystem::path path = fmt::format("{}:{}", file_.string(), name(i));
  THALLO_TRY(const auto bytes, unpack(path, *content_, arrays_[i]));
  return parse_npy(path, bytes);
}

bool is_npz(std::string_view content) {
  return content.starts_with(LocalHeader) || content.starts_with(EndOfDirectory);
}

Expected<NpzArchive> parse_npz(const std::filesystem::path& name, std::string_view content) {
  THALLO_TRY(auto members, ZipParser(name, content).parse());
  std::erase_if(members, [](const ZipMember& member) { return !member.name.ends_with(".npy"); });
  if (members.empty()) return fail_at({name}, "is a ZIP file without arrays (.npy)");
  return NpzArchive(name, content, std::move(members));
}

}  // namespace thallo
