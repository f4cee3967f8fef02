#include "core/base/io/jpeg.h"

#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include <jpeglib.h>

#include "core/base/error.h"
#include "core/base/io/exif.h"
#include "core/base/io/file.h"

namespace thallo {
namespace {

using namespace std::literals;

// libjpeg reports errors by a call that must not return. Everything with a destructor lives in a
// JpegSession that the functions below, which call setjmp, only refer to.
struct JpegSession {
  jpeg_error_mgr errors{};  // first: libjpeg hands out a pointer to it
  std::jmp_buf on_error{};
  char message[JMSG_LENGTH_MAX] = {};

  Layer layer;
  int orientation = 1;
  std::vector<unsigned char> row;
  std::vector<unsigned char> samples;
  unsigned char* encoded = nullptr;
  unsigned long num_encoded = 0;

  JpegSession() = default;
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;
  ~JpegSession() { std::free(encoded); }
};

JpegSession& session_of(j_common_ptr codec) { return *reinterpret_cast<JpegSession*>(codec->err); }

[[noreturn]] void on_jpeg_error(j_common_ptr codec) {
  JpegSession& session = session_of(codec);
  codec->err->format_message(codec, session.message);
  std::longjmp(session.on_error, 1);
}

void on_jpeg_message(j_common_ptr codec, int level) {
  if (level < 0) on_jpeg_error(codec);  // a warning: the data are damaged
}

template <class Codec>
void set_errors(JpegSession& session, Codec& codec) {
  codec.err = jpeg_std_error(&session.errors);
  session.errors.error_exit = on_jpeg_error;
  session.errors.emit_message = on_jpeg_message;
}

int orientation_of(const jpeg_decompress_struct& codec) {
  constexpr auto Signature = "Exif\0\0"sv;
  for (auto* marker = codec.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (data.starts_with(Signature)) return exif_orientation(data.substr(Signature.size()));
  }
  return 1;
}

// Rows are appended as they come, so that a damaged header allocates nothing in vain.
bool decode_jpeg(JpegSession& session, jpeg_decompress_struct& codec, std::string_view content) {
  if (setjmp(session.on_error)) return false;
  jpeg_create_decompress(&codec);
  jpeg_mem_src(&codec, reinterpret_cast<const unsigned char*>(content.data()),
               static_cast<unsigned long>(content.size()));
  jpeg_save_markers(&codec, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&codec, TRUE);
  session.orientation = orientation_of(codec);
  if (codec.num_components == 4) {
    codec.out_color_space = JCS_CMYK;
  } else {
    codec.out_color_space = codec.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  }
  jpeg_start_decompress(&codec);
  session.layer.width = static_cast<int>(codec.output_width);
  session.layer.height = static_cast<int>(codec.output_height);
  session.layer.channels = color_channels(codec.output_components);
  session.row.resize(std::size_t{codec.output_width} *
                     static_cast<std::size_t>(codec.output_components));
  while (codec.output_scanline < codec.output_height) {
    JSAMPROW row = session.row.data();
    jpeg_read_scanlines(&codec, &row, 1);
    session.samples.insert(session.samples.end(), session.row.begin(), session.row.end());
  }
  jpeg_finish_decompress(&codec);
  return true;
}

bool encode_jpeg(JpegSession& session, jpeg_compress_struct& codec, const Image& image,
                 int quality) {
  if (setjmp(session.on_error)) return false;
  jpeg_create_compress(&codec);
  jpeg_mem_dest(&codec, &session.encoded, &session.num_encoded);
  codec.image_width = static_cast<JDIMENSION>(image.width);
  codec.image_height = static_cast<JDIMENSION>(image.height);
  codec.input_components = image.channels;
  codec.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < codec.image_height) {
    JSAMPROW row = session.samples.data() + codec.next_scanline * image.index(0, 1);
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  return true;
}

}  // namespace

bool is_jpeg(std::string_view content) { return content.starts_with("\xff\xd8\xff"sv); }

Expected<Raster> parse_jpeg(const std::filesystem::path& name, std::string_view content) {
  if (!is_jpeg(content)) return fail_at({name}, "is not a JPEG file (its signature is missing)");
  JpegSession session;
  jpeg_decompress_struct codec{};
  set_errors(session, codec);
  const bool decoded = decode_jpeg(session, codec, content);
  // Adobe's programs store what the inks leave of white.
  const bool is_inverted = codec.num_components == 4 && codec.saw_Adobe_marker != 0;
  const std::size_t left = codec.src != nullptr ? codec.src->bytes_in_buffer : content.size();
  jpeg_destroy_decompress(&codec);
  if (!decoded) {
    return fail_at({name}, "is truncated or damaged: at offset {} of {}, libjpeg says: {}",
                   content.size() - left, content.size(), session.message);
  }
  if (is_inverted) {
    for (unsigned char& sample : session.samples) sample = static_cast<unsigned char>(~sample);
  }
  Layer& layer = session.layer;
  layer.samples = std::move(session.samples);
  layer.full_scale = 255;
  if (layer.channels.size() == 4) mix_inks(layer);
  orient(layer, session.orientation);
  return Raster(std::move(layer));
}

Expected<void> write_jpeg(const std::filesystem::path& path, const Image& image, int quality) {
  if (image.channels != 1 && image.channels != 3) {
    return fail_at({path}, "cannot be written: a JPEG has 1 or 3 channels, this image has {}",
                   image.channels);
  }
  THALLO_ASSERT(quality >= 1 && quality <= 100, "quality {}", quality);
  JpegSession session;
  session.samples = to_bytes(image);
  jpeg_compress_struct codec{};
  set_errors(session, codec);
  const bool encoded = encode_jpeg(session, codec, image, quality);
  jpeg_destroy_compress(&codec);
  if (!encoded) return fail_at({path}, "cannot be written: libjpeg says: {}", session.message);
  return write_file(path, {reinterpret_cast<const char*>(session.encoded), session.num_encoded});
}

}  // namespace thallo
