#pragma once

// Numbers: Quad is the extended precision in which coefficients, constants and references are kept (113 bits),
// double is what runs.

#include <string>
#include <string_view>

namespace alembert {

using Quad = __float128;

/// The fewest digits that read back as the same double ("0.1", "100000", "1e-300", "nan", "inf").
std::string to_text(double value);
/// The fewest digits that read back as the same Quad: the double's text where that is enough, else up to 36 digits.
std::string to_text(Quad value);
/// Reads a whole decimal number ("1", ".5", "-1e-3"), the same in every locale; false when the text is not one.
/// A number that is too large gives infinity.
bool read_number(std::string_view text, Quad& value);

// Functions of the same name for other things must not hide these.
namespace internal {
using alembert::to_text;
}

}  // namespace alembert
