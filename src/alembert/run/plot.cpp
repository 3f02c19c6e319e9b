#include "alembert/run/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace alembert {
namespace {

// Sizes in CSS pixels.
constexpr double panel_width = 440, panel_height = 380;
constexpr double left = 76, right = 20, top = 44, bottom = 58;  // of the axes inside a panel
constexpr double title_height = 34, line_height = 20;
constexpr int colours = 7;

// The media rules come last, so that they win; what ignores them (printers, converters) shows the light colours.
constexpr char style[] = R"(
  text { font: 13px system-ui, sans-serif; fill: #222; }
  .title { font-weight: 600; font-size: 15px; }
  .paper { fill: #fff; }
  .frame { fill: none; stroke: #222; stroke-width: 1; }
  .grid { stroke: #ddd; stroke-width: 1; }
  .slope { fill: none; stroke: #777; stroke-width: 0.8; }
  .order { font-size: 11px; fill: #555; }
  .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
  .c0 { stroke: #0072b2; } .c1 { stroke: #d55e00; } .c2 { stroke: #009e73; } .c3 { stroke: #cc79a7; }
  .c4 { stroke: #e69f00; } .c5 { stroke: #56b4e9; } .c6 { stroke: #000; }
  .marker { fill: #fff; stroke-width: 1.6; }
  @media screen and (prefers-color-scheme: dark) {
    text { fill: #ddd; }
    .paper { fill: #16181c; }
    .frame { stroke: #bbb; }
    .grid { stroke: #33373d; }
    .slope { stroke: #999; }
    .order { fill: #aaa; }
    .c0 { stroke: #56b4e9; } .c3 { stroke: #e9a9cc; } .c5 { stroke: #f0e442; } .c6 { stroke: #eee; }
    .marker { fill: #16181c; }
  }
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      // Other control characters are not allowed in XML at all.
      default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// Maps values of one axis to pixels.
class Scale {
 public:
  Scale(double low, double high, bool logarithmic, double from, double to)
      : logarithmic_(logarithmic), low_(map(low)), high_(map(high)), from_(from), to_(to) {}
  double operator()(double value) const { return from_ + (map(value) - low_) / (high_ - low_) * (to_ - from_); }

 private:
  double map(double value) const { return logarithmic_ ? std::log10(value) : value; }
  bool logarithmic_;
  double low_, high_, from_, to_;
};

struct Range {
  double low = INFINITY, high = -INFINITY;
  bool empty() const { return !(low <= high); }
  void include(double value) { low = std::min(low, value), high = std::max(high, value); }
};

bool visible(double value, const Axis& axis) { return std::isfinite(value) && (value > 0 || !axis.logarithmic); }

bool visible(const Panel& panel, const Curve& curve, std::size_t i) {
  return i < curve.y.size() && visible(curve.x[i], panel.x) && visible(curve.y[i], panel.y);
}

/// Some room at both ends, and never of length zero.
Range widened(Range range, bool logarithmic) {
  if (range.empty()) return logarithmic ? Range{0.1, 10} : Range{0, 1};
  if (logarithmic) {
    const double room = std::pow(10, std::max(0.05 * std::log10(range.high / range.low), 0.08));
    return {range.low / room, range.high * room};
  }
  const double length = range.high - range.low;
  const double room = length > 0 ? 0.05 * length : std::max(0.5 * std::abs(range.high), 0.5);
  return {range.low - room, range.high + room};
}

/// "0.01"; far from 1 on a logarithmic axis as a power of ten with a raised exponent.
std::string mark_text(double value, bool logarithmic) {
  if (logarithmic && (value < 0.999e-3 || value > 1.001e3)) {
    const long exponent = std::lround(std::floor(std::log10(value) + 1e-9));
    const long factor = std::lround(value / std::pow(10.0, static_cast<double>(exponent)));
    return fmt::format("{}10<tspan dy=\"-5\" font-size=\"10\">{}{}</tspan>",
                       factor == 1 ? "" : fmt::format("{}·", factor), exponent < 0 ? "−" : "", std::abs(exponent));
  }
  return fmt::format("{:.6g}", value == 0 ? 0.0 : value);
}

/// Legend entries: names in the order of their first appearance.
std::vector<std::string> legend(const Figure& figure) {
  std::vector<std::string> names;
  for (const Panel& panel : figure.panels) {
    for (const Curve& curve : panel.curves) {
      if (std::find(names.begin(), names.end(), curve.name) == names.end()) names.push_back(curve.name);
    }
  }
  return names;
}

std::string marker(double x, double y, int number) {
  const std::string head = fmt::format("class=\"marker c{}\"", number % colours);
  switch (number % 4) {
    case 0: return fmt::format("<circle {} cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.5\"/>", head, x, y);
    case 1:
      return fmt::format("<rect {} x=\"{:.2f}\" y=\"{:.2f}\" width=\"6.4\" height=\"6.4\"/>", head, x - 3.2, y - 3.2);
    case 2: return fmt::format("<path {} d=\"M{:.2f} {:.2f}l4.2 7.2h-8.4z\"/>", head, x, y - 4.6);
    default: return fmt::format("<path {} d=\"M{:.2f} {:.2f}l4.4 4.4l-4.4 4.4l-4.4 -4.4z\"/>", head, x, y - 4.4);
  }
}

const char* dashes(Curve::Line line) {
  switch (line) {
    case Curve::Line::dashed: return " stroke-dasharray=\"7 4\"";
    case Curve::Line::dotted: return " stroke-dasharray=\"1.5 3.5\" stroke-linecap=\"round\"";
    case Curve::Line::solid: break;
  }
  return "";
}

/// Below the two rightmost points of a curve (the left ones may be rounding), a right triangle whose long side has the
/// slope.
/// Where one of that slope is near already (drawn: slope and height), nothing.
std::string slope_triangle(const Panel& panel, const Curve& curve, const Scale& x, const Scale& y, double floor,
                           std::vector<std::pair<double, double>>& drawn) {
  if (curve.slope == 0 || !panel.x.logarithmic || !panel.y.logarithmic) return "";
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (visible(panel, curve, i)) points.emplace_back(curve.x[i], curve.y[i]);
  }
  std::sort(points.begin(), points.end());
  if (points.size() < 2) return "";
  const auto [from, error] = points[points.size() - 2];
  const double ratio = points.back().first / from;
  const double x1 = from * std::pow(ratio, 0.3), x2 = from * std::pow(ratio, 0.85);
  const double y_at_x1 = error * std::pow(x1 / from, curve.slope), y_at_x2 = error * std::pow(x2 / from, curve.slope);
  const double drop = 14;
  const double px1 = x(x1), px2 = x(x2), py1 = y(y_at_x1) + drop, py2 = y(y_at_x2) + drop;
  if (!(py1 < floor && py2 < floor && py2 > top && py1 > top)) return "";
  for (const auto& [slope, height] : drawn) {
    if (slope == curve.slope && std::abs(height - py1) < 30) return "";
  }
  drawn.emplace_back(curve.slope, py1);
  return fmt::format(
      "<path class=\"slope\" d=\"M{0:.2f} {1:.2f}L{2:.2f} {3:.2f}V{1:.2f}z\"/>"
      "<text class=\"order\" x=\"{4:.2f}\" y=\"{5:.2f}\">{6:.3g}</text>\n",
      px1, py1, px2, py2, px2 + 3, (py1 + py2) / 2 + 4, curve.slope);
}

std::string draw(const Panel& panel, const std::vector<std::string>& names) {
  Range x_range, y_range;
  for (const Curve& curve : panel.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (visible(panel, curve, i)) x_range.include(curve.x[i]), y_range.include(curve.y[i]);
    }
  }
  x_range = widened(x_range, panel.x.logarithmic), y_range = widened(y_range, panel.y.logarithmic);
  const double x_end = panel_width - right, y_end = panel_height - bottom;
  const Scale x(x_range.low, x_range.high, panel.x.logarithmic, left, x_end);
  const Scale y(y_range.low, y_range.high, panel.y.logarithmic, y_end, top);
  std::string svg;
  for (const double value : axis_marks(x_range.low, x_range.high, panel.x.logarithmic)) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.2f} {1}V{2}\"/><text x=\"{0:.2f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        x(value), top, y_end, y_end + 18, mark_text(value, panel.x.logarithmic));
  }
  for (const double value : axis_marks(y_range.low, y_range.high, panel.y.logarithmic)) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{1} {0:.2f}H{2}\"/><text x=\"{3}\" y=\"{4:.2f}\" text-anchor=\"end\">{5}</text>\n",
        y(value), left, x_end, left - 6, y(value) + 4.5, mark_text(value, panel.y.logarithmic));
  }
  svg += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, top, x_end - left,
                     y_end - top);
  svg += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\" class=\"title\">{}</text>\n",
                     (left + x_end) / 2, top - 14, escaped(panel.title));
  svg += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (left + x_end) / 2,
                     panel_height - 16, escaped(panel.x.label));
  svg += fmt::format("<text transform=\"translate(16 {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (top + y_end) / 2, escaped(panel.y.label));
  std::vector<std::pair<double, double>> drawn;
  for (const Curve& curve : panel.curves) svg += slope_triangle(panel, curve, x, y, y_end, drawn);
  for (const Curve& curve : panel.curves) {
    const int number = static_cast<int>(std::find(names.begin(), names.end(), curve.name) - names.begin());
    std::string path, markers;
    bool pen_down = false;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!visible(panel, curve, i)) {
        pen_down = false;  // a gap, not a line across it
        continue;
      }
      path += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", x(curve.x[i]), y(curve.y[i]));
      markers += marker(x(curve.x[i]), y(curve.y[i]), number);
      pen_down = true;
    }
    if (path.empty()) continue;
    svg +=
        fmt::format("<path class=\"curve c{}\"{} d=\"{}\"/>{}\n", number % colours, dashes(curve.line), path, markers);
  }
  return svg;
}

}  // namespace

std::vector<double> axis_marks(double low, double high, bool logarithmic) {
  std::vector<double> marks;
  const auto add = [&](double value) {
    if (value >= low && value <= high) marks.push_back(value);
  };
  if (!logarithmic) {
    const double length = high - low, power = std::pow(10, std::floor(std::log10(length / 4)));
    const double share = length / 4 / power, unit = power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
    const long first = std::lround(std::ceil(low / unit)), last = std::lround(std::floor(high / unit));
    for (long i = first; i <= last; ++i) add(static_cast<double>(i) * unit);
    return marks;
  }
  const long first = std::lround(std::floor(std::log10(low))), last = std::lround(std::ceil(std::log10(high)));
  const long powers = last - first, every = std::max(1L, (powers + 7) / 8);
  const bool with_multiples = std::log10(high / low) < 2.2;
  for (long exponent = first; exponent <= last; ++exponent) {
    if (exponent % every != 0) continue;
    // Read from text: 10^-3 is to be 0.001, not its neighbour.
    const double power = std::stod("1e" + std::to_string(exponent));
    add(power);
    for (const double multiple : {2, 5}) {
      if (with_multiples) add(multiple * power);
    }
  }
  return marks;
}

std::string to_svg(const Figure& figure) {
  const std::vector<std::string> names = legend(figure);
  const double width = panel_width * static_cast<double>(std::max<std::size_t>(figure.panels.size(), 1));
  // The legend fills rows of equal cells as wide as its longest name.
  std::size_t longest = 1;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const double cell = 44 + 8.0 * static_cast<double>(longest);
  const int columns = std::max(1, static_cast<int>((width - left) / cell));
  const int legend_rows = (static_cast<int>(names.size()) + columns - 1) / columns;
  const double legend_top = title_height + panel_height + 10;
  const double height = legend_top + line_height * (legend_rows + static_cast<double>(figure.notes.size())) + 10;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n"
      "<title>{2}</title>\n<style>{3}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n"
      "<text x=\"{4}\" y=\"24\" text-anchor=\"middle\" class=\"title\">{2}</text>\n",
      width, height, escaped(figure.title), style, width / 2);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    svg += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", panel_width * static_cast<double>(i),
                       title_height, draw(figure.panels[i], names));
  }
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const double x = left + cell * (i % columns), y = legend_top + line_height * (i / columns);
    svg += fmt::format(
        "<path class=\"curve c{0}\" d=\"M{1:.2f} {2:.2f}h28\"/>{3}<text x=\"{4:.2f}\" y=\"{5:.2f}\">{6}</text>\n",
        i % colours, x, y, marker(x + 14, y, i), x + 36, y + 4.5, escaped(names[i]));
  }
  for (std::size_t i = 0; i < figure.notes.size(); ++i) {
    svg +=
        fmt::format("<text x=\"{}\" y=\"{:.2f}\" class=\"order\">{}</text>\n", left,
                    legend_top + line_height * (legend_rows + static_cast<double>(i)) + 4.5, escaped(figure.notes[i]));
  }
  return svg + "</svg>\n";
}

}  // namespace alembert
