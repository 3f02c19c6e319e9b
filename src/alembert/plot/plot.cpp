#include "alembert/plot/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/plot/plot_axes.h"
#include "alembert/plot/web.h"

namespace alembert::internal {
namespace {

using plotting::Pixel;
using Extent = plotting::Range;
using plotting::Scale;

// Sizes in CSS pixels.
constexpr double panel_width = 440, panel_height = 380;
constexpr double left = 76, right = 20, top = 44, bottom = 58;  // of the axes inside a panel
constexpr double x_end = panel_width - right, y_end = panel_height - bottom;
constexpr double title_height = 34, line_height = 20;
constexpr double title_width = 9;         // of a character of a title
constexpr std::size_t most_markers = 40;  // of a curve; longer ones are lines alone
constexpr std::size_t long_curve = 200;   // from here on the pen is thinner

bool visible(double value, const Axis& axis) { return std::isfinite(value) && (value > 0 || !axis.logarithmic); }

bool visible(const Panel& panel, const Curve& curve, std::size_t i) {
  return i < curve.y.size() && visible(curve.x[i], panel.x) && visible(curve.y[i], panel.y);
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Legend entries: the first curve of each name, in the order of their appearance.
std::vector<const Curve*> legend(const std::vector<const Panel*>& panels) {
  std::vector<const Curve*> entries;
  for (const Panel* panel : panels) {
    for (const Curve& curve : panel->curves) {
      const auto same = [&](const Curve* entry) { return entry->name == curve.name; };
      if (!curve.name.empty() && std::none_of(entries.begin(), entries.end(), same)) entries.push_back(&curve);
    }
  }
  return entries;
}

/// The colour of a curve; those without a name are black.
int number_of(const Curve& curve, const std::vector<const Curve*>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i]->name == curve.name) return static_cast<int>(i);
  }
  return colours - 1;
}

bool has_markers(const Curve& curve) {
  if (curve.line == Curve::Line::none) return false;  // its points are drawn as they are
  if (curve.marks != Curve::Marks::automatic) return curve.marks == Curve::Marks::shown;
  return curve.x.size() <= most_markers;
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
    default: return "";
  }
}

/// Where an axis ends: as asked for, else where the curves do, with some room.
Extent axis_range(const Axis& axis, Extent curves) {
  Extent range = plotting::widened(curves, axis.logarithmic);
  if (visible(axis.low, axis)) range.low = axis.low;
  if (visible(axis.high, axis)) range.high = axis.high;
  return range.low < range.high ? range : plotting::widened({}, axis.logarithmic);
}

struct Ranges {
  Extent x, y;
};

Ranges ranges_of(const Panel& panel) {
  Ranges r;
  for (const Curve& curve : panel.curves) {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (visible(panel, curve, i)) {
        r.x.include(curve.x[i]);
        r.y.include(curve.y[i]);
      }
    }
  }
  r.x = axis_range(panel.x, r.x);
  r.y = axis_range(panel.y, r.y);
  if (!panel.equal_scales || panel.x.logarithmic || panel.y.logarithmic) return r;
  // The axis that would be stretched more shows more on both sides instead.
  const double x_unit = (r.x.high - r.x.low) / (x_end - left), y_unit = (r.y.high - r.y.low) / (y_end - top);
  const auto stretch = [](Extent& range, double factor) {
    const double middle = (range.low + range.high) / 2, half = (range.high - range.low) / 2 * factor;
    range = {middle - half, middle + half};
  };
  if (x_unit < y_unit) stretch(r.x, y_unit / x_unit);
  else stretch(r.y, x_unit / y_unit);
  return r;
}

/// Below the two rightmost points of a curve (the left ones may be rounding), a right triangle whose long side has the
/// slope. Where one of that slope is near already (drawn: slope and height), nothing.
std::string slope_triangle(const Panel& panel, const Curve& curve, const Scale& x, const Scale& y,
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
  if (!(py1 < y_end && py2 < y_end && py2 > top && py1 > top)) return "";
  for (const auto& [slope, height] : drawn) {
    if (slope == curve.slope && std::abs(height - py1) < 30) return "";
  }
  drawn.emplace_back(curve.slope, py1);
  return fmt::format(
      "<path class=\"slope\" d=\"M{0:.2f} {1:.2f}L{2:.2f} {3:.2f}V{1:.2f}z\"/>"
      "<text class=\"order\" x=\"{4:.2f}\" y=\"{5:.2f}\">{6:.3g}</text>\n",
      px1, py1, px2, py2, px2 + 3, (py1 + py2) / 2 + 4, curve.slope);
}

