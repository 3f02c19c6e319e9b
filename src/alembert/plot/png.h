#pragma once

// Pictures as PNG (ISO/IEC 15948): a palette and one byte a pixel.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace alembert::internal {

using Colour = std::array<std::uint8_t, 3>;

/// The bytes of a file; pixels row after row from the top, each the number of a colour (at most 256 of them).
std::string png(std::size_t width, std::size_t height, const std::vector<std::uint8_t>& pixels,
                const std::vector<Colour>& palette);

/// Bytes in the letters that a page can hold.
std::string base64(const std::string& bytes);

}  // namespace alembert::internal
