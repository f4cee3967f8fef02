#include "core/base/io/exr.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfOutputFile.h>
#include <ImfPartType.h>
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
// the headers are first compared with what there is. An attribute is a name, a type, a size and a
// value; an empty name ends a header, and an empty header ends those of a file with several parts.
Expected<void> check_attributes(const std::filesystem::path& name, std::string_view content) {
  constexpr unsigned char SeveralParts = 0x10;  // in the second byte of the version
  const bool has_parts = content.size() > 5 && (content[5] & SeveralParts) != 0;
  bool ends = false;   // true at the beginning of a header, where an empty name ends them all
  std::size_t at = 8;  // behind signature and version
  while (at < content.size()) {
    if (content[at] == '\0') {
      if (ends || !has_parts) break;
      ends = true;
      ++at;
      continue;
    }
    ends = false;
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

struct ExrChannel {
  std::string name;  // in the file
  bool is_integer = false;
};

// Channels of no layer come first, then those of "layer.channel" by layer; the colors of each come
// first, in the order of pictures. The list of a file is sorted by name.
std::vector<ExrChannel> channels_of(const Imf::Header& header, Layer& layer) {
  const std::string prefix = layer.name + '.';
  std::vector<ExrChannel> channels;
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it)
    channels.push_back({it.name(), it.channel().type == Imf::UINT});
  const auto short_name = [&](const ExrChannel& channel) {
    return channel.name.substr(channel.name.starts_with(prefix) ? prefix.size() : 0);
  };
  std::ranges::stable_sort(channels, {}, [&](const ExrChannel& channel) {
    constexpr std::string_view Colors[] = {"R", "G", "B", "A", "Y"};
    const std::string name = short_name(channel);
    const std::size_t color = name.rfind('.') + 1;
    return std::pair(name.substr(0, color),
                     std::ranges::find(Colors, name.substr(color)) - std::begin(Colors));
  });
  std::ranges::transform(channels, std::back_inserter(layer.channels), short_name);
  return channels;
}

// Returns a reason why the part cannot be read; empty if it can.
std::string find_obstacle(const Imf::Header& header) {
  if (header.hasType() && Imf::isDeepData(header.type())) return "has deep pixels";
  const Imf::ChannelList& list = header.channels();
  if (list.begin() == list.end()) return "has no channels";
  for (auto it = list.begin(); it != list.end(); ++it) {
    if (it.channel().xSampling != 1 || it.channel().ySampling != 1)
      return fmt::format("has the channel '{}', which is subsampled", it.name());
  }
  return {};
}

// One slice a channel; `base` is where the pixel (0, 0) of the data window would be.
template <class T>
Imf::FrameBuffer frame_of(const std::vector<ExrChannel>& channels, T* first_row, int width,
                          int min_x, int row) {
  const std::size_t pixel = channels.size() * sizeof(T);
  Imf::FrameBuffer frame;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    char* base =
        reinterpret_cast<char*>(first_row + c) -
        static_cast<std::ptrdiff_t>(pixel) * (min_x + static_cast<std::ptrdiff_t>(row) * width);
    frame.insert(channels[c].name, Imf::Slice(channels[c].is_integer ? Imf::UINT : Imf::FLOAT, base,
                                              pixel, pixel * static_cast<std::size_t>(width)));
  }
  return frame;
}

// The smallest type that holds the samples of all channels.
Samples make_samples(const std::vector<ExrChannel>& channels) {
  const auto num_integers = std::ranges::count_if(channels, &ExrChannel::is_integer);
  if (num_integers == 0) return std::vector<float>();
  if (num_integers == std::ssize(channels)) return std::vector<std::uint32_t>();
  return std::vector<double>();
}

