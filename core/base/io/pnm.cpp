#include "core/base/io/pnm.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

using PnmSamples = std::vector<std::uint16_t>;

Expected<void> parse_text_samples(TextCursor& cursor, int max_sample, PnmSamples& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    int sample = 0;
    cursor.skip_comments('#');
    if (!cursor.read(sample)) {
      return fail(cursor.unexpected(fmt::format("sample {} of {}", i + 1, samples.size())));
    }
    if (sample < 0 || sample > max_sample) {
      return fail_at(cursor.where(), "sample {} is {}, but samples are 0 to {}", i + 1, sample,
                     max_sample);
    }
    samples[i] = static_cast<std::uint16_t>(sample);
  }
  return {};
}

Expected<void> parse_binary_samples(const std::filesystem::path& name, std::string_view bytes,
                                    std::size_t offset, int max_sample, PnmSamples& samples) {
  const std::size_t sample_bytes = max_sample > 255 ? 2 : 1;
  if (bytes.size() < samples.size() * sample_bytes) {
    return fail_at({name},
                   "the file is truncated: at offset {}, {} bytes of samples should follow, "
                   "but {} bytes are left",
                   offset, samples.size() * sample_bytes, bytes.size());
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const int sample = sample_bytes == 1 ? byte(i) : byte(2 * i) * 256 + byte(2 * i + 1);
    samples[i] = static_cast<std::uint16_t>(sample);
  }
  return {};
}

}  // namespace

bool is_pnm(std::string_view content) {
  return content.size() > 2 && content[0] == 'P' &&
         std::string_view("2356").find(content[1]) != std::string_view::npos;
}

Expected<Raster> parse_pnm(const std::filesystem::path& name, std::string_view content) {
  if (!is_pnm(content)) return fail_at({name}, "is not a PGM or PPM file (P2, P3, P5 or P6)");
  const char kind = content[1];
  TextCursor cursor(name, content);
  cursor.word();
  int numbers[3] = {};
  constexpr std::string_view Names[] = {"the width", "the height", "the largest sample value"};
  constexpr int Limits[] = {MaxImageExtent, MaxImageExtent, 65535};
  for (int i = 0; i < 3; ++i) {
    cursor.skip_comments('#');
    if (!cursor.read(numbers[i])) return fail(cursor.unexpected(Names[i]));
    if (numbers[i] < 1 || numbers[i] > Limits[i]) {
      return fail_at(cursor.where(), "{} is {}, but must be 1 to {}", Names[i], numbers[i],
                     Limits[i]);
    }
  }
  const auto [width, height, max_sample] = numbers;
  const int channels = kind == '3' || kind == '6' ? 3 : 1;
  // A sample takes a byte at least, so a damaged header cannot ask for more memory than the file
  // has bytes.
  if (std::int64_t{width} * height * channels > static_cast<std::int64_t>(content.size())) {
    return fail_at({name},
                   "the file is truncated: {} x {} pixels of {} samples do not fit into its "
                   "{} bytes",
                   width, height, channels, content.size());
  }
  PnmSamples samples(static_cast<std::size_t>(std::int64_t{width} * height * channels));
  const bool text = kind == '2' || kind == '3';
  // One white space follows the header of a binary file.
  const std::size_t begin = std::min(cursor.offset() + 1, content.size());
  THALLO_CHECK(text
                   ? parse_text_samples(cursor, max_sample, samples)
                   : parse_binary_samples(name, content.substr(begin), begin, max_sample, samples));
  Layer layer;
  layer.width = width;
  layer.height = height;
  layer.channels = color_channels(channels);
  layer.samples = std::move(samples);
  layer.full_scale = max_sample;
  return Raster(std::move(layer));
}

Expected<void> write_pnm(const std::filesystem::path& path, const Image& image, int full_scale) {
  if (image.channels != 1 && image.channels != 3) {
    return fail_at({path}, "cannot be written: a PGM has 1 channel, a PPM 3, this image has {}",
                   image.channels);
  }
  std::string content = fmt::format("P{}\n{} {}\n{}\n", image.channels == 1 ? 5 : 6, image.width,
                                    image.height, full_scale);
  for (const unsigned char byte : to_bytes(image, full_scale)) content += static_cast<char>(byte);
  return write_file(path, content);
}

}  // namespace thallo
