#include "core/base/io/jpeg.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "core/base/error.h"
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

  Image image;
  std::vector<unsigned char> row;
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

// Rows are appended as they come, so that a damaged header allocates nothing in vain.
bool decode_jpeg(JpegSession& session, jpeg_decompress_struct& codec, std::string_view content) {
  if (setjmp(session.on_error)) return false;
  jpeg_create_decompress(&codec);
  jpeg_mem_src(&codec, reinterpret_cast<const unsigned char*>(content.data()),
               static_cast<unsigned long>(content.size()));
  jpeg_read_header(&codec, TRUE);
  codec.out_color_space = codec.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&codec);
  Image& image = session.image;
  image.width = static_cast<int>(codec.output_width);
  image.height = static_cast<int>(codec.output_height);
  image.channels = codec.output_components;
  session.row.resize(image.index(0, 1));
  while (codec.output_scanline < codec.output_height) {
    JSAMPROW row = session.row.data();
    jpeg_read_scanlines(&codec, &row, 1);
    for (const unsigned char sample : session.row)
      image.data.push_back(static_cast<float>(sample) / 255.0f);
  }
  jpeg_finish_decompress(&codec);
  return true;
}

bool encode_jpeg(JpegSession& session, jpeg_compress_struct& codec,
                 std::vector<unsigned char>& samples, int quality) {
  if (setjmp(session.on_error)) return false;
  jpeg_create_compress(&codec);
  jpeg_mem_dest(&codec, &session.encoded, &session.num_encoded);
  codec.image_width = static_cast<JDIMENSION>(session.image.width);
  codec.image_height = static_cast<JDIMENSION>(session.image.height);
  codec.input_components = session.image.channels;
  codec.in_color_space = session.image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  const std::size_t row_size = session.image.index(0, 1);
  while (codec.next_scanline < codec.image_height) {
    JSAMPROW row = samples.data() + codec.next_scanline * row_size;
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  return true;
}

}  // namespace

bool is_jpeg(std::string_view content) { return content.starts_with("\xff\xd8\xff"sv); }

Expected<Image> parse_jpeg(const std::filesystem::path& name, std::string_view content) {
  if (!is_jpeg(content)) return fail_at({name}, "is not a JPEG file (its signature is missing)");
  JpegSession session;
  jpeg_decompress_struct codec{};
  set_errors(session, codec);
  const bool decoded = decode_jpeg(session, codec, content);
  const std::size_t left = codec.src != nullptr ? codec.src->bytes_in_buffer : content.size();
  jpeg_destroy_decompress(&codec);
  if (!decoded) {
    return fail_at({name}, "is truncated or damaged: at offset {} of {}, libjpeg says: {}",
                   content.size() - left, content.size(), session.message);
  }
  return std::move(session.image);
}

Expected<Image> read_jpeg(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_jpeg(path, *content);
}

Expected<void> write_jpeg(const std::filesystem::path& path, const Image& image, int quality) {
  if (image.channels != 1 && image.channels != 3) {
    return fail_at({path}, "cannot be written: a JPEG has 1 or 3 channels, this image has {}",
                   image.channels);
  }
  THALLO_ASSERT(quality >= 1 && quality <= 100, "quality {}", quality);
  JpegSession session;
  session.image.width = image.width;
  session.image.height = image.height;
  session.image.channels = image.channels;
  jpeg_compress_struct codec{};
  set_errors(session, codec);
  std::vector<unsigned char> samples = to_bytes(image);
  const bool encoded = encode_jpeg(session, codec, samples, quality);
  jpeg_destroy_compress(&codec);
  if (!encoded) return fail_at({path}, "cannot be written: libjpeg says: {}", session.message);
  return write_file(path, {reinterpret_cast<const char*>(session.encoded), session.num_encoded});
}

}  // namespace thallo
