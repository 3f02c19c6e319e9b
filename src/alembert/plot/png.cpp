#include "alembert/plot/png.h"

#include <zlib.h>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

const Bytef* bytes_of(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string checked = kind + data;
  return big_endian(data.size()) + checked +
         big_endian(::crc32(0, bytes_of(checked), static_cast<uInt>(checked.size())));
}

std::string compressed(const std::string& data) {
  uLongf size = ::compressBound(static_cast<uLong>(data.size()));
  std::string out(size, '\0');
  const int result = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(data),
                                 static_cast<uLong>(data.size()), Z_BEST_COMPRESSION);
  check(result == Z_OK, "zlib has the room that it asked for");
  out.resize(size);
  return out;
}

}  // namespace

std::string png(std::size_t width, std::size_t height, const std::vector<std::uint8_t>& pixels,
                const std::vector<Colour>& palette) {
  check(pixels.size() == width * height && palette.size() <= 256, "a picture has all its pixels");
  std::string rows, colours;
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter: neighbours of a palette say little
    rows.append(reinterpret_cast<const char*>(pixels.data()) + y * width, width);
  }
  for (const Colour& colour : palette) colours.append(reinterpret_cast<const char*>(colour.data()), colour.size());
  constexpr char bits = 8, with_palette = 3;  // words of the format
  const std::string header = big_endian(width) + big_endian(height) + bits + with_palette + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", colours) + chunk("IDAT", compressed(rows)) +
         chunk("IEND", "");
}

std::string base64(const std::string& bytes) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (int k = 0; k < 4; ++k) text += letters[three >> (18 - 6 * k) & 63];
  }
  const std::size_t rest = bytes.size() % 3;
  if (rest > 0) text.replace(text.size() - (3 - rest), 3 - rest, 3 - rest, '=');
  return text;
}

}  // namespace alembert::internal
