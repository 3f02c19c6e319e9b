#include "alembert/plot/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/numerics.h"
#include "alembert/plot/figures.h"
#include "alembert/plot/plot_axes.h"
#include "alembert/plot/png.h"
#include "alembert/plot/web.h"

namespace alembert::internal {

namespace {

using plotting::Marks;
using plotting::Range;
using plotting::Scale;

// Sizes in CSS pixels.
constexpr double map_width = 640, map_height = 560, map_left = 76, map_right = 120, map_top = 46, map_bottom = 58;
constexpr double map_x_end = map_width - map_right, map_y_end = map_height - map_bottom;
constexpr double bar_left = map_x_end + 24, bar_width = 18;

/// Viridis (van der Walt and Smith 2015) at equal distances: equally bright steps for all eyes, and in print.
constexpr Colour anchors[] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142}, {38, 130, 142},
                              {31, 158, 137}, {53, 183, 121}, {110, 206, 88}, {181, 222, 43}, {253, 231, 37}};
constexpr Colour missing_colour = {150, 150, 150};  // no shade is grey
constexpr int shades = 255;  // of a palette of 256 colours, of which the first is for what is missing

Colour shade(double share) {
  constexpr int last = static_cast<int>(std::size(anchors)) - 1;
  const double place = std::clamp(share, 0.0, 1.0) * last;
  const int below = std::min(static_cast<int>(place), last - 1);
  Colour colour{};
  for (std::size_t k = 0; k < colour.size(); ++k)
    colour[k] = static_cast<std::uint8_t>(
        std::lround(anchors[below][k] + (place - below) * (anchors[below + 1][k] - anchors[below][k])));
  return colour;
}

/// The first colour is that of what is missing.
std::vector<Colour> palette() {
  std::vector<Colour> colours{missing_colour};
  for (int i = 0; i < shades; ++i) colours.push_back(shade(static_cast<double>(i) / (shades - 1)));
  return colours;
}

struct ValueScale {
  Range range;
  bool logarithmic = false;

  explicit ValueScale(const HeatMap& map) {
    for (const double value : map.values)
      if (std::isfinite(value)) range.include(value);
    constexpr double far = 100;  // two decades: on a linear scale most values would have the darkest colour
    logarithmic = !range.empty() && range.low > 0 && range.high > far * range.low;
    if (range.empty()) range = {0, 1};
    if (range.low == range.high) range.high = range.low + std::max(std::abs(range.low), 1.0);
  }
  double share(double value) const {
    const Scale scale(range, logarithmic, 0, 1);
    return scale(value);
  }
};

/// Pixels from the top: the largest y first.
std::string picture(const HeatMap& map) {
  const ValueScale scale(map);
  const bool x_falls = map.x.size() > 1 && map.x.front() > map.x.back();
  const bool y_falls = map.y.size() > 1 && map.y.front() > map.y.back();
  std::vector<std::uint8_t> pixels;
  pixels.reserve(map.values.size());
  for (std::size_t j = 0; j < map.y.size(); ++j)
    for (std::size_t i = 0; i < map.x.size(); ++i) {
      const std::size_t row = y_falls ? j : map.y.size() - 1 - j, column = x_falls ? map.x.size() - 1 - i : i;
      const double value = map.values[row * map.x.size() + column];
      const double share = std::isfinite(value) ? scale.share(value) : 0;
      pixels.push_back(static_cast<std::uint8_t>(std::isfinite(value) ? 1 + std::lround(share * (shades - 1)) : 0));
    }
  return png(map.x.size(), map.y.size(), pixels, palette());
}

bool equal_steps(const std::vector<double>& values) {
  const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    if (std::abs(values[i + 1] - values[i] - step) > 1e-6 * std::abs(step)) return false;
  return true;
}

/// Where labels stand along an axis of points, as shares of its length: at round numbers where the points are equally
/// spaced (also in their logarithms), else at points.
struct AxisLabels {
  std::vector<double> shares;
  std::vector<std::string> labels;
  std::string factor;
};

