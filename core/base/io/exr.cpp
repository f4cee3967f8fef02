#include "core/base/io/exr.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>
#include <ImfOutputFile.h>
#include <fmt/format.h>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"

namespace thallo {
namespace {

using namespace std::literals;

constexpr int MaxTileExtent = 1 << 13;

class MemoryInput : public Imf::IStream {
 public:
  MemoryInput(const std::string& name, std::string_view content)
      : IStream(name.c_str()), content_(content) {}

  // False when nothing follows what was read.
  bool read(char to[], int count) override {
    const auto size = static_cast<std::uint64_t>(count);
    if (content_.size() < size || at_ > content_.size() - size)
      throw std::runtime_error("the data end too early");
    std::memcpy(to, content_.data() + at_, size);
    at_ += size;
    return at_ < content_.size();
  }
  std::uint64_t tellg() override { return at_; }
  void seekg(std::uint64_t position) override { at_ = position; }

 private:
  std::string_view content_;
  std::uint64_t at_ = 0;
};

class MemoryOutput : public Imf::OStream {
 public:
  explicit MemoryOutput(const std::string& name) : OStream(name.c_str()) {}

  void write(const char from[], int count) override {
    const auto size = static_cast<std::size_t>(count);
    if (content_.size() < at_ + size) content_.resize(at_ + size);
    std::memcpy(content_.data() + at_, from, size);
    at_ += size;
  }
  std::uint64_t tellp() override { return at_; }
  void seekp(std::uint64_t position) override { at_ = position; }
  const std::string& content() const { return content_; }

 private:
  std::string content_;
  std::uint64_t at_ = 0;
};

// The library allocates what an attribute promises before it reads it. So the attribute sizes of
// the first header (name, type, size, value; an empty name ends it) are first compared with what
// there is.
Expected<void> check_attributes(const std::filesystem::path& name, std::string_view content) {
  std::size_t at = 8;  // behind signature and version
  while (at < content.size() && content[at] != '\0') {
    const std::size_t attribute = at;
    for (int i = 0; i < 2; ++i) at = std::min(content.find('\0', at), content.size() - 1) + 1;
    ByteCursor cursor(name, content, at);
    std::uint32_t size = 0;
    if (!cursor.read(size)) return fail(cursor.truncated("the size of an attribute", sizeof(size)));
    if (size > cursor.remaining()) {
      return fail_at({name},
                     "is truncated or damaged: the attribute at offset {} has {} bytes, but {} are "
                     "left",
                     attribute, size, cursor.remaining());
    }
    at = cursor.offset() + size;
  }
  return {};
}

// Color channels come first, in the order of pictures; the list of a file is sorted by name.
Expected<std::vector<std::string>> channels_of(const std::filesystem::path& name,
                                               const Imf::ChannelList& list) {
  std::vector<std::string> names;
  for (const char* color : {"R", "G", "B", "A", "Y"})
    if (list.findChannel(color) != nullptr) names.emplace_back(color);
  for (auto it = list.begin(); it != list.end(); ++it) {
    if (it.channel().xSampling != 1 || it.channel().ySampling != 1)
      return fail_at({name}, "channel '{}' is subsampled, which cannot be read", it.name());
    if (std::ranges::find(names, it.name()) == names.end()) names.emplace_back(it.name());
  }
  if (names.empty()) return fail_at({name}, "has no channels");
  return names;
}

// One slice a channel; `base` is where the pixel (0, 0) of the data window would be.
Imf::FrameBuffer frame_of(const std::vector<std::string>& channels, float* first_row, int width,
                          int min_x, int row) {
  const std::size_t pixel = channels.size() * sizeof(float);
  Imf::FrameBuffer frame;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    char* base =
        reinterpret_cast<char*>(first_row + c) -
        static_cast<std::ptrdiff_t>(pixel) * (min_x + static_cast<std::ptrdiff_t>(row) * width);
    frame.insert(channels[c],
                 Imf::Slice(Imf::FLOAT, base, pixel, pixel * static_cast<std::size_t>(width)));
  }
  return frame;
}

// Rows are appended as they come, so that a damaged header allocates nothing in vain.
Expected<Image> decode_exr(const std::filesystem::path& name, MemoryInput& input) {
  // A damaged header must not make the library allocate for what it promises.
  static const bool limited = [] {
    Imf::Header::setMaxImageSize(MaxImageExtent, MaxImageExtent);
    Imf::Header::setMaxTileSize(MaxTileExtent, MaxTileExtent);
    return true;
  }();
  static_cast<void>(limited);
  Imf::InputFile file(input, 1);
  const Imath::Box2i window = file.header().dataWindow();
  const auto channels = channels_of(name, file.header().channels());
  if (!channels) return fail(channels.error());
  Image image;
  const auto extent = [](int min, int max) {
    return static_cast<int>(
        std::clamp<std::int64_t>(std::int64_t{max} - min + 1, 0, std::int64_t{MaxImageExtent} + 1));
  };
  image.width = extent(window.min.x, window.max.x);
  image.height = extent(window.min.y, window.max.y);
  image.channels = static_cast<int>(channels->size());
  if (auto valid = check_extents(name, image.width, image.height, image.channels); !valid)
    return fail(valid.error());
  for (int y = 0; y < image.height; ++y) {
    image.data.resize(image.index(0, y + 1));
    const int row = window.min.y + y;
    file.setFrameBuffer(
        frame_of(*channels, image.data.data() + image.index(0, y), image.width, window.min.x, row));
    file.readPixels(row);
  }
  return image;
}

std::vector<std::string> names_of(int num_channels) {
  if (num_channels == 1) return {"Y"};
  std::vector<std::string> names = {"R", "G", "B", "A"};
  if (num_channels <= 4) {
    names.resize(static_cast<std::size_t>(num_channels));
    return names;
  }
  names.clear();
  for (int c = 0; c < num_channels; ++c) names.push_back(fmt::format("C{:02}", c));
  return names;
}

}  // namespace

