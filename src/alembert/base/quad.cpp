#include "alembert/numerics.h"

#include <quadmath.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace alembert {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The digits of a number and the power of ten of the first one: value = d.ddd * 10^exponent.
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

/// Takes "-d.ddde+xx" apart; whatever stands for the point in the locale is skipped.
Decimal decimal_of(std::string_view text) {
  Decimal decimal;
  const std::size_t mark = text.find('e');
  for (const char c : text.substr(0, mark)) {
    if (c == '-') decimal.negative = true;
    if (is_digit(c)) decimal.digits += c;
  }
  std::size_t from = mark + 1;
  if (text[from] == '+') ++from;
  std::from_chars(text.data() + from, text.data() + text.size(), decimal.exponent);
  const std::size_t last = decimal.digits.find_last_not_of('0');
  decimal.digits.erase(last == std::string::npos ? 1 : last + 1);
  return decimal;
}

/// Plain notation for numbers of everyday size, powers of ten for the others.
std::string written(const Decimal& decimal) {
  std::string out = decimal.negative ? "-" : "";
  const int size = static_cast<int>(decimal.digits.size());
  const int e = decimal.exponent;
  if (e < -5 || e > 15) {
    out += decimal.digits[0];
    if (size > 1) out += "." + decimal.digits.substr(1);
    return out + "e" + std::to_string(e);
  }
  if (e < 0) return out + "0." + std::string(-e - 1, '0') + decimal.digits;
  if (size <= e + 1) return out + decimal.digits + std::string(e + 1 - size, '0');
  return out + decimal.digits.substr(0, e + 1) + "." + decimal.digits.substr(e + 1);
}

}  // namespace

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  return written(decimal_of({buffer, static_cast<std::size_t>(end - buffer)}));
}

std::string to_text(Quad value) {
  if (isnanq(value) || isinfq(value)) return to_text(static_cast<double>(value));
  const auto reads_back = [&](const std::string& text) {
    Quad read;
    return read_number(text, read) && read == value;
  };
  std::string text = to_text(static_cast<double>(value));
  if (reads_back(text)) return text;
  const auto with_digits = [&](int digits) {
    char buffer[80];
    const int size = quadmath_snprintf(buffer, sizeof buffer, "%.*Qe", digits - 1, value);
    return written(decimal_of({buffer, static_cast<std::size_t>(size)}));
  };
  // 36 digits always read back, and what is no short decimal needs more than 33.
  int digits = reads_back(with_digits(33)) ? 17 : 34;
  while (digits < 36 && !reads_back(with_digits(digits))) ++digits;
  return with_digits(digits);
}

bool read_number(std::string_view text, Quad& value) {
  std::size_t i = 0;
  // The digits without their point and a corrected exponent: the C functions would look for the point of the locale.
  std::string plain;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) plain += text[i++];
  const std::size_t start = i;
  long shift = 0;
  bool any = false;
  for (; i < text.size() && is_digit(text[i]); ++i, any = true) plain += text[i];
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && is_digit(text[i]); ++i, --shift, any = true) plain += text[i];
  }
  if (!any) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t from = i + 1;
    const bool plus = from < text.size() && text[from] == '+';
    if (plus) ++from;
    if (plus && from < text.size() && text[from] == '-') return false;
    long exponent = 0;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + text.size(), exponent);
    if (error == std::errc::invalid_argument) return false;
    if (error == std::errc::result_out_of_range) exponent = text[from] == '-' ? -1'000'000'000L : 1'000'000'000L;
    shift += std::clamp(exponent, -1'000'000'000L, 1'000'000'000L);
    i = static_cast<std::size_t>(end - text.data());
  }
  if (i != text.size() || i == start) return false;
  plain += "e" + std::to_string(shift);
  value = strtoflt128(plain.c_str(), nullptr);
  return true;
}

}  // namespace alembert
