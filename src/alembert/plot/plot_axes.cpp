#include "alembert/plot/plot_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

namespace alembert::internal::plotting {

void Range::include(double value) { low = std::min(low, value), high = std::max(high, value); }

namespace {

// Beyond these the room around a range, or its length, is no number any more.
constexpr double smallest_shown = 1e-270, largest_shown = 1e270;

double shown(double value) { return std::clamp(value, -largest_shown, largest_shown); }

}  // namespace

Range widened(Range range, bool logarithmic) {
  if (range.empty()) return logarithmic ? Range{0.1, 10} : Range{0, 1};
  range = {shown(range.low), shown(range.high)};
  if (logarithmic) range = {std::max(range.low, smallest_shown), std::max(range.high, smallest_shown)};
  if (logarithmic) {
    // Not of the quotient, which may be beyond all numbers.
    const double powers = std::log10(range.high) - std::log10(range.low),
                 room = std::pow(10, std::max(0.05 * powers, 0.08));
    return {range.low / room, range.high * room};
  }
  const double length = range.high - range.low, size = std::max(std::abs(range.low), std::abs(range.high));
  // A range that is only rounding wide has no marks that could be told apart.
  if (length > 1e-12 * size && length > smallest_shown) return {range.low - 0.05 * length, range.high + 0.05 * length};
  const double room = size > smallest_shown ? 0.5 * size : 0.5;
  return {range.low - room, range.high + room};
}

Scale::Scale(Range range, bool logarithmic, double from, double to)
    : logarithmic_(logarithmic), low_(map(range.low)), high_(map(range.high)), from_(from), to_(to) {}

namespace {

/// The distance between the marks of a linear axis.
double linear_unit(double low, double high) {
  // A power below the normal numbers may be 0, and nothing is between marks that stand on one point.
  const double length = high - low, least = std::numeric_limits<double>::min(),
               power = std::max(std::pow(10, std::floor(std::log10(length / 4))), least);
  const double share = length / 4 / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

std::string power_of_ten(long exponent) {
  return fmt::format("10<tspan dy=\"-5\" font-size=\"10\">{}{}</tspan>", exponent < 0 ? "−" : "", std::abs(exponent));
}

/// "0.01"; far from 1 as a power of ten with a raised exponent.
std::string logarithmic_label(double value) {
  if (value > 0.999e-3 && value < 1.001e3) return fmt::format("{:.6g}", value);
  const long exponent = std::lround(std::floor(std::log10(value) + 1e-9));
  const long factor = std::lround(value / std::pow(10.0, static_cast<double>(exponent)));
  return (factor == 1 ? "" : fmt::format("{}·", factor)) + power_of_ten(exponent);
}

void label_linearly(Marks& marks, double unit) {
  double largest = 0;
  for (const double value : marks.at) largest = std::max(largest, std::abs(value));
  long exponent = largest > 0 ? std::lround(std::floor(std::log10(largest) + 1e-9)) : 0;
  exponent = std::max(exponent, std::lround(std::log10(std::numeric_limits<double>::min())));  // a tenth of it may be 0
  if (exponent >= -3 && exponent < 5) exponent = 0;
  if (exponent != 0) marks.factor = "×" + power_of_ten(exponent);
  const double scale = std::pow(10.0, static_cast<double>(exponent));
  const double digits_behind = -std::floor(std::log10(unit / scale) + 1e-9);
  const int decimals = digits_behind > 0 ? static_cast<int>(std::min(digits_behind, 12.0)) : 0;
  for (const double value : marks.at) {
    const double shown = std::abs(value) < unit / 2 ? 0 : value / scale;
    const std::string digits = fmt::format("{:.{}f}", std::abs(shown), decimals);
    marks.labels.push_back((shown < 0 ? "−" : "") + digits);
  }
}

}  // namespace

Marks marks_of(Range range, bool logarithmic) {
  Marks marks;
  marks.at = axis_marks(range.low, range.high, logarithmic);
  const auto between = [&](double value) {
    if (value > range.low && value < range.high) marks.between.push_back(value);
  };
  if (!logarithmic) {
    const double unit = linear_unit(range.low, range.high), part = unit / 5;
    label_linearly(marks, unit);
    const double first = std::ceil(range.low / part), last = std::floor(range.high / part);
    for (double i = first; i <= last; ++i) between(i * part);
    return marks;
  }
  for (const double value : marks.at) marks.labels.push_back(logarithmic_label(value));
  const double first = std::floor(std::log10(range.low)), last = std::ceil(std::log10(range.high));
  for (double exponent = first; exponent < last; ++exponent) {
    // Where not every power is marked, the powers themselves are the short marks.
    for (int multiple = 1; multiple < (last - first <= 8 ? 10 : 2); ++multiple)
      between(multiple * std::pow(10.0, exponent));
  }
  return marks;
}

namespace {

constexpr std::size_t few = 1000;        // what is shorter is drawn as it is
constexpr std::size_t most = 12000;      // points of a line that no thinning makes shorter
constexpr double column_width = 1;       // in which only the extremes count
constexpr double point_width = 0.5;      // points nearer than this are one, where they are not joined
constexpr double smallest_step = 0.15;   // points nearer than this are one
constexpr double smallest_bulge = 0.12;  // what lies nearer to a straight line belongs to it

bool goes_right(const std::vector<Pixel>& line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i].x < line[i - 1].x) return false;
  }
  return true;
}