std::string draw_axes(const Panel& panel, const Ranges& ranges, const Scale& x, const Scale& y) {
  const plotting::Marks across = plotting::marks_of(ranges.x, panel.x.logarithmic);
  const plotting::Marks up = plotting::marks_of(ranges.y, panel.y.logarithmic);
  std::string svg, ticks;
  for (std::size_t i = 0; i < across.at.size(); ++i) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.2f} {1}V{2}\"/><text x=\"{0:.2f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        x(across.at[i]), top, y_end, y_end + 18, across.labels[i]);
    ticks += fmt::format("M{:.2f} {}v-6", x(across.at[i]), y_end);
  }
  for (std::size_t i = 0; i < up.at.size(); ++i) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{1} {0:.2f}H{2}\"/><text x=\"{3}\" y=\"{4:.2f}\" text-anchor=\"end\">{5}</text>\n",
        y(up.at[i]), left, x_end, left - 6, y(up.at[i]) + 4.5, up.labels[i]);
    ticks += fmt::format("M{} {:.2f}h6", left, y(up.at[i]));
  }
  for (const double value : across.between) ticks += fmt::format("M{:.2f} {}v-3", x(value), y_end);
  for (const double value : up.between) ticks += fmt::format("M{} {:.2f}h3", left, y(value));
  if (!ticks.empty()) svg += fmt::format("<path class=\"tick\" d=\"{}\"/>\n", ticks);
  if (!across.factor.empty())
    svg +=
        fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", x_end, panel_height - 16, across.factor);
  if (!up.factor.empty()) svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", left, top - 5, up.factor);
  // Above the factor of the axis; a long title is squeezed rather than cut.
  const double room = x_end - left + 40;
  const bool squeezed = title_width * static_cast<double>(characters(panel.title)) > room;
  svg += fmt::format(
      "<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\" class=\"title\"{}>{}</text>\n", (left + x_end) / 2, top - 22,
      squeezed ? fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", room) : "", escaped(panel.title));
  svg += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (left + x_end) / 2,
                     panel_height - 16, escaped(panel.x.label));
  svg += fmt::format("<text transform=\"translate(16 {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (top + y_end) / 2, escaped(panel.y.label));
  return svg;
}

/// The parts of a curve between its gaps, in pixels. What lies far outside is moved to the edge of what any renderer
/// takes.
std::vector<std::vector<Pixel>> pieces(const Panel& panel, const Curve& curve, const Scale& x, const Scale& y) {
  std::vector<std::vector<Pixel>> result;
  bool pen_down = false;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!visible(panel, curve, i)) {
      pen_down = false;  // a gap, not a line across it
      continue;
    }
    if (!pen_down) result.emplace_back();
    pen_down = true;
    result.back().push_back({std::clamp(x(curve.x[i]), -1e4, 1e4), std::clamp(y(curve.y[i]), -1e4, 1e4)});
  }
  return result;
}

std::string draw_curve(const Panel& panel, const Curve& curve, int number, const Scale& x, const Scale& y) {
  std::string path, markers;
  const bool with_markers = has_markers(curve);
  for (const std::vector<Pixel>& piece : pieces(panel, curve, x, y)) {
    if (curve.line == Curve::Line::none) {
      for (const Pixel& p : plotting::thinned_points(piece)) path += fmt::format("M{:.2f} {:.2f}h0", p.x, p.y);
      continue;
    }
    const char* pen = "M";
    const int decimals = piece.size() > long_curve ? 1 : 2;
    for (const Pixel& p : plotting::thinned(piece)) {
      path += fmt::format("{0}{1:.{3}f} {2:.{3}f}", pen, p.x, p.y, decimals);
      pen = "L";
    }
    for (const Pixel& p : piece) {
      const bool inside = p.x >= left - 1 && p.x <= x_end + 1 && p.y >= top - 1 && p.y <= y_end + 1;
      if (with_markers && inside) markers += marker(p.x, p.y, number);
    }
  }
  if (path.empty()) return "";
  if (curve.line == Curve::Line::none)
    return fmt::format("<path class=\"dots c{}\" clip-path=\"url(#panel)\" d=\"{}\"/>\n", number % colours, path);
  return fmt::format("<path class=\"curve c{}{}\"{} clip-path=\"url(#panel)\" d=\"{}\"/>{}\n", number % colours,
                     curve.x.size() > long_curve ? " thin" : "", dashes(curve.line), path, markers);
}

std::string draw(const Panel& panel, const std::vector<const Curve*>& entries) {
  const Ranges ranges = ranges_of(panel);
  const Scale x(ranges.x, panel.x.logarithmic, left, x_end), y(ranges.y, panel.y.logarithmic, y_end, top);
  std::string svg = draw_axes(panel, ranges, x, y);
  std::vector<std::pair<double, double>> drawn;
  for (const Curve& curve : panel.curves) svg += slope_triangle(panel, curve, x, y, drawn);
  for (const Curve& curve : panel.curves) svg += draw_curve(panel, curve, number_of(curve, entries), x, y);
  for (const Inscription& word : panel.inscriptions) {
    if (!visible(word.x, panel.x) || !visible(word.y, panel.y)) continue;
    svg += fmt::format("<text class=\"order\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", x(word.x) + 4, y(word.y) - 4,
                       escaped(word.text));
  }
  return svg + fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left, top,
                           x_end - left, y_end - top);
}