bool is_exr(std::string_view content) { return content.starts_with("\x76\x2f\x31\x01"sv); }

Expected<Image> parse_exr(const std::filesystem::path& name, std::string_view content) {
  if (!is_exr(content)) return fail_at({name}, "is not an EXR file (its signature is missing)");
  if (auto checked = check_attributes(name, content); !checked) return fail(checked.error());
  MemoryInput input(name, content);
  try {
    return decode_exr(name, input);
  } catch (const std::exception& error) {
    return fail_at({name}, "is truncated or damaged: near offset {} of {}, OpenEXR says: {}",
                   input.tellg(), content.size(), error.what());
  }
}

Expected<Image> read_exr(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_exr(path, *content);
}

Expected<void> write_exr(const std::filesystem::path& path, const Image& image) {
  if (image.width < 1 || image.height < 1 || image.channels < 1 || image.channels > 100) {
    return fail_at({path},
                   "cannot be written: an EXR has pixels and 1 to 100 channels here; this "
                   "image has {} x {} pixels and {} channels",
                   image.width, image.height, image.channels);
  }
  MemoryOutput output(path);
  try {
    const std::vector<std::string> channels = names_of(image.channels);
    Imf::Header header(image.width, image.height);
    for (const std::string& channel : channels)
      header.channels().insert(channel, Imf::Channel(Imf::FLOAT));
    Imf::OutputFile file(output, header, 1);
    std::vector<float> samples = image.data;
    file.setFrameBuffer(frame_of(channels, samples.data(), image.width, 0, 0));
    file.writePixels(image.height);
  } catch (const std::exception& error) {
    return fail_at({path}, "cannot be written: OpenEXR says: {}", error.what());
  }
  return write_file(path, output.content());
}

}  // namespace thallo