/// First, lowest, highest and last point of every column, in their order.
std::vector<Pixel> extremes(const std::vector<Pixel>& line) {
  std::vector<Pixel> kept;
  for (std::size_t from = 0; from < line.size();) {
    const double column = std::floor(line[from].x / column_width);
    std::size_t to = from, low = from, high = from;
    for (; to < line.size() && std::floor(line[to].x / column_width) == column; ++to) {
      if (line[to].y < line[low].y) low = to;
      if (line[to].y > line[high].y) high = to;
    }
    for (const std::size_t i : std::set<std::size_t>{from, low, high, to - 1}) kept.push_back(line[i]);
    from = to;
  }
  return kept;
}

double distance_to(const Pixel& p, const Pixel& a, const Pixel& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  if (length == 0) return std::hypot(p.x - a.x, p.y - a.y);
  return std::abs(dx * (p.y - a.y) - dy * (p.x - a.x)) / length;
}

/// Ramer, Douglas and Peucker.
std::vector<Pixel> straightened(const std::vector<Pixel>& line, double bulge) {
  std::vector<bool> keep(line.size(), false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, line.size() - 1}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    double farthest = bulge;
    std::size_t at = 0;
    for (std::size_t i = from + 1; i < to; ++i) {
      const double distance = distance_to(line[i], line[from], line[to]);
      if (distance > farthest) {
        farthest = distance;
        at = i;
      }
    }
    if (at == 0) continue;
    keep[at] = true;
    open.emplace_back(from, at);
    open.emplace_back(at, to);
  }
  std::vector<Pixel> kept;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (keep[i]) kept.push_back(line[i]);
  }
  return kept;
}

}  // namespace

std::vector<Pixel> thinned(const std::vector<Pixel>& line) {
  if (line.size() <= few) return line;
  if (goes_right(line)) return extremes(line);
  std::vector<Pixel> kept{line.front()};
  for (const Pixel& p : line) {
    if (std::hypot(p.x - kept.back().x, p.y - kept.back().y) >= smallest_step) kept.push_back(p);
  }
  std::vector<Pixel> result = straightened(kept, smallest_bulge);
  // What fills the panel like a noise is cut coarser: nobody follows single turns there.
  for (double bulge = 2 * smallest_bulge; result.size() > most && bulge < 10; bulge *= 2)
    result = straightened(kept, bulge);
  return result;
}

std::vector<Pixel> thinned_points(const std::vector<Pixel>& points) {
  std::set<std::pair<long, long>> seen;
  std::vector<Pixel> kept;
  for (const Pixel& p : points) {
    if (seen.emplace(std::lround(p.x / point_width), std::lround(p.y / point_width)).second) kept.push_back(p);
  }
  return kept;
}

}  // namespace alembert::internal::plotting

namespace alembert::internal {

std::vector<double> axis_marks(double low, double high, bool logarithmic) {
  std::vector<double> marks;
  const auto add = [&](double value) {
    if (value >= low && value <= high) marks.push_back(value);
  };
  if (!logarithmic) {
    const double unit = plotting::linear_unit(low, high);
    const double first = std::ceil(low / unit), last = std::floor(high / unit);
    for (double i = first; i <= last; ++i) add(i * unit);
    return marks;
  }
  const long first = std::lround(std::floor(std::log10(low))), last = std::lround(std::ceil(std::log10(high)));
  const long powers = last - first, every = std::max(1L, (powers + 7) / 8);
  const bool with_multiples = std::log10(high) - std::log10(low) < 2.2;
  for (long exponent = first; exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    // Read from text: 10^-3 is to be 0.001, not its neighbour.
    const double power = std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
    add(power);
    for (const double multiple : {2, 5}) {
      if (with_multiples) add(multiple * power);
    }
  }
  return marks;
}

}  // namespace alembert::internal