AxisLabels labels_of(std::vector<double> values) {
  AxisLabels result;
  if (values.size() > 1 && values.front() > values.back()) std::reverse(values.begin(), values.end());
  std::vector<double> logs;
  for (const double value : values) logs.push_back(value > 0 ? std::log10(value) : NAN);
  const bool linear = values.size() > 1 && equal_steps(values);
  const bool logarithmic = !linear && values.size() > 1 && values.front() > 0 && equal_steps(logs);
  if (!linear && !logarithmic) {
    const std::size_t every = (values.size() + 9) / 10;
    for (std::size_t i = 0; i < values.size(); i += every) {
      result.shares.push_back((static_cast<double>(i) + 0.5) / static_cast<double>(values.size()));
      result.labels.push_back(fmt::format("{:.4g}", values[i]));
    }
    return result;
  }
  // Half a step beyond the outer points on both sides: points are middles of pixels.
  const auto count = static_cast<double>(values.size());
  const double low = linear ? values.front() : logs.front(), high = linear ? values.back() : logs.back();
  const double half = (high - low) / (count - 1) / 2;
  Range range{low - half, high + half};
  if (logarithmic) range = {std::pow(10.0, range.low), std::pow(10.0, range.high)};
  const Scale scale(range, logarithmic, 0, 1);
  const Marks marks = plotting::marks_of(range, logarithmic);
  for (std::size_t i = 0; i < marks.at.size(); ++i) {
    result.shares.push_back(scale(marks.at[i]));
    result.labels.push_back(marks.labels[i]);
  }
  result.factor = marks.factor;
  return result;
}

std::string draw_map_axes(const HeatMap& map) {
  std::string svg;
  const AxisLabels across = labels_of(map.x), up = labels_of(map.y);
  for (std::size_t i = 0; i < across.shares.size(); ++i)
    svg += fmt::format(
        "<path class=\"tick\" d=\"M{0:.2f} {1}v6\"/><text x=\"{0:.2f}\" y=\"{2}\" text-anchor=\"middle\">{3}</text>\n",
        map_left + across.shares[i] * (map_x_end - map_left), map_y_end, map_y_end + 20, across.labels[i]);
  for (std::size_t i = 0; i < up.shares.size(); ++i) {
    const double y = map_y_end - up.shares[i] * (map_y_end - map_top);
    svg += fmt::format(
        "<path class=\"tick\" d=\"M{0} {1:.2f}h-6\"/><text x=\"{2}\" y=\"{3:.2f}\" text-anchor=\"end\">{4}</text>\n",
        map_left, y, map_left - 9, y + 4.5, up.labels[i]);
  }
  const std::string x_label = map.x_label + (across.factor.empty() ? "" : " ");
  svg += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}{}</text>\n", (map_left + map_x_end) / 2,
                     map_height - 14, escaped(x_label), across.factor);
  svg += fmt::format("<text transform=\"translate(16 {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}{}</text>\n",
                     (map_top + map_y_end) / 2, escaped(map.y_label + (up.factor.empty() ? "" : " ")), up.factor);
  return svg;
}

std::string draw_colours(const HeatMap& map) {
  const ValueScale scale(map);
  constexpr int strips = 64;  // of 4 shades each: no border between two is seen
  const double height = (map_y_end - map_top) / strips;
  std::string svg;
  for (int i = 0; i < strips; ++i) {
    const Colour c = shade((i + 0.5) / strips);
    svg += fmt::format("<rect x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"#{:02x}{:02x}{:02x}\"/>\n",
                       bar_left, map_y_end - (i + 1) * height, bar_width, height + 0.3, c[0], c[1], c[2]);
  }
  const Scale y(scale.range, scale.logarithmic, map_y_end, map_top);
  const Marks marks = plotting::marks_of(scale.range, scale.logarithmic);
  for (std::size_t i = 0; i < marks.at.size(); ++i)
    svg += fmt::format("<text x=\"{}\" y=\"{:.2f}\">{}</text>\n", bar_left + bar_width + 6, y(marks.at[i]) + 4.5,
                       marks.labels[i]);
  svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", bar_left, map_top,
                     bar_width, map_y_end - map_top);
  std::string label = escaped(map.label) + (scale.logarithmic ? " (logarithmic)" : "");
  if (!marks.factor.empty()) label += " " + marks.factor;
  return svg + fmt::format("<text transform=\"translate({} {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                           map_width - 12, (map_top + map_y_end) / 2, label);
}

}  // namespace

std::string to_png(const HeatMap& map) { return picture(map); }

std::string to_svg(const HeatMap& map) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n<style>\n{3}</style>\n"
             "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n"
             "<text x=\"{4:.2f}\" y=\"26\" text-anchor=\"middle\" class=\"title\">{2}</text>\n",
             map_width, map_height, escaped(map.title.empty() ? map.label : map.title), web_text("figure.css"),
             (map_left + map_x_end) / 2) +
         fmt::format(
             "<image x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" preserveAspectRatio=\"none\" "
             "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{4}\"/>\n"
             "<rect class=\"frame\" x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\"/>\n",
             map_left, map_top, map_x_end - map_left, map_y_end - map_top, base64(picture(map))) +
         draw_map_axes(map) + draw_colours(map) + "</svg>\n";
}

std::string to_html(const HeatMap& map, const std::string& words) {
  return html_page(map.title, to_svg(map) + "<pre>" + escaped(words) + "</pre>\n");
}

}  // namespace alembert::internal