// Rows are appended as they come, so that a damaged header allocates nothing in vain.
// `num_samples` counts those of all parts.
Expected<Layer> decode_part(const std::filesystem::path& name, Imf::MultiPartInputFile& file,
                            int number, std::size_t& num_samples) {
  const Imf::Header& header = file.header(number);
  Layer layer;
  layer.name = header.hasName() ? header.name() : "";
  if (const std::string obstacle = find_obstacle(header); !obstacle.empty()) {
    layer.fault =
        fmt::format("part {}{} {}, so it cannot be read", number,
                    layer.name.empty() ? "" : fmt::format(" ('{}')", layer.name), obstacle);
    return layer;
  }
  const Imath::Box2i window = header.dataWindow();
  const std::vector<ExrChannel> channels = channels_of(header, layer);
  const auto extent = [](int min, int max) {
    return static_cast<int>(
        std::clamp<std::int64_t>(std::int64_t{max} - min + 1, 0, std::int64_t{MaxImageExtent} + 1));
  };
  layer.width = extent(window.min.x, window.max.x);
  layer.height = extent(window.min.y, window.max.y);
  const int num_channels = static_cast<int>(channels.size());
  THALLO_CHECK(check_extents(name, layer.width, layer.height, num_channels));
  num_samples += static_cast<std::size_t>(layer.width) * static_cast<std::size_t>(layer.height) *
                 channels.size();
  if (num_samples > MaxImageSamples)
    return fail_at({name}, "its parts have more than the {} samples that can be read",
                   MaxImageSamples);
  layer.samples = make_samples(channels);
  Imf::InputPart part(file, number);
  // A float or an integer each.
  std::vector<std::uint32_t> cells(static_cast<std::size_t>(layer.width) * channels.size());
  for (int y = window.min.y; y < window.min.y + layer.height; ++y) {
    part.setFrameBuffer(frame_of(channels, cells.data(), layer.width, window.min.x, y));
    part.readPixels(y);
    std::visit(
        [&]<class T>(std::vector<T>& samples) {
          for (std::size_t i = 0; i < cells.size(); ++i) {
            samples.push_back(channels[i % channels.size()].is_integer
                                  ? static_cast<T>(cells[i])
                                  : static_cast<T>(std::bit_cast<float>(cells[i])));
          }
        },
        layer.samples);
  }
  return layer;
}

Expected<Raster> decode_exr(const std::filesystem::path& name, MemoryInput& input) {
  // A damaged header must not make the library allocate for what it promises.
  static const bool limited = [] {
    Imf::Header::setMaxImageSize(MaxImageExtent, MaxImageExtent);
    Imf::Header::setMaxTileSize(MaxTileExtent, MaxTileExtent);
    return true;
  }();
  static_cast<void>(limited);
  Imf::MultiPartInputFile file(input, 1);
  Raster raster;
  std::size_t num_samples = 0;
  for (int part = 0; part < file.parts(); ++part) {
    THALLO_TRY(auto layer, decode_part(name, file, part, num_samples));
    raster.layers.push_back(std::move(layer));
  }
  return raster;
}

std::vector<ExrChannel> channels_to_write(int num_channels) {
  if (num_channels == 1) return {{"Y"}};
  std::vector<ExrChannel> channels = {{"R"}, {"G"}, {"B"}, {"A"}};
  if (num_channels <= 4) {
    channels.resize(static_cast<std::size_t>(num_channels));
    return channels;
  }
  channels.clear();
  for (int c = 0; c < num_channels; ++c) channels.push_back({fmt::format("C{:02}", c)});
  return channels;
}

}  // namespace

bool is_exr(std::string_view content) { return content.starts_with("\x76\x2f\x31\x01"sv); }

Expected<Raster> parse_exr(const std::filesystem::path& name, std::string_view content) {
  if (!is_exr(content)) return fail_at({name}, "is not an EXR file (its signature is missing)");
  THALLO_CHECK(check_attributes(name, content));
  MemoryInput input(name, content);
  try {
    return decode_exr(name, input);
  } catch (const std::exception& error) {
    return fail_at({name}, "is truncated or damaged: near offset {} of {}, OpenEXR says: {}",
                   input.tellg(), content.size(), error.what());
  }
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
    const std::vector<ExrChannel> channels = channels_to_write(image.channels);
    Imf::Header header(image.width, image.height);
    for (const ExrChannel& channel : channels)
      header.channels().insert(channel.name, Imf::Channel(Imf::FLOAT));
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