/// A legend fills rows of equal cells as wide as its longest name.
class Legend {
 public:
  Legend(std::vector<const Curve*> entries, double width) : entries_(std::move(entries)) {
    std::size_t longest = 1;
    for (const Curve* entry : entries_) longest = std::max(longest, characters(entry->name));
    cell_ = 44 + 8.0 * static_cast<double>(longest);
    across_ = std::max(1, static_cast<int>((width - left) / cell_));
  }
  const std::vector<const Curve*>& entries() const { return entries_; }
  int rows() const { return (static_cast<int>(entries_.size()) + across_ - 1) / across_; }
  std::string draw(double from) const {
    std::string svg;
    for (int i = 0; i < static_cast<int>(entries_.size()); ++i) {
      const int column = i % across_, row = i / across_;
      const double x = left + cell_ * column, y = from + line_height * row;
      const Curve& curve = *entries_[i];
      if (curve.line == Curve::Line::none) {
        svg += fmt::format("<path class=\"dots c{}\" d=\"M{:.2f} {:.2f}h0\"/>", i % colours, x + 14, y);
      } else {
        svg += fmt::format("<path class=\"curve c{}\"{} d=\"M{:.2f} {:.2f}h28\"/>{}", i % colours, dashes(curve.line),
                           x, y, has_markers(curve) ? marker(x + 14, y, i) : "");
      }
      svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", x + 36, y + 4.5, escaped(curve.name));
    }
    return svg;
  }

 private:
  std::vector<const Curve*> entries_;
  double cell_ = 0;
  int across_ = 1;
};

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      // Other control characters are not allowed in XML at all.
      default: result += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    }
  }
  return result;
}

std::string to_svg(const Figure& figure) {
  const int count = std::max(1, static_cast<int>(figure.panels.size()));
  const int columns = std::clamp(figure.columns > 0 ? figure.columns : count <= 3 ? count : 2, 1, count);
  const int rows = (count + columns - 1) / columns;
  const double width = panel_width * columns;
  std::vector<const Panel*> all;
  for (const Panel& panel : figure.panels) all.push_back(&panel);
  const Legend common(figure.own_legends ? std::vector<const Curve*>() : legend(all), width);
  std::vector<Legend> own;
  int own_rows = 0;
  for (const Panel* panel : all) {
    if (figure.own_legends) own.emplace_back(legend({panel}), panel_width);
    if (figure.own_legends) own_rows = std::max(own_rows, own.back().rows());
  }
  const double cell_height = panel_height + line_height * own_rows;
  const double legend_top = title_height + cell_height * rows + 10,
               notes_top = legend_top + line_height * common.rows();
  const double height = notes_top + line_height * static_cast<double>(figure.notes.size()) + 10;
  // In the style the media rules come last, so that they win; what ignores them (printers, converters) shows the light
  // colours. All rules begin with the figure's own class: a page that holds several figures is not touched by them.
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\">\n"
      "<title>{2}</title>\n{9}<style>\n{3}</style>\n"
      "<clipPath id=\"panel\"><rect x=\"{5}\" y=\"{6}\" width=\"{7}\" height=\"{8}\"/></clipPath>\n"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n"
      "<text x=\"{4}\" y=\"24\" text-anchor=\"middle\" class=\"title\">{2}</text>\n",
      width, height, escaped(figure.title), web_text("figure.css"), width / 2, left, top, x_end - left, y_end - top,
      figure.about.empty() ? "" : "<metadata>" + escaped(figure.about) + "</metadata>\n");
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const int column = i % columns, row = i / columns;
    svg += fmt::format("<g transform=\"translate({} {})\">\n{}{}</g>\n", panel_width * column,
                       title_height + cell_height * row,
                       draw(*all[i], figure.own_legends ? own[i].entries() : common.entries()),
                       figure.own_legends ? own[i].draw(panel_height + 6) : "");
  }
  svg += common.draw(legend_top);
  for (std::size_t i = 0; i < figure.notes.size(); ++i) {
    svg += fmt::format("<text x=\"{}\" y=\"{:.2f}\" class=\"order\">{}</text>\n", left,
                       notes_top + line_height * static_cast<double>(i) + 4.5, escaped(figure.notes[i]));
  }
  return svg + "</svg>\n";
}

}  // namespace alembert::internal
